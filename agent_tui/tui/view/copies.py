"""The list of what can be copied, with the beginning of what is under the cursor."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.view.words import one_line

PREVIEW: Final = 8
"""Lines of what would be copied."""
WIDEST: Final = 200


def copies_view(overlay: Overlay) -> OverlayView:
    options = []
    for source in overlay.sources:
        lines = source.text.count("\n") + 1
        size = f"{lines} line{'' if lines == 1 else 's'}"
        options.append(Option(source.key, source.label, f"{size}  {one_line(source.text, 60)}"))
    selected = min(overlay.selected, len(options) - 1)
    text = overlay.sources[selected].text
    head = text[: PREVIEW * WIDEST].split("\n")[:PREVIEW]
    shown = tuple((Span(line[:WIDEST] or " "),) for line in head)
    more = text.count("\n") + 1 - len(head)
    rest = ((Span(f"… {more} more line{'' if more == 1 else 's'}", "dim"),),) if more > 0 else ()
    return OverlayView("Copy", (*shown, *rest), tuple(options), selected, "Enter copies · w writes a file · Esc closes")
