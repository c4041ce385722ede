"""Tools of the person and of the project: Python files with a `TOOL`, like the ones that come with
the program.

A tool is code that runs in this program. So those of a project are read only once the person trusts
their content (`settings/trust.py`), and what was judged is what runs. One that is broken is named;
the others work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, get_args

from agent_tui import registry
from agent_tui.context import text_files
from agent_tui.paths import project_folders, tool_folders
from agent_tui.settings.layers import Place
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import Effect, Tool

LIMIT: Final = 256_000
"""Bytes of one file."""
USER: Final = "user"
PROJECT: Final = "project"
PACKAGE: Final = "agent_tui_custom"
"""What the modules are called: so their classes are found by those who look names up."""
Lines = list[str]
_NAME: Final = late.pattern(r"[a-z][a-z0-9_]{1,63}")
_LONGEST: Final = 1_000
"""Characters of a description."""


@frozen
class ToolFile:
    """A file that may be used. `whose`: the person's, or the project's."""

    path: Path
    whose: str
    code: str

    @property
    def name(self) -> str:
        return self.path.stem


class CustomTools:
    """The custom tools at a place, as a `ToolSource`. Reads files, and runs them: not for the
    loop."""

    name = "custom"

    def __init__(self, place: Place) -> None:
        self._place = place
        self._files: tuple[ToolFile, ...] | None = None
        self._tools: dict[str, tuple[Tool[Any], ToolFile]] = {}
        self.problems: tuple[str, ...] = ()

    def list(self) -> Sequence[Tool[Any]]:
        problems: Lines = []
        files = read_files(self._place, self._place.gate().admits, problems)
        if files != self._files:
            self._files = files
            self._tools = {}
            for file in files:
                self._load(file, problems)
            self.problems = tuple(problems)
        return [tool for tool, _ in self._tools.values()]

    def changed(self) -> bool:
        return read_files(self._place, self._place.gate().admits, []) != self._files

    def file_of(self, name: str) -> ToolFile | None:
        """The file that tool `name` is from; None: it is no custom tool."""
        found = self._tools.get(name)
        return found[1] if found is not None else None

    def _load(self, file: ToolFile, problems: Lines) -> None:
        if file.name in registry.names("agent_tui.tools"):
            problems.append(f"{file.path}: there is a tool {file.name} already: not used")
        elif (known := self._tools.get(file.name)) is not None:
            problems.append(f"{file.path}: {file.name} is defined in {known[1].path}: not used")
        else:
            found = load_tool(file)
            if isinstance(found, str):
                problems.append(f"{file.path}: {found}: not used")
            else:
                self._tools[file.name] = (found, file)


def read_files(
    place: Place, admits: Callable[[Path, bytes], bool], problems: Lines
) -> tuple[ToolFile, ...]:
    """The files at `place` that may be used: the person's first, then of the project those that
    `admits` lets in, the nearest first."""
    folders = project_folders(place.cwd)
    project = text_files.Project(folders[:1], folders[-1:], lambda text: text, admits)
    own, *theirs = tool_folders(place.folders.config, place.cwd)
    found = list(_in_folder(own, USER, None, problems))
    for folder in reversed(theirs):
        found += _in_folder(folder, PROJECT, project, problems)
    return tuple(found)


def _in_folder(
    folder: Path, whose: str, within: text_files.Project | None, problems: Lines
) -> Iterator[ToolFile]:
    try:
        entries = sorted(folder.glob("*.py"))
    except OSError as error:
        problems.append(f"{folder} cannot be read ({error.strerror}): not used")
        return
    for path in entries:
        file = text_files.read(path, LIMIT, within)
        if file is None or path.name.startswith("_"):
            continue
        if file.problem:  # what was left out of code may have been the point of it
            said = file.problem.removesuffix(": not used")
            problems.append(f"{said}: not used")
        elif file.text.strip():
            yield ToolFile(path, whose, file.text)


def load_tool(file: ToolFile) -> Tool[Any] | str:
    """Run a file for its tool; or what is wrong with it."""
    module = ModuleType(f"{PACKAGE}.{file.whose}.{file.name}")
    module.__file__ = str(file.path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.code, str(file.path), "exec"), module.__dict__)
        tool = module.__dict__.get("TOOL")
        return _wrong(tool, file.name) or tool  # type: ignore[return-value]
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever somebody else's code raises
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _wrong(tool: object, name: str) -> str:
    """Why it is no tool that can be used; empty: it is one."""
    if not isinstance(tool, Tool):
        return "it has no TOOL"
    if tool.name != name or not _NAME.fullmatch(name):
        return f"the tool must be called as its file, in small letters, not {tool.name!r}"
    if tool.effect not in get_args(Effect):
        return f"its effect must be one of {', '.join(get_args(Effect))}, not {tool.effect!r}"
    if (tool.host is not None) != (tool.effect == "network"):
        return "a tool with the effect network names its host, and no other does"
    if (tool.command is not None) != (tool.effect == "execute"):
        return "a tool with the effect execute names its command, and no other does"
    if not 0 < len(tool.description) <= _LONGEST:
        return f"it needs a description of at most {_LONGEST:,} characters"
    schema = tool.schema()
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), Mapping):
        return "the schema of its arguments must be an object with properties"
    return ""
