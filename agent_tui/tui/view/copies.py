"""The list of what can be copied, with the beginning of what is under the cursor."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

PREVIEW: Final = 6
"""Lines of what would be copied."""
LOOKED_AT: Final = 4 * PREVIEW
"""Lines that are looked at for those; empty ones are not shown."""
WIDEST: Final = 76


@lazy
def copies_view(overlay: Overlay, width: int) -> OverlayView:
    sizes = [_lines(source.text.count("\n") + 1) for source in overlay.sources]
    wide = max(map(len, sizes))
    options = [
        Option(source.key, source.label, f"{size:<{wide}}  {one_line(source.text, 60)}")
        for source, size in zip(overlay.sources, sizes, strict=True)
    ]
    selected = min(overlay.selected, len(options) - 1)
    widest = max(8, min(WIDEST, width - 6))
    previews = [_preview(source.text, widest) for source in overlay.sources]
    shown = previews[selected]
    spare = max(map(len, previews)) - len(shown)
    footer = "w writes a file · Esc closes"
    return OverlayView("Copy", shown, tuple(options), selected, footer, list_first=True, spare=spare)


def _preview(text: str, widest: int) -> tuple[tuple[Span, ...], ...]:
    """The first lines of `text` that hold something, and how many there are behind them."""
    begun = enumerate(text.split("\n", LOOKED_AT)[:LOOKED_AT])
    head = [(number, line) for number, line in begun if line.strip()][:PREVIEW]
    shown = [(Span(line if len(line) <= widest else f"{line[: widest - 1]}…"),) for _, line in head]
    more = text.count("\n") - (head[-1][0] if head else -1)
    return (*shown, (Span(f"… {_lines(more, 'more line')}", "dim"),)) if more else tuple(shown)


def _lines(count: int, name: str = "line") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
