"""What can be done in the sheet that is open, and which key stands for it."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from agent_tui.structures.visible import is_text
from agent_tui.tui import sheets
from agent_tui.tui.sheets import NO_ROW, Action

if TYPE_CHECKING:
    from agent_tui.tui.core.model import Held, Model, Overlay
    from agent_tui.tui.core.msg import KeyPressed
    from agent_tui.tui.core.picker import Entry


def row_of(overlay: Overlay) -> Entry:
    """The row under the cursor."""
    chosen = overlay.picker.chosen_entry if overlay.picker is not None else None
    return chosen if chosen is not None else NO_ROW


def actions_of(model: Model, overlay: Overlay) -> tuple[Action, ...]:
    """What can be done now."""
    row = row_of(overlay)
    return tuple(
        one for one in sheets.find(overlay.kind).actions if one.offered(model, overlay, row)
    )


def asked_row(overlay: Overlay) -> Entry | None:
    """The row about which a second look is taken. None: about none."""
    asked, shown = overlay.confirming, overlay.picker.shown if overlay.picker is not None else ()
    return next((one for one in shown if asked is not None and one.id == asked.row), None)


def is_for_words(model: Model, overlay: Overlay) -> bool:
    """Whether Enter rather sends what was pasted since the sheet appeared."""
    since = overlay.filled_at if overlay.shown_at == -inf else overlay.shown_at
    pasted = bool(model.composer.draft.strip())
    return pasted and model.typed_at >= max(since, model.moved_at)


def action_of(model: Model, overlay: Overlay, msg: KeyPressed) -> Action | None:
    """The action that a key stands for; a letter does only where it neither finds rows nor may
    begin a prompt."""
    letter = msg.character if sheets.typing_of(model, overlay) == "acts" else ""
    keys = {letter, msg.key if letter or not is_text(msg.character) else ""} - {""}
    return next((one for one in actions_of(model, overlay) if keys.intersection(one.keys)), None)


def closes_again(overlay: Overlay, msg: KeyPressed, name: str | None) -> bool:
    """Whether it is the key that opens the sheet: that of the command `name`. One that types is the
    list's once something is typed."""
    if name is None or (msg.character and overlay.picker is not None and overlay.picker.query):
        return False
    opens = sheets.find(overlay.kind).commands
    return name == overlay.kind or any(one.name == name for one in opens)


def row_with_key(overlay: Overlay, character: str) -> int:
    """The row before which the key `character` is written; negative: there is none."""
    shown = overlay.picker.shown if overlay.picker is not None else ()
    return next((number for number, one in enumerate(shown) if one.key == character), -1)


def held_action(model: Model, overlay: Overlay, held: Held) -> Action | None:
    """What a letter that is held does, if nothing follows it."""
    letter, offered = held.character[:1], actions_of(model, overlay)
    on_row = row_with_key(overlay, letter) >= 0  # the cursor is on it
    named = (one for one in offered if letter in one.keys)
    return next(named, next((one for one in offered if one.row_keys and on_row), None))


def marked_action(model: Model, overlay: Overlay) -> Action | None:
    """What Enter does now because a letter has marked it."""
    held = model.held
    waits = held is not None and not held.on and held.due == inf
    return held_action(model, overlay, held) if held is not None and waits else None
