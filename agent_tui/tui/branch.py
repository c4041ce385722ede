"""The branch of a folder, as `.git/HEAD` names it; git itself is never started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from agent_tui.paths import project_folders
from agent_tui.regular_file import open_regular

_MOST: Final = 4_096
_HASH: Final = 8


def branch(cwd: str) -> str:
    """The name of the branch, or the beginning of the commit where there is none; empty outside of git."""
    if not cwd:
        return ""
    folder = project_folders(Path(cwd))[0] / ".git"
    try:
        if folder.is_file():  # a work tree, or a submodule
            folder = folder.parent / _text(folder).removeprefix("gitdir:").strip()
        head = _text(folder / "HEAD")
    except (OSError, ValueError):
        return ""
    name = head.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return name if head.startswith("ref:") else name[:_HASH]


def _text(path: Path) -> str:
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read(_MOST).decode("utf-8", "replace")
