"""The one controller of all sheets: opening and closing, moving in their lists, finding rows, and their actions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_tui.protocol.ops import Query
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands, sheets
from agent_tui.tui.effects import Effect, Send, Type
from agent_tui.tui.model import Confirming, Model, Overlay
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.sheets.base import NO_ROW, Action, Sheet
from agent_tui.tui.update import holding
from agent_tui.tui.update.step import Step, send, then, toast

if TYPE_CHECKING:
    from agent_tui.protocol.answers import Answer
    from agent_tui.tui.held import Held
    from agent_tui.tui.msg import KeyPressed

PAGE: Final = 10
NOTCH: Final = 3
"""Rows or lines that a notch of the wheel moves."""
JUST: Final = 0.3
"""A list that nobody asked for takes no key so soon."""
NEVER: Final = float("-inf")
CLEARING: Final = frozenset(("ctrl+u", "ctrl+w", "ctrl+backspace", "alt+backspace"))
AGAIN: Final = ("f5", "ctrl+r")
PAGES: Final = ("pageup", "pagedown", "wheelup", "wheeldown")


# -- opening, filling, closing


def open_sheet(model: Model, kind: str, query: str = "", note: str = "", unasked: bool = False) -> Step:
    """Show the sheet `kind`, with `query` typed already: at once, with what is known; what has to be asked for comes
    after. `unasked`: it comes by itself, so for a moment keys may still be meant for the prompt."""
    sheet = sheets.find(kind)
    if sheet.refuse is not None and (why := sheet.refuse(model)):
        return toast(model, why, "warning")
    model = replace(model, overlay=None, queries=model.queries + 1)
    overlay = Overlay(
        kind, query=f"{kind}-{model.queries}" if sheet.query is not None else "", note=note,
        shown_at=model.at if unasked else NEVER,
        picker=Picker(query=query, ordered=sheet.newest_last) if sheet.rows is not None else None,
        state=sheet.begin(model) if sheet.begin is not None else None,
    )  # fmt: skip
    step = refresh(replace(model, overlay=overlay))
    return step[0], (*step[1], *_fetching(sheet, overlay))


def _fetching(sheet: Sheet, overlay: Overlay) -> tuple[Effect, ...]:
    """What brings what the sheet shows."""
    asked = (Send(Query(overlay.query, sheet.query)),) if sheet.query is not None else ()
    return (*sheet.reads, *asked)


def refresh(model: Model) -> Step:
    """What the open sheet shows may be another now."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return model, ()
    sheet = sheets.find(overlay.kind)
    if sheet.settle is not None and (settled := sheet.settle(model, overlay)) is not None:
        return settled
    if sheet.rows is None or overlay.picker is None:
        return model, ()
    begins_on = sheet.begin_on(model) if sheet.begin_on is not None else ""
    picker = overlay.picker.filled(tuple(sheet.rows(model, overlay)), begins_on)
    return _follow_cursor(_without_lost_question(_arranged(model, overlay, picker, typed=False)))


def on_answer(model: Model, id: str) -> Step:
    """The query `id` was answered, and what it told is in the transcript: the open list may have waited for it."""
    now = model.overlay
    if now is None or now.picker is None or (now.query and now.query != id):
        return model, ()
    return refresh(replace(model, overlay=replace(now, query="")))


def told(model: Model, id: str, data: Answer) -> Step | None:
    """What the engine told is perhaps for the sheet that is open. None: it is not."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return None
    hears = sheets.find(overlay.kind).on_answer
    heard = hears(model, overlay, id, data) if hears is not None else None
    return (_without_lost_question(heard[0]), heard[1]) if heard is not None else None


def on_rest(model: Model) -> Step:
    """A moment has passed without anything else."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None or (rested := sheets.find(overlay.kind).on_rest) is None:
        return model, ()
    return rested(model, overlay)


def leave(model: Model, overlay: Overlay) -> Step:
    """Esc: the sheet is closed."""
    sheet, closed = sheets.find(overlay.kind), replace(model, overlay=None)
    return sheet.leave(closed, overlay) if sheet.leave is not None else (closed, ())


def finds_rows(overlay: Overlay) -> bool:
    """Whether what is typed finds rows of the sheet."""
    return overlay.picker is not None and sheets.find(overlay.kind).typing == "finds"


# -- keys


def on_key(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while a sheet is open. None: it is not for the sheet."""
    sheet = sheets.find(overlay.kind)
    if _is_too_soon(overlay, msg):
        return model, (Type(msg.character, msg.key),) if is_text(msg.character) else ()
    if overlay.confirming is not None and (row := asked_row(overlay)) is not None:
        return _confirmed(model, overlay, overlay.confirming, row, msg)
    if msg.key == "escape" or _closes_again(model, overlay, msg):
        return leave(model, overlay)
    if (action := _action_of(model, overlay, sheet, msg)) is not None:
        return (model, ()) if model.repeated else begin_action(model, overlay, action)
    if (moved := _moved(model, overlay, msg)) is not None:
        return moved
    if msg.key in AGAIN and (sheet.query is not None or sheet.reads):
        return look_again(model, overlay)
    if sheet.on_key is not None and (done := sheet.on_key(model, overlay, msg)) is not None:
        return done
    return _typed_key(model, overlay, sheet, msg)


def _is_too_soon(overlay: Overlay, msg: KeyPressed) -> bool:
    """Whether a key that came right after a list that nobody asked for was meant for the prompt."""
    picker = overlay.picker
    if overlay.shown_at == NEVER or picker is None or picker.query or picker.touched or msg.key == "escape":
        return False
    return msg.blind or msg.at - overlay.shown_at < JUST


def _closes_again(model: Model, overlay: Overlay, msg: KeyPressed) -> bool:
    """Whether it is the key that opens the sheet. One that types is the list's once something is typed."""
    name = commands.bindings(model.keys).get(msg.key)
    if name is None or (msg.character and overlay.picker is not None and overlay.picker.query):
        return False
    return name == overlay.kind or any(one.name == name for one in sheets.find(overlay.kind).commands)


def row_of(overlay: Overlay) -> Entry:
    """The row under the cursor."""
    chosen = overlay.picker.chosen if overlay.picker is not None else None
    return chosen if chosen is not None else NO_ROW


def actions_of(model: Model, overlay: Overlay) -> tuple[Action, ...]:
    """What can be done now."""
    row = row_of(overlay)
    return tuple(one for one in sheets.find(overlay.kind).actions if one.offered(model, overlay, row))


def _action_of(model: Model, overlay: Overlay, sheet: Sheet, msg: KeyPressed) -> Action | None:
    """The action that a key stands for; a letter does only where it neither finds rows nor may begin a prompt."""
    letter = msg.character if sheet.typing == "acts" else ""
    keys = {letter, msg.key if letter or not is_text(msg.character) else ""} - {""}
    return next((one for one in actions_of(model, overlay) if keys.intersection(one.keys)), None)


def begin_action(model: Model, overlay: Overlay, action: Action) -> Step:
    """Do it, or ask first where it needs a second look."""
    row = row_of(overlay)
    if action.confirm is not None:
        return replace(model, overlay=replace(overlay, confirming=Confirming(action.name, row.id, model.at))), ()
    return action.run(replace(model, overlay=None) if action.closes else model, overlay, row)


def asked_row(overlay: Overlay) -> Entry | None:
    """The row about which a second look is taken. None: about none."""
    asked, shown = overlay.confirming, overlay.picker.shown if overlay.picker is not None else ()
    return next((one for one in shown if asked is not None and one.id == asked.row), None)


def _without_lost_question(model: Model) -> Model:
    """A question goes with its row: unseen, it must not take the next Enter."""
    overlay = model.overlay
    if overlay is None or overlay.confirming is None or asked_row(overlay) is not None:
        return model
    return replace(model, overlay=replace(overlay, confirming=None))


def _confirmed(model: Model, overlay: Overlay, asked: Confirming, row: Entry, msg: KeyPressed) -> Step:
    """Enter does what was asked about, any other key leaves it. The key that asked does neither: it may be held."""
    action = next(one for one in sheets.find(overlay.kind).actions if one.name == asked.action)
    soon = model.repeated or msg.blind or (msg.at - asked.since < JUST and not msg.sure)
    if msg.key in action.keys or (msg.key == "enter" and soon):
        return model, ()
    overlay = replace(overlay, confirming=None)
    kept = replace(model, overlay=overlay)
    if msg.key != "enter":
        return kept, ()
    return action.run(replace(kept, overlay=None) if action.closes else kept, overlay, row)


def _moved(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key that moves: the cursor of the list, or what is read. None: it moves nothing."""
    page, lines = msg.asked
    picker = overlay.picker
    if msg.key in PAGES and lines > page and sheets.find(overlay.kind).body is not None:
        return _scrolled(model, overlay, msg), ()
    if picker is None:
        return (_scrolled(model, overlay, msg), ()) if msg.key in _BY or msg.key in ("home", "end") else None
    last, at = max(0, len(picker.shown) - 1), picker.at
    goes = {
        "up": at - 1 if at else last, "down": at + 1 if at < last else 0, "pageup": at - PAGE, "pagedown": at + PAGE,
        "home": 0, "end": last, "ctrl+p": at - 1 if at else last, "ctrl+n": at + 1 if at < last else 0,
        "wheelup": at - NOTCH, "wheeldown": at + NOTCH,
    }  # fmt: skip
    if msg.key not in goes:
        return None
    return _follow_cursor(replace(model, overlay=replace(overlay, picker=picker.moved(goes[msg.key]))))


_BY: Final = {"up": -1, "down": 1, "wheelup": -NOTCH, "wheeldown": NOTCH, "pageup": 0, "pagedown": 0}


def _scrolled(model: Model, overlay: Overlay, msg: KeyPressed) -> Model:
    """What is read is turned, as far as there is something to read."""
    page, lines = msg.asked
    last = max(0, lines - page)
    now = min(overlay.scroll, last)
    to = {"pageup": now - page, "pagedown": now + page, "home": 0, "end": last}.get(msg.key)
    to = now + _BY[msg.key] if to is None else to
    return replace(model, overlay=replace(overlay, scroll=max(0, min(to, last))))


def look_again(model: Model, overlay: Overlay) -> Step:
    """What the list shows is asked for anew; the cursor stays, but where the newest is last."""
    sheet = sheets.find(overlay.kind)
    model = replace(model, queries=model.queries + 1)
    fresh = overlay.picker and replace(overlay.picker, touched=not sheet.newest_last)
    asked = f"{overlay.kind}-{model.queries}" if sheet.query is not None else ""
    overlay = replace(overlay, query=asked, picker=fresh)
    return replace(model, overlay=overlay), _fetching(sheet, overlay)


def _typed_key(model: Model, overlay: Overlay, sheet: Sheet, msg: KeyPressed) -> Step | None:
    if sheet.typing in ("prompt", "below"):
        letters = "".join(key for one in actions_of(model, overlay) for key in one.keys if len(key) == 1)
        return holding.type_or_hold(model, msg, letters, stays=sheet.typing == "below")
    if sheet.typing != "finds" or overlay.picker is None:
        return None
    query = overlay.picker.query
    if msg.key == "backspace":
        return find(model, query[:-1])
    if msg.key in CLEARING:
        return find(model, "")
    return find(model, query + msg.character) if is_text(msg.character) else None


def find(model: Model, query: str) -> Step:
    """Other words are looked for in the list that is open."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None:
        return model, ()
    seen = replace(overlay, shown_at=NEVER)  # who searches knows that it is there
    step = _follow_cursor(_arranged(model, seen, overlay.picker.looked_up(query), typed=True))
    found, typed = step[0].overlay, sheets.find(overlay.kind).on_typed
    return then(step, typed(step[0], found)) if typed is not None and found is not None else step


def take_held(model: Model, overlay: Overlay, held: Held) -> Step | None:
    """Nothing followed a letter that was held. None: it was text."""
    action = next((one for one in actions_of(model, overlay) if held.character in one.keys), None)
    return None if action is None else begin_action(model, overlay, action)


def _arranged(model: Model, overlay: Overlay, picker: Picker, typed: bool) -> Model:
    """With other rows, as the sheet arranges them."""
    arrange = sheets.find(overlay.kind).arrange
    arranged = arrange(model, overlay, picker, typed) if arrange is not None else picker
    return replace(model, overlay=replace(overlay, picker=arranged))


def _follow_cursor(model: Model) -> Step:
    """Do what the sheet does with the row that the cursor is on, once a row."""
    overlay = model.overlay
    if overlay is None or overlay.picker is None or (chosen := overlay.picker.chosen) is None:
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
