"""What the engine said last of a model that is fetched onto the local Ollama."""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.present.wording import fetched
from agent_tui.protocol.answers import PullProgress, PullState
from agent_tui.structures.readable import bar
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import Span

UNDER_WAY: Final = frozenset(("pulling", "starting"))


def told(model: Model) -> PullProgress | None:
    """What the engine said last of a model that is fetched; None: nothing yet."""
    return model.transcript.answers.pull


def state(model: Model) -> PullState | Literal[""]:
    """How that stands; empty: nothing was said yet."""
    found = told(model)
    return found.state if found is not None else ""


WIDEST: Final = 60
"""Cells of the bar: a longer one says no more."""
KEPT: Final = "If you stop, the downloaded part is kept."
Line = tuple[Span, ...]


def progress(data: PullProgress | None, inner: int) -> tuple[Line, ...]:
    """The bar of `inner` cells at most, and how it stands in words."""
    state = data.state if data is not None else ""
    pulling = data if data is not None and data.state == "pulling" else None
    percent = pulling.percent if pulling is not None else 0
    said = {
        "pulling": "checking the download …" if not percent else "",
        "starting": "starting Ollama …",
    }
    full, free = bar(percent, max(8, min(WIDEST, inner) - 7))
    words = said.get(state, "asking Ollama …")
    return (
        (Span(full, "accent"), Span(free, "dim"), Span(f"  {percent:>3} %")),
        (Span(fetched(pulling.done, pulling.total, pulling.left), "dim"),)
        if pulling is not None
        else (),
        (Span(words or KEPT, "dim"),),
    )
