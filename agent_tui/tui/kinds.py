"""What the prompt can be used for, and other words of the model."""

from __future__ import annotations

from typing import Literal

PurposeKind = Literal[
    "deny", "say", "argument", "search", "history", "action", "title", "save", "sheet",
]  # fmt: skip
VimMode = Literal["", "insert", "normal", "visual", "visual line"]
"""Empty: the prompt is no vim."""
OwnKeys = tuple[tuple[str, tuple[str, ...]], ...]
"""Commands whose keys the person changed, each with all of its keys."""
