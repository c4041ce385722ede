"""The sheet with a question on the side and what is answered."""

from __future__ import annotations

from agent_tui.tui.aside import Aside
from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import OverlayView, Span
from agent_tui.tui.view import words
from agent_tui.tui.view.lazy import lazy

KEPT = "not in the context"


@lazy
def aside_view(overlay: Overlay, aside: Aside | None) -> OverlayView | None:
    if aside is None:
        return None
    lines = ((Span("Side question: ", "dim"), Span(words.one_line(aside.question, 400))), ())
    said = _said(aside)
    closes = "Esc cancels" if aside.state == "asking" else "c copies · Esc closes" if aside.text else "Esc closes"
    return OverlayView("By the way", lines, scroll=overlay.scroll, footer=closes, text=aside.text, below=(said,))


def _said(aside: Aside) -> tuple[Span, ...]:
    """Where the answer stands, in words."""
    if aside.state == "asking":
        return (Span("answering …" if aside.text else "asking …", "dim"),)
    if aside.problem:
        return (Span(aside.problem, "bad"),)
    sent, written = (words.tokens(count, aside.estimated) for count in aside.tokens)
    given_up = "cancelled · " if aside.state == "cancelled" else ""
    return (Span(f"{given_up}{sent} tokens sent, {written} written · {KEPT}", "dim"),)
