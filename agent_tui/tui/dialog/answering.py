"""Approvals and questions: the one dialog, and which key answers it.

Only Enter answers, whatever the pace of who types. A letter chooses a row, but only while the
prompt is empty, and nothing was typed and no key was refused since the question appeared: else it
is text, and Alt and the letter chooses. Where there are words and no row was chosen since, Enter
queues them. No key counts that cannot have been meant for the question: it came too soon after it
appeared, or in a row of keys that began before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Final

from agent_tui.protocol.ops import Answer, Cancel, Choice, QueueEdit
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import Type, Yield
from agent_tui.tui.core.model import Dialog, Held, Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.dialog import marking
from agent_tui.tui.dialog.answer_keys import (
    ARROWS,
    STEPS,
    arrow_is_meant,
    declines,
    edits_words,
    enter_answers,
    enter_is_meant,
    is_against,
    leaves_vim,
    letter_is_meant,
    letter_key,
    marking_key,
    needs_its_letter,
    refuses,
    under_cursor,
    ways,
)
from agent_tui.tui.dialog.following import turn
from agent_tui.tui.dialog.offers import Offer
from agent_tui.tui.dialog.refusals import (
    CONFIRMS,
    DROPPED,
    NOT_ANSWERED,
    NOT_SENT,
    PASTE_SECONDS,
    TOO_SOON,
    WRITES,
    choose_first,
    refuse_enter,
)
from agent_tui.tui.dialog.tabs import NONE
from agent_tui.tui.dialog.typed_words import SENDS, ask_words, send_words
from agent_tui.tui.dialog.unread import note_view, why_unreadable
from agent_tui.tui.screen.key_guards import (
    ALT,
    RUN_SECONDS,
    TYPING_SECONDS,
    is_meant,
)

STOPS_AGAIN: Final = "Esc again stops"


def answer_key(model: Model, msg: KeyPressed, before: float) -> Step | None:
    """A key while a dialog is open; `before` is when the key before it was pressed. None: not a key
    for the dialog."""
    question, dialog = model.question, model.dialog
    if question is None or dialog is None:
        return None
    if msg.key == "escape":
        return (model, (Type("", "escape"),)) if leaves_vim(model) else _escaped(model, dialog)
    if dialog.drops_keys and (is_text(msg.character) or msg.key in ("enter", "backspace")):
        if msg.at - max(dialog.shown_at, before) < TYPING_SECONDS:
            return refuse_enter(model, DROPPED)
        model = replace(model, dialog=(dialog := replace(dialog, drops_keys=False)))
    if msg.key in ("pageup", "pagedown"):
        return _turn_page(model, dialog, msg)
    offered, command = ways(model), commands.bindings(model.keys).get(msg.key)
    named = next((offer for offer in offered if msg.key.removeprefix(ALT) in offer.keys), None)
    if msg.key.startswith(ALT) and command is not None:
        named = None  # it is what it is everywhere
    if edits_words(model, msg.key):
        named = None
    begun = msg.character[:1] if len(msg.character) > 1 else msg.key  # several came as one
    no = next((one for one in offered if begun.removeprefix(ALT) in one.keys), None)
    typed = bool(msg.draft) and not msg.key.startswith(ALT)
    if no is not None and declines(no) and not typed and not edits_words(model, msg.key):
        dialog = replace(dialog, refuses=True)  # also where it is not taken
        model = replace(model, dialog=dialog)
    if (sent := _send_key(model, dialog, msg, command)) is not None:
        return sent
    meant = partial(letter_is_meant, model, msg, dialog, before)
    if (marked_row := marking.on_key(model, msg, before, offered, meant)) is not None:
        return marked_row
    if named is not None and meant():
        return _mark_row(model, msg, question, dialog, offered, named)
    if named is not None and msg.key.startswith(ALT):  # else Enter takes what it was not to take
        return refuse_enter(model, f"{NOT_ANSWERED}pause, then press {key_name(msg.key)}")
    if is_text(msg.character) and not msg.key.startswith(ALT):  # in vim's normal mode too
        return replace(model, typed_at=model.at), (Type(msg.character, msg.key),)
    if not offered:
        return None
    if msg.key == "enter" and not enter_is_meant(model, msg, dialog, before):
        if dialog.moved_at > dialog.refused_at:
            return toast(model, TOO_SOON)
        return refuse_enter(model, choose_first(model, under_cursor(offered, dialog)))
    if msg.key in ARROWS and not arrow_is_meant(model, msg, dialog, before):
        unmoved = dialog.moved_at == -inf  # then no Enter takes a row: it was to be another one
        passed = replace(dialog, refused_at=msg.at) if unmoved else dialog
        return replace(model, dialog=passed), (Type(msg.character, msg.key),)
    if msg.key != "enter" and not is_meant(model, msg, dialog.shown_at, before):
        return None
    return _choose(model, msg, question, dialog, offered)


def _turn_page(model: Model, dialog: Dialog, msg: KeyPressed) -> Step | None:
    """What is asked about is turned. None: all of it is in view, and the transcript takes the
    key."""
    page, lines = msg.asked
    if page >= lines:
        return None
    scroll = min(dialog.scroll, lines - page) + (page if msg.key == "pagedown" else -page)
    moved = replace(dialog, scroll=max(0, min(scroll, lines - page)))
    return note_view(replace(model, dialog=moved), page, lines), ()


def _send_key(model: Model, dialog: Dialog, msg: KeyPressed, command: str | None) -> Step | None:
    """A key that sends what is in the prompt, or may. None: it does not now."""
    enter = msg.key == "enter"
    if enter and dialog.listed and msg.at - dialog.shown_at < TYPING_SECONDS:
        free = replace(model, dialog=replace(dialog, listed=False))
        return refuse_enter(free, NOT_SENT)  # it was for the list that the question took away
    answers = enter and enter_answers(model)
    if command in SENDS and model.composer.draft.strip() and not answers:
        return send_words(model, command)
    if enter and not answers:  # the person sends with another key
        return model, (Type("\n", "ctrl+j"),)
    return None


def _mark_row(
    model: Model,
    msg: KeyPressed,
    question: Approval | Question,
    dialog: Dialog,
    offered: Sequence[Offer],
    named: Offer,
) -> Step:
    """A letter, or Alt and a letter, marks its row: Enter takes it."""
    marked = offered.index(named)
    turns = refuses(named) and not refuses(under_cursor(offered, dialog))
    back = marked if turns else dialog.selected  # a no never turns into a yes by itself
    held = Held(msg.key, msg.character, inf, on=question.id, row=back)
    chosen = replace(dialog, selected=marked, refuses=declines(named))
    model = replace(model, held=held, dialog=chosen)
    confirms = WRITES if named.purpose else CONFIRMS
    return toast(model, why_unreadable(model, question, named) or confirms)


def _choose(
    model: Model,
    msg: KeyPressed,
    question: Approval | Question,
    dialog: Dialog,
    offered: Sequence[Offer],
) -> Step | None:
    """Move the cursor, turn to another question, or take what is under the cursor."""
    last = len(offered) - 1
    if msg.key in STEPS:
        from_none = dialog.selected == NONE and msg.key == "up"
        row = last if from_none else (dialog.selected + STEPS[msg.key]) % len(offered)
        return _put_cursor(model, dialog, offered, row), ()
    if msg.key in ("left", "right") and not msg.draft and len(model.transcript.questions) > 1:
        return turn(model, 1 if msg.key == "right" else -1)
    if msg.key == "enter":
        if dialog.selected == NONE:
            return toast(model, choose_first(model, under_cursor(offered, dialog)), "warning")
        chosen = under_cursor(offered, dialog)
        if needs_its_letter(question, chosen):
            return toast(
                model, f"press {letter_key(model, chosen)}, then Enter, to allow this", "warning"
            )
        if problem := why_unreadable(model, question, chosen):
            return toast(model, problem, "warning")
        if is_against(dialog, chosen):
            return refuse_enter(model, choose_first(model, chosen))
        return _hold_enter(model, dialog, msg.at)
    return None


def click(model: Model, row: int) -> Step:
    """The mouse hit answer number `row`: the cursor goes there, and only Enter takes it. Where the
    question has only just appeared below the mouse, no Enter is before a row was chosen."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not model.is_asking or row not in range(len(offered)):
        return model, ()
    dialog = replace(dialog, refuses=dialog.refuses or declines(offered[row]))
    model = replace(model, dialog=dialog, held=None)
    if model.at - dialog.shown_at < RUN_SECONDS:
        return refuse_enter(model, choose_first(model, offered[row]))
    return _put_cursor(model, dialog, offered, row), ()


def _put_cursor(model: Model, dialog: Dialog, offered: Sequence[Offer], row: int) -> Model:
    moved = replace(dialog, selected=row, moved_at=model.at, refuses=declines(offered[row]))
    return replace(model, dialog=moved)


def _hold_enter(model: Model, dialog: Dialog, at: float) -> Step:
    """Enter takes the row of the cursor if nothing comes right behind it."""
    held = Held("enter", "", at + PASTE_SECONDS, on=dialog.id, row=dialog.selected)
    return replace(model, held=held), (Yield(PASTE_SECONDS),)


def _escaped(model: Model, dialog: Dialog) -> Step:
    """Esc stops; but not where it was meant for what the question took away or came upon, nor where
    it is repeated."""
    if model.repeated:
        return model, ()
    if not dialog.guards_esc or model.at - dialog.shown_at >= RUN_SECONDS:
        return leave_question(model)
    waits = isinstance(model.question, Question) and model.question.before_turn
    later = replace(model, dialog=replace(dialog, guards_esc=False))
    return toast(later, "Esc again decides later" if waits else STOPS_AGAIN)


def mark_cleared(model: Model) -> Model:
    """All words were cleared by one key: those that follow are new ones, as if the question had
    just appeared."""
    dialog = model.dialog and replace(model.dialog, cleared_at=model.at, drafted=False)
    return replace(model, dialog=dialog)


def take_held(model: Model, held: Held) -> Step | None:
    """Enter takes the row that a letter has chosen, or the one of the cursor. None: what it answers
    is not asked any more."""
    question, dialog = model.question, model.dialog
    if (
        question is None
        or dialog is None
        or not model.is_asking
        or not question.id == dialog.id == held.on
    ):
        return None
    offered = ways(model)
    if held.key == "enter":
        return _take(model, question, offered[min(held.row, len(offered) - 1)])
    named = next((offer for offer in offered if held.key.removeprefix(ALT) in offer.keys), None)
    return None if named is None else _take(model, question, named)


def stop(model: Model, clear_queue: bool = False) -> Step:
    """Interrupt what runs. A question from before a turn is left without a yes: there is no turn to
    cancel, but what waits for the answer must not begin."""
    question = model.question
    if question is not None and put_off(question) == "no":
        answer = Answer(question.id, "no")
        return send(model, answer, QueueEdit("clear")) if clear_queue else send(model, answer)
    return send(model, Cancel(clear_queue))


def leave_question(model: Model) -> Step:
    """Esc: what waits for a question from before a turn goes on without a yes; else all stops."""
    question = model.question
    if question is not None and (choice := put_off(question)):
        return send(model, Answer(question.id, choice))
    return stop(model)


def put_off(question: Approval | Question) -> Choice | None:
    """The answer that leaves a question from before a turn without a yes. None: a turn waits for
    it."""
    if not isinstance(question, Question) or not question.before_turn:
        return None
    return "later" if question.kind == "confirm" else "no"


def _take(model: Model, question: Approval | Question, offer: Offer) -> Step:
    if problem := why_unreadable(model, question, offer):
        return toast(model, problem, "warning")
    if model.dialog is not None and is_against(model.dialog, offer):
        return refuse_enter(model, choose_first(model, offer))
    if offer.purpose:
        return ask_words(model, question, offer), ()
    if marking.lacks_mark(model, offer):
        return toast(model, marking.MARK_FIRST.format(marking_key(model)))
    # the mode comes first, so that it holds for the calls behind this one
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    picks = marking.chosen_picks(model, offer)
    answers = (Answer(id, offer.choice, picks=picks) for id in (question.id, *offer.also))
    answered = replace(before[0], dialog=model.dialog and replace(model.dialog, answered=True))
    return then(before, send(answered, *answers))
