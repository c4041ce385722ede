"""What git would say of the files in a folder, known without starting it: the rules that are not in
the folder itself, and which files are tracked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from agent_tui.safety import ignore
from agent_tui.safety.git_config import (
    Repository,
    explain_refusal,
    find_repository,
    read_text,
)
from agent_tui.safety.git_index import BadIndex, read_tracked
from agent_tui.structures.frozen import frozen

GENERATED: Final = frozenset(
    (
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".gradle",
        ".next",
        ".terraform",
        ".cache",
        "target",
        "dist",
        "build",
        ".hg",
        ".svn",
    )
)
"""Folders that are left out where no repository says what to ignore."""


@frozen
class Tracked:
    """The files that git tracks, from the top of the work tree, and the folders that hold them,
    with a slash behind."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


@frozen
class WorkTree:
    """The repository around a folder; `where` is None outside of one. One whose git folder leads
    elsewhere is not read (`may_read`): it would tell what another repository of the person's
    holds. The rules in the work tree hold either way."""

    where: Repository | None
    may_read: bool

    @classmethod
    def around(cls, start: Path) -> WorkTree:
        where = find_repository(start)
        return cls(where, where is not None and not explain_refusal(where))

    def tracked(self) -> Tracked:
        """What is tracked; nothing where that is not known."""
        if self.where is None or not self.may_read:
            return Tracked()
        try:
            about = (self.where.folder / "index").stat()
            stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
            return _tracked(self.where, stamp)
        except (BadIndex, OSError):
            return Tracked()


@lru_cache(maxsize=2)
def _tracked(where: Repository, _stamp: tuple[int, ...]) -> Tracked:
    """Read once for each state of the index."""
    paths = read_tracked(where)
    return Tracked(frozenset(paths), frozenset(folders_of(paths)))


def rules_above(
    start: Path, where: Repository, may_read: bool, environment: Mapping[str, str]
) -> ignore.Scope:
    """What holds above `start`: the person's own rules, the repository's, those of the folders
    above."""
    scope = ignore.Scope()
    excluded = (where.common / "info" / "exclude",) if may_read else ()
    for path in (own_rules(environment), *excluded):
        scope = scope.with_rules(ignore.read(None, str(path)), 0)
    for folder in reversed(start.parents):
        if folder.is_relative_to(where.top):
            for name in ignore.FILES:
                rules = ignore.read(None, str(folder / name))
                scope = scope.with_rules(rules, len(below(folder, where.top)))
    return scope


def own_rules(environment: Mapping[str, str]) -> Path:
    """The person's own ignore file, for all repositories."""
    home = Path(environment.get("HOME") or "~").expanduser()
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    for path in (home / ".gitconfig", config / "config"):
        said = re.findall(r"(?im)^\s*excludesfile\s*=\s*\"?([^\"\n]+)", read_text(path))
        if said:
            name = str(said[-1]).strip()
            return home / name[2:] if name.startswith("~/") else Path(name)
    return config / "ignore"


def folders_of(paths: Iterable[str]) -> set[str]:
    """The folders that hold them."""
    folders: set[str] = set()
    for path in paths:
        end = path.rfind("/", 0, -1)
        while end > 0 and (folder := path[: end + 1]) not in folders:
            folders.add(folder)
            end = path.rfind("/", 0, end)
    return folders


def below(folder: Path, top: Path) -> str:
    """The path of a folder from `top`, with a slash behind; empty for `top` itself."""
    return "" if folder == top else f"{folder.relative_to(top).as_posix()}/"
