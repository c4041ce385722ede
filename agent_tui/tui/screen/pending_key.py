"""A letter that may choose or may begin a word is held: only what follows tells which it was.

A key that comes makes it text, which goes to the prompt. In a sheet it acts if none comes for a
moment; at a question, and where much would be lost, only Enter takes it. Until then the row that it
would take is marked. Only the first letter on an empty prompt is in doubt so: behind words it is
one more of them.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from agent_tui.structures.visible import is_text
from agent_tui.tui.core.effects import Type, Yield
from agent_tui.tui.core.model import Held, Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step

HOLD_SECONDS: Final = 0.3
"""How long a letter waits for another key before it acts in a sheet. People type a key in 0.1 to
0.25 s."""
LATE: Final = 0.05
"""A wait that took so much longer than asked for: keys that came meanwhile may not have been
handled yet."""
PRESS_ENTER: Final = "press Enter to "
"""How it begins what is said of a letter that waits for Enter."""
STAYS: Final = frozenset(("up", "down", "left", "right"))
"""Keys that move the cursor on from the marked row."""


def hold_key(
    model: Model, msg: KeyPressed, row: int, on: str = "", confirmed: bool = False
) -> Step:
    """Wait with `msg`, which would take the row `row` of the question `on`, or of the sheet. No time
    makes it answer a question, or act where `confirmed`: only Enter."""
    waits = confirmed or bool(on)
    due = inf if waits else msg.at + HOLD_SECONDS
    picker = model.overlay.picker if model.overlay is not None else None
    if on:
        was = model.dialog.selected if model.dialog is not None else 0
    else:
        was = picker.at if picker is not None else 0
    held = Held(msg.key, msg.character, on, due, was)
    return replace(_on_row(model, row, held), held=held), () if waits else (Yield(HOLD_SECONDS),)


def keep_mark(model: Model, held: Held, msg: KeyPressed) -> Model | None:
    """A key while a letter waits for Enter: the same again, by a finger that rests on it
    or as in `ssh`, or Backspace, which takes it back. None: it is another."""
    if held.due < inf:
        return None
    if msg.key == held.key:
        again = "" if model.repeated and not held.on else msg.character
        return replace(model, held=replace(held, character=held.character + again))
    if msg.key == "backspace" and not msg.draft:
        return replace(_on_row(without_hint(model), held.row, held), held=None)
    return None


def without_hint(model: Model) -> Model:
    """Enter does something else again."""
    said = model.toast is not None and model.toast.text.startswith(PRESS_ENTER)
    return replace(model, toast=None) if said else model


def type_text(model: Model, msg: KeyPressed, stays: bool = False) -> Step | None:
    """A key while something is read that is no list: what types is for the prompt, and the sheet
    makes room for it unless it `stays`. None: it types nothing."""
    if not is_text(msg.character) or not types(model):
        return None
    return model if stays else replace(model, overlay=None), (Type(msg.character, msg.key),)


def types(model: Model) -> bool:
    """Whether letters in the prompt are text."""
    return model.vim not in ("normal", "visual", "visual line")


def end_hold(model: Model, msg: KeyPressed, bound: bool) -> Step:
    """Another key came while one is held: that was text, unless this one is no text either, but
    `bound` to a command, or moves."""
    bound = bound or msg.key in STAYS or msg.key in ("pageup", "pagedown")
    held = model.held
    assert held is not None
    if held.key.startswith("alt+") and is_text(msg.character) and msg.key != held.key:
        model = replace(
            model, held=replace(held, key=held.key[-1], character=held.key[-1])
        )  # it was Esc and a word
    if msg.key == "enter" or not bound or is_text(msg.character):
        return release_key(model)
    return replace(model if msg.key in STAYS else _on_row(model, held.row, held), held=None), ()


def release_key(model: Model) -> Step:
    """What was held is text; the cursor is back where it was, so that no Enter takes a row that a
    word marked. Alt and a letter type nothing: what they answer is not asked for any more."""
    held = model.held
    if held is None:
        return model, ()
    typed = (
        (Type(held.character, held.key),)
        if held.character and not held.key.startswith("alt+")
        else ()
    )
    typed_at = model.at if typed else model.typed_at
    return replace(_on_row(model, held.row, held), held=None, typed_at=typed_at), typed


def await_due(model: Model, held: Held) -> Step | None:
    """None: the time of `held` is over, and nothing came. A clock that was set back answers
    nothing."""
    if held.due == inf:
        return model, ()
    left = held.due - model.at
    if left > HOLD_SECONDS:
        return release_key(model)
    if left > 0:
        return model, (Yield(left),)
    if left < -LATE and not held.late:
        return replace(model, held=replace(held, late=True)), (Yield(LATE),)
    return None


def _on_row(model: Model, row: int, held: Held) -> Model:
    if held.on and model.dialog is not None and model.dialog.id == held.on:
        return replace(model, dialog=replace(model.dialog, selected=row))
    if not held.on and model.overlay is not None and model.overlay.picker is not None:
        return replace(
            model, overlay=replace(model.overlay, picker=replace(model.overlay.picker, at=row))
        )
    return model
