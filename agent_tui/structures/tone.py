"""What a text on the screen is; its colour follows from that."""

from __future__ import annotations

from typing import Literal

Tone = Literal[
    "normal", "dim", "accent", "good", "warning", "bad",
    "keyword", "name", "string", "comment", "removed", "removed word", "added", "added word",
]  # fmt: skip
"""The last eight are those of code and of differences, for a sample of both."""
