"""`agent-tui prompt`: what the next session here would tell a model before the first prompt."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, cast, get_args

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.memory import OFF
from agent_tui.agent.services.trust import discover_skills
from agent_tui.agent.turn import tool_wiring
from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.agent.turn.request_prefix import prompt_input
from agent_tui.agent.turn.tool_offer import CHARACTERS, fit_to_model, size_of
from agent_tui.cli.errors import USAGE, one_line
from agent_tui.cli.parser import Parser
from agent_tui.context import memory, text_files
from agent_tui.context.prompt import (
    REPLACEABLE,
    Prefix,
    PromptInput,
    build,
    notices,
    part_texts,
    source_of,
)
from agent_tui.context.prompt_texts import FOLDER
from agent_tui.protocol import exit_codes
from agent_tui.protocol.turn_events import Profile
from agent_tui.settings.layers import place_at, read
from agent_tui.settings.trust import Gate
from agent_tui.structures.visible import visible

EPILOG: Final = f"""\
A file {FOLDER}/PART.md in your config folder stands in the place of a part; an empty one \
leaves it out. PART is one of \
{", ".join(REPLACEABLE)}.
Nothing is sent. Token counts are estimates.
{exit_codes.summary("prompt")}
"""
NOT_TRUSTED: Final = "not trusted: `agent-tui trust`"


def prompt(arguments: Sequence[str]) -> int:
    """Run `agent-tui prompt`; returns its exit code."""
    parser = Parser(
        prog="agent-tui prompt",
        description="Print the system prompt of a new session in this folder, and what it is made of.",
        epilog=EPILOG,
    )
    parser.several = "`agent-tui run PROMPT` runs a prompt"
    parser.add_argument(
        "--layers", action="store_true", help="list the parts with their source and tokens"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the folder of the session")
    parser.add_argument("--otr", action="store_true", help="as it is off the record")
    parser.add_argument(
        "--profile",
        choices=get_args(Profile),
        help="the prompt for a small window, or the full one (default: by tools.profile, else full)",
    )
    given = parser.parse_args(arguments)
    cwd = Path(given.cwd).resolve()
    if not cwd.is_dir():
        print(f"agent-tui prompt: no folder {one_line(given.cwd)}", file=sys.stderr)
        return USAGE
    found, gate, tools = _read(cwd, given.otr, given.profile)
    prefix, said = build(found), [one.text for one in notices(found)]
    missing = [*prefix.left_out, *_untrusted(gate)]
    if given.json:
        print(json.dumps(_as_json(found.profile, prefix, missing, tools, said), indent=2))
    elif given.layers:
        _print_layers(prefix, missing, tools)
    else:
        print(visible(prefix.system))
    for text in said:
        print(f"agent-tui prompt: {one_line(text)}", file=sys.stderr)
    return exit_codes.OK


def _read(cwd: Path, otr: bool, wanted: Profile | None) -> tuple[PromptInput, Gate, int]:
    """What a session in `cwd` would be told, and about how many tokens its tools are."""
    place = place_at(cwd)
    gate = place.gate()
    settings = read(place, gate).settings
    gate.closed = settings.permissions.forbidden_dirs
    config = EngineConfig(
        place.cwd, place.folders, place.environment, place.flags, place.this_run, settings, otr=otr
    )
    own = settings.tools.profile
    profile = wanted or (cast(Profile, own) if own in get_args(Profile) else "full")
    offered = tool_wiring.offered_tools(config, (CustomTools(place),))
    tools = fit_to_model(offered, settings.model, settings.agent.edit_format, profile)
    hide = tool_wiring.scrubber(config, formats=True).scrub
    skills = discover_skills(place, gate, hide).list()
    facts = _remembered(config, profile, hide, gate)
    given = prompt_input(config, tools, skills, profile, hide=hide, gate=gate, memory=facts)
    return given, gate, size_of(tools)


def _remembered(
    config: EngineConfig, profile: Profile, hide: Callable[[str], str], gate: Gate
) -> str:
    """The list of remembered facts. Writes nothing."""
    if config.settings.agent.memory == OFF:
        return ""
    folder = memory.user_folder(config.folders.config)
    files = memory.read_user(folder, {}, [], gate.closed)
    files += memory.read_project(config.cwd, hide, [], admits=gate.admits, closed=gate.closed)
    path = folder / memory.INDEX
    try:
        index = "" if text_files.forbid(path.resolve(), gate.closed) else path.read_text("utf-8")
    except (OSError, ValueError):
        index = ""
    return hide(memory.told_index(files, index, memory.INDEX_CHARS[profile]))


def _untrusted(gate: Gate) -> list[tuple[str, str]]:
    return [(gate.display_name(one), NOT_TRUSTED) for one in gate.left_out.values()]


def _tokens(chars: int) -> int:
    return -(-chars // CHARACTERS)


def _print_layers(prefix: Prefix, missing: Sequence[tuple[str, str]], tools: int) -> None:
    rows = [(one.name, f"≈{_tokens(one.chars):,}", source_of(one)) for one in prefix.parts]
    rows.append(("total", f"≈{_tokens(len(prefix.system)):,}", ""))
    name_width = max(len(name) for name, _, _ in rows)
    count_width = max(len(count) for _, count, _ in rows)
    for name, count, source in (("part", "tokens", "from"), *rows):
        line = f"{name:{name_width}}  {count:>{count_width}}  {source}"
        print(one_line(line).rstrip())
    print(f"\nBeside it: the descriptions of the tools, ≈{tools:,} tokens.")
    if missing:
        print("\nLeft out:")
    for name, why in missing:
        print(f"  {one_line(f'{name}: {why}')}")


def _as_json(
    profile: Profile,
    prefix: Prefix,
    missing: Sequence[tuple[str, str]],
    tools: int,
    said: Sequence[str],
) -> dict[str, object]:
    texts = part_texts(prefix.system, prefix.parts)
    return {
        "profile": profile,
        "tokens": _tokens(len(prefix.system)),
        "tool_tokens": tools,
        "parts": [
            {
                "name": one.name,
                "source": source_of(one),
                "tokens": _tokens(one.chars),
                "text": texts[one.name],
            }
            for one in prefix.parts
        ],
        "left_out": [{"name": name, "why": why} for name, why in missing],
        "notices": list(said),
    }
