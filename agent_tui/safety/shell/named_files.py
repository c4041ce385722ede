"""The files that a command names: which of them may be read unasked, and what a look at them may
cost."""

from __future__ import annotations

import stat
from functools import cached_property
from pathlib import Path
from typing import Final

from agent_tui.safety import hard_links, paths
from agent_tui.safety.git_config import Repository
from agent_tui.safety.secret_search import changed_secrets, find_secret_files
from agent_tui.safety.shell.syntax import Unclear

_MOST_NAMES: Final = 2_000
"""Names that the patterns of a command may stand for."""
MOST_LOOKS: Final = 20_000
"""Names in folders that are compared with patterns."""
OPENED: Final = 50
"""Names that are compared in the time that it takes to open a folder."""
_MOST_FILES: Final = 400
"""Files that are judged."""
_MOST_ENTRIES: Final = 20_000
"""Entries of folders that are looked through for secrets."""
_ALWAYS_THERE: Final = frozenset({"/dev/null"})


class FileBudget:
    """What one text may cost, however it is written. Whoever takes more is asked about."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self._changed: dict[Path, list[str]] = {}
        self.names, self.looks, self.files = _MOST_NAMES, MOST_LOOKS, _MOST_FILES
        self.entries = _MOST_ENTRIES

    def check(self) -> None:
        """Raises Unclear where something is used up."""
        if self.names < 0 or self.looks < 0:
            raise Unclear("its patterns stand for too many names")
        if self.files < 0:
            raise Unclear("it names too many files to be judged")
        if self.entries < 0:
            raise Unclear("it reads too many files to look for secrets first")

    @cached_property
    def linked(self) -> frozenset[int]:
        """The numbers of files in the session's folders that have the name of a secret besides."""
        return find_secret_files(self._roots).linked

    def changed_secrets(self, where: Repository) -> list[str]:
        """As in `secret_search`, once for a text."""
        if where.top not in self._changed:
            self._changed[where.top] = changed_secrets(where)
        return self._changed[where.top]


def check_file(text: str, folder: Path, roots: tuple[Path, ...], budget: FileBudget) -> Path | None:
    """The real path of a file; None for what is no file of this folder. Raises Unclear where
    reading it is to be asked about."""
    if text in _ALWAYS_THERE or text == "-":
        return None
    try:
        real = paths.resolve(text, folder)
    except ValueError as problem:
        raise Unclear(str(problem)) from None
    if hard_links.is_secret(real, roots) or _is_linked(real, budget):
        raise Unclear(f"{paths.display_path(real, roots[0])} is a hard link of a file of secrets")
    if paths.is_secret(real) or paths.is_secret(folder / text):
        raise Unclear(f"{paths.display_path(real, roots[0])} has the name of a secret")
    if not any(real.is_relative_to(root) for root in roots):
        raise Unclear(f"{paths.display_path(real, roots[0])} is outside the folder of this session")
    return real


def _is_linked(real: Path, budget: FileBudget) -> bool:
    """Whether a file has the name of a secret besides, anywhere. What has one name costs a look."""
    try:
        about = real.lstat()
    except (OSError, ValueError):
        return False
    several = about.st_nlink > 1 and stat.S_ISREG(about.st_mode)
    return several and about.st_ino in budget.linked


def check_kind(text: str, real: Path) -> None:
    """Raises Unclear for a pipe, a socket or a device: to read one may wait for ever, or take what
    was meant for another program."""
    try:
        kind = real.lstat().st_mode
    except (OSError, ValueError):
        return  # the program says that there is none
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise Unclear(f"{text} is not a regular file")
