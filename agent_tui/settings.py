"""Settings as values, and reading them: defaults, the person's file, the project's file, environment, flags.

A later source wins. What is wrong in a file is named (`Problem`) and left out; the rest is used.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Final

from agent_tui.paths import project_folders, same, there
from agent_tui.settings_about import AgentSettings as AgentSettings
from agent_tui.settings_about import DisplaySettings as DisplaySettings
from agent_tui.settings_about import NotifySettings as NotifySettings
from agent_tui.settings_about import PromptSettings as PromptSettings
from agent_tui.settings_about import SessionSettings as SessionSettings
from agent_tui.settings_about import TelemetrySettings as TelemetrySettings
from agent_tui.settings_about import ToolSettings as ToolSettings
from agent_tui.settings_kinds import MODES as MODES
from agent_tui.settings_kinds import Layer, Value, entries, parts
from agent_tui.settings_schema import SECTIONS, Source, check, flat
from agent_tui.settings_schema import Problem as Problem
from agent_tui.structures.frozen import frozen

FILE: Final = "config.toml"
PROJECT_KEYS: Final = frozenset({"model", "display"})
"""All that a project's own file may hold: such a file comes with a repository, from anyone. Its model is a suggestion,
used once the person agreed."""
ANSWERS: Final = "projects.toml"
"""The file in the person's data folder with what they said to each project's suggestion: a table for each project (its
real path), in which the name of a model is true or false."""
_MAX_BYTES: Final = 1 << 20
_MOST_DOTS: Final = 1_000
"""Dots in a line: the time to read a dotted key grows with the square of its parts."""


@frozen
class ProviderSettings:
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    key_from: str = ""
    """Where the key is from, if no setting says it (`providers/keys.py`)."""
    num_ctx: int = 0
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What only this provider understands."""


@frozen
class Settings:
    model: str = ""
    mode: str = "auto"
    agent: AgentSettings = AgentSettings()
    tools: ToolSettings = ToolSettings()
    display: DisplaySettings = DisplaySettings()
    notify: NotifySettings = NotifySettings()
    prompt: PromptSettings = PromptSettings()
    sessions: SessionSettings = SessionSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Command to the person's own keys for it, as they were written; the screen knows commands and keys."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The person's own names for models."""
    fallback: tuple[str, ...] = ()
    favourites: tuple[str, ...] = ()
    small_model: str = ""
    """The model for what needs none that is good: titles. Empty: there is none, and none takes its place."""
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The person's own prices, by `<provider>/<model>` or `<provider>/*`: dollars for a million tokens."""

    def snapshot(self) -> dict[str, Any]:
        """What is on record with a session: plain JSON data, without anything of the providers but their names."""
        return {
            "model": self.model,
            "mode": self.mode,
            **{name: _fields(getattr(self, name)) for name in _PLAIN},
            "providers": sorted(self.providers),
        }


_PLAIN: Final = ("agent", "tools", "display", "notify", "prompt", "sessions", "telemetry")
"""Sections of fixed settings."""
FLAGS: Final = "command line"
"""Where a problem with a flag is said to be."""


@frozen
class Flags:
    """What the command line sets; empty or None: not given."""

    model: str = ""
    mode: str = ""
    max_steps: int | None = None
    timeout: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    animation: bool | None = None


@frozen
class Suggestion:
    """A model that the file of a project names. `project`: the real path of its folder; `where`: file and line."""

    model: str
    project: str
    where: str = ""


@frozen
class Loaded:
    """The settings for a session, what was wrong, and where each value comes from. `suggestion`: what the project
    suggests and the person has neither agreed to nor refused."""

    settings: Settings
    problems: tuple[Problem, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict, repr=False)
    files: Mapping[Layer, Source] = field(default_factory=dict, repr=False)
    suggestion: Suggestion | None = None

    def problem(self, key: str, text: str) -> Problem:
        """`text` about the value of `key`, said where that is set."""
        found = self.values.get(key, Value(None))
        file = self.files.get(found.layer)
        return file.problem(parts(key), text) if file else Problem(found.source, 0, key, text)

    def where(self, key: str) -> str:
        """File and line, variable or flag of the value of `key`."""
        said = self.problem(key, "")
        return f"{said.file}:{said.line}" if said.line else said.file


def load(
    cwd: Path, config: Path, environment: Mapping[str, str], flags: Flags, data: Path | None = None
) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings for a session in `cwd`; `config` is the folder of the person's `config.toml`, `data` the one with
    what they answered to projects (None: nothing). Never raises."""
    found = read(cwd, config, environment, flags, data)
    return found.settings, found.problems


def read(
    cwd: Path, config: Path, environment: Mapping[str, str], flags: Flags, data: Path | None = None
) -> Loaded:
    """As `load`, with the source of every value."""
    problems: list[Problem] = []
    files: dict[Layer, Source] = {}
    values = {one.key: Value(one.default) for one in entries() if not one.key.startswith("providers.")}
    known = {key: name for key, name in _OTHERS.items() if environment.get(name)}
    values |= {key: Value(environment[name], "environment", name) for key, name in known.items()}
    tree, files["user"] = _read(config / FILE, problems)
    settings = _merged(Settings(), tree)
    values |= flat(tree, "user")
    suggestion = None
    if project := project_file(cwd, config):
        tree, files["project"] = _read(project, problems, allowed=PROJECT_KEYS)
        suggestion = _suggestion(tree.pop("model", ""), project, files["project"], problems)
        if suggestion is not None and (agreed := answer(data, suggestion)) is not None:
            tree |= {"model": suggestion.model} if agreed else {}
            suggestion = None
        settings = _merged(settings, tree)
        values |= flat(tree, "project")
    layers: tuple[tuple[Layer, str, dict[str, tuple[str, Any]]], ...] = (
        ("environment", "environment", _from_environment(environment)), ("flag", FLAGS, _from_flags(flags)),
    )  # fmt: skip
    for layer, name, given in layers:
        tree = _given(name, given, problems)
        settings = _merged(settings, tree)
        values |= {key: Value(one.value, layer, given[key][0]) for key, one in flat(tree, layer).items()}
    if suggestion is not None and (suggestion.model == settings.model or values["model"].layer in _ABOVE_PROJECTS):
        suggestion = None  # it makes no difference
    return Loaded(settings, tuple(problems), values, files, suggestion)


_ABOVE_PROJECTS: Final = ("environment", "flag")


def _suggestion(model: str, file: Path, source: Source, problems: list[Problem]) -> Suggestion | None:
    """The model that the project's `file` names, if a project may suggest it."""
    if not model:
        return None
    found = source.problem(("model",), unsuitable(model))
    if found.text:
        problems.append(replace(found, text=f"{found.text}: not used"))
        return None
    return Suggestion(model, project_of(file), f"{file}:{found.line}")


def unsuitable(model: str) -> str:
    """Why no project may suggest `model`; empty: it may. A script is no model: it says which commands are run."""
    provider = model.partition("/")[0].lower()
    if provider in ("scripted", "demo"):
        return f"a project may not choose the provider {provider}"
    return "a project may not name the address of a server" if "://" in model else ""


def answer(data: Path | None, suggestion: Suggestion) -> bool | None:
    """What the person said to a project's suggestion; None: nothing yet. What cannot be read was not said."""
    try:
        said = tomllib.loads((data / ANSWERS).read_text(encoding="utf-8")) if data else {}
    except (OSError, ValueError, RecursionError):
        return None
    of_project = said.get(suggestion.project)
    agreed = of_project.get(suggestion.model) if isinstance(of_project, dict) else None
    return agreed if isinstance(agreed, bool) else None


def project_of(file: Path) -> str:
    """The real path of the project that a settings file speaks for, as a file of text can hold it."""
    return os.fsencode(file.parent.parent.resolve()).decode("utf-8", "backslashreplace")


def project_file(cwd: Path, config: Path) -> Path | None:
    """The project's file that counts in `cwd`: the nearest one; None where there is none."""
    nearest = (folder / ".agent-tui" / FILE for folder in reversed(project_folders(cwd)))
    return next((path for path in nearest if there(path) and not same(path, config / FILE)), None)


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Key to the variable that sets it and its value."""
    given = {key: (name, environment.get(name, "")) for key, name in _VARIABLES.items()}
    if environment.get("NO_COLOR"):
        given["display.theme"] = ("NO_COLOR", "no-colour")
    return {key: (name, value) for key, (name, value) in given.items() if value}


_VARIABLES: Final = {"model": "AGENT_TUI_MODEL", "mode": "AGENT_TUI_MODE"}
_OTHERS: Final = {
    "providers.ollama.base_url": "OLLAMA_HOST",
    "providers.anthropic.api_key": "ANTHROPIC_API_KEY",
    "providers.anthropic.base_url": "ANTHROPIC_BASE_URL",
    "providers.gemini.api_key": "GEMINI_API_KEY",
    "providers.gemini.base_url": "GOOGLE_GEMINI_BASE_URL",
    "providers.gemini.api_version": "GOOGLE_GENAI_API_VERSION",
    "providers.openai.api_key": "OPENAI_API_KEY",
    "providers.openai.base_url": "OPENAI_BASE_URL",
}
"""Variables that the providers read themselves, where no file says otherwise."""


def _from_flags(flags: Flags) -> dict[str, tuple[str, Any]]:
    given = {
        "model": ("--model", flags.model or None),
        "mode": ("--mode", flags.mode or None),
        "agent.max_steps": ("--max-steps", flags.max_steps),
        "agent.timeout": ("--timeout", flags.timeout),
        "agent.max_cost": ("--max-cost", flags.max_cost),
        "agent.max_tokens": ("--max-tokens", flags.max_tokens),
        "display.animation": ("--no-animation", flags.animation),
    }
    return {key: (name, value) for key, (name, value) in given.items() if value is not None}


def _given(file: str, given: dict[str, tuple[str, Any]], problems: list[Problem]) -> dict[str, Any]:
    """The same checks for values that come from no file; a problem names the variable or the flag."""
    tree: dict[str, Any] = {}
    for key, (name, value) in given.items():
        section, _, leaf = key.rpartition(".")
        found: list[Problem] = []
        checked = check({section: {leaf: value}} if section else {leaf: value}, Source(file), found)
        problems.extend(replace(problem, key=name) for problem in found)
        for part, inner in checked.items():
            tree[part] = {**tree.get(part, {}), **inner} if isinstance(inner, dict) else inner
    return tree


def _read(path: Path, problems: list[Problem], allowed: frozenset[str] | None = None) -> tuple[dict[str, Any], Source]:
    """What is valid in one file; nothing where it is not there, or not TOML."""
    source = Source(str(path))
    try:
        if not path.is_file():
            if path.exists():
                problems.append(source.problem((), "is not a file: not used"))
            return {}, source
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            problems.append(source.problem((), "is larger than 1 MB: not used"))
            return {}, source
        source = Source(str(path), raw.decode("utf-8-sig").replace("\r\n", "\n"))
        for at, row in enumerate(source.text.split("\n"), 1):
            if row.count(".") > _MOST_DOTS:
                problems.append(Problem(str(path), at, "", "has a key with too many dots: the whole file is not used"))
                return {}, source
        return check(tomllib.loads(source.text), source, problems, allowed), source
    except OSError as error:
        problems.append(source.problem((), f"cannot be read ({error.strerror or error}): not used"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problems.append(Problem(str(path), line, "", "is not UTF-8 text: the whole file is not used"))
    except tomllib.TOMLDecodeError as error:
        problems.append(source.invalid(str(error)))
    except ValueError:  # Python reads and writes no numbers of thousands of digits
        problems.append(source.problem((), "contains a number that is too long: the whole file is not used"))
    except RecursionError:
        problems.append(source.problem((), "is nested too deeply: the whole file is not used"))
    return {}, source


def _merged(settings: Settings, data: dict[str, Any]) -> Settings:
    """`settings` with what `data` (checked) says instead."""
    changes: dict[str, Any] = {key: value for key, value in data.items() if key not in SECTIONS}
    for name in _PLAIN:
        if name in data:
            changes[name] = replace(getattr(settings, name), **data[name])
    if "providers" in data:
        known = dict(settings.providers)
        for name, values in data["providers"].items():
            known[name] = replace(known.get(name, ProviderSettings()), **values)
        changes["providers"] = known
    for name in ("keys", "aliases", "prices"):
        if name in data:
            changes[name] = {**getattr(settings, name), **data[name]}
    return replace(settings, **changes)


def _fields(section: Any) -> dict[str, Any]:
    plain = {own.name: getattr(section, own.name) for own in fields(section)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}
