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
from agent_tui.tui.core.effects import Effect, Type, Yield
from agent_tui.tui.core.model import Dialog, Held, Model, OwnKeys, Purpose, PurposeKind
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.dialog import marking
from agent_tui.tui.dialog.offers import GRANTS, Offer, alike, offers
from agent_tui.tui.dialog.tabs import NONE, as_left, keep_tabs
from agent_tui.tui.dialog.unread import READ_ON, READ_OTHERS, note_view, unread, why_unreadable
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt.queue import ANSWER_FIRST
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    ALT,
    BURST_SECONDS,
    ENTER_SECONDS,
    IDLE_SECONDS,
    QUIET_SECONDS,
    ROW_SECONDS,
    RUN_SECONDS,
    is_meant,
    is_quiet,
)

CONFIRMS: Final = "press Enter to answer"
TOO_SOON: Final = "not answered: pause, then press Enter"
DROPPED: Final = "the search was closed: pause, then type"
NOT_ALONE: Final = "not answered: more came behind Enter"
REFUSALS: Final = frozenset({CONFIRMS, TOO_SOON, DROPPED, NOT_ALONE, ANSWER_FIRST})
"""What is said of a key that answered nothing."""
PASTE_SECONDS: Final = 0.1
"""So soon behind its first line end, the rest of a paste comes that the terminal does not mark."""
CHOOSES: Final = "↑↓ Enter"
"""What takes an answer that has no key of its own."""
STOPS_AGAIN: Final = "Esc again stops"
ANSWERS_BY: Final = "; ↑↓ or Alt+letter answers"
SENDS: Final = {"send": "queued", "steer": "sent to the turn"}
"""Commands that send what is in the prompt, and what is said of it."""
TYPING_SECONDS: Final = 1.5
"""So long after words that were typed elsewhere, or after a list that the question took away, a key
rather belongs to them: slow fingers take a second a key."""


def follow(model: Model, at: float, listed: bool = False) -> Step:
    """Show the first open question, if it is another than before; leave a purpose whose question is
    gone. `listed`: a list of what may be completed is open."""
    question = model.question
    purpose = model.composer.purpose
    answers = purpose is not None and purpose.kind in composer.FOR_MODEL
    if purpose is not None and answers and (question is None or question.id != purpose.id):
        left = (
            composer.leave_message(model)
            if purpose.kind in composer.MESSAGES
            else (composer.leave(model), ())
        )
        return then(left, follow(left[0], at, listed))
    if question is None:
        return (model if model.dialog is None else replace(model, dialog=None)), ()
    interrupts = model.overlay is not None or model.composer.purpose is not None or listed
    leaves = model.composer.editing is not None or model.vim not in ("", "normal")
    guards_esc = interrupts or leaves or has_just_decided(model)
    model = model if model.overlay is None else replace(model, overlay=None)
    if model.dialog is not None and model.dialog.id == question.id:
        return model, ()
    model = keep_tabs(model)
    model, effects = (
        composer.leave_field(model) if model.composer.purpose is not None else (model, ())
    )  # an address was being typed: questions come first
    drafted = bool(model.composer.draft.strip())
    row, marked, scroll = as_left(model, question)
    dialog = Dialog(
        question.id,
        at,
        row,
        interrupts=interrupts,
        drops_keys=purpose is not None and purpose.kind in composer.SEARCHES,
        guards_esc=guards_esc,
        drafted=drafted,
        refused_at=at if model.idle_enter and at - model.last_key < IDLE_SECONDS else -inf,
        scroll=scroll,
        marked=marked,
    )
    model = replace(model, dialog=dialog)
    if isinstance(question, Question) and question.kind == "skill_argument":
        model = composer.ask(model, Purpose("argument", question.text, question.id))
    return model, effects


def ways(model: Model) -> tuple[Offer, ...]:
    """The ways to answer the question that is asked now."""
    question = model.question
    if question is None:
        return ()
    return offers(question, alike(question, model.transcript.questions))


def turn(model: Model, step: int) -> Step:
    """Look at the next open question, or the one before: each can be answered first."""
    pending, question = model.transcript.questions, model.question
    if question is None or len(pending) < 2:
        return model, ()
    place = (pending.index(question) + step) % len(pending)
    if model.dialog is not None:
        model = replace(model, tabs={**model.tabs, question.id: model.dialog})
    model, effects = follow(replace(model, asked=pending[place].id), model.at)
    dialog = model.dialog and replace(model.dialog, moved_at=model.at)
    return replace(model, dialog=dialog), effects


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
            enter = msg.key == "enter"
            return refuse_enter(model, DROPPED) if enter else toast(model, DROPPED)
        model = replace(model, dialog=(dialog := replace(dialog, drops_keys=False)))
    if msg.key in ("pageup", "pagedown"):
        page, lines = msg.asked
        if page >= lines:
            return None  # nothing to scroll here: the transcript takes it
        scroll = min(dialog.scroll, lines - page) + (page if msg.key == "pagedown" else -page)
        moved = replace(dialog, scroll=max(0, min(scroll, lines - page)))
        return note_view(replace(model, dialog=moved), page, lines), ()
    offered, command = ways(model), commands.bindings(model.keys).get(msg.key)
    named = next((offer for offer in offered if msg.key.removeprefix(ALT) in offer.keys), None)
    if msg.key.startswith(ALT) and command is not None:
        named = None  # it is what it is everywhere
    if (
        command in SENDS
        and model.composer.draft.strip()
        and not (msg.key == "enter" and enter_answers(model))
    ):
        return send_words(model, command)
    if msg.key == "enter" and not enter_answers(model):  # the person sends with another key
        return model, (Type("\n", "ctrl+j"),)
    meant = partial(letter_is_meant, model, msg, dialog, before)
    if (marked_row := marking.on_key(model, msg, before, offered, meant)) is not None:
        return marked_row
    if named is not None and letter_is_meant(model, msg, dialog, before):
        marked = offered.index(named)
        turns = _refuses(named) and not _refuses(under_cursor(offered, dialog))
        back = marked if turns else dialog.selected  # a no never turns into a yes by itself
        held = Held(msg.key, msg.character, inf, on=question.id, row=back)
        model = replace(model, held=held, dialog=replace(dialog, selected=marked))
        return toast(model, why_unreadable(model, question, named) or CONFIRMS)
    if is_text(msg.character) and not msg.key.startswith(ALT):
        return replace(model, typed_at=model.at), (
            Type(msg.character, msg.key),
        )  # in vim's normal mode too
    if offered and msg.key == "enter" and not _enter_is_meant(model, msg, dialog, before):
        if dialog.moved_at > -inf:
            return toast(model, TOO_SOON)
        offer = under_cursor(offered, dialog)
        return refuse_enter(model, _choose_first(model, offer))
    if not offered or (msg.key != "enter" and not is_meant(model, msg, dialog.shown_at, before)):
        return None
    return _choose(model, msg, question, dialog, offered)


def _choose(
    model: Model,
    msg: KeyPressed,
    question: Approval | Question,
    dialog: Dialog,
    offered: Sequence[Offer],
) -> Step | None:
    """Move the cursor, turn to another question, or take what is under the cursor."""
    last, steps = len(offered) - 1, {"up": -1, "down": 1}
    if msg.key in steps:
        from_none = dialog.selected == NONE and msg.key == "up"
        row = last if from_none else (dialog.selected + steps[msg.key]) % len(offered)
        return _move(model, dialog, row), ()
    if msg.key in ("left", "right") and not msg.draft:
        step = 1 if msg.key == "right" else -1
        if len(model.transcript.questions) > 1:
            return turn(model, step)
        # in a small terminal they stand side by side
        return _move(model, dialog, max(0, min(dialog.selected + step, last))), ()
    if msg.key == "enter":
        if dialog.selected == NONE:
            return toast(model, _choose_first(model, under_cursor(offered, dialog)), "warning")
        chosen = under_cursor(offered, dialog)
        if _key_only(question, chosen):
            return toast(
                model, f"press {letter_key(model, chosen)}, then Enter, to allow this", "warning"
            )
        if problem := why_unreadable(model, question, chosen):
            return toast(model, problem, "warning")
        return _hold_enter(model, dialog, msg.at)
    return None


def _hold_enter(model: Model, dialog: Dialog, at: float) -> Step:
    """Enter takes the row of the cursor if nothing comes right behind it."""
    held = Held("enter", "", at + PASTE_SECONDS, on=dialog.id, row=dialog.selected)
    return replace(model, held=held), (Yield(PASTE_SECONDS),)


def holds_enter(model: Model) -> bool:
    """Whether an Enter is about to answer."""
    return model.held is not None and model.held.key == "enter" and bool(model.held.on)


def refuse_enter(model: Model, why: str) -> Step:
    """An Enter was no answer, and none is before a row was chosen."""
    dialog = model.dialog and replace(model.dialog, refused_at=model.at)
    refused = replace(model, dialog=dialog, held=None if holds_enter(model) else model.held)
    said = model.toast is not None and model.toast.text == why
    return (refused, ()) if said else toast(refused, why)


def show_again(model: Model) -> Model:
    """What is open was out of sight: keys of the shell may follow, Enter among them."""
    dialog, overlay, at = model.dialog, model.overlay, model.at
    return replace(
        model,
        dialog=dialog and replace(dialog, shown_at=at, refused_at=at, moved_at=-inf),
        overlay=overlay and replace(overlay, shown_at=at),
        held=None if dialog is not None else model.held,
    )


def _choose_first(model: Model, offer: Offer) -> str:
    letter = "" if marking.is_multi(model.question) else f"{letter_key(model, offer)} or "
    return f"not answered: press {letter}↑↓ first"  # there, a number marks


def _refuses(offer: Offer) -> bool:
    return offer.choice in ("no", "stop")


def under_cursor(offered: Sequence[Offer], dialog: Dialog) -> Offer:
    """Where there is no cursor, nothing is near but a no."""
    if dialog.selected == NONE:
        return next(offer for offer in offered if _refuses(offer))
    return offered[min(dialog.selected, len(offered) - 1)]


def can_say(model: Model) -> bool:
    """Whether Tab opens a line for words that go with the answer under the cursor."""
    dialog, offered = model.dialog, ways(model)
    if dialog is None or not offered or dialog.selected == NONE or not letters_answer(model):
        return False
    chosen = under_cursor(offered, dialog)
    return bool(chosen.purpose or chosen.says)


def take_back(model: Model) -> Model:
    """Backspace took back the letter that marked a row: the cursor is on one that refuses."""
    question, dialog = model.question, model.dialog
    model = replace(key_guards.without_hint(model), held=None)
    if question is None or dialog is None:
        return model
    offered = ways(model)
    if dialog.selected == NONE or _refuses(under_cursor(offered, dialog)):
        return model
    refusing = next(place for place, offer in enumerate(offered) if _refuses(offer))
    return replace(model, dialog=replace(dialog, selected=refusing))


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


def has_just_decided(model: Model) -> bool:
    """Whether Esc has just answered what came by itself: one more was meant for that."""
    return model.at - model.decided_at < RUN_SECONDS


def _move(model: Model, dialog: Dialog, row: int) -> Model:
    return replace(model, dialog=replace(dialog, selected=row, moved_at=model.at))


def letter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
    """Whether a letter, or Alt and a letter, is meant for the question."""
    if msg.blind or msg.at - dialog.shown_at < BURST_SECONDS:
        return False
    if msg.key.startswith(ALT):
        return _has_rested(model, dialog)
    return is_quiet(msg, before) and letters_answer(model)


def _keys_since(model: Model, dialog: Dialog, before: float) -> tuple[tuple[float, float], ...]:
    """When keys came that Enter must keep away from, and for how long: the last one at `before`,
    words, and what was done elsewhere."""
    typing = BURST_SECONDS if dialog.moved_at > model.typed_at else TYPING_SECONDS
    return (
        (before, QUIET_SECONDS),
        (model.typed_at, typing),
        (_busy_elsewhere(dialog), TYPING_SECONDS),
        (before if dialog.moved_at < before < dialog.shown_at else -inf, ROW_SECONDS),
    )


def _enter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
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


def send_words(model: Model, command: str) -> Step:
    """Words in the prompt are no answer: they go where they would go without the question."""
    draft = model.composer.draft
    if command == "send" and draft[: model.composer.caret].endswith("\\"):
        return model, (Type("", "backspace"), Type("\n", "ctrl+j"))
    if is_command(draft):
        return toast(model, "answer first; then Enter runs it", "warning")
    if command == "send" and (key := answer_key_for(model, draft.strip())):
        return toast(model, f"press {key} to answer", "warning")
    sent = commands.find(command).run(model, "")
    if sent[0].composer.draft.strip():
        return sent
    return then(sent, toast(sent[0], f"{SENDS[command]}{ANSWERS_BY}"))


def answer_key_for(model: Model, words: str) -> str:
    """The key of the answer whose letter `words` are: alone, they were hardly meant as a prompt."""
    offered = offers(model.question) if model.question is not None else ()
    return next((alt_key(one, model.keys) for one in offered if words.lower() in one.keys), "")


def is_command(words: str) -> bool:
    """Whether they call something that waits for the answer."""
    first = words.split()[0]
    return first.startswith("!") or (
        first.startswith("/") and commands.by_slash(first[1:]) is not None
    )


def mark_cleared(model: Model) -> Model:
    """All words were cleared by one key: those that follow are new ones, as if the question had
    just appeared."""
    dialog = model.dialog and replace(model.dialog, cleared_at=model.at, drafted=False)
    return replace(model, dialog=dialog)


def _has_rested(model: Model, dialog: Dialog) -> bool:
    """Whether the keys that were meant for what the question took away, or kept from opening, have
    come to an end."""
    return model.at - _busy_elsewhere(dialog) >= TYPING_SECONDS


def _busy_elsewhere(dialog: Dialog) -> float:
    """When keys were last meant for something else than the question."""
    return max(dialog.ignored_at, dialog.shown_at if dialog.interrupts else -inf)


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
    bound = commands.bindings(own)
    return next((key_name(ALT + key) for key in offer.keys if ALT + key not in bound), CHOOSES)


def letter_key(model: Model, offer: Offer) -> str:
    """The key of the answer as it is now: its letter, or Alt and that."""
    return offer.keys[0] if letters_answer(model) else alt_key(offer, model.keys)


def _key_only(question: Approval | Question, offer: Offer) -> bool:
    """Whether Enter takes it only where its letter has marked it."""
    return offer.choice == "once" and isinstance(question, Approval) and question.hard


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
        return alt_key(chosen, model.keys), chosen.action_name
    if not _is_marked(model):
        if _key_only(question, chosen) or dialog.refused_at > max(dialog.moved_at, -inf):
            marks = marking.is_multi(question)  # there, a number answers nothing
            return ("", "") if marks else (letter_key(model, chosen), chosen.action_name)
        if _refused_until(model) > model.at:
            return "", ""
    return "Enter", chosen.action_name


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
    if offer.purpose:
        return ask_words(model, question, offer), ()
    if marking.lacks_mark(model, offer):
        return toast(model, marking.MARK_FIRST)
    # the mode comes first, so that it holds for the calls behind this one
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    picks = marking.chosen_picks(model, offer)
    answers = (Answer(id, offer.choice, picks=picks) for id in (question.id, *offer.also))
    return then(before, send(before[0], *answers))


def begin_reason(model: Model, held: Held, msg: KeyPressed) -> Step | None:
    """Text that follows Alt and the letter of a no that takes words is those words. None: it is
    not for such a row."""
    question = model.question
    named = (offer for offer in ways(model) if held.key.removeprefix(ALT) in offer.keys)
    offer = next(named, None)
    words = held.key.startswith(ALT) and is_text(msg.character) and not msg.key.startswith(ALT)
    if (
        not (held.on and words)
        or question is None
        or offer is None
        or not (offer.purpose and _refuses(offer))
    ):
        return None
    opened = ask_words(replace(key_guards.without_hint(model), held=None), question, offer)
    return replace(opened, typed_at=model.at), (Type(msg.character, msg.key),)


def ask_words(model: Model, question: Approval | Question, offer: Offer) -> Model:
    """The prompt is for the words that go with `offer`; those that were begun since the question
    appeared are some."""
    kind: PurposeKind = "say" if offer.choice == "say" else "deny" if _refuses(offer) else "allow"
    label = offer.purpose or offer.says
    purpose = Purpose(kind, label, question.id, choice=offer.choice)
    begun = "" if model.dialog is None or model.dialog.drafted else model.composer.draft
    model = composer.ask(composer.write(model, "") if begun else model, purpose)
    return composer.write(model, begun) if begun else model
