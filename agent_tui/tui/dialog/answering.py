"""Approvals and questions: the one dialog, and which key answers it.

Only Enter answers, whatever the pace of who types. A letter chooses a row, but only while the
prompt is empty, and nothing was typed and no key was refused since the question appeared: else it
is text, and Alt and the letter chooses. Where there are words and no row was chosen since, Enter
queues them. No key counts that cannot have been meant for the question: it came too soon after it
appeared, or in a row of keys that began before.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from agent_tui.protocol.ops import Answer, Cancel, Choice, QueueEdit
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import Effect, Type, Yield
from agent_tui.tui.core.model import Dialog, Held, Model, OwnKeys, Purpose
from agent_tui.tui.core.msg import AskedShown, KeyPressed
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import completion, composer
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    ALT,
    BURST_SECONDS,
    ENTER_SECONDS,
    QUIET_SECONDS,
    RUN_SECONDS,
    STEADY_SECONDS,
    is_meant,
    is_quiet,
)

with late():
    from agent_tui.present import displays

READABLE: Final = 20
"""Columns below which a command or a diff cannot be read."""
TOO_NARROW: Final = "too narrow to show what is asked"
READ_ON: Final = "read to the end first"
UNREAD: Final = f"{key_name('pagedown')}: {READ_ON}"
CONFIRMS: Final = "press Enter to answer"
ANSWER_FIRST: Final = "answer the question first"
TOO_SOON: Final = "not answered: pause, then press Enter"
CHOOSES: Final = "↑↓ Enter"
"""What takes an answer that has no key of its own."""
GRANTS: Final = frozenset(("once", "always", "prefix"))
"""Choices after which something runs."""
SENDS: Final = {"send": "queued", "steer": "sent to the turn"}
"""Commands that send what is in the prompt, and what is said of it."""
TYPING_SECONDS: Final = 1.5
"""So long after words that were typed elsewhere, or after a list that the question took away, a key
rather belongs to them: slow fingers take a second a key."""


@frozen
class Offer:
    """One way to answer. `keys`: what takes it, the shown one first. `purpose`: what to ask for
    first. `mode`: what holds from then on. `short`: the label where there is little room."""

    keys: tuple[str, ...]
    label: str
    choice: Choice
    detail: str = ""
    purpose: str = ""
    mode: str = ""
    short: str = ""

    @property
    def brief(self) -> str:
        return self.short or self.label

    @property
    def action_name(self) -> str:
        """What a key that takes it does: its row says how far that goes."""
        return self.brief.partition(":")[0]


def offers(question: Approval | Question) -> tuple[Offer, ...]:
    """The ways to answer `question`, in the order shown. A number is always the same answer: what
    is only sometimes offered between them has a letter alone."""
    if isinstance(question, Question):
        if question.kind == "skill_argument":
            return ()
        if question.kind == "confirm":
            yes, no = (*question.options, "", "")[:2]  # a log may hold anything
            return Offer(("y", "1"), "yes", "yes", yes), Offer(("n", "2"), "no", "stop", no)
        if question.kind in ("budget", "price"):
            more = (
                "continue with as much again"
                if question.kind == "budget"
                else "continue without counting the cost"
            )
            return (
                Offer(("s", "1"), "stop", "stop", "end the turn here; changes stay"),
                Offer(("c", "2"), "continue", "continue", more),
            )
        return (
            Offer(("s", "1"), "stop", "stop", "end the turn here"),
            Offer(("c", "2"), "continue", "continue", "continue as before"),
            Offer(
                ("m", "3"),
                "say something",
                "say",
                "continue with a message to the model",
                "Tell the model",
            ),
        )
    always: tuple[Offer, ...] = ()
    edits: tuple[Offer, ...] = ()
    if question.always:
        # What it allows is the answer itself: words beside it are the first to be cut.
        allowed = f"always: {question.always}"
        short = allowed.partition(", ")[0]
        always = (Offer(("a", "2"), allowed, "always", "in this session", short=short),)
    if question.prefix:
        begins = f"always: {question.prefix}"
        always += (Offer(("p",), begins, "prefix", "whatever follows, in this session"),)
    if question.mode and not question.hard and not displays.kind_of(question.display).runs:
        words, more = (
            "yes, and accept edits from now on",
            f"mode {question.mode}; commands are still asked",
        )
        edits = (Offer(("e",), words, "once", more, mode=question.mode, short="yes, accept edits"),)
    return (
        Offer(("y", "1"), "yes, once", "once", short="yes"),
        *always,
        *edits,
        Offer(("n", "3"), "no", "no"),
        Offer(
            ("m", "4"),
            "no, and say why",
            "no",
            "",
            "Tell the model what to do instead",
            short="no, say why",
        ),
    )


def follow(model: Model, at: float) -> Step:
    """Show the first open question, if it is another than before; leave a purpose whose question is
    gone."""
    question = model.question
    purpose = model.composer.purpose
    if purpose is not None and purpose.id and (question is None or question.id != purpose.id):
        left = (
            composer.leave_message(model)
            if purpose.kind in composer.MESSAGES
            else (composer.leave(model), ())
        )
        return then(left, follow(left[0], at))
    if question is None:
        return (model if model.dialog is None else replace(model, dialog=None)), ()
    interrupts = (
        model.overlay is not None
        or model.composer.purpose is not None
        or bool(completion.shown_candidates(model))
    )
    guards_esc = interrupts or model.composer.editing is not None or model.vim not in ("", "normal")
    model = model if model.overlay is None else replace(model, overlay=None)
    if model.dialog is not None and model.dialog.id == question.id:
        return model, ()
    if model.composer.purpose is not None:  # an address was being typed: questions come first
        model = composer.leave(model)
    drafted = bool(model.composer.draft.strip())
    dialog = Dialog(
        question.id,
        at,
        _default(question),
        interrupts=interrupts,
        guards_esc=guards_esc,
        drafted=drafted,
    )
    model = replace(model, dialog=dialog)
    if isinstance(question, Question) and question.kind == "skill_argument":
        model = composer.ask(model, Purpose("argument", question.text, question.id))
    return model, ()


def _default(question: Approval | Question) -> int:
    """The option under the cursor at first: for what cannot be taken back, or would be kept, it is
    the no."""
    if isinstance(question, Question):
        return 1 if question.kind == "confirm" else 0
    return (
        next(number for number, offer in enumerate(offers(question)) if offer.choice == "no")
        if question.hard
        else 0
    )


def answer_key(model: Model, msg: KeyPressed, before: float) -> Step | None:
    """A key while a dialog is open; `before` is when the key before it was pressed. None: not a key
    for the dialog."""
    question, dialog = model.question, model.dialog
    if question is None or dialog is None:
        return None
    if msg.key == "escape":
        return (model, (Type("", "escape"),)) if leaves_vim(model) else _escaped(model, dialog)
    if msg.key in ("pageup", "pagedown"):
        page, lines = msg.asked
        if page >= lines:
            return None  # nothing to scroll here: the transcript takes it
        scroll = min(dialog.scroll, lines - page) + (page if msg.key == "pagedown" else -page)
        moved = replace(dialog, scroll=max(0, min(scroll, lines - page)))
        return _looked(replace(model, dialog=moved), page, lines), ()
    offered, command = offers(question), commands.bindings(model.keys).get(msg.key)
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
    if named is not None and _letter_is_meant(model, msg, dialog, before):
        marked = offered.index(named)
        turns = _refuses(named) and not _refuses(offered[dialog.selected])
        back = marked if turns else dialog.selected  # a no never turns into a yes by itself
        held = Held(msg.key, msg.character, inf, on=question.id, row=back)
        model = replace(model, held=held, dialog=replace(dialog, selected=marked))
        return toast(model, _unreadable(model, question, named) or CONFIRMS)
    if is_text(msg.character) and not msg.key.startswith(ALT):
        return replace(model, typed_at=model.at), (
            Type(msg.character, msg.key),
        )  # in vim's normal mode too
    if offered and msg.key == "enter" and not _enter_is_meant(model, msg, dialog, before):
        said = model.toast is not None and model.toast.text == TOO_SOON
        return (model, ()) if said else toast(model, TOO_SOON)
    if not offered or (msg.key != "enter" and not is_meant(model, msg, dialog.shown_at, before)):
        return None
    last, steps = len(offered) - 1, {"up": -1, "down": 1}
    if msg.key in steps:
        return _move(model, dialog, (dialog.selected + steps[msg.key]) % len(offered)), ()
    if (
        msg.key in ("left", "right") and not msg.draft
    ):  # in a small terminal they stand side by side
        return _move(
            model, dialog, max(0, min(dialog.selected + (1 if msg.key == "right" else -1), last))
        ), ()
    if msg.key == "enter":
        chosen = offered[min(dialog.selected, last)]
        if _key_only(question, chosen):
            return toast(
                model, f"press {letter_key(model, chosen)}, then Enter, to allow this", "warning"
            )
        return _take(model, question, chosen)
    return None


def _refuses(offer: Offer) -> bool:
    return offer.choice in ("no", "stop")


def take_back(model: Model) -> Model:
    """Backspace took back the letter that marked a row: the cursor is on one that refuses."""
    question, dialog = model.question, model.dialog
    model = replace(key_guards.without_hint(model), held=None)
    if question is None or dialog is None:
        return model
    offered = offers(question)
    if _refuses(offered[dialog.selected]):
        return model
    refusing = next(place for place, offer in enumerate(offered) if _refuses(offer))
    return replace(model, dialog=replace(dialog, selected=refusing))


def _escaped(model: Model, dialog: Dialog) -> Step:
    """Esc stops; but not where it was meant for what the question took away or came upon, nor where
    it is repeated."""
    if model.repeated:
        return model, ()
    if not dialog.guards_esc or model.at - dialog.shown_at >= RUN_SECONDS:
        return stop(model)
    waits = isinstance(model.question, Question) and model.question.before_turn
    later = replace(model, dialog=replace(dialog, guards_esc=False))
    return toast(later, "Esc again decides later" if waits else "Esc again stops")


def _move(model: Model, dialog: Dialog, row: int) -> Model:
    return replace(model, dialog=replace(dialog, selected=row, moved_at=model.at))


def _letter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
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
        (before if before < dialog.shown_at else -inf, STEADY_SECONDS),
    )


def _enter_is_meant(model: Model, msg: KeyPressed, dialog: Dialog, before: float) -> bool:
    """Whether Enter is an answer: what is asked could be seen, and no key has come for a while."""
    waits = (
        *_keys_since(model, dialog, before),
        (dialog.shown_at, ENTER_SECONDS),
        (model.moved_at, BURST_SECONDS),
    )
    return not msg.blind and all(msg.at - since >= pause for since, pause in waits)


def watch_enter(before: Model, after: Model) -> tuple[Effect, ...]:
    """The footer names Enter again as soon as it answers."""
    until = _refused_until(after)
    return (Yield(until - after.at),) if until > max(after.at, _refused_until(before)) else ()


def _refused_until(model: Model) -> float:
    """Until when Enter is refused because of words, or of an Enter, that came while the question
    was there. Who moves in it sees the footer as it is."""
    dialog = model.dialog
    if dialog is None or model.is_covered or not model.is_asking:
        return -inf
    keys = _keys_since(model, dialog, model.last_key if model.last_name == "enter" else -inf)
    return max((since + pause for since, pause in keys if since > dialog.shown_at), default=-inf)


def send_words(model: Model, command: str) -> Step:
    """Words in the prompt are no answer: they go where they would go without the question."""
    draft = model.composer.draft
    if command == "send" and draft[: model.composer.caret].endswith("\\"):
        return model, (Type("", "backspace"), Type("\n", "ctrl+j"))
    if _is_command(draft):
        return toast(model, "answer first; then Enter runs it", "warning")
    sent = commands.find(command).run(model, "")
    if sent[0].composer.draft.strip():
        return sent
    return then(sent, toast(sent[0], f"{SENDS[command]}; the question still waits"))


def _is_command(words: str) -> bool:
    """Whether they call something that waits for the answer."""
    first = words.split()[0]
    return first.startswith("!") or (
        first.startswith("/") and commands.by_slash(first[1:]) is not None
    )


def enter_sends(model: Model) -> bool:
    """Whether Enter sends what is in the prompt."""
    words = model.composer.draft
    return not (
        enter_answers(model)
        or _is_command(words)
        or completion.is_unknown(model.transcript.answers, words)
    )


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
    return after if same else replace(after, typed_at=after.at)


def letters_answer(model: Model) -> bool:
    """Whether a letter may answer: the prompt is empty, nothing was typed or deleted and no key was
    refused since the question appeared, and what was typed before it has come to an end."""
    dialog, typed = model.dialog, model.typed_at
    if dialog is None or model.composer.draft or dialog.ignored_at > -inf:
        return False
    return (
        typed < dialog.shown_at
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


def mark_viewed_at(model: Model, msg: KeyPressed) -> Model:
    """Keep how much of what is asked about was in view when `msg` was pressed."""
    page, lines = msg.asked
    return model if msg.blind or not lines else _looked(model, page, lines)


def mark_viewed(model: Model, msg: AskedShown) -> Model:
    """Keep how much of what is asked about is in view, before any key tells."""
    dialog = model.dialog
    if dialog is None or dialog.id != msg.id or not msg.lines:
        return model
    if not dialog.painted:
        model = replace(
            model, dialog=replace(dialog, painted=True, shown_at=max(dialog.shown_at, msg.at))
        )
    return _looked(model, msg.page, msg.lines)


def _looked(model: Model, page: int, lines: int) -> Model:
    dialog = model.dialog
    if dialog is None:
        return model
    unseen = max(0, lines - page - dialog.scroll)
    if dialog.unseen is not None:
        unseen = min(unseen, dialog.unseen)
    if unseen == dialog.unseen:
        return model
    model = replace(model, dialog=replace(dialog, unseen=unseen))
    told = not unseen and model.toast is not None and model.toast.text == UNREAD
    return replace(model, toast=None) if told else model


def unread(question: Approval | Question | None, dialog: Dialog) -> bool:
    """Whether it is a command whose end has never been in view."""
    return (
        isinstance(question, Approval)
        and displays.kind_of(question.display).runs
        and dialog.unseen != 0
    )


def simplest_answer(model: Model) -> tuple[str, str]:
    """The key that answers most simply now, and what it does: Enter, if it does anything."""
    question, dialog = model.question, model.dialog
    offered = offers(question) if question is not None else ()
    if question is None or dialog is None or not offered:
        return "", ""
    chosen = offered[min(dialog.selected, len(offered) - 1)]
    if chosen.choice in GRANTS and dialog.unseen and unread(question, dialog):
        return key_name("pagedown"), READ_ON
    if not enter_answers(model):
        return alt_key(chosen, model.keys), chosen.action_name
    if not _is_marked(model):
        if _key_only(question, chosen):
            return letter_key(model, chosen), chosen.action_name
        if _refused_until(model) > model.at:
            return "", ""
    return "Enter", chosen.action_name


def take_held(model: Model, held: Held) -> Step | None:
    """Enter takes the row that a letter has chosen. None: what it answers is not asked any more."""
    question, dialog = model.question, model.dialog
    if (
        question is None
        or dialog is None
        or not model.is_asking
        or not question.id == dialog.id == held.on
    ):
        return None
    named = next(
        (offer for offer in offers(question) if held.key.removeprefix(ALT) in offer.keys), None
    )
    return None if named is None else _take(model, question, named)


def _unreadable(model: Model, question: Approval | Question, offer: Offer) -> str:
    """Why it cannot be allowed yet; empty: it can. Nothing is allowed on a screen that is too
    narrow to show it, and no command whose end nobody has seen: the last line is where the harm
    would be hidden."""
    if offer.choice not in GRANTS:
        return ""
    if 0 < model.width < READABLE:
        return TOO_NARROW
    hidden = model.dialog is not None and unread(question, model.dialog)
    return UNREAD if hidden else ""


def stop(model: Model, clear_queue: bool = False) -> Step:
    """Interrupt what runs. A question from before a turn is left without a yes: there is no turn to
    cancel."""
    question = model.question
    if question is not None and (choice := put_off(question)):
        answer = Answer(question.id, choice)
        return send(model, answer, QueueEdit("clear")) if clear_queue else send(model, answer)
    return send(model, Cancel(clear_queue))


def put_off(question: Approval | Question) -> Choice | None:
    """The answer that leaves a question from before a turn without a yes. None: a turn waits for
    it."""
    if not isinstance(question, Question) or not question.before_turn:
        return None
    return "later" if question.kind == "confirm" else "no"


def _take(model: Model, question: Approval | Question, offer: Offer) -> Step:
    if problem := _unreadable(model, question, offer):
        return toast(model, problem, "warning")
    if offer.purpose:
        return ask_words(model, question, offer), ()
    # the mode comes first, so that it holds for the calls behind this one
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    return then(before, send(before[0], Answer(question.id, offer.choice)))


def ask_words(model: Model, question: Approval | Question, offer: Offer) -> Model:
    """The prompt is for the words that go with `offer`; those that were begun since the question
    appeared are some."""
    purpose = Purpose("say" if offer.choice == "say" else "deny", offer.purpose, question.id)
    begun = "" if model.dialog is None or model.dialog.drafted else model.composer.draft
    model = composer.ask(composer.write(model, "") if begun else model, purpose)
    return composer.write(model, begun) if begun else model
