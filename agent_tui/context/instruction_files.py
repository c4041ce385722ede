"""The files in which people tell the model how to work: those of the person, and those that a
project brings, with the files that these import."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.paths import foreign_folder, project_folders, repository_folders
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MORE: Final = ("TOOLS.md", "HEARTBEAT.md")
"""Those that the person may have in their config home, and a project in `.agent-tui/`."""
NAMES: Final = (
    "AGENTS.md",
    "CLAUDE.md",
    ".agent-tui/context.md",
    *(f".agent-tui/{name}" for name in MORE),
)
LIMIT: Final = 20_000
"""Characters of one file that are used."""
ALL_LIMIT: Final = 128_000
"""Characters of all files together, however large the window is: they go with every request."""
OF_WINDOW: Final = 0.12
"""Their part of a window."""
CHARACTERS: Final = 4
"""Characters of a token, about."""
DEPTH: Final = 5
"""Files that import each other, one below the other."""
IMPORTS: Final = 50
"""Imported files of a session."""


@frozen
class Instruction:
    """An instruction file. `name` is how it is shown; `problem` says what of it is not used (with
    an empty `text`: all of it)."""

    name: str
    path: Path
    text: str
    problem: str = ""


@frozen
class Places:
    """Where the files lie. `own`: the person's, by the names that they are shown with; `others`:
    folders that were added; `below`: folders in the session's own in which the model has read."""

    cwd: Path
    own: tuple[tuple[str, Path], ...] = ()
    others: tuple[Path, ...] = ()
    below: tuple[Path, ...] = ()


def own_files(home: Path, config: Path) -> tuple[tuple[str, Path], ...]:
    """The person's own instruction files."""
    return (
        ("~/.claude/CLAUDE.md", home / ".claude" / "CLAUDE.md"),
        *((f"your {name}", config / name) for name in ("AGENTS.md", *MORE)),
    )


def folders_below(roots: Iterable[Path], seen: Iterable[Path]) -> tuple[Path, ...]:
    """The folders in the session's that hold instruction files, of those down to the ones `seen`
    (real paths), outer ones first."""
    found, seen = list[Path](), tuple(seen)
    for root in roots:
        real = Path(os.path.realpath(root))
        inner = {one.relative_to(real) for one in seen if one.is_relative_to(real)}
        inner |= {above for one in inner for above in one.parents}
        there = (root / one for one in sorted(inner - {Path()}))
        found += [one for one in there if any(os.path.lexists(one / name) for name in NAMES)]
    return tuple(dict.fromkeys(found))


def room_in(window: int) -> int:
    """Characters of all files that go into a window of so many tokens; 0: how large it is is not
    known."""
    return min(ALL_LIMIT, round(window * OF_WINDOW) * CHARACTERS) if window else ALL_LIMIT


def read_all(
    places: Places,
    hide: Callable[[str], str] = hide_secrets,
    room: int = ALL_LIMIT,
    *,
    admits: Callable[[Path, bytes], bool],
    closed: Sequence[str] = (),
    on_import: Callable[[Path, Path], object] = lambda _, __: None,
) -> tuple[Instruction, ...]:
    """The person's own files first, then those in folders that were added, then those from the git
    root down to the session's folder, then those below it; a file behind two names only once, and
    what a file imports before it. `admits` says which are used and `hide` replaces the secrets, in
    all but the person's own. What is in the folders `closed` is left out, theirs as well.
    `on_import` is told which file (the first) which other one imports."""
    folders = project_folders(places.cwd)
    root, others = folders[0], places.others
    project = text_files.Project((root, *others), (folders[-1], *others), hide, admits)
    reader = _Reader(root, project, closed, on_import)
    found = _left_out(places.cwd)
    for name, path in places.own:
        found += reader.read(path, name)
    own = len(found)
    for folder in (*others, *folders):  # of what lies above `others` nobody spoke
        for name in NAMES:
            found += reader.read(folder / name)
    above = len(found)
    for folder in places.below:
        for name in NAMES:
            found += reader.read(folder / name)
    return _within(found, room, own, above)


class _Reader:
    """Reads each file once, however many name it."""

    def __init__(
        self,
        root: Path,
        project: text_files.Project,
        closed: Sequence[str],
        on_import: Callable[[Path, Path], object],
    ) -> None:
        self._root, self._project = root, project
        self._closed, self._on_import = closed, on_import
        self._seen: set[tuple[int, int]] = set()
        self._left = IMPORTS

    def read(self, path: Path, own: str = "", depth: int = 0) -> list[Instruction]:
        """The file at `path`, behind those that it imports. `own`: how it is called, a file of the
        person; else it is the project's."""
        file = text_files.read(path, LIMIT, None if own else self._project, self._closed)
        if file is None or file.identity in self._seen:
            return []
        if file.identity is not None:
            self._seen.add(file.identity)
        name, text, problem = own or self._name(path), file.text.strip(), file.problem
        imported = list[Instruction]()
        for said in _imports(text):
            if depth == DEPTH:
                deep = f"{path} is imported {DEPTH} files deep: what it imports is not used"
                problem = _both(problem, deep)
                break
            if not self._left:
                problem = _both(
                    problem, f"{path} imports more than {IMPORTS} files: the rest is not used"
                )
                break
            imported += self._imported(path, said, bool(own), depth + 1)
        if text and file.cut:
            text += f"\n[cut here: only the first {LIMIT:,} characters of {name} are used]"
        return [*imported, *([Instruction(name, path, text, problem)] if text or problem else [])]

    def _imported(self, of: Path, said: str, own: bool, depth: int) -> list[Instruction]:
        path = Path(os.path.normpath(of.parent / os.path.expanduser(said)))  # noqa: PTH111 - that raises
        if not os.path.isfile(path):  # noqa: PTH113 - as above
            gone = f"{of} imports {said}, which is not there"
            return [Instruction(said, path, "", gone)] if said.endswith(_TEXTS) else []
        self._left -= 1
        self._on_import(of, path)
        return self.read(path, str(path) if own else "", depth)

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)


def _imports(text: str) -> Iterator[str]:
    """The paths behind an `@` at the beginning of a word, where it is no code."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            for found in _IMPORT.finditer(_CODE.sub("", line)):
                yield found[1].rstrip(".,;:!?")


_TEXTS: Final = (".md", ".mdc", ".txt")
"""How a name ends that can only mean a file: there is much else behind an `@`."""
_FENCE: Final = late.pattern(r" {0,3}(```+|~~~+)")
_CODE: Final = late.pattern(r"(`+).*?\1")
_IMPORT: Final = late.pattern(r"(?:^|(?<=[\s(]))@([\w~./][^\s`<>()\"']*)")


def _left_out(cwd: Path) -> list[Instruction]:
    """What is said where the folders above belong to somebody else, and something in them wants to
    be used."""
    above = repository_folders(cwd)
    foreign = foreign_folder(above)
    named = (folder / name for folder in above[:-1] for name in (".agent-tui", *NAMES))
    if foreign is None or not any(map(os.path.lexists, named)):
        return []
    said = f"{foreign} belongs to another user: instructions, skills and settings above {above[-1]} are not used"
    return [Instruction(str(foreign), foreign, "", said)]


def _within(found: list[Instruction], room: int, own: int, above: int) -> tuple[Instruction, ...]:
    """What goes with every request of all of them: the person's own files (up to `own`), then the
    nearest to the session's folder (up to `above`), then those below it in their order: one more
    of them changes nothing that was told."""
    most, kept, less = room, list(found), list[int]()
    for at in (*range(own), *reversed(range(own, above)), *range(above, len(found))):
        one = found[at]
        if len(one.text) > room:
            text = f"{one.text[:room]}\n[cut here: all instruction files together are too long]"
            kept[at] = replace(one, text=text if room else "")
            less.append(at)
        room = max(0, room - len(one.text))
    if less:
        names = ", ".join(found[at].name for at in reversed(less))
        said = f"The instruction files are longer than {most:,} characters together"
        last = kept[less[-1]]
        problem = _both(last.problem, f"{said}: the rest of {names} is not used")
        kept[less[-1]] = replace(last, problem=problem)
    return tuple(kept)


def _both(problem: str, another: str) -> str:
    return "; ".join(filter(None, (problem, another)))
