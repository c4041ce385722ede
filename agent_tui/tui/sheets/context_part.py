"""A part of what the model is told, whole: opened from `/context`."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import LedgerPart
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt.pastes import text_lines
from agent_tui.tui.sheets import NO_ROW, Action, Body, Sheet
from agent_tui.tui.sheets.opening import open_sheet


def _part(model: Model, overlay: Overlay) -> LedgerPart:
    """`overlay.note`: its place among the parts."""
    found, place = model.transcript.answers.context, overlay.note
    parts = found.parts if found is not None else ()
    return parts[int(place)] if place and int(place) < len(parts) else LedgerPart("Part", 0)


def _title(model: Model, overlay: Overlay) -> str:
    return _part(model, overlay).name


def _body(model: Model, overlay: Overlay, _: int) -> Body:
    return Body(text_lines(_part(model, overlay).text))


def _copy(model: Model, overlay: Overlay, _: Entry) -> Step:
    return model, (Copy(_part(model, overlay).text),)


def _back(model: Model, overlay: Overlay, _: Entry = NO_ROW) -> Step:
    return open_sheet(model, "context", note=overlay.note)


SHEET: Final = Sheet(
    _title,
    actions=(
        Action("back", ("enter", "q"), "back", _back, needs_row=False, hidden=True),
        Action("copy", ("c",), "copy", _copy, needs_row=False),
    ),
    body=_body,
    leave=_back,
    esc="back",
)
