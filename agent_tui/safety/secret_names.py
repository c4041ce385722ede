"""Which files below a folder of the session have the names of secrets, by their names alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.folder_walk import entries_of
from agent_tui.safety.name_search import NOT_ENTERED, Folder, Refused, own_names, search
from agent_tui.safety.protected_names import is_secret

MOST_FOLDERS: Final = 1_000
_MOST_INSIDE: Final = 200
"""Folders of one that is obeyed, or has the name of a secret."""


def walk_secrets(
    root: Path, roots: Sequence[Path], refused: Refused = lambda _: False
) -> Iterator[tuple[str, int, list[str]]]:
    """The folders below `root`, the nearest first, each with the number of its entries and the
    secrets in it. `refused`: as in `search`."""

    def own(folder: Folder, _: bool) -> frozenset[str]:
        return own_names(folder)

    for visit in search(root, roots, own, most=MOST_FOLDERS, refused=refused):
        secrets = list[str]()
        for name in visit.names:
            if name.is_folder and name.kind in ("obeyed", "secret"):
                secrets += _inside(name.path, root, refused)
            elif name.kind == "secret":
                secrets.append(name.path)
        yield visit.folder.path, visit.folder.count, secrets


def _inside(folder: str, root: Path, refused: Refused) -> Iterator[str]:
    """The secrets in a folder that is not looked through for names of other kinds."""
    todo = [folder]
    for at in todo:
        try:
            with entries_of(at) as found:
                entries = [
                    (f"{at}/{entry.name}", entry.is_dir(), entry.is_file())
                    for entry in found  # what a link leads to counts by itself
                    if not entry.is_symlink() and entry.name not in NOT_ENTERED
                ]
        except PermissionError:
            refused(at)
            continue
        except OSError:
            continue  # it is gone
        for path, is_folder, is_file in entries:
            if is_folder and len(todo) < _MOST_INSIDE:
                todo.append(path)
            elif is_file and is_secret((*root.parts, *Path(path).relative_to(root).parts)):
                yield path


def linked_inodes(roots: Sequence[Path]) -> frozenset[int]:
    """The numbers of files below `roots` that have the name of a secret and another one."""
    return frozenset(
        about.st_ino
        for root in roots
        for _, _, secrets in walk_secrets(root, roots)
        for about in _several_names(secrets)
    )


def _several_names(files: list[str]) -> Iterator[os.stat_result]:
    for path in files:
        try:
            about = os.lstat(path)
        except OSError:
            continue  # it is gone
        if about.st_nlink > 1:
            yield about
