"""Moving in the sheet that is open: the cursor of its list, the words that find rows, and what is
scrolled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_tui.protocol.ops import Query
from agent_tui.tui import sheets
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Picker
from agent_tui.tui.core.step import Step, send, then

if TYPE_CHECKING:
    from agent_tui.tui.core.msg import KeyPressed


NEVER: Final = float("-inf")
PAGE: Final = 10
NOTCH: Final = 3
"""Rows or lines that a notch of the wheel moves."""
CLEARING: Final = frozenset(("ctrl+u", "ctrl+w", "ctrl+backspace", "alt+backspace"))
LETTERS_THAT_MOVE: Final = {"k": "up", "j": "down"}
"""Where letters act."""
PAGES: Final = ("pageup", "pagedown", "wheelup", "wheeldown")


def put_cursor(model: Model, at: int) -> Model:
    """The cursor of the list is on row number `at`."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return model
    moved = overlay.picker.move_to(at)
    return replace(model, overlay=replace(overlay, picker=moved, ignored=False))


def finds_rows(overlay: Overlay) -> bool:
    """Whether what is typed finds rows of the sheet."""
    return overlay.picker is not None and sheets.find(overlay.kind).typing == "finds"


def move(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key that moves: the cursor of the list, or what is read. None: it moves nothing."""
    page, lines = msg.asked
    picker = overlay.picker
    if msg.key in PAGES and lines > page and sheets.find(overlay.kind).body is not None:
        return _scrolled(model, overlay, msg), ()
    if picker is None:
        return (
            (_scrolled(model, overlay, msg), ())
            if msg.key in _BY or msg.key in ("home", "end")
            else None
        )
    last, at = max(0, len(picker.shown) - 1), picker.at
    goes = {
        "up": at - 1 if at else last,
        "down": at + 1 if at < last else 0,
        "pageup": at - PAGE,
        "pagedown": at + PAGE,
        "home": 0,
        "end": last,
        "ctrl+p": at - 1 if at else last,
        "ctrl+n": at + 1 if at < last else 0,
        "wheelup": at - NOTCH,
        "wheeldown": at + NOTCH,
    }
    acts = sheets.typing_of(model, overlay) == "acts"
    key = LETTERS_THAT_MOVE.get(msg.key, msg.key) if acts else msg.key
    if key not in goes:
        return None
    return follow_cursor(put_cursor(model, goes[key]))


_BY: Final = {
    "up": -1,
    "down": 1,
    "wheelup": -NOTCH,
    "wheeldown": NOTCH,
    "pageup": 0,
    "pagedown": 0,
}


def _scrolled(model: Model, overlay: Overlay, msg: KeyPressed) -> Model:
    """What is read is turned, as far as there is something to read."""
    page, lines = msg.asked
    last = max(0, lines - page)
    now = min(overlay.scroll, last)
    to = {"pageup": now - page, "pagedown": now + page, "home": 0, "end": last}.get(msg.key)
    to = now + _BY[msg.key] if to is None else to
    return replace(model, overlay=replace(overlay, scroll=max(0, min(to, last))))


def find(model: Model, query: str) -> Step:
    """Other words are looked for in the list that is open."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return model, ()
    seen = replace(overlay, shown_at=NEVER)  # who searches knows that it is there
    picker = replace(overlay.picker, lost=False).looked_up(query)
    step = follow_cursor(arrange_rows(model, seen, picker, typed=True))
    found, typed = step[0].overlay, sheets.find(overlay.kind).on_typed
    return then(step, typed(step[0], found)) if typed is not None and found is not None else step


def arrange_rows(model: Model, overlay: Overlay, picker: Picker, typed: bool) -> Model:
    """With other rows, as the sheet arranges them."""
    arrange = sheets.find(overlay.kind).arrange
    arranged = arrange(model, overlay, picker, typed) if arrange is not None else picker
    return replace(model, overlay=replace(overlay, picker=arranged))


def follow_cursor(model: Model) -> Step:
    """Do what the sheet does with the row that the cursor is on, once a row."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None or (chosen := overlay.picker.chosen_entry) is None:
        return model, ()
    sheet = sheets.find(overlay.kind)
    if not chosen.id or chosen.id == overlay.picker.asked or not (sheet.preview or sheet.on_cursor):
        return model, ()
    overlay = replace(overlay, picker=replace(overlay.picker, asked=chosen.id))
    model = replace(model, overlay=overlay)
    if sheet.preview is not None:
        return send(model, Query("preview", sheet.preview, chosen.id))
    assert sheet.on_cursor is not None
    return sheet.on_cursor(model, overlay, chosen)
