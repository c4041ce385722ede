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
from agent_tui.tui.core.model import Dialog, Held, Model, Purpose, PurposeKind
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.dialog import marking
from agent_tui.tui.dialog.answer_keys import (
    ARROWS,
    STEPS,
    answer_key_for,
    arrow_is_meant,
    declines,
    edits_words,
    enter_answers,
    enter_is_meant,
    has_just_decided,
    is_against,
    leaves_vim,
    letter_is_meant,
    letter_key,
    needs_its_letter,
    refuses,
    under_cursor,
    ways,
)
from agent_tui.tui.dialog.offers import Offer
from agent_tui.tui.dialog.tabs import NONE, as_left, declining_row, keep_tabs
from agent_tui.tui.dialog.unread import note_view, why_unreadable
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt.queue import ANSWER_FIRST
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    ALT,
    IDLE_SECONDS,
    RUN_SECONDS,
    TYPING_SECONDS,
    is_meant,
)

WAITS: Final = "a question waits: finish here first"
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
STOPS_AGAIN: Final = "Esc again stops"
ANSWERS_BY: Final = "; ↑↓ or Alt+letter answers"
ANSWER_LETTERS: Final = frozenset("yn1234aeftpmosc")
"""Keys of answers to one question or another."""
SENDS: Final = {"send": "queued", "steer": "sent to the turn"}
"""Commands that send what is in the prompt, and what is said of it."""


def follow(model: Model, at: float, listed: bool = False) -> Step:
    """Show the first open question, if it is another than before; leave a purpose whose question is
    gone. `listed`: a list of what may be completed is open. Where one takes the place of another
    that the person has not answered, no Enter that was meant for that answers it."""
    question = model.question
    purpose = model.composer.purpose
    if question is not None and purpose is not None and purpose.secret:
        waits = model.toast is not None and model.toast.text == WAITS
        return (model, ()) if waits else toast(model, WAITS)  # no key of a secret may go elsewhere
    answers = purpose is not None and purpose.kind in composer.FOR_MODEL
    if purpose is not None and answers and (question is None or question.id != purpose.id):
        left = (
            composer.leave_message(model)
            if purpose.kind in composer.MESSAGES
            else (composer.leave(model), ())
        )
        return then(left, follow(left[0], at, True))
    was = model.dialog
    if was is not None and not was.answered and not _is_open(model, was.id):
        model = replace(model, dropped_at=at)
    if question is None:
        return (model if was is None else replace(model, dialog=None)), ()
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
    replaced = at - model.dropped_at < IDLE_SECONDS
    idle = model.idle_enter and at - model.last_key < IDLE_SECONDS
    stood = as_left(model, question)
    dialog = replace(
        stood,
        id=question.id,
        shown_at=at,
        interrupts=interrupts,
        listed=listed,
        drops_keys=purpose is not None and purpose.kind in composer.SEARCHES,
        guards_esc=guards_esc,
        drafted=drafted,
        refused_at=at if idle or replaced else stood.refused_at,
    )
    model = replace(model, dialog=dialog)
    if isinstance(question, Question) and question.kind == "skill_argument":
        model = composer.ask(model, Purpose("argument", question.text, question.id))
    return model, effects


def _is_open(model: Model, id: str) -> bool:
    return any(one.id == id for one in model.transcript.questions)


def turn(model: Model, step: int) -> Step:
    """Look at the next open question, or the one before: each can be answered first."""
    pending, question = model.transcript.questions, model.question
    if question is None or len(pending) < 2:
        return model, ()
    place = (pending.index(question) + step) % len(pending)
    if (dialog := model.dialog) is not None:
        offered = ways(model)
        key = offered[dialog.selected].keys[0] if dialog.selected in range(len(offered)) else ""
        left = replace(dialog, offer=key)
        model = replace(model, tabs={**model.tabs, question.id: left})
    model, effects = follow(replace(model, asked=pending[place].id), model.at)
    dialog = model.dialog
    if dialog is not None and dialog.refused_at == -inf:
        model = replace(model, dialog=replace(dialog, moved_at=model.at))
    return model, effects


def keep_rows(before: Model, model: Model) -> Model:
    """The cursor, and an Enter that waits, stay on their answer where others come or go above it.
    Where it has gone itself, they are on one that allows nothing; where it stands for more calls
    than when it was chosen, it has to be chosen again."""
    dialog, held = model.dialog, model.held
    if before.dialog is None or dialog is None or before.dialog.id != dialog.id:
        return model
    was, now = ways(before), ways(model)
    names, there = [one.keys[0] for one in was], [one.keys[0] for one in now]
    if was == now or not now:
        return model
    no = declining_row(now)

    def place_of(row: int) -> int:
        if row not in range(len(names)):
            return row
        return there.index(names[row]) if names[row] in there else no

    gone = dialog.selected in range(len(names)) and names[dialog.selected] not in there
    moved = replace(dialog, selected=place_of(dialog.selected), refuses=dialog.refuses or gone)
    if held is not None and held.on == dialog.id:
        held = replace(held, row=place_of(held.row))
    before_it = was[dialog.selected].also if dialog.selected in range(len(was)) else ()
    if moved.selected in range(len(now)) and set(now[moved.selected].also) - set(before_it):
        moved = replace(moved, refused_at=model.at)
        held = None if held is not None and held.on == dialog.id else held
    return replace(model, dialog=moved, held=held)


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
        return refuse_enter(model, _choose_first(model, under_cursor(offered, dialog)))
    if msg.key in ARROWS and not arrow_is_meant(model, msg, dialog, before):
        unmoved = dialog.moved_at == -inf  # then no Enter takes a row: it was to be another one
        passed = replace(dialog, refused_at=msg.at) if unmoved else dialog
        return replace(model, dialog=passed), (Type(msg.character, msg.key),)
    if msg.key != "enter" and not is_meant(model, msg, dialog.shown_at, before):
        return None
    return _choose(model, msg, question, dialog, offered)


def _turn_page(model: Model, dialog: Dialog, msg: KeyPressed) -> Step | None:
    """What is asked about is turned. None: all of it is in view, and the transcript takes the key."""
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
        moved = replace(dialog, selected=row, moved_at=model.at, refuses=declines(offered[row]))
        return replace(model, dialog=moved), ()
    if msg.key in ("left", "right") and not msg.draft and len(model.transcript.questions) > 1:
        return turn(model, 1 if msg.key == "right" else -1)
    if msg.key == "enter":
        if dialog.selected == NONE:
            return toast(model, _choose_first(model, under_cursor(offered, dialog)), "warning")
        chosen = under_cursor(offered, dialog)
        if needs_its_letter(question, chosen):
            return toast(
                model, f"press {letter_key(model, chosen)}, then Enter, to allow this", "warning"
            )
        if problem := why_unreadable(model, question, chosen):
            return toast(model, problem, "warning")
        if is_against(dialog, chosen):
            return refuse_enter(model, _choose_first(model, chosen))
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
    """A key that was to answer is no answer, and no Enter is before a row was chosen."""
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


def is_refusal(text: str) -> bool:
    """Whether that is said of a key that answered nothing."""
    return text in REFUSALS or text.startswith(NOT_ANSWERED)


def _choose_first(model: Model, offer: Offer) -> str:
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


def send_words(model: Model, command: str) -> Step:
    """Words in the prompt are no answer: they go where they would go without the question."""
    draft = model.composer.draft
    if command == "send" and draft[: model.composer.caret].endswith("\\"):
        return model, (Type("", "backspace"), Type("\n", "ctrl+j"))
    if is_command(draft):
        return toast(model, "answer first; then Enter runs it", "warning")
    if command == "send" and (key := answer_key_for(model, draft.strip())):
        return toast(model, f"press {key} to answer", "warning")
    if command == "send" and draft.strip().lower() in ANSWER_LETTERS:
        return toast(
            model, f"not offered here: {draft.strip()}", "warning"
        )  # no prompt is one letter
    sent = commands.find(command).run(model, "")
    if sent[0].composer.draft.strip():
        return sent
    return then(sent, toast(sent[0], f"{SENDS[command]}{ANSWERS_BY}"))


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
        return refuse_enter(model, _choose_first(model, offer))
    if offer.purpose:
        return ask_words(model, question, offer), ()
    if marking.lacks_mark(model, offer):
        return toast(model, marking.MARK_FIRST)
    # the mode comes first, so that it holds for the calls behind this one
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    picks = marking.chosen_picks(model, offer)
    answers = (Answer(id, offer.choice, picks=picks) for id in (question.id, *offer.also))
    answered = replace(before[0], dialog=model.dialog and replace(model.dialog, answered=True))
    return then(before, send(answered, *answers))


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
        or not (offer.purpose and refuses(offer))
    ):
        return None
    opened = ask_words(replace(key_guards.without_hint(model), held=None), question, offer)
    return replace(opened, typed_at=model.at), (Type(msg.character, msg.key),)


def ask_words(model: Model, question: Approval | Question, offer: Offer) -> Model:
    """The prompt is for the words that go with `offer`; those that were begun since the question
    appeared are some."""
    kind: PurposeKind = "say" if offer.choice == "say" else "deny" if refuses(offer) else "allow"
    label = offer.purpose or offer.says
    purpose = Purpose(kind, label, question.id, choice=offer.choice)
    begun = "" if model.dialog is None or model.dialog.drafted else model.composer.draft
    model = composer.ask(composer.write(model, "") if begun else model, purpose)
    return composer.write(model, begun) if begun else model
