"""The sheet of a model that is being fetched: its bar, or whether Ollama may be started for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_tui.structures.bar import bar
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, sheet_room
from agent_tui.tui.update.pulling import told
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line
from agent_tui.tui.wording import fetched

WIDEST: Final = 60
"""Cells of the bar: a longer one says no more."""
KEPT: Final = "If you stop it, what came is kept for the next time."
Line = tuple[Span, ...]


def pulling_view(model: Model, overlay: Overlay) -> OverlayView:
    return _sheet(overlay, told(model), sheet_room(model.width))


@lazy
def _sheet(overlay: Overlay, data: Mapping[str, Any], inner: int) -> OverlayView:
    name, state = one_line(overlay.on, inner - 10), "" if overlay.query else str(data.get("state", ""))
    if state == "down":
        said = one_line(str(data.get("said", "")), 200)
        lines: tuple[Line, ...] = ((Span(f"{said}. It is installed, and can be started."),), ())
        option = Option("Enter", "start `ollama serve`", f"it goes on when agent-tui ends; then {name} is fetched")
        return OverlayView(f"Pull {name}", lines, (option,), footer="Esc closes")
    return OverlayView(f"Pull {name}", progress(state, data, inner), footer="Esc stops · Enter hides")


def progress(state: str, data: Mapping[str, Any], inner: int) -> tuple[Line, ...]:
    """The bar of `inner` cells at most, and how it stands in words."""
    percent = int(data.get("percent") or 0) if state == "pulling" else 0
    said = {"pulling": "looking what is to be fetched …" if not percent else "", "starting": "starting Ollama …"}
    full, free = bar(percent, max(8, min(WIDEST, inner) - 7))
    words = said.get(state, "asking Ollama …")
    return (
        (Span(full, "accent"), Span(free, "dim"), Span(f"  {percent:>3} %")),
        (Span(fetched(data.get("done"), data.get("total"), data.get("left")), "dim"),) if state == "pulling" else (),
        (Span(words or KEPT, "dim"),),
    )


def is_down(model: Model) -> bool:
    """Whether Ollama would have to be started first."""
    return told(model).get("state") == "down"


@lazy
def pulling_footer(model: Model) -> FooterView:
    if is_down(model):
        return FooterView((("Enter", "start Ollama"), ("Esc", "close")))
    return FooterView((("Enter", "hide"), ("Esc", "stop")))
