"""Which keys answer the question now: whether a letter, Enter or Esc is meant for it, and what they
are called."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import Effect, Yield
from agent_tui.tui.core.model import Dialog, Model, OwnKeys
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.dialog import marking
from agent_tui.tui.dialog.offers import DECLINES, GRANTS, Offer, alike, offers
from agent_tui.tui.dialog.tabs import NONE
from agent_tui.tui.dialog.unread import READ_ON, READ_OTHERS, unread
from agent_tui.tui.prompt.keys import EDITING
from agent_tui.tui.screen.key_guards import (
    ALT,
    BURST_SECONDS,
    ENTER_SECONDS,
    QUIET_SECONDS,
    ROW_SECONDS,
    RUN_SECONDS,
    TYPING_SECONDS,
    is_meant,
    is_quiet,
)

CHOOSES: Final = "↑↓ Enter"
"""What takes an answer that has no key of its own."""
STEPS: Final = {"up": -1, "down": 1}
ARROWS: Final = (*STEPS, "left", "right")
MOST_LETTERS: Final = 3
"""So many letters of answers are no words: `y`, then `n` by who thought better of it."""
MARGIN: Final = 4
"""Columns beside the words in the prompt: longer ones stand in several rows."""


def ways(model: Model) -> tuple[Offer, ...]:
    """The ways to answer the question that is asked now."""
    question = model.question
    if question is None:
        return ()
    return offers(question, alike(question, model.transcript.questions))


def refuses(offer: Offer) -> bool:
    return offer.choice in ("no", "stop")


def declines(offer: Offer) -> bool:
    """Whether it allows nothing: a no, or words."""
    return offer.choice in DECLINES


def is_against(dialog: Dialog, offer: Offer) -> bool:
    """Whether the person's last choice, taken or not, was none that allows what `offer` does."""
    return dialog.refuses and not declines(offer)


def has_moved(model: Model, at: float) -> bool:
    """Whether a key at that moment moved in the question, or to another one."""
    return model.dialog is not None and at in (model.dialog.moved_at, model.dialog.shown_at)


def refuses_enter(model: Model) -> bool:
    """Whether no Enter answers before another answer is chosen."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not offered:
        return False
    against = is_against(dialog, under_cursor(offered, dialog))
    return against or dialog.refused_at > dialog.moved_at


def edits_words(model: Model, key: str) -> bool:
    """Whether Alt and a letter is for the words in the prompt. `Alt+Y` is, only behind `Ctrl+Y`,
    which is pressed in words alone: it answers."""
    return bool(model.composer.draft) and key in EDITING and key != "alt+y"


def under_cursor(offered: Sequence[Offer], dialog: Dialog) -> Offer:
    """Where there is no cursor, nothing is near but a no."""
    if dialog.selected == NONE:
        return next(offer for offer in offered if refuses(offer))
    return offered[min(dialog.selected, len(offered) - 1)]


def can_say(model: Model) -> bool:
    """Whether Tab opens a line for words that go with the answer under the cursor."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not offered or dialog.selected == NONE or not letters_answer(model):
        return False
    chosen = under_cursor(offered, dialog)
    if refuses_enter(model) and not declines(chosen):
        return False
    return bool(chosen.purpose or chosen.says)


def has_just_decided(model: Model) -> bool:
    """Whether Esc has just answered what came by itself: one more was meant for that."""
    return model.at - model.decided_at < RUN_SECONDS


def letter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
    """Whether a letter, or Alt and a letter, is meant for the question."""
    if msg.blind or msg.at - dialog.shown_at < BURST_SECONDS:
        return False
    if msg.key.startswith(ALT):
        return _has_rested(model, dialog)
    if msg.key == marking.SPACE and not model.composer.draft.strip():  # no word begins with it
        rests = model.at - model.typed_at >= TYPING_SECONDS
        return rests and is_quiet(msg, before) and _has_rested(model, dialog)
    return is_quiet(msg, before) and letters_answer(model)


def arrow_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
    """Whether an arrow is meant for the question: not where it moves the caret in several lines or
    goes through the history, nor where it goes on with arrows that moved something else, or with
    words: slow fingers take a second a key."""
    draft, now = model.composer.draft, model.composer
    rows = "\n" in draft or len(draft) >= model.width - MARGIN
    since = max(model.arrow_at, model.typed_at if draft else -inf)
    rests = msg.at - since >= TYPING_SECONDS
    return (
        rests and not (rows or now.browsing >= 0) and is_meant(model, msg, dialog.shown_at, before)
    )


def _keys_since(model: Model, dialog: Dialog, before: float) -> tuple[tuple[float, float], ...]:
    """When keys came that Enter must keep away from, and for how long: the last one at `before`,
    words, and what was done elsewhere."""
    typing = BURST_SECONDS if dialog.moved_at > model.typed_at else TYPING_SECONDS
    return (
        (before, QUIET_SECONDS),
        (model.typed_at, typing),
        (busy_elsewhere(dialog), TYPING_SECONDS),
        (before if dialog.moved_at < before < dialog.shown_at else -inf, ROW_SECONDS),
    )


def enter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
    """Whether Enter is an answer: what is asked could be seen, and no key has come for a while."""
    waits = (
        *_keys_since(model, dialog, before),
        (dialog.shown_at, ENTER_SECONDS),
        (model.moved_at, BURST_SECONDS),
    )
    chosen = dialog.moved_at > dialog.refused_at or dialog.refused_at == -inf
    return chosen and not msg.blind and all(msg.at - since >= pause for since, pause in waits)


def watch_enter(before: Model, after: Model) -> tuple[Effect, ...]:
    """The footer names Enter again as soon as it answers."""
    until = _refused_until(after)
    return (Yield(until - after.at),) if until > max(after.at, _refused_until(before)) else ()


def _refused_until(model: Model) -> float:
    """Until when Enter is refused because of words, of an Enter, or of what the question took away.
    Who moves in it sees the footer as it is."""
    dialog = model.dialog
    if dialog is None or model.is_covered or not model.is_asking:
        return -inf
    keys = _keys_since(model, dialog, model.last_key if model.last_name == "enter" else -inf)
    return max(since + pause for since, pause in keys)


def lettered_answer(model: Model, words: str) -> Offer | None:
    """The answer whose letter comes last in `words`, if they are nothing but a few such letters:
    they were hardly meant as a prompt."""
    named = {key: offer for offer in ways(model) for key in offer.keys}
    letters = words.strip().lower()
    few = 0 < len(letters) <= MOST_LETTERS and named.keys() >= set(letters)
    return named[letters[-1]] if few else None


def _has_rested(model: Model, dialog: Dialog) -> bool:
    """Whether the keys that were meant for what the question took away, or kept from opening, have
    come to an end."""
    return model.at - busy_elsewhere(dialog) >= TYPING_SECONDS


def busy_elsewhere(dialog: Dialog) -> float:
    """When keys were last meant for something else than the question."""
    return max(dialog.ignored_at, dialog.shown_at if dialog.interrupts else -inf)


def letters_answer(model: Model) -> bool:
    """Whether a letter may answer: the prompt is empty, nothing was typed or deleted and no key was
    refused since the question appeared, or since all of it was cleared at once, and what was typed
    before has come to an end."""
    dialog, typed = model.dialog, model.typed_at
    if dialog is None or model.composer.draft or dialog.ignored_at > -inf:
        return False
    return (
        (typed < dialog.shown_at or typed == dialog.cleared_at)
        and model.at - typed >= TYPING_SECONDS
        and _has_rested(model, dialog)
    )


def leaves_vim(model: Model) -> bool:
    """Whether Esc goes to vim's normal mode first: words are being written or selected."""
    return model.vim not in ("", "normal") and bool(model.composer.draft)


def esc_stops(model: Model) -> bool:
    """Whether Esc would interrupt what runs, rather than close or leave something first."""
    composer = model.composer
    elsewhere = model.overlay or composer.purpose or composer.editing
    return not elsewhere and not leaves_vim(model)


def enter_answers(model: Model) -> bool:
    """Whether Enter is meant for the cursor: there are no words, or the cursor was moved after
    them."""
    moved = model.dialog is not None and model.dialog.moved_at > model.typed_at
    return moved or _is_marked(model) or not model.composer.draft.strip()


def _is_marked(model: Model) -> bool:
    """Whether a letter has marked the row of the cursor, which waits for Enter."""
    held = model.held
    return (
        model.dialog is not None
        and held is not None
        and held.on == model.dialog.id
        and held.due == inf
    )


def alt_key(offer: Offer, own: OwnKeys = ()) -> str:
    """The key that answers in any case, as a person writes it: one that is nothing else."""
    taken = {*commands.bindings(own), *(key for key in EDITING if key != "alt+y")}
    return next((key_name(ALT + key) for key in offer.keys if ALT + key not in taken), CHOOSES)


def letter_key(model: Model, offer: Offer) -> str:
    """The key of the answer as it is now: its letter, or Alt and that."""
    return offer.keys[0] if letters_answer(model) else alt_key(offer, model.keys)


def refusing_answer(model: Model) -> tuple[str, str]:
    """The key of a no, and what it does, while words are in the prompt; empty where the cursor is
    on one."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not model.composer.draft:
        return "", ""
    no = next((offer for offer in offered if refuses(offer)), None)
    if no is None or refuses(under_cursor(offered, dialog)):
        return "", ""
    return alt_key(no, model.keys), no.action_name


def needs_its_letter(question: Approval | Question, offer: Offer) -> bool:
    """Whether Enter takes it only where its letter has marked it."""
    return offer.choice == "once" and isinstance(question, Approval) and question.hard


def marking_key(model: Model) -> str:
    """The key that marks the row of the cursor, where several may be marked. Empty: there is none."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not marking.is_multi(model.question):
        return ""
    if not model.composer.draft.strip():
        return key_name(marking.SPACE)
    chosen = under_cursor(offered, dialog)
    return alt_key(chosen, model.keys) if chosen.picks else ""


def simplest_answer(model: Model) -> tuple[str, str]:
    """The key that answers most simply now, and what it does: Enter, if it does anything."""
    question, dialog = model.question, model.dialog
    offered = ways(model)
    if question is None or dialog is None or not offered:
        return "", ""
    chosen = under_cursor(offered, dialog)
    if dialog.selected == NONE:
        return letter_key(model, chosen), chosen.action_name
    if chosen.choice in GRANTS and dialog.unseen and unread(model, question.id):
        return key_name("pagedown"), READ_ON
    if chosen.choice in GRANTS and unread(model, *chosen.also):
        return ("", "") if model.composer.draft else ("→", READ_OTHERS)
    if not enter_answers(model):
        does = "mark" if marking.is_multi(question) and chosen.picks else chosen.action_name
        return alt_key(chosen, model.keys), does
    if not _is_marked(model):
        if needs_its_letter(question, chosen) or refuses_enter(model):
            marks = marking.is_multi(question)  # there, a number answers nothing
            return ("", "") if marks else (letter_key(model, chosen), chosen.action_name)
        if _refused_until(model) > model.at:
            return "", ""
    if marking.lacks_mark(model, chosen):
        return "", ""  # Space marks, and Enter answers then
    return "Enter", "answer" if marking.is_multi(question) and chosen.picks else chosen.action_name
