"""When a key is meant for what is on the screen, and when it rather belongs to what was typed
before, or begins a word.

A letter that may choose or may begin a word is held: only what follows tells which it was. A key
that comes makes it text, which goes to the prompt. In a sheet it acts if none comes for a moment;
at a question, and where much would be lost, only Enter takes it. Until then the row that it would
take is marked. Only the first letter on an empty prompt is in doubt so: behind words it is one more
of them.
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

ALT: Final = "alt+"
BURST_SECONDS: Final = 0.3
"""A key answers only so long after the key before it, and after a sheet that nobody asked for
appeared."""
ENTER_SECONDS: Final = 0.6
"""Enter answers so long after what it answers appeared: a letter, which is held for a while, takes
no less."""
RUN_SECONDS: Final = 1.0
"""So long after a sheet or a question appeared, keys may still belong to those pressed before it.
"""
QUIET_SECONDS: Final = 0.5
"""So long without a key before Enter, or a letter, answers: who presses Enter again and again has
read nothing."""
ROW_SECONDS: Final = 1.6
"""So long after the last one, Enter belongs to a row of Enters: who steers presses it once a
second. What cannot be taken back, and what asked first, is done by none of a row."""
IDLE_SECONDS: Final = 5.0
"""So long after an Enter that did nothing, the next may be one more of that row."""
TYPING_SECONDS: Final = 1.5
"""So long after words that were typed elsewhere, or after a list that the question took away, a key
rather belongs to them: slow fingers take a second a key."""
ESCAPE_SECONDS: Final = 0.05
"""Alt and a letter so close to the next one were rather Esc and a word."""
REPEAT_SECONDS: Final = 0.1
"""Keys that come faster are repeated by one that is held down."""


def is_meant(model: Model, msg: KeyPressed, shown_at: float, before: float) -> bool:
    """Whether Enter or an arrow is meant for what appeared by itself at `shown_at`. It is not where
    it ends a word, is one of a row of keys that began before, or is repeated by a finger that rests
    on it. `before`: when the key before it was pressed."""
    since = msg.at - shown_at
    pause = BURST_SECONDS if since < RUN_SECONDS else REPEAT_SECONDS
    early = msg.blind or min(since, msg.at - model.typed_at) < BURST_SECONDS
    if msg.key == "enter":
        early = early or since < ENTER_SECONDS or msg.at - model.moved_at < BURST_SECONDS
        pause = QUIET_SECONDS
    return not early and msg.at - before >= pause


def is_quiet(msg: KeyPressed, before: float) -> bool:
    """Whether `msg` begins anew: no key came for a while. `before`: when the key before it was
    pressed."""
    return msg.at - before >= QUIET_SECONDS


def is_in_row(model: Model, refused: bool) -> bool:
    """Whether this Enter is one of a row of Enters. `refused`: one of them did nothing already. Any
    other key ends the row."""
    return model.since_same < (IDLE_SECONDS if refused else ROW_SECONDS)


def was_just_enter(model: Model) -> bool:
    """Whether the last key was an Enter, which may be one of a row."""
    return model.last_name == "enter" and model.at - model.pressed_at < IDLE_SECONDS


def is_command(draft: str) -> bool:
    """Whether a command is being written: a path has a second slash."""
    return draft.startswith("/") and "/" not in draft[1:].partition(" ")[0]


def enter_takes(model: Model) -> bool:
    """Whether Enter is for the row of a sheet that stays while words are typed: not right after
    those words."""
    shown_at = model.overlay.shown_at if model.overlay is not None else 0.0
    return (
        not model.composer.draft.strip()
        or model.moved_at > model.typed_at
        or model.typed_at < shown_at
    )


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
    model: Model, msg: KeyPressed, entry: str, label: str = "", waits: bool = False
) -> Step:
    """Wait with `msg`, which would do what is called `label` with the row `entry` of the sheet.
    `waits`: for Enter; else a moment is enough."""
    picker = model.overlay.picker if model.overlay is not None else None
    before = (
        picker.chosen_entry.id if picker is not None and picker.chosen_entry is not None else ""
    )
    due = inf if waits else msg.at + HOLD_SECONDS
    held = Held(msg.key, msg.character, due, entry=entry, label=label, before=before)
    yields = () if waits else (Yield(HOLD_SECONDS),)
    return replace(_on_entry(model, entry), held=held), yields


def keep_mark(model: Model, held: Held, msg: KeyPressed) -> Model | None:
    """A key while a letter waits for Enter: Backspace takes it back, and the same again changes
    nothing where it is no text, or the text was scrolled meanwhile. None: it is another, or the
    same letter once more, as in `11` or under a finger that rests on it: those are words."""
    if held.due < inf:
        return None
    if msg.key == held.key and (held.key.startswith(ALT) or model.since_same == inf):
        return model
    if msg.key == "backspace" and not msg.draft:
        return _back(without_hint(model), held)
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
    return replace(model, held=None), ()


def release_key(model: Model) -> Step:
    """What was held is text; no Enter takes a row that a word marked. Alt and a letter type
    nothing: what they answer is not asked for any more."""
    held = model.held
    if held is None:
        return model, ()
    typed = (
        (Type(held.character, held.key),)
        if held.character and not held.key.startswith("alt+")
        else ()
    )
    typed_at = model.at if typed else model.typed_at
    return replace(_back(model, held), typed_at=typed_at), typed


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


def _back(model: Model, held: Held) -> Model:
    """Nothing is held any more, and the cursor is where it belongs then."""
    model = replace(model, held=None)
    if held.on:
        dialog = model.dialog
        if dialog is None or dialog.id != held.on:
            return model
        return replace(model, dialog=replace(dialog, selected=held.row))
    return _on_entry(model, held.before)


def _on_entry(model: Model, id: str) -> Model:
    """The cursor of the list is on the row `id`, if that is still there."""
    overlay = model.overlay
    picker = overlay.picker if overlay is not None else None
    if overlay is None or picker is None or not id or (at := picker.place_of(id)) < 0:
        return model
    return replace(model, overlay=replace(overlay, picker=picker.move_to(at)))
