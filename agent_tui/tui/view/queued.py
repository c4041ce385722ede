"""The queue panel: what waits, in which state, and the keys for it."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.model import Model
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.update import queued
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

TEXT_CELLS: Final = 60
NARROW: Final = 60
"""Columns of the screen below which the state stands in front of the words: it must not be cut off."""


@lazy
def queued_view(model: Model) -> OverlayView:
    listed, paused = model.listed, model.transcript.paused
    options, number = [], 0
    for place, item in enumerate(listed):
        state = queued.state(model, item, number)
        number += not item.steer
        text = one_line(item.text, TEXT_CELLS)
        key = str(place + 1) if place < 9 else ""
        narrow = model.width < NARROW
        options.append(Option(key, f"{state}: {text}" if narrow else text, "" if narrow else state))
    title = f"Queued prompts ({len(listed)}){', paused' if paused else ''}"
    return OverlayView(title, _said(model), tuple(options), queued.place(model), "Esc closes")


def _said(model: Model) -> tuple[tuple[Span, ...], ...]:
    """What becomes of the queue, and the keys, in words."""
    if not model.listed:
        return ((Span("Nothing waits. What you send while the agent works comes here."),),)
    paused = model.transcript.paused
    if paused:
        what = Span("Paused: nothing goes out until you resume it.", "warning")
    else:
        what = Span("The next goes out when this turn is over." if model.running else "The next goes out now.")
    sends = "s into this turn · i stop this turn and send" if model.running else "s send now"
    keys = f"Enter edit · {sends} · Alt+↑ Alt+↓ move · d remove · p {'resume' if paused else 'pause'}"
    return (what,), (Span(keys, "dim"),)
