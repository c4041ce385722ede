"""Limits that a person sets once, which hold in every mode: how far a mode may go, which programs
commands may start, which folders no call names, and how often a tool is called.

They only ever forbid. Nothing that a session, a project or a model says changes them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent_tui.programs import search_path
from agent_tui.safety.sandbox.profiles import LANDLOCK
from agent_tui.safety.shell import find_expression, harmless
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.harmless_options import Unknown
from agent_tui.safety.shell.named_folders import FolderNames, bare_names, is_open, may_match
from agent_tui.safety.shell.words import TooMany
from agent_tui.structures.frozen import frozen

MINUTE: Final = 60.0
ASKING_MODES: Final = frozenset(("manual", "auto", "plan"))
"""Modes in which nothing that changes something runs unasked."""
Spoken = tuple[Sequence[str], str]
"""The words of a simple command, and the folder in which it runs."""
_ENTER: Final = frozenset(("find", "fd", "fdfind", "tree", "du", "rg", "ag", "ack"))
"""Programs that go through a folder with all that is below it."""
_ENTER_IF_TOLD: Final = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "diff"), "rRd"),
    **dict.fromkeys(("ls", "dir"), "R"),
}
"""Those that do it only for one of these options."""
_STAYS: Final = frozenset((*harmless.NAMES, "git", "mkdir", "touch"))
"""Programs of which is known whether they go below a folder that they are given."""


@frozen
class Limits:
    """`autonomy`: `read-only`, `supervised` or `full`. `programs`: the only ones that commands may
    start; none: any. `closed`: folders as they were written."""

    autonomy: str = "full"
    programs: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    def bound_mode(self, mode: str) -> str:
        """The mode that holds where `mode` is chosen."""
        return mode if self.autonomy == "full" or mode in ASKING_MODES else "auto"

    def forbid_program(
        self,
        commands: Iterable[Spoken],
        environment: Mapping[str, str] = MappingProxyType({}),
        roots: Sequence[Path] = (),
    ) -> str:
        """Why these simple commands of a call may not run; empty: they may. None at all: it cannot
        be read which programs it starts. A program that is named by its path, or that the PATH of
        `environment` finds in one of `roots`, is another one than that of the same name."""
        if not self.programs:
            return ""
        said = [(argv[0], folder) for argv, folder in commands if argv]
        if not said:
            return "it cannot be read which programs it starts (permissions.allowed_commands)"
        for name, folder in said:
            if name not in self.programs:
                return f"{name} is not among permissions.allowed_commands"
            found = _brought(name, folder, environment, roots)
            if found is not None and not {found, os.path.relpath(found, folder)} & {*self.programs}:
                return f"{name} is {found} here, which is not among permissions.allowed_commands"
        return ""

    def forbid_path(self, paths: Iterable[Path]) -> str:
        """Why a call that touches these real paths, all of a folder with what is below it, may not
        run; empty: it may."""
        folders = self._folders()
        for path in paths if folders else ():
            if reason := _lies_in(path, folders) or _holds(path, folders):
                return reason
        return ""

    def closed_in(self, folder: Path, names: Iterable[str]) -> set[str]:
        """Which of the `names` in a folder (a real path) are forbidden, or in what is."""
        folders = self._folders()
        if _lies_in(folder, folders):
            return set(names)
        return {one.name for one in folders if one.parent == folder} & {*names}

    def forbid_file(self, real: Path) -> str:
        """Why nothing reads a file by itself, wherever it is named; empty: it may be read."""
        return _lies_in(real, self._folders()) and "is in one of permissions.forbidden_dirs"

    def forbid_words(self, commands: Iterable[Spoken], wide: bool = False) -> str:
        """Why simple commands may not run, for what they name or the folders that they go through;
        empty: they may. A script that they start is not read. `wide`: their patterns are not
        replaced yet, and fit all that they could with an option of the shell."""
        folders, names = self._folders(), FolderNames()
        for argv, folder in dict.fromkeys(_hashable(commands)) if folders else ():
            fits = (_fits(word, folder, folders, True) for word in argv if wide)
            try:
                entered = [names.real(one, folder) for one in _entered(argv)]
                lie = (_lies_in(path, folders) for path in (*entered, *names.of(argv, folder)))
                held = (_holds(path, folders) for path in entered)
                reason = next(filter(None, (*lie, *held, *fits)), "")
            except TooMany:
                continue  # a doubt
            if reason:
                return reason
        return ""

    def doubt_words(self, commands: Iterable[Spoken], literal: Set[str] | None = None) -> str:
        """Why it cannot be known whether they reach a forbidden folder; empty: it can. The words in
        `literal` stand for themselves, others may be patterns or variables of a shell; none: there
        is no shell that reads them."""
        folders, names = self._folders(), FolderNames()
        for argv, folder in dict.fromkeys(_hashable(commands)) if folders else ():
            if not argv:
                return "it cannot be read whether it names a forbidden folder"
            if is_open(argv, literal):
                return "it cannot be read whether it reaches a forbidden folder"
            open_ones = () if literal is None else {*argv} - literal
            try:
                bare = (names.real(name, folder) for name in bare_names(argv))
                each = [_lies_in(path, folders) for path in bare]
                each += (_fits(word, folder, folders, False) for word in open_ones)
                whole = [*names.of(argv[1:], folder)]
                each += (_holds(path, folders) for path in whole if _name(argv) not in _STAYS)
            except TooMany as many:
                return str(many)
            if reason := next(filter(None, each), ""):
                return reason
        return ""

    def hidden_folders(self, roots: Sequence[Path]) -> tuple[Path, ...]:
        """The forbidden folders that are there, and that a sandbox for `roots` can hide: none that
        the session works in."""
        there = [one for one in self._folders() if os.path.isdir(one)]  # noqa: PTH112 - no error
        return tuple(one for one in there if not any(root.is_relative_to(one) for root in roots))

    def is_hidden(self, roots: Sequence[Path], way: str) -> bool:
        """Whether a sandbox that is made in this `way` hides all of them from what works in `roots`:
        without mounts it cannot hide what is in a folder that is written."""
        folders = self._folders()
        inside = any(one.is_relative_to(root) for one in folders for root in roots)
        within = any(root.is_relative_to(one) for one in folders for root in roots)
        return not within and not (inside and way == LANDLOCK)

    def _folders(self) -> tuple[Path, ...]:
        """The real paths of the forbidden folders, as they are now."""
        return tuple(Path(os.path.realpath(Path(text).expanduser())) for text in self.closed)


def _lies_in(path: Path, folders: Sequence[Path]) -> str:
    inside = any(path.is_relative_to(folder) for folder in folders)
    return f"{path} is in one of permissions.forbidden_dirs" if inside else ""


def _holds(path: Path, folders: Sequence[Path]) -> str:
    """Whoever goes through all of `path` comes to a forbidden folder."""
    below = next((one for one in folders if one.is_relative_to(path)), None)
    said = f"{path} holds {below}, one of permissions.forbidden_dirs: name what is beside that"
    return said if below is not None else ""


def _brought(
    name: str, folder: str, environment: Mapping[str, str], roots: Sequence[Path]
) -> str | None:
    """Where PATH finds a program in `roots`, or in a folder that depends on where a command runs;
    None: it finds it elsewhere, or not at all."""
    path = environment.get("PATH", "")
    kept = path
    for root in roots:
        kept = search_path({**environment, "PATH": kept}, root)
    for entry in path.split(os.pathsep) if "/" not in name else ():
        found = Path(folder, entry, name)
        if os.access(found, os.X_OK) and found.is_file():
            return None if entry in kept.split(os.pathsep) else str(found)
    return None


def _name(argv: Sequence[str]) -> str:
    return os.path.basename(argv[0])  # noqa: PTH119


def _hashable(commands: Iterable[Spoken]) -> Iterator[tuple[tuple[str, ...], str]]:
    return ((tuple(argv), folder) for argv, folder in commands)


def _fits(word: str, folder: str, folders: Sequence[Path], wide: bool) -> str:
    """That a pattern may stand for what is in a forbidden folder."""
    found = next((one for one in folders if may_match(word, folder, str(one), wide)), None)
    return f"{word} may stand for {found}, one of permissions.forbidden_dirs" if found else ""


def _entered(argv: Sequence[str]) -> Sequence[str]:
    """The folders that a command goes through with all that is below, as they are written. Where
    its words cannot be told apart: all of them, and its own folder."""
    name, words = (_name(argv), argv[1:]) if argv else ("", ())
    if name == "git":
        return (".", *words) if shell_programs.git_command(words)[0] == "grep" else ()
    flags, _ = shell_programs.split(words)
    told = name in _ENTER_IF_TOLD and shell_programs.has(
        flags, _ENTER_IF_TOLD[name], "--recursive", "--dereference-recursive", "--directories"
    )
    if not told and name not in _ENTER:
        return ()
    if name == "find":
        return find_expression.split(words)[0]
    try:
        return harmless.read_operands(name, words) or (".",)
    except Unknown:
        return (".", *words)


class Rates:
    """How often each tool was called in the last minute."""

    def __init__(self) -> None:
        self._called: dict[str, deque[float]] = {}

    def count_call(self, tool: str, most: int, now: float) -> float:
        """Count a call of `tool` at `now` (seconds), of which a minute may have `most` (0: any
        number). Returns how many seconds to wait instead, where it is one too many; 0: it may run.
        """
        if not most:
            return 0.0
        called = self._called.setdefault(tool, deque())
        while called and now - called[0] >= MINUTE:
            called.popleft()
        if len(called) >= most:
            return MINUTE - (now - called[0])
        called.append(now)
        return 0.0
