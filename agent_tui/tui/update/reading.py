"""How the transcript is read: what is open, and whether its end is shown. Rows are never rewritten for it."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.tui.effects import Scroll
from agent_tui.tui.model import Model, Reading
from agent_tui.tui.update.step import Step


def toggled(model: Model, row: int, group: bool = False) -> Model:
    """Open or close one row, or the group that begins with it."""
    if not 0 <= row < len(model.transcript.rows) + len(model.transcript.live()):
        return model
    reading = model.reading
    if group:
        return replace(model, reading=replace(reading, groups=reading.groups ^ {row}))
    return replace(model, reading=replace(reading, exceptions=reading.exceptions ^ {row}))


def expand_all(model: Model) -> Model:
    reading = model.reading
    closed: frozenset[int] = frozenset()
    return replace(model, reading=replace(reading, expanded=not reading.expanded, exceptions=closed, groups=closed))


def scrolled(model: Model, following: bool) -> Model:
    reading: Reading = model.reading
    return model if reading.following == following else replace(model, reading=replace(reading, following=following))


def scroll(model: Model, where: str) -> Step:
    return model, (Scroll(where),)
