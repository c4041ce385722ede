"""A question of the model of which several options may be chosen: Space or a number marks one.

A mark answers nothing; only Enter does. So a key marks at once, and the next may follow without a
pause; but if it is text that follows, the keys before it were text as well, and go to the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.visible import is_text
from agent_tui.tui.core.effects import Type
from agent_tui.tui.core.model import Dialog, Model, Unmark
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.dialog.offers import Offer
from agent_tui.tui.screen.key_guards import ALT, QUIET_SECONDS, TYPING_SECONDS

SPACE: Final = "space"
MARK_FIRST: Final = "nothing is marked: press {} first"
MARK_LATER: Final = "not marked: pause, then press Space"


def is_multi(question: Approval | Question | None) -> bool:
    return isinstance(question, Question) and question.multi


def chosen_picks(model: Model, offer: Offer) -> tuple[int, ...]:
    """The options that are chosen with `offer`: those that are marked, where several may be."""
    marked = model.dialog.marked if model.dialog is not None else ()
    return marked if is_multi(model.question) and offer.picks else offer.picks


def lacks_mark(model: Model, offer: Offer) -> bool:
    """Whether several options may be chosen, and none is: the row of the cursor is not it."""
    return bool(offer.picks) and not chosen_picks(model, offer)


def on_key(
    model: Model,
    msg: KeyPressed,
    before: float,
    offered: Sequence[Offer],
    is_meant: Callable[[], bool],
) -> Step | None:
    """A key that marks a row, or shows that those before it were text. None: it does neither."""
    dialog = model.dialog
    if dialog is None or not is_multi(model.question):
        return None
    row = _row(msg.key, dialog, offered)
    if row is not None and not model.repeated and is_meant():
        return _mark(model, msg, before, dialog, row), ()
    blank = not model.composer.draft.strip() and model.typed_at >= dialog.shown_at
    if row is not None and msg.key == SPACE and blank:  # nobody would see it in the prompt
        return toast(model, MARK_LATER)
    was = dialog.unmark
    words = is_text(msg.character) and not msg.key.startswith(ALT)
    named = any(msg.key in offer.keys for offer in offered)
    pause = QUIET_SECONDS if named else TYPING_SECONDS
    if not words or was is None or msg.at - was.at >= pause:
        return None
    back = replace(dialog, marked=was.marked, selected=was.selected, unmark=None)
    typed = Type(was.text, ""), Type(msg.character, msg.key)
    return replace(model, dialog=back, typed_at=model.at), typed


def _row(key: str, dialog: Dialog, offered: Sequence[Offer]) -> int | None:
    """The row that `key` marks."""
    if key == SPACE:
        here = 0 <= dialog.selected < len(offered) and bool(offered[dialog.selected].picks)
        return dialog.selected if here else None
    named = (n for n, one in enumerate(offered) if one.picks and key.removeprefix(ALT) in one.keys)
    return next(named, None)


def _mark(model: Model, msg: KeyPressed, before: float, dialog: Dialog, row: int) -> Model:
    was = dialog.unmark
    if was is None or msg.at - was.at >= TYPING_SECONDS:
        was = Unmark("", msg.at, dialog.marked, dialog.selected)
    typed = "" if msg.key.startswith(ALT) else msg.character
    now = replace(
        dialog,
        marked=tuple(sorted({row} ^ set(dialog.marked))),
        selected=row,
        moved_at=msg.at,
        refuses=False,
        unmark=replace(was, text=was.text + typed, at=msg.at),
    )
    return replace(model, dialog=now, last_key=before, moved_at=msg.at)
