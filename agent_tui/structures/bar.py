"""How much of something is there, as a bar."""

from __future__ import annotations

FULL = "━"
FREE = "·"


def bar(percent: int, width: int) -> tuple[str, str]:
    """The full part and the free one of a bar of `width` cells."""
    full = width * max(0, min(100, percent)) // 100
    return FULL * full, FREE * (width - full)
