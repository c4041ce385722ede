"""Whether a shell command only looks, so that it may run unasked in the read-only sandbox.

The command is read (`shell_syntax`), its patterns are replaced by the names that they stand for,
every simple command is looked up in the tables (`harmless`), and every file that it reads goes
through the path policy. What was judged is what runs: the text is handed on byte for byte.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.programs import search_path
from agent_tui.safety import hard_links, harmless, harmless_git, paths
from agent_tui.safety.repository_check import check_repository
from agent_tui.safety.shell_syntax import Command, Unclear, Word, parse
from agent_tui.structures.frozen import frozen

_MOST_NAMES: Final = 2_000
"""Names that the patterns of a command may stand for, or that are looked through for links."""
_MOST_LOOKS: Final = 20_000
"""Names in folders that are compared with patterns."""
_OPENED: Final = 50
"""Names that are compared in the time that it takes to open a folder."""
_MOST_FILES: Final = 400
"""Files that are judged."""
_ALONE: Final = frozenset({"git", "rg", "fd", "python", "python3", "node", "go", "rustc", "cmake"})
"""Programs that read settings of their own: they run unasked only where there is a sandbox."""
_STEERS: Final = frozenset({"CDPATH", "GLOBIGNORE", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS"})
"""Variables that change what a command means. They are only there if the person passes them on."""
_LOOKS_AT_NAMES: Final = frozenset(
    {"ls", "dir", "stat", "du", "df", "realpath", "readlink", "basename", "dirname", "find", "fd"}
    | {"tree", "test", "[", "[[", "cd", "file", "git"}
)
"""Programs that open no file that is named to them, or look first whether it is a file."""
_MOST_ENTRIES: Final = 20_000
"""Entries of folders that are looked through for secrets."""
_ALWAYS_THERE: Final = frozenset({"/dev/null"})


@frozen
class Call:
    """One simple command; `unsure`: why it may do more than look, empty if it only looks."""

    argv: tuple[str, ...]
    unsure: str = ""


@frozen
class Judgement:
    """`reason`: why the command asks, in one line; empty: it only looks. `calls`: its simple
    commands; none where they cannot be read for certain. `needs_sandbox`: it only runs unasked in a
    sandbox."""

    reason: str = ""
    calls: tuple[Call, ...] = ()
    needs_sandbox: bool = False


def classify(text: str, roots: tuple[Path, ...]) -> Judgement:
    """The judgement on the shell command `text`, which runs in the first of `roots` (real paths)."""
    calls: list[Call] = []
    folder, moved, budget = roots[0], True, _Budget()
    try:
        for command in parse(text):
            argv = tuple(_expanded(command, folder, budget))
            calls.append(Call(argv, _reason(argv, command, folder, roots, budget)))
            moved = moved and command.moves
            if argv[0] == "cd":
                if not moved:
                    raise Unclear("it changes the folder in the middle")
                folder = _entered(argv, folder)
    except Unclear as why:
        return Judgement(str(why))
    reason = next((call.unsure for call in calls if call.unsure), "")
    return Judgement(reason, tuple(calls), any(call.argv[0] in _ALONE for call in calls))


class _Budget:
    """What one text may cost, however it is written. Whoever takes more is asked about."""

    def __init__(self) -> None:
        self.names, self.looks, self.files = _MOST_NAMES, _MOST_LOOKS, _MOST_FILES
        self.entries = _MOST_ENTRIES

    def check(self) -> None:
        """Raises Unclear where something is used up."""
        if self.names < 0 or self.looks < 0:
            raise Unclear("its patterns stand for too many names")
        if self.files < 0:
            raise Unclear("it names too many files to be judged")


def _reason(
    argv: tuple[str, ...],
    command: Command,
    folder: Path,
    roots: tuple[Path, ...],
    budget: _Budget,
) -> str:
    """Why this simple command may do more than look; empty if it does not."""
    try:
        of_git = argv[0] == "git" and argv[1:2] not in ((), ("--version",), ("version",))
        while of_git and argv[1] == "-C" and len(argv) > 3:
            _check_file(argv[2], folder, roots)
            folder, argv = _folder(argv[2], folder), (argv[0], *argv[3:])
        files = harmless_git.judge(argv[1:]) if of_git else harmless.judge(argv)
        named, given = tuple(files), tuple(word.text for word in command.reads)
        budget.files -= len(named) + len(given)
        budget.check()
        for file in (*named, *given):
            real = _check_file(file, folder, roots)
            if real is not None and (file in given or argv[0] not in _LOOKS_AT_NAMES):
                _check_kind(file, real)
        for walk in harmless.walks(argv, named):
            _check_tree(walk, folder, roots, budget)
        for file in harmless.followed(argv):
            _check_links(folder / file, roots)
    except (Unclear, harmless.Unknown) as why:
        return str(why)
    return check_repository(folder) if of_git else ""


def environment(given: Mapping[str, str], roots: tuple[Path, ...]) -> dict[str, str]:
    """That of a command which runs unasked: programs come from outside the session's folders, and
    nothing but the command says what they do."""
    path = given.get("PATH", os.defpath)
    for root in roots:
        path = search_path({**given, "PATH": path}, root)
    kept = {name: value for name, value in given.items() if name not in _STEERS}
    return {**kept, **harmless_git.environment(), "PATH": path, "PWD": str(roots[0])}


def _expanded(command: Command, folder: Path, budget: _Budget) -> Iterator[str]:
    """The words of the command, with the names that its patterns stand for."""
    for word in command.words:
        names = _names(word, folder, budget) if word.pattern else [word.text]
        if names != [word.text] and any(name.startswith("-") for name in names):
            raise Unclear(f"the pattern {word.text} stands for a name that is an option")
        yield from names


def _names(word: Word, folder: Path, budget: _Budget) -> list[str]:
    """What bash makes of a pattern: the names in their order, or the pattern where there is none."""
    found = [""]
    if word.text.startswith("/"):
        found = ["/"]
    for part in word.text.split("/"):
        if not part:
            continue
        if not any(mark in part for mark in "*?"):
            found = [f"{before}{part}/" for before in found]
            continue
        found = [
            f"{before}{name}/"
            for before in found
            for name in _matches(folder / before, part, budget)
        ]
    end = "" if not word.text.endswith("/") else "/"
    there = [name[:-1] + end for name in found if os.path.lexists(folder / name[:-1])]
    return there or [word.text]


def _matches(folder: Path, pattern: str, budget: _Budget) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, _MOST_LOOKS))
    except OSError:
        names = []
    budget.looks -= len(names) + _OPENED
    budget.check()
    shown = pattern.startswith(".")
    found = [
        name
        for name in names
        if (shown or not name.startswith(".")) and fnmatch.fnmatchcase(name, pattern)
    ]
    budget.names -= len(found)
    budget.check()
    return found


def _check_file(text: str, folder: Path, roots: tuple[Path, ...]) -> Path | None:
    """The real path of a file; None for what is no file of this folder. Raises Unclear where reading
    it is to be asked about."""
    if text in _ALWAYS_THERE or text == "-":
        return None
    try:
        real = paths.resolve(text, folder)
    except ValueError as problem:
        raise Unclear(str(problem)) from None
    if hard_links.is_secret(real, roots):
        raise Unclear(f"{paths.display_path(real, roots[0])} is a hard link of a file of secrets")
    if paths.is_secret(real) or paths.is_secret(folder / text):
        raise Unclear(f"{paths.display_path(real, roots[0])} has the name of a secret")
    if not any(real.is_relative_to(root) for root in roots):
        raise Unclear(f"{paths.display_path(real, roots[0])} is outside the folder of this session")
    return real


def _check_kind(text: str, real: Path) -> None:
    """Raises Unclear for a pipe, a socket or a device: to read one may wait for ever, or take what
    was meant for another program."""
    try:
        kind = real.lstat().st_mode
    except (OSError, ValueError):
        return  # the program says that there is none
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise Unclear(f"{text} is not a regular file")


def _check_tree(
    walk: harmless.Walk, folder: Path, roots: tuple[Path, ...], budget: _Budget
) -> None:
    """Raises Unclear where a program that goes through a folder would read a secret in it."""
    todo = [_check_file(walk.folder, folder, roots)]
    while todo:
        place = todo.pop()
        try:
            entries = list(os.scandir(place)) if place is not None else []
        except OSError:
            continue  # a file, or none for us to see
        budget.entries -= len(entries)
        if budget.entries < 0:
            raise Unclear(f"it reads too many files in {walk.folder} to look for secrets first")
        secret = {entry.inode() for entry in entries if paths.is_secret(Path(entry.path))}
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if walk.enters(entry.name):
                    todo.append(Path(entry.path))
            elif walk.reads(entry.name) and entry.inode() in secret:  # by whichever name
                shown = paths.display_path(Path(entry.path), roots[0])
                raise Unclear(f"it would read {shown}, which has the name of a secret")


def _check_links(top: Path, roots: tuple[Path, ...]) -> None:
    """Raises Unclear where a link below `top` may lead out of the session's folders."""
    left, todo = _MOST_NAMES, [str(top)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        left -= len(found)
        if left < 0:
            raise Unclear("it goes through too many files to be judged")
        for entry in found:
            if entry.is_symlink():
                _check_file(entry.path, top, roots)
            elif entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)


def _entered(argv: tuple[str, ...], folder: Path) -> Path:
    """The folder behind `cd`; it has been checked to be inside."""
    targets = [word for word in argv[1:] if not word.startswith("-")]
    if len(argv) != 2 or len(targets) != 1:
        raise Unclear("its cd names no folder")
    entered = _folder(targets[0], folder)
    if str(entered) != os.path.normpath(folder / targets[0]):
        raise Unclear("its cd goes through a link, and a `..` behind that leads elsewhere")
    return entered


def _folder(text: str, folder: Path) -> Path:
    entered = paths.resolve(text, folder)
    if not entered.is_dir() or not os.access(entered, os.X_OK):
        raise Unclear(f"there is no folder {text}")
    return entered
