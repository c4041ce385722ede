"""The list of what can be copied, with the beginning of what is under the cursor."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.view.words import one_line

PREVIEW: Final = 6
"""Lines of what would be copied."""
WIDEST: Final = 76


def copies_view(overlay: Overlay) -> OverlayView:
    sizes = [_lines(source.text.count("\n") + 1) for source in overlay.sources]
    wide = max(map(len, sizes))
    options = [
        Option(source.key, source.label, f"{size:<{wide}}  {one_line(source.text, 60)}")
        for source, size in zip(overlay.sources, sizes, strict=True)
    ]
    selected = min(overlay.selected, len(options) - 1)
    text = overlay.sources[selected].text
    head = text.split("\n", PREVIEW)[:PREVIEW]
    shown = [(Span(line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"),) for line in head]
    more = text.count("\n") + 1 - len(head)
    if more:
        shown.append((Span(f"… {_lines(more, 'more line')}", "dim"),))
    most = max(min(source.text.count("\n"), PREVIEW) + 1 for source in overlay.sources)
    shown += [(Span(" "),)] * (most - len(shown))  # the list stays where it is while the cursor moves
    return OverlayView("Copy", tuple(shown), tuple(options), selected, "w writes a file · Esc closes")


def _lines(count: int, name: str = "line") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
