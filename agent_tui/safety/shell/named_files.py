"""The files that a command names: which of them may be read unasked, and what a look at them may
cost."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from agent_tui.safety import hard_links, paths
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

    def __init__(self) -> None:
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


def check_file(text: str, folder: Path, roots: tuple[Path, ...]) -> Path | None:
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


def check_kind(text: str, real: Path) -> None:
    """Raises Unclear for a pipe, a socket or a device: to read one may wait for ever, or take what
    was meant for another program."""
    try:
        kind = real.lstat().st_mode
    except (OSError, ValueError):
        return  # the program says that there is none
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise Unclear(f"{text} is not a regular file")
