"""A long text as lines of a sheet."""

from __future__ import annotations

from typing import Final

from agent_tui.structures.visible import visible
from agent_tui.tui.regions import Span
from agent_tui.tui.view.lazy import lazy

SHOWN_LINES: Final = 2_000
"""Lines that can be scrolled to."""
SHOWN_CHARS: Final = 400
"""Characters of each."""


@lazy
def text_lines(text: str) -> tuple[tuple[Span, ...], ...]:
    """The first lines of `text`, harmless."""
    found: list[tuple[Span, ...]] = []
    begin = 0
    while len(found) < SHOWN_LINES:
        end = text.find("\n", begin)
        stop = len(text) if end < 0 else end
        line = text[begin : min(stop, begin + SHOWN_CHARS)].expandtabs(4)
        found.append((Span(visible(line) + "…" * (stop - begin > SHOWN_CHARS)),))
        if end < 0:
            return tuple(found)
        begin = end + 1
    return (*found, (Span(f"… {text.count(chr(10), begin) + 1:,} more lines", "dim"),))
