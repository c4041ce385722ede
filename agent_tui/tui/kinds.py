"""What the prompt can be used for, which sheets there are, and other words of the model."""

from __future__ import annotations

from typing import Literal

PurposeKind = Literal[
    "deny", "say", "argument", "address", "search", "setting", "history", "action", "title",
    "setup", "save",
]  # fmt: skip
PickerKind = Literal[
    "palette", "help", "models", "sessions", "skills", "themes", "modes", "efforts", "files", "log", "debug", "rewind",
    "tree", "stats", "locked", "doctor", "unsaved", "jobs",
]  # fmt: skip
"""Lists that are found by typing."""
OverlayKind = PickerKind | Literal[
    "first_run", "queue", "todo", "aside", "copy", "settings", "paste", "private", "going_back",
    "pull", "setup",
]  # fmt: skip
VimMode = Literal["", "insert", "normal", "visual", "visual line"]
"""Empty: the prompt is no vim."""
OwnKeys = tuple[tuple[str, tuple[str, ...]], ...]
"""Commands whose keys the person changed, each with all of its keys."""
