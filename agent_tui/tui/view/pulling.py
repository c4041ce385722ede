"""The sheet of a model that is being fetched: its bar, or whether Ollama may be started for it."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import PullProgress
from agent_tui.structures.bar import bar
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, sheet_room
from agent_tui.tui.update.pulling import state, told
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line
from agent_tui.tui.wording import fetched

WIDEST: Final = 60
"""Cells of the bar: a longer one says no more."""
KEPT: Final = "If you stop, the downloaded part is kept."
Line = tuple[Span, ...]


def pulling_view(model: Model, overlay: Overlay) -> OverlayView:
    return _sheet(overlay, told(model), sheet_room(model.width))


@lazy
def _sheet(overlay: Overlay, found: PullProgress | None, inner: int) -> OverlayView:
    name, data = one_line(overlay.on, inner - 10), None if overlay.query else found
    if data is not None and data.state == "down":
        said = one_line(data.said, 200)
        lines: tuple[Line, ...] = ((Span(f"{said}. It is installed and can be started."),), ())
        option = Option("Enter", "start `ollama serve`", f"it keeps running after agent-tui; then {name} is downloaded")
        return OverlayView(f"Pull {name}", lines, (option,), footer="Esc closes")
    return OverlayView(f"Pull {name}", progress(data, inner), footer="Esc stops · Enter hides")


def progress(data: PullProgress | None, inner: int) -> tuple[Line, ...]:
    """The bar of `inner` cells at most, and how it stands in words."""
    state = data.state if data is not None else ""
    pulling = data if data is not None and data.state == "pulling" else None
    percent = pulling.percent if pulling is not None else 0
    said = {"pulling": "checking the download …" if not percent else "", "starting": "starting Ollama …"}
    full, free = bar(percent, max(8, min(WIDEST, inner) - 7))
    words = said.get(state, "asking Ollama …")
    return (
        (Span(full, "accent"), Span(free, "dim"), Span(f"  {percent:>3} %")),
        (Span(fetched(pulling.done, pulling.total, pulling.left), "dim"),) if pulling is not None else (),
        (Span(words or KEPT, "dim"),),
    )


def is_down(model: Model) -> bool:
    """Whether Ollama would have to be started first."""
    return state(model) == "down"


@lazy
def pulling_footer(model: Model) -> FooterView:
    if is_down(model):
        return FooterView((("Enter", "start Ollama"), ("Esc", "close")))
    return FooterView((("Enter", "hide"), ("Esc", "stop")))
