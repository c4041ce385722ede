"""Approvals and questions: the one dialog, and which key answers it.

A key answers only when it cannot have been meant for the prompt: some time after the dialog appeared and after the
key before it, and when no other key follows it at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.ops import Answer, Cancel, Choice, QueueEdit
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.effects import Type
from agent_tui.tui.held import Held
from agent_tui.tui.model import Dialog, Model, Purpose
from agent_tui.tui.msg import AskedShown, KeyPressed
from agent_tui.tui.update import composer, holding
from agent_tui.tui.update.overlay import BURST_SECONDS
from agent_tui.tui.update.step import Step, send, then, toast

READABLE: Final = 20
"""Columns below which a command or a diff cannot be read."""
TOO_NARROW: Final = "too narrow to show what is asked"
READ_ON: Final = "read to the end first"
UNREAD: Final = f"{key_name('pagedown')}: {READ_ON}"
GRANTS: Final = frozenset(("once", "always"))
"""Choices after which something runs."""


@frozen
class Offer:
    """One way to answer. `keys`: what takes it, the shown one first. `purpose`: what to ask for first. `mode`: what
    holds from then on. `short`: the label where there is little room."""

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


def offers(question: Approval | Question) -> tuple[Offer, ...]:
    """The ways to answer `question`, in the order shown. A number is always the same answer: what is only sometimes
    offered between them has a letter alone."""
    if isinstance(question, Question):
        if question.kind == "skill_argument":
            return ()
        if question.kind in ("budget", "price"):
            more = (
                "go on until as much again is used" if question.kind == "budget" else "go on with this model uncounted"
            )
            return (
                Offer(("s", "1"), "stop", "stop", "end the turn here; what was done stays"),
                Offer(("c", "2"), "continue", "continue", more),
            )
        return (
            Offer(("s", "1"), "stop", "stop", "end the turn here"),
            Offer(("c", "2"), "continue", "continue", "go on as it was"),
            Offer(("m", "3"), "say something", "say", "go on with a message to the model", "Tell the model"),
        )
    always: tuple[Offer, ...] = ()
    edits: tuple[Offer, ...] = ()
    if question.always:
        always = (Offer(("a", "2"), "always in this session", "always", question.always, short="always"),)
    if question.mode and not question.hard and not isinstance(question.display, CommandDisplay):
        words, more = "yes, and accept edits from now on", f"mode {question.mode}; commands are still asked"
        edits = (Offer(("e",), words, "once", more, mode=question.mode, short="yes, accept edits"),)
    return (
        Offer(("y", "1"), "yes, once", "once", short="yes"),
        *always,
        *edits,
        Offer(("n", "3"), "no", "no"),
        Offer(("m", "4"), "no, and say why", "no", "", "Tell the model what to do instead", short="no, say why"),
    )


def follow(model: Model, at: float) -> Step:
    """Show the first open question, if it is another than before; leave a purpose whose question is gone."""
    question = model.question
    purpose = model.composer.purpose
    if purpose is not None and purpose.id and (question is None or question.id != purpose.id):
        model = composer.leave(model)
    if question is None:
        return (model if model.dialog is None else replace(model, dialog=None)), ()
    model = model if model.overlay is None else replace(model, overlay=None)
    if model.dialog is not None and model.dialog.id == question.id:
        return model, ()
    if model.composer.purpose is not None:  # an address was being typed: questions come first
        model = composer.leave(model)
    model = replace(model, dialog=Dialog(question.id, at, _default(question)))
    if isinstance(question, Question) and question.kind == "skill_argument":
        model = composer.ask(model, Purpose("argument", question.text, question.id))
    return model, ()


def _default(question: Approval | Question) -> int:
    """The option under the cursor at first: for what cannot be taken back it is the no."""
    if not isinstance(question, Approval) or not question.hard:
        return 0
    return next(number for number, offer in enumerate(offers(question)) if offer.choice == "no")


def pressed(model: Model, msg: KeyPressed, before: float) -> Step | None:
    """A key while a dialog is open; `before` is when the key before it was pressed. None: not a key for the dialog."""
    question, dialog = model.question, model.dialog
    if question is None or dialog is None:
        return None
    if msg.key == "escape":
        return stop(model)
    if msg.key in ("pageup", "pagedown"):
        page, lines = msg.asked
        if page >= lines:
            return None  # nothing to scroll here: the transcript takes it
        scroll = min(dialog.scroll, lines - page) + (page if msg.key == "pagedown" else -page)
        moved = replace(dialog, scroll=max(0, min(scroll, lines - page)))
        return _looked(replace(model, dialog=moved), page, lines), ()
    offered = offers(question)
    plain = "" if msg.key.startswith("alt+") else msg.character  # a slow line makes one key of Esc and a letter
    takes = next((offer for offer in offered if plain and plain in offer.keys), None)
    if msg.blind or min(msg.at - dialog.shown_at, msg.at - before) < BURST_SECONDS:
        printable = is_text(msg.character)
        return (model, (Type(msg.character, msg.key),)) if printable else None
    if not offered:
        return None
    if takes is not None:
        if msg.sure:
            return _take(model, question, takes)
        return holding.hold(model, msg, offered.index(takes), question.id)
    if msg.key in ("up", "down"):
        selected = (dialog.selected + (1 if msg.key == "down" else -1)) % len(offered)
        return replace(model, dialog=replace(dialog, selected=selected)), ()
    if msg.key in ("left", "right") and not msg.draft:  # in a small terminal they stand side by side
        selected = max(0, min(dialog.selected + (1 if msg.key == "right" else -1), len(offered) - 1))
        return replace(model, dialog=replace(dialog, selected=selected)), ()
    if msg.key == "enter":
        if msg.draft.strip() and dialog.selected == _default(question):  # meant for the words, not for the cursor
            letters = ", ".join(offer.keys[0] for offer in offered)
            return toast(model, f"Enter does not answer while the prompt holds words: {letters} or ↑↓ do", "warning")
        chosen = offered[min(dialog.selected, len(offered) - 1)]
        if _key_only(question, chosen):
            return toast(model, f"press {chosen.keys[0]} to allow this one", "warning")
        return _take(model, question, chosen)
    return None


def _key_only(question: Approval | Question, offer: Offer) -> bool:
    """Whether it is never taken by Enter."""
    return offer.choice == "once" and isinstance(question, Approval) and question.hard


def looked(model: Model, msg: KeyPressed) -> Model:
    """Keep how much of what is asked about was in view when `msg` was pressed. Of what is a line of its own, all was
    said."""
    page, lines = msg.asked
    if msg.sure:
        return _looked(model, 1, 1)
    return model if msg.blind or not lines else _looked(model, page, lines)


def shown(model: Model, msg: AskedShown) -> Model:
    """Keep how much of what is asked about is in view, before any key tells."""
    here = model.dialog is not None and model.dialog.id == msg.id and msg.lines > 0
    return _looked(model, msg.page, msg.lines) if here else model


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
    return isinstance(question, Approval) and isinstance(question.display, CommandDisplay) and dialog.unseen != 0


def nearest(model: Model) -> tuple[str, str]:
    """The key that answers most simply now, and what it does: Enter, if it does anything."""
    question, dialog = model.question, model.dialog
    offered = offers(question) if question is not None else ()
    if question is None or dialog is None or not offered:
        return "", ""
    chosen = offered[min(dialog.selected, len(offered) - 1)]
    if chosen.choice in GRANTS and dialog.unseen and unread(question, dialog):
        return key_name("pagedown"), READ_ON
    if model.composer.draft.strip() and dialog.selected == _default(question):
        return "/".join(offer.keys[0] for offer in offered), "answer"
    return chosen.keys[0] if _key_only(question, chosen) else "Enter", chosen.brief


def answered(model: Model, held: Held) -> Step | None:
    """Nothing followed the key that was held. None: what it answers is not asked any more."""
    question, dialog = model.question, model.dialog
    if question is None or dialog is None or not model.asking or not question.id == dialog.id == held.on:
        return None
    takes = next((offer for offer in offers(question) if held.character in offer.keys), None)
    return None if takes is None else _take(model, question, takes)


def _unreadable(model: Model, question: Approval | Question, offer: Offer) -> str:
    """Why it cannot be allowed yet; empty: it can. Nothing is allowed on a screen that is too narrow to show it, and no
    command whose end nobody has seen: the last line is where the harm would be hidden."""
    if offer.choice not in GRANTS:
        return ""
    if 0 < model.width < READABLE:
        return TOO_NARROW
    hidden = model.dialog is not None and unread(question, model.dialog)
    return UNREAD if hidden else ""


def stop(model: Model, clear_queue: bool = False) -> Step:
    """Interrupt what runs. A question from before a turn is answered with no: there is no turn to cancel."""
    question = model.question
    if isinstance(question, Question) and question.kind == "skill_argument":
        answer = Answer(question.id, "no")
        return send(model, answer, QueueEdit("clear")) if clear_queue else send(model, answer)
    return send(model, Cancel(clear_queue))


def _take(model: Model, question: Approval | Question, offer: Offer) -> Step:
    if problem := _unreadable(model, question, offer):
        return toast(model, problem, "warning")
    if offer.purpose:
        purpose = Purpose("say" if offer.choice == "say" else "deny", offer.purpose, question.id)
        return composer.ask(model, purpose), ()
    # the mode comes first, so that it holds for the calls behind this one
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    return then(before, send(before[0], Answer(question.id, offer.choice)))
