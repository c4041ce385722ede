"""Whether a shell command only looks, so that it may run unasked in the read-only sandbox.

The command is read (`syntax`), its patterns are replaced by the names that they stand for,
every simple command is looked up in the tables (`harmless`), and every file that it reads goes
through the path policy. What was judged is what runs: the text is handed on byte for byte.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.programs import search_path
from agent_tui.safety import paths
from agent_tui.safety.repository_check import check_repository
from agent_tui.safety.shell import harmless, harmless_git
from agent_tui.safety.shell.git_work_tree import check_work_tree
from agent_tui.safety.shell.harmless_options import Unknown
from agent_tui.safety.shell.named_files import (
    MOST_LOOKS,
    OPENED,
    FileBudget,
    check_file,
    check_kind,
)
from agent_tui.safety.shell.syntax import Command, Unclear, Word, parse
from agent_tui.safety.shell.walked_folders import check_tree
from agent_tui.structures.frozen import frozen

_ALONE: Final = frozenset({"git", "rg", "fd", "python", "python3", "node", "go", "rustc", "cmake"})
"""Programs that read settings of their own: they run unasked only where there is a sandbox."""
_STEERS: Final = frozenset({"CDPATH", "GLOBIGNORE", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS"})
"""Variables that change what a command means. They are only there if the person passes them on."""
_LOOKS_AT_NAMES: Final = frozenset(
    {"ls", "dir", "stat", "du", "df", "realpath", "readlink", "basename", "dirname", "find", "fd"}
    | {"tree", "test", "[", "[[", "cd", "file", "git"}
)
"""Programs that open no file that is named to them, or look first whether it is a file."""


@frozen
class Call:
    """One simple command; `unsure`: why it may do more than look, empty if it only looks. `folder`:
    where it runs; `reads`: the files that it reads by `<`; `closed`: which of its words, and behind
    them of `reads`, name what no rule allows by itself, each with why."""

    argv: tuple[str, ...]
    unsure: str = ""
    folder: str = ""
    reads: tuple[str, ...] = ()
    closed: tuple[tuple[int, str], ...] = ()

    @property
    def is_inert(self) -> bool:
        """Whether it only looks, and its program could do nothing else."""
        return not self.unsure and self.argv[0] in harmless.INERT


@frozen
class Judgement:
    """`reason`: why the command asks, in one line; empty: it only looks. `calls`: its simple
    commands; none where they cannot be read for certain. `needs_sandbox`: it only runs unasked in a
    sandbox."""

    reason: str = ""
    calls: tuple[Call, ...] = ()
    needs_sandbox: bool = False


def classify(text: str, roots: tuple[Path, ...]) -> Judgement:
    """The judgement on the shell command `text`, which runs in the first of `roots` (real
    paths)."""
    calls: list[Call] = []
    folder, moved, budget = roots[0], True, FileBudget(roots)
    try:
        for command in parse(text):
            argv = tuple(_expanded(command, folder, budget))
            unsure = _reason(argv, command, folder, roots, budget)
            read = tuple(word.text for word in command.reads)
            calls.append(Call(argv, unsure, str(folder), read))
            moved = moved and command.moves
            if argv[0] == "cd":
                if not moved:
                    raise Unclear("it changes the folder in the middle")
                folder = _entered(argv, folder)
    except Unclear as why:
        return Judgement(str(why))
    reason = next((call.unsure for call in calls if call.unsure), "")
    return Judgement(reason, tuple(calls), any(call.argv[0] in _ALONE for call in calls))


def _reason(
    argv: tuple[str, ...],
    command: Command,
    folder: Path,
    roots: tuple[Path, ...],
    budget: FileBudget,
) -> str:
    """Why this simple command may do more than look; empty if it does not."""
    why = ""
    try:
        of_git = argv[0] == "git" and argv[1:2] not in ((), ("--version",), ("version",))
        while of_git and argv[1] == "-C" and len(argv) > 3:
            check_file(argv[2], folder, roots, budget)
            folder, argv = _folder(argv[2], folder), (argv[0], *argv[3:])
        files = harmless_git.judge(argv[1:]) if of_git else harmless.judge(argv)
        named, given = tuple(files), tuple(word.text for word in command.reads)
        budget.files -= len(named) + len(given)
        budget.check()
        for file in (*named, *given):
            real = check_file(file, folder, roots, budget)
            if real is not None and (file in given or argv[0] not in _LOOKS_AT_NAMES):
                check_kind(file, real)
        for walk in harmless.walks(argv):
            check_tree(walk, folder, roots, budget)
        if of_git and not (why := check_repository(folder)):
            check_work_tree(argv[1:], folder, budget)
    except (Unclear, Unknown) as problem:
        return str(problem)
    return why


def environment(given: Mapping[str, str], roots: tuple[Path, ...]) -> dict[str, str]:
    """That of a command which runs unasked: programs come from outside the session's folders, and
    nothing but the command says what they do."""
    path = given.get("PATH", os.defpath)
    for root in roots:
        path = search_path({**given, "PATH": path}, root)
    kept = {name: value for name, value in given.items() if name not in _STEERS}
    return {**kept, **harmless_git.environment(), "PATH": path, "PWD": str(roots[0])}


def _expanded(command: Command, folder: Path, budget: FileBudget) -> Iterator[str]:
    """The words of the command, with the names that its patterns stand for."""
    for word in command.words:
        names = _names(word, folder, budget) if word.pattern else [word.text]
        if names != [word.text] and any(name.startswith("-") for name in names):
            raise Unclear(f"the pattern {word.text} stands for a name that is an option")
        yield from names


def _names(word: Word, folder: Path, budget: FileBudget) -> list[str]:
    """What bash makes of a pattern: the names in their order, or the pattern where there is
    none."""
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


def _matches(folder: Path, pattern: str, budget: FileBudget) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_LOOKS))
    except OSError:
        names = []
    budget.looks -= len(names) + OPENED
    budget.check()
    # in some locales it is a byte of a letter, and nobody knows which locale bash will have
    loose = pattern.replace("?", "*") if "?" in pattern else ""
    shown = [name for name in names if pattern.startswith(".") or not name.startswith(".")]
    if any(fnmatch.fnmatchcase(name, loose) for name in shown if not name.isascii()):
        raise Unclear(f"what the ? of {pattern} stands for depends on the locale")
    found = [name for name in shown if fnmatch.fnmatchcase(name, pattern)]
    budget.names -= len(found)
    budget.check()
    return found


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
    if not os.path.isdir(entered) or not os.access(entered, os.X_OK):  # noqa: PTH112
        raise Unclear(f"there is no folder {text}")
    return entered
