"""Which files came to be while a command ran: made, or brought in with a folder that the command renamed.

A file that git did not tell of before may still have been there: git ignored it, or it lay in a repository of
its own. So a file is new only where the file system says so. The file has changed as such (its ctime) since the
command began; or a folder above it has, and so has the folder around that one (its mtime, for it got a new name),
as a rename does it. If what is in the renamed folder changed too, that may all have had other causes: then its
content has to be gone elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from agent_tui.agent.git_status import Known

IGNORE_FILE: Final = ".gitignore"
Move = Literal["", "perhaps", "sure"]


@dataclass(slots=True)
class NewFiles:
    """Judges the files of the work tree `top` after a command that began at `begun`. `exclude`: the repository's own
    list of ignored files; `before`: what git told of then; `now`: how the files that are looked at are by now; `gone`:
    what those held that are not there any more (SHA-256)."""

    top: Path
    exclude: Path
    begun: int
    before: Collection[Path]
    now: Mapping[Path, Known]
    gone: Collection[str]
    _moves: dict[Path, Move] = field(default_factory=dict)
    _ignores: bool | None = None

    def is_new(self, path: Path) -> bool:
        known = self.now.get(path)
        return known is not None and (known.since(self.begun) or self.folders(path) > 0)

    def folders(self, path: Path) -> int:
        """How many folders above `path` came with it, to where they are now; 0: it came alone, or was there."""
        known = self.now.get(path)
        if known is None or not known.sha or known.since(self.begun) or self._ignores_changed():
            return 0
        inside = path.relative_to(self.top).parents if path.is_relative_to(self.top) else ()
        above = [self.top / folder for folder in inside][:-1]
        if any(folder in self.before for folder in above):
            return 0  # a repository within this one, of which git tells as one thing
        moves = [self._move(folder) for folder in above]
        if known.sha not in self.gone and "sure" not in moves:
            return 0
        return max((count for count, move in enumerate(moves, 1) if move), default=0)

    def _move(self, folder: Path) -> Move:
        """Whether the folder was made or renamed; `sure`: nothing else can have happened to it."""
        if folder not in self._moves:
            try:
                own, above = folder.lstat(), folder.parent.lstat()
            except OSError:
                return ""
            perhaps = min(own.st_ctime_ns, above.st_mtime_ns) >= self.begun
            self._moves[folder] = ("perhaps" if own.st_mtime_ns >= self.begun else "sure") if perhaps else ""
        return self._moves[folder]

    def _ignores_changed(self) -> bool:
        """Whether git may tell of files now only because they are ignored no more. A list of ignored files that moved
        together with its folder changes nothing."""
        if self._ignores is None:
            lists = [path for path in self.now if path.name == IGNORE_FILE]
            changed = any(self.now[path].since(self.begun) for path in lists)
            removed = any(not self.now[path].sha and path.parent.is_dir() for path in lists)
            self._ignores = changed or removed or self._exclude_changed()
        return self._ignores

    def _exclude_changed(self) -> bool:
        try:
            return self.exclude.stat().st_ctime_ns >= self.begun
        except OSError:
            return False  # there is none: then it lists nothing
