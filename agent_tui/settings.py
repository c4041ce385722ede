"""Settings as values, and reading them: defaults, the person's file, the project's file, environment, flags.

A later source wins. What is wrong in a file is named (`Problem`) and left out; the rest is used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Final, Literal

from agent_tui.paths import project_folders
from agent_tui.settings_schema import MODES as MODES
from agent_tui.settings_schema import SECTIONS, Source, check
from agent_tui.settings_schema import Problem as Problem
from agent_tui.structures.frozen import frozen

FILE: Final = "config.toml"
PROJECT_KEYS: Final = frozenset({"model", "display"})
"""All that a project's own file may set: such a file comes with a repository, from anyone."""
_MAX_BYTES: Final = 1 << 20
_MOST_DOTS: Final = 1_000
"""Dots in a line: the time to read a dotted key grows with the square of its parts."""


@frozen
class AgentSettings:
    max_steps: int = 50
    timeout: float = 0.0
    """Seconds a turn may take; 0: no limit."""
    parallel_tools: bool = True


@frozen
class ToolSettings:
    enabled: tuple[str, ...] = ()
    """Names of the tools to offer; empty: all."""
    command_timeout: float = 120.0
    max_output_chars: int = 32_000


@frozen
class DisplaySettings:
    theme: str = ""
    """Empty: `dark`, or `no-colour` where NO_COLOR is set."""
    diff: Literal["auto", "unified", "split"] = "auto"
    """`split`: old and new side by side; `auto`: so on wide screens."""
    thinking: Literal["hidden", "folded", "live"] = "live"
    """`folded`: one line; `live`: its end is shown while it runs."""
    timestamps: bool = False
    durations: bool = True
    animation: bool = True
    ascii: bool | Literal["auto"] = "auto"
    """`auto`: where the terminal can show nothing else."""


@frozen
class ProviderSettings:
    base_url: str = ""
    api_key: str = field(default="", repr=False)
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
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)

    def snapshot(self) -> dict[str, Any]:
        """What is on record with a session: plain JSON data, without anything of the providers but their names."""
        return {
            "model": self.model,
            "mode": self.mode,
            "agent": _fields(self.agent),
            "tools": _fields(self.tools),
            "display": _fields(self.display),
            "providers": sorted(self.providers),
        }


FLAGS: Final = "command line"
"""Where a problem with a flag is said to be."""


@frozen
class Flags:
    """What the command line sets; empty or None: not given."""

    model: str = ""
    mode: str = ""
    max_steps: int | None = None
    timeout: float | None = None
    animation: bool | None = None


def load(cwd: Path, config: Path, environment: Mapping[str, str], flags: Flags) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings for a session in `cwd`; `config` is the folder of the person's `config.toml`. Never raises."""
    problems: list[Problem] = []
    settings = Settings()
    user = config / FILE
    settings = _merged(settings, _read(user, problems))
    for folder in reversed(project_folders(cwd)):
        nearest = folder / ".agent-tui" / FILE
        if _there(nearest) and not _same(nearest, user):
            settings = _merged(settings, _read(nearest, problems, allowed=PROJECT_KEYS))
            break
    settings = _merged(settings, _given("environment", _from_environment(environment), problems))
    return _merged(settings, _given(FLAGS, _from_flags(flags), problems)), tuple(problems)


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Key to the variable that sets it and its value."""
    given = {key: (name, environment.get(name, "")) for key, name in _VARIABLES.items()}
    if environment.get("NO_COLOR"):
        given["display.theme"] = ("NO_COLOR", "no-colour")
    return {key: (name, value) for key, (name, value) in given.items() if value}


_VARIABLES: Final = {"model": "AGENT_TUI_MODEL", "mode": "AGENT_TUI_MODE"}


def _from_flags(flags: Flags) -> dict[str, tuple[str, Any]]:
    given = {
        "model": ("--model", flags.model or None),
        "mode": ("--mode", flags.mode or None),
        "agent.max_steps": ("--max-steps", flags.max_steps),
        "agent.timeout": ("--timeout", flags.timeout),
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


def _read(path: Path, problems: list[Problem], allowed: frozenset[str] | None = None) -> dict[str, Any]:
    """What is valid in one file; nothing where it is not there, or not TOML."""
    source = Source(str(path))
    try:
        if not path.is_file():
            if path.exists():
                problems.append(source.problem((), "is not a file: not used"))
            return {}
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            problems.append(source.problem((), "is larger than 1 MB: not used"))
            return {}
        source = Source(str(path), raw.decode("utf-8-sig").replace("\r\n", "\n"))
        for at, row in enumerate(source.text.split("\n"), 1):
            if row.count(".") > _MOST_DOTS:
                problems.append(Problem(str(path), at, "", "is no setting: the whole file is not used"))
                return {}
        return check(tomllib.loads(source.text), source, problems, allowed)
    except OSError as error:
        problems.append(source.problem((), f"cannot be read ({error.strerror or error}): not used"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problems.append(Problem(str(path), line, "", "is not UTF-8 text: the whole file is not used"))
    except tomllib.TOMLDecodeError as error:
        problems.append(source.invalid(str(error)))
    except ValueError:  # Python reads and writes no numbers of thousands of digits
        problems.append(source.problem((), "holds a number that no setting has: the whole file is not used"))
    except RecursionError:
        problems.append(source.problem((), "is nested too deeply: the whole file is not used"))
    return {}


def _merged(settings: Settings, data: dict[str, Any]) -> Settings:
    """`settings` with what `data` (checked) says instead."""
    changes: dict[str, Any] = {key: value for key, value in data.items() if key not in SECTIONS}
    for name in ("agent", "tools", "display"):
        if name in data:
            changes[name] = replace(getattr(settings, name), **data[name])
    if "providers" in data:
        known = dict(settings.providers)
        for name, values in data["providers"].items():
            known[name] = replace(known.get(name, ProviderSettings()), **values)
        changes["providers"] = known
    return replace(settings, **changes)


def _fields(section: AgentSettings | ToolSettings | DisplaySettings) -> dict[str, Any]:
    plain = {own.name: getattr(section, own.name) for own in fields(section)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _there(path: Path) -> bool:
    """Whether there is a file to read; one that we may not even look at counts, so that its reader says so."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _same(one: Path, other: Path) -> bool:
    """Whether both name one file (a session in the home folder, say)."""
    try:
        return one.samefile(other)
    except OSError:
        return False
