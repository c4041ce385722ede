"""Keys that answer nothing while a question is open, and what is said of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.dialog import marking
from agent_tui.tui.dialog.answer_keys import (
    letter_key,
    refuses,
    under_cursor,
    ways,
)
from agent_tui.tui.dialog.offers import Offer
from agent_tui.tui.dialog.tabs import NONE
from agent_tui.tui.prompt.queue import ANSWER_FIRST
from agent_tui.tui.screen import key_guards

NOT_SENT: Final = "not sent: press Enter again"


CONFIRMS: Final = "press Enter to answer"


WRITES: Final = "press Enter, then write"


TOO_SOON: Final = "not answered: pause, then press Enter"


DROPPED: Final = "the search was closed: pause, then type"


NOT_ALONE: Final = "not answered: more came behind Enter"


REFUSALS: Final = frozenset({CONFIRMS, WRITES, DROPPED, NOT_SENT, ANSWER_FIRST})
"""What is said of a key that answered nothing; the rest begins with `NOT_ANSWERED`."""


NOT_ANSWERED: Final = "not answered: "


PASTE_SECONDS: Final = 0.1
"""So soon behind its first line end, the rest of a paste comes that the terminal does not mark."""


def holds_enter(model: Model) -> bool:
    """Whether an Enter is about to answer."""
    return model.held is not None and model.held.key == "enter" and bool(model.held.on)


def refuse_enter(model: Model, why: str) -> Step:
    """A key that was to answer is no answer, and no Enter is before a row was chosen."""
    dialog = model.dialog and replace(model.dialog, refused_at=model.at)
    refused = replace(model, dialog=dialog, held=None if holds_enter(model) else model.held)
    said = model.toast is not None and model.toast.text == why
    return (refused, ()) if said else toast(refused, why)


def is_refusal(text: str) -> bool:
    """Whether that is said of a key that answered nothing."""
    return text in REFUSALS or text.startswith(NOT_ANSWERED)


def choose_first(model: Model, offer: Offer) -> str:
    letter = "" if marking.is_multi(model.question) else f"{letter_key(model, offer)} or "
    return f"{NOT_ANSWERED}press {letter}↑↓ first"  # there, a number marks


def take_back(model: Model) -> Model:
    """Backspace took back the letter that marked a row: the cursor is on one that refuses."""
    question, dialog = model.question, model.dialog
    model = replace(key_guards.without_hint(model), held=None)
    if question is None or dialog is None:
        return model
    offered = ways(model)
    if dialog.selected == NONE or refuses(under_cursor(offered, dialog)):
        return model
    refusing = next(place for place, offer in enumerate(offered) if refuses(offer))
    return replace(model, dialog=replace(dialog, selected=refusing))


def refuse_key(model: Model) -> Step:
    """A key came that does nothing while something is asked: what it opens elsewhere may be
    believed to be open."""
    if model.dialog is None or not model.is_asking or model.is_covered:
        return model, ()
    return toast(replace(model, dialog=replace(model.dialog, ignored_at=model.at)), ANSWER_FIRST)


def on_edit(before: Model, after: Model) -> Model:
    """`after`, where the prompt holds something else than `before` while the same question is open:
    whatever emptied
    or sent it, the next words may follow at once."""
    was, now = before.dialog, after.dialog
    same = (
        was is None
        or now is None
        or was.id != now.id
        or before.composer.draft == after.composer.draft
    )
    if same:
        return after
    if holds_enter(after):  # what follows was pasted with it
        after = refuse_enter(after, NOT_ALONE)[0]
    return replace(after, typed_at=after.at)
