"""The one controller of all sheets: opening and closing, moving in their lists, finding rows, and
their actions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_tui.structures.visible import is_text
from agent_tui.tui import commands, sheets
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import Type
from agent_tui.tui.core.model import Confirming, Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    PRESS_ENTER,
    QUIET_SECONDS,
    RUN_SECONDS,
    enter_takes,
    hold_key,
    is_in_row,
    is_quiet,
    types,
)
from agent_tui.tui.sheets import Action, Sheet
from agent_tui.tui.sheets.actions import (
    action_of,
    actions_of,
    asked_row,
    closes_again,
    held_action,
    is_for_words,
    row_of,
    row_with_key,
)
from agent_tui.tui.sheets.cursor import (
    CLEARING,
    LETTERS_THAT_MOVE,
    NEVER,
    PAGES,
    find,
    follow_cursor,
    move,
    put_cursor,
)
from agent_tui.tui.sheets.opening import leave, look_again, refresh

if TYPE_CHECKING:
    from agent_tui.tui.core.model import Held
    from agent_tui.tui.core.msg import Acted, KeyPressed

JUST: Final = 0.3
"""What is asked before an action takes no Enter so soon."""
AGAIN: Final = ("f5", "ctrl+r")
IN_A_ROW: Final = "nothing done: pause, then press"
"""Said of a key that came in a row of keys."""
ROW_OF_ENTERS: Final = "nothing done: press ↑↓, then Enter"
CHANGED: Final = "nothing done: that key means another thing now"


# -- opening, filling, closing


def click(model: Model, place: int) -> Step:
    """Row number `place` of those that are shown was clicked: the cursor goes there, and a question
    about a row is left. What is clicked twice is taken, unless the sheet has only just appeared
    below the mouse."""
    overlay = model.overlay
    if (
        overlay is None
        or overlay.picker is None
        or not model.is_covered
        or not 0 <= place < len(overlay.picker.shown)
    ):
        return model, ()
    row = overlay.picker.shown[place]
    again = overlay.picker.at == place and overlay.clicked == row.id and overlay.confirming is None
    model = replace(model, overlay=replace(overlay, confirming=None, clicked=row.id))
    step = follow_cursor(put_cursor(model, place))
    shown = step[0].overlay
    if shown is None or model.at - max(shown.filled_at, shown.shown_at) < QUIET_SECONDS:
        return step
    action = next(iter(actions_of(step[0], shown)), None)
    if action is None or not (again or action.one_click):
        return step
    return then(step, begin_action(step[0], shown, action))


# -- keys


def on_key(model: Model, overlay: Overlay, msg: KeyPressed, before: float) -> Step | None:
    """A key while a sheet is open; `before` is when the key before it was pressed. None: it is not
    for the sheet."""
    sheet = sheets.find(overlay.kind)
    typing = sheets.typing_of(model, overlay)
    below = typing == "below" and overlay.picker is not None
    if below and msg.key == "enter" and not enter_takes(model):
        return commands.find("send").run(model, "")
    if sheet.on_first_key is not None:
        if (first := sheet.on_first_key(model, overlay, msg, before)) is not None:
            return first
    elif _is_too_soon(model, overlay, msg, before):
        waits = replace(model, overlay=replace(overlay, shown_at=msg.at))
        return waits, (Type(msg.character, msg.key),) if is_text(msg.character) else ()
    if overlay.confirming is not None and asked_row(overlay) is not None:
        return _confirmed(model, overlay, overlay.confirming, msg)
    bound = commands.bindings(model.keys).get(msg.key)
    if msg.key == "escape" or closes_again(overlay, msg, bound):
        return sheet.on_esc(model) if sheet.on_esc is not None else leave(model, overlay)
    if typing == "acts" and is_text(msg.character):
        return _letter(model, overlay, sheet, msg, before)
    if (action := action_of(model, overlay, msg)) is not None:
        return _acted(model, overlay, sheet, action, msg, before)
    if msg.key == "enter":
        return replace(model, overlay=replace(overlay, refused=True)), ()
    if (moved := move(model, overlay, msg)) is not None:
        return moved
    if msg.key in AGAIN and (sheet.query is not None or sheet.reads):
        return look_again(model, overlay)
    return _typed_key(model, overlay, msg)


def _letter(model: Model, overlay: Overlay, sheet: Sheet, msg: KeyPressed, before: float) -> Step:
    """A letter where letters act. One of a word goes to the prompt, and the sheet makes room for
    it: where keys come in a row without a pause, after one that may begin a word, and where no
    action has it."""
    action, at = action_of(model, overlay, msg), row_with_key(overlay, msg.character)
    moves = msg.character in LETTERS_THAT_MOVE
    if msg.blind or not is_quiet(msg, before) or (action is None and at < 0 and not moves):
        if msg.character.isspace():  # no word begins with it
            said = f"{IN_A_ROW} {key_name(msg.key)}"
            meant = action is not None and not model.repeated
            return toast(model, said) if meant else (model, ())
        closed = (model, ()) if overlay.holds_queue else leave(model, overlay)
        return then(closed, (closed[0], (Type(msg.character, msg.key),) if types(model) else ()))
    model = replace(model, last_key=before)  # as below
    if moves:
        return move(model, overlay, msg) or (model, ())
    if model.repeated:
        return model, ()
    if action is None:
        action = next((one for one in sheet.actions if one.row_keys), None)
        if action is None:
            return follow_cursor(put_cursor(model, at))
    elif action.at_once:
        return _acted(model, overlay, sheet, action, msg, before)
    if (gone := _gone(model, overlay, action)) is not None:
        return gone
    with_key = overlay.picker.shown[at] if overlay.picker is not None and at >= 0 else None
    return _hold(model, overlay, action, msg, with_key or row_of(overlay))


def _hold(model: Model, overlay: Overlay, action: Action, msg: KeyPressed, row: Entry) -> Step:
    """A letter of `action` waits: a moment, or for Enter."""
    enter = action.needs_enter or action.row_keys
    label = action.label_for(model, overlay)
    held = hold_key(model, msg, row.id if action.needs_row else "", label, waits=enter)
    return then(held, toast(held[0], f"{PRESS_ENTER}{label}")) if enter else held


def lost_mark(model: Model, held: Held) -> str | None:
    """What is said where a letter that is held would do something else than it was meant for: its
    row has gone, or is no more the one under the cursor, or the same letter does another thing by
    now. None: it would not."""
    overlay = model.overlay
    if overlay is None or not held.label:
        return None
    if held.entry and row_of(overlay).id != held.entry:
        there = overlay.picker is not None and overlay.picker.place_of(held.entry) >= 0
        return "" if there else sheets.find(overlay.kind).gone
    action = held_action(model, overlay, held)
    same = action is not None and action.label_for(model, overlay) == held.label
    return None if same else CHANGED


def _acted(
    model: Model, overlay: Overlay, sheet: Sheet, action: Action, msg: KeyPressed, before: float
) -> Step:
    """The key of an action, which counts only where it was meant for what is shown."""
    if msg.key == "backspace" and msg.draft:
        return model, ()  # it is for the words
    refused = replace(model, overlay=replace(overlay, refused=True))
    early = is_in_row(model, overlay.refused) or is_for_words(model, overlay)
    if action.careful and msg.key == "enter" and early:
        return (refused, ()) if model.repeated else toast(refused, ROW_OF_ENTERS)
    doubled = msg.key == "enter" and model.since_same < QUIET_SECONDS
    rests = action.needs_enter and msg.key != "enter" and model.since_same < RUN_SECONDS
    if rests or doubled or (sheet.read_first and not is_quiet(msg, before)):
        return (model, ()) if model.repeated else toast(model, f"{IN_A_ROW} {key_name(msg.key)}")
    soon = msg.blind or (msg.key == "enter" and msg.at - overlay.filled_at < sheet.read_first)
    careful = sheet.read_first > 0 or any(one.confirm is not None for one in sheet.actions)
    held = model.repeated and (msg.key != "enter" or careful)
    if action.careful and msg.key == "enter" and overlay.ignored:
        return toast(refused, ROW_OF_ENTERS)
    if held or (sheet.read_first and (soon or overlay.query)):
        return refused if msg.key == "enter" else _ignored(model), ()
    return _begun(model, overlay, action)


def _begun(model: Model, overlay: Overlay, action: Action) -> Step:
    """Begin `action`, unless what it was meant for has gone."""
    return _gone(model, overlay, action) or begin_action(model, overlay, action)


def _gone(model: Model, overlay: Overlay, action: Action) -> Step | None:
    """What is said where the row that the key was meant for has gone. None: it has not."""
    if not action.needs_row or overlay.picker is None or not overlay.picker.lost:
        return None
    seen = replace(model, overlay=replace(overlay, picker=replace(overlay.picker, lost=False)))
    seen = seen if "enter" in action.keys else _ignored(seen)
    return toast(seen, sheets.find(overlay.kind).gone)


def _ignored(model: Model) -> Model:
    return replace(model, overlay=model.overlay and replace(model.overlay, ignored=True))


def _is_too_soon(model: Model, overlay: Overlay, msg: KeyPressed, before: float) -> bool:
    """Whether a key that came right after a list that nobody asked for was meant for the prompt, or
    is one of a row of keys that began before it."""
    picker = overlay.picker
    if overlay.shown_at == NEVER or picker is None or picker.query:
        return False
    if msg.key == "escape" or msg.key in PAGES or model.moved_at > overlay.shown_at:
        return False
    return msg.blind or msg.at - max(overlay.shown_at, before) < QUIET_SECONDS


def on_intent(model: Model, msg: Acted) -> Step:
    """What a person wants of the sheet that is open, said in so many words."""
    overlay = model.overlay
    if overlay is None or overlay.kind != msg.sheet:
        return model, ()
    if msg.row is not None:
        at = overlay.picker.place_of(msg.row) if overlay.picker is not None else -1
        if at < 0:
            return toast(model, sheets.find(overlay.kind).gone)
        moved = follow_cursor(put_cursor(model, at))
        assert moved[0].overlay is not None
        return then(moved, _intended(moved[0], moved[0].overlay, msg))
    return _intended(model, overlay, msg)


def _intended(model: Model, overlay: Overlay, msg: Acted) -> Step:
    sheet = sheets.find(overlay.kind)
    match msg.action:
        case "close":
            if overlay.picker is not None and overlay.picker.query:
                model = find(model, "")[0]  # Esc may take two steps; a word says it all
            return sheet.on_esc(model) if sheet.on_esc is not None else leave(model, overlay)
        case "find":
            return find(model, msg.text)
        case "keep":
            return replace(model, overlay=replace(overlay, confirming=None)), ()
        case "confirm":
            return _confirm(model, overlay)
        case name:
            offered = actions_of(model, overlay)
            action = next((one for one in offered if name in ("", one.name)), None)
            return begin_action(model, overlay, action) if action is not None else (model, ())


def begin_action(model: Model, overlay: Overlay, action: Action) -> Step:
    """Do it, or ask first where it needs a second look."""
    row = row_of(overlay)
    if action.confirm is not None:
        return replace(
            model, overlay=replace(overlay, confirming=Confirming(action.name, row.id, model.at))
        ), ()
    kept = _noted(model, overlay, row)
    return _ran(action.run(replace(kept, overlay=None) if action.closes else kept, overlay, row))


def _noted(model: Model, overlay: Overlay, row: Entry) -> Model:
    """Something is done with `row`."""
    did = replace(overlay, confirming=None, ignored=False, done=row.id, done_at=model.at)
    return replace(model, overlay=did)


def _ran(step: Step) -> Step:
    """A row that goes by what the person did with it is not missed."""
    overlay = step[0].overlay
    if overlay is None or sheets.find(overlay.kind).live is None:
        return step
    shown, effects = then(step, refresh(step[0]))
    picker = shown.overlay.picker if shown.overlay is not None else None
    return put_cursor(shown, picker.at if picker is not None else 0), effects


def _confirmed(model: Model, overlay: Overlay, asked: Confirming, msg: KeyPressed) -> Step:
    """Enter does what was asked about, any other key leaves it. The key that asked does neither: it
    may be held."""
    action = next(one for one in sheets.find(overlay.kind).actions if one.name == asked.action)
    soon = model.repeated or msg.blind or msg.at - asked.since < JUST
    if msg.key == "enter" and (soon or is_in_row(model, overlay.refused)):
        model = replace(model, overlay=replace(overlay, refused=True))
        return (model, ()) if soon else toast(model, f"{IN_A_ROW} {key_name(msg.key)}")
    if msg.key == "enter":
        return _confirm(model, overlay)
    if msg.key in action.keys:
        return model, ()
    return replace(model, overlay=replace(overlay, confirming=None)), ()


def _confirm(model: Model, overlay: Overlay) -> Step:
    """What was asked about is done."""
    asked, row = overlay.confirming, asked_row(overlay)
    if asked is None or row is None:
        return model, ()
    action = next(one for one in sheets.find(overlay.kind).actions if one.name == asked.action)
    kept, overlay = _noted(model, overlay, row), replace(overlay, confirming=None)
    return action.run(replace(kept, overlay=None) if action.closes else kept, overlay, row)


def _typed_key(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    typing = sheets.typing_of(model, overlay)
    if typing in ("prompt", "below"):
        offered = actions_of(model, overlay)
        action = next((one for one in offered if msg.character and msg.character in one.keys), None)
        if action is not None and not msg.draft:
            return _hold(model, overlay, action, msg, row_of(overlay))
        return key_guards.type_text(model, msg, stays=typing == "below")
    if typing != "finds" or overlay.picker is None:
        return None
    query = overlay.picker.query
    if msg.key == "backspace":
        return find(model, query[:-1])
    if msg.key in CLEARING:
        return find(model, "")
    return find(model, query + msg.character) if is_text(msg.character) else None


def take_held(model: Model, overlay: Overlay, held: Held) -> Step | None:
    """Nothing followed a letter that was held. None: it was text."""
    sheet = sheets.find(overlay.kind)
    if sheet.on_letter is not None:
        return sheet.on_letter(model, overlay, held.key)
    action = held_action(model, overlay, held)
    model = replace(model, last_key=NEVER)  # it was meant, and the next key may be at once
    return None if action is None else _begun(model, overlay, action)
