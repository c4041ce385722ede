"""Which tools a model is offered, and how they are told to it: by how it was trained, by how well
it writes nested JSON, and by the size of its context window.

What is not offered, or told in fewer words, can be called all the same, with all its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from agent_tui.protocol.messages import ModelInfo, ToolSpec
from agent_tui.protocol.turn_events import Profile
from agent_tui.providers.facts.model_names import is_weak, known_of
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import Tool

LOADER: Final = "load_tools"
PATCH: Final = "apply_patch"
EDIT: Final = "edit_file"
RARER: Final = "files"
"""The group of the tools for files that are not in every request."""
MEMORY: Final = "memory"
"""The group of the tools for what is remembered."""
SMALL_WINDOW: Final = 16_384
"""Tokens of a window up to which the small profile is taken."""
CHARACTERS: Final = 4
"""Of a token, about."""
MISFITS: Final = 2
"""Calls with nested edits that did not fit, after which a model is shown flat ones."""


@frozen
class Brief:
    """How a tool is told in the small profile: in a few words, with these of its arguments."""

    description: str
    arguments: tuple[str, ...]


FLAT: Final = ("path", "old", "new", "replace_all")
CORE: Final[Mapping[str, Brief]] = {
    "create_file": Brief("Create a new file.", ("path", "content")),
    EDIT: Brief("Replace the exact text `old`, which occurs once, with `new`.", FLAT),
    "grep_files": Brief("Search files for a regular expression.", ("pattern", "path", "glob")),
    LOADER: Brief("Get more tools.", ("group",)),
    "read_file": Brief("Read a file, with line numbers.", ("path", "start_line", "end_line")),
    "run_shell_command": Brief("Run a command with bash.", ("command", "background")),
}
"""The tools of the first request in the small profile."""
LOADED: Final[Mapping[str, str]] = {
    "ask_user": "plan",
    "glob_files": "find",
    "list_files": "find",
    "propose_plan": "plan",
    "skills": "skills",
    "update_todos": "plan",
}
"""The groups with which the other tools of the first request are loaded in the small profile."""


@frozen
class Narrowed:
    """Arguments of which a model is told only some, and takes all: `given` are the tool's own."""

    told: Mapping[str, Any]
    given: Tool[Any]

    def schema(self) -> dict[str, object]:
        return dict(self.told)

    def validate(self, raw: object) -> Any:
        return self.given.validate(raw)


def profile_of(info: ModelInfo, wanted: str) -> Profile:
    """The profile for a model, where the setting `tools.profile` is `wanted`. A window of which
    nobody told the size is not taken for small."""
    if wanted != "auto":
        return "small" if wanted == "small" else "full"
    known = bool(info.window) and not info.window_assumed
    return "small" if known and info.window <= SMALL_WINDOW else "full"


def fit_to_model(
    tools: Mapping[str, Tool[Any]],
    model: str,
    edit_format: str,
    profile: Profile = "full",
    misfits: int = 0,
) -> tuple[Tool[Any], ...]:
    """`tools` as `model` is offered them. Patches are there from the start where it was trained on
    them, or the setting `edit_format` says so; else on demand, where it can load tools at all.
    `misfits`: how many of its calls with nested edits did not fit."""
    known = known_of(model).patches if edit_format == "auto" else edit_format == "patch"
    weak = edit_format == "auto" and (is_weak(model) or misfits >= MISFITS)
    offered = dict(tools)
    if not known and LOADER in tools and PATCH in tools:
        offered[PATCH] = replace(tools[PATCH], group=RARER)
    if EDIT in tools and (weak or edit_format == "flat"):
        offered[EDIT] = replace(tools[EDIT], arguments=_narrow(tools[EDIT], FLAT))
    if profile == "small":
        return tuple(_make_small(tool, LOADER in tools) for tool in offered.values())
    return tuple(offered.values())


def _make_small(tool: Tool[Any], on_demand: bool) -> Tool[Any]:
    if (brief := CORE.get(tool.name)) is not None:
        arguments = _narrow(tool, brief.arguments, in_words=False)
        return replace(tool, description=brief.description, arguments=arguments)
    return replace(tool, group=LOADED.get(tool.name, tool.group)) if on_demand else tool


def _narrow(tool: Tool[Any], names: Sequence[str], in_words: bool = True) -> Narrowed:
    """The arguments `names` of a tool; not `in_words`: by their names and types alone."""
    whole: Mapping[str, Any] = tool.schema()
    left_out = () if in_words else ("description", "default", "minimum")
    own = {
        name: {
            key: value for key, value in whole["properties"][name].items() if key not in left_out
        }
        for name in names
    }
    required = [name for name in names if name in whole.get("required", ())]
    return Narrowed({"type": "object", "properties": own, "required": required}, tool)


def refit(tools: Sequence[Tool[Any]], there: Sequence[ToolSpec]) -> Sequence[ToolSpec] | None:
    """The specs of a prefix that has those `there`, for a model that is offered `tools`, where it
    is not the one that they were for; None: they stay. Always the same bytes for one model."""
    fitting = _refit_patches(tools, _refit_edits(tools, there))
    return None if fitting == list(there) else fitting


def _refit_edits(tools: Sequence[Tool[Any]], there: Sequence[ToolSpec]) -> list[ToolSpec]:
    """Only nested or flat: what is on record is not told anew for another word."""
    wanted = next((tool.spec() for tool in tools if tool.name == EDIT), None)
    if wanted is None:
        return list(there)
    return [
        wanted if spec.name == EDIT and _is_nested(spec) != _is_nested(wanted) else spec
        for spec in there
    ]


def _is_nested(spec: ToolSpec) -> bool:
    return '"edits"' in json.dumps(spec.parameters)


def _refit_patches(tools: Sequence[Tool[Any]], there: list[ToolSpec]) -> list[ToolSpec]:
    names = {spec.name for spec in there}
    patch = next((tool for tool in tools if tool.name == PATCH), None)
    loaded = {tool.name for tool in tools if tool.group == RARER} - {PATCH}
    wanted = patch is not None and (not patch.group or bool(loaded & names))
    if patch is None or wanted == (PATCH in names):
        return there
    kept = [spec for spec in there if spec.name != PATCH]
    at = next((at for at, spec in enumerate(kept) if spec.name > PATCH), len(kept))
    return [*kept[:at], *([patch.spec()] if wanted else []), *kept[at:]]


def tool_groups(tools: Iterable[Tool[Any]]) -> dict[str, tuple[str, ...]]:
    """The names of the tools that are loaded on demand, by their group."""
    groups = sorted({tool.group for tool in tools if tool.group})
    return {group: tuple(tool.name for tool in tools if tool.group == group) for group in groups}


def size_of(tools: Iterable[Tool[Any]]) -> int:
    """About how many tokens the first request has of `tools` as they are offered."""
    told = [asdict(tool.spec()) for tool in tools if not tool.group]
    return len(json.dumps(told, separators=(",", ":"))) // CHARACTERS
