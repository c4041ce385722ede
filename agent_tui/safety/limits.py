"""Limits that a person sets once, which hold in every mode: how far a mode may go, which programs
commands may start, which folders no call names, and how often a tool is called.

They only ever forbid. Nothing that a session, a project or a model says changes them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent_tui.programs import search_path
from agent_tui.safety.shell import find_expression, harmless
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.harmless_options import Unknown
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
_LEADS: Final = frozenset(("-C", "-D", "--chdir", "--directory", "--cwd"))
"""Options whose value is the folder in which the words behind them are meant."""


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

    def forbid_words(self, commands: Iterable[Spoken]) -> str:
        """Why simple commands may not run, for what they name or the folders that they go through;
        empty: they may. A script that they start is not read."""
        folders = self._folders()
        for argv, folder in commands if folders else ():
            entered = [Path(os.path.realpath(Path(folder, one))) for one in _entered(argv)]
            named = (_lies_in(path, folders) for path in (*entered, *_named(argv, folder)))
            held = (_holds(path, folders) for path in entered)
            if reason := next(filter(None, (*named, *held)), ""):
                return reason
        return ""

    def doubt_words(self, commands: Iterable[Spoken]) -> str:
        """Why it cannot be known whether they reach a forbidden folder; empty: it can."""
        folders = self._folders()
        for argv, folder in commands if folders else ():
            if not argv:
                return "it cannot be read whether it names a forbidden folder"
            if _name(argv) not in _STAYS:
                held = (_holds(path, folders) for path in _named(argv[1:], folder))
                if reason := next(filter(None, held), ""):
                    return reason
        return ""

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


def _named(argv: Sequence[str], folder: str) -> Iterator[Path]:
    """The real paths that words in `folder` may name: as a whole, behind an option's letter, behind
    `=` or `:`, and in a folder to which an option leads."""
    folders = [folder, *(after for word, after in pairwise(argv) if word in _LEADS)]
    folders += [word.partition("=")[2] for word in argv if word.partition("=")[0] in _LEADS]
    values = set(argv) | {word.partition(mark)[2] for word in argv for mark in "=:"}
    values |= {word[2:] for word in argv if word.startswith("-")}
    for value in values - {""}:
        if "\0" not in value:
            whole = os.path.expanduser(value)  # noqa: PTH111  # it never raises
            for base in folders:
                yield Path(os.path.realpath(Path(folder, base, whole)))


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
