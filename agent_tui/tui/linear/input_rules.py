"""What a typed line is for: an answer, a choice from a list, what the prompt was asked for, a
command or a prompt."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final, Protocol

from agent_tui.present import wording
from agent_tui.present.plain import ASSISTANT, block_lines
from agent_tui.protocol import ops
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    Answered,
    ErrorRaised,
    JobChanged,
    ModelChanged,
    Notice,
    QueueChanged,
    SessionStarted,
)
from agent_tui.protocol.ops import Choice, Op, SaveDraft
from agent_tui.protocol.setup_op import SetUp
from agent_tui.protocol.tool_events import ShellStarted
from agent_tui.protocol.transcript import Approval, Question, TextBlock, UserBlock
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.dialog.answering import put_off
from agent_tui.tui.linear import announcer, sheets
from agent_tui.tui.linear.announcer import Notices
from agent_tui.tui.linear.keys import AT_ONCE, UNSEEN, first_word, parse_call
from agent_tui.tui.linear.lines import FENCE, Assembler, Input, Out
from agent_tui.tui.prompt import composer, submit
from agent_tui.tui.prompt.completion import SLASH
from agent_tui.tui.prompt.queue import ANSWER_FIRST
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.screen.key_guards import BURST_SECONDS, TYPING_SECONDS
from agent_tui.tui.screen.session_actions import asks_about_jobs
from agent_tui.tui.screen.setup_steps import is_ahead, waits
from agent_tui.tui.sheets import opening

SOON: Final = 0.25
"""Seconds in which the engine has said what came of most Ops."""
ANEW_SECONDS: Final = 1.0
"""An end of the input that comes again so soon after one that was asked about is the same key."""
LONG: Final = 30.0
"""The same where it asks a server or the disk."""
WORDED: Final = frozenset(("steer", "send", "editor"))
"""Commands that take the words behind them as what is in the prompt."""
LIST_SECONDS: Final = 2 * TYPING_SECONDS
"""So long after a question took a list away, a line rather belongs to the list: a whole line takes
longer than a key."""
GO_ON: Final = ("confirm", "ask", "plan", "skill")
"""Questions after which all else goes on without an answer."""
SLOW: Final = (
    ops.SetModel,
    ops.Pull,
    ops.Export,
    ops.WriteFile,
    ops.Query,
    ops.Resume,
    ops.SetClipboard,
    ops.RestoreFiles,
    ops.Fork,
    ops.Delete,
    SetUp,
)


TOO_EARLY: Final = "You typed that before you could read the question. Type it again."


class Conversation(Protocol):
    """What the rules need of the conversation that they are for (`chat.Chat`)."""

    model: Model
    source: Input
    out: Out
    link: Link
    notices: Notices
    secret: str

    @property
    def left(self) -> bool: ...
    def leave(self, code: int | None = None) -> None: ...
    def leave_unanswered(self) -> None: ...
    def remember(self, text: str) -> None: ...
    def call(self, name: str, draft: str = "") -> None: ...
    def dispatch(self, *messages: msg.Msg) -> None: ...


class Rules:
    def __init__(self, chat: Conversation) -> None:
        self._chat = chat
        self._assembler = Assembler()
        self._until = 0.0
        """So long an answer of the engine is waited for."""
        self._slow = False
        self._resumes = False
        """What waits in the queue is to go out: it begins a turn."""
        self._starts_until = 0.0
        """So long the start of a person's own command is waited for."""
        self._opens_until = 0.0
        """So long another session is waited for, whatever is said of this one meanwhile."""
        self._leaves = False
        self._ended_at = float("-inf")
        """When the input ended last."""
        """It was said that the end of the turn is the end of all."""
        self._answered = ""
        """The question that has its answer, of which the engine has not told yet."""
        self._begun = ""
        """The lines of a prompt that is not at its end, as they are on record."""

    # -- when

    def on_op(self, op: Op) -> None:
        if not isinstance(op, SaveDraft):
            resumes = isinstance(op, ops.QueueEdit) and op.action == "resume"
            self._resumes = resumes and self._chat.model.transcript.paused
            self._slow = isinstance(op, SLOW) or self._resumes
            self._until = time.monotonic() + (LONG if self._slow else SOON)
        if isinstance(op, ops.RunShell):
            self._starts_until = time.monotonic() + LONG
        if isinstance(op, ops.Resume):
            self._opens_until = time.monotonic() + LONG

    def on_event(self, event: Event | Restored) -> None:
        if isinstance(event, ShellStarted | ErrorRaised):
            self._starts_until = 0.0
        is_refusal = isinstance(event, Notice) and event.level == "warning"
        if is_refusal or isinstance(event, SessionStarted | Restored | Answered | ErrorRaised):
            self._opens_until = 0.0
        if self._resumes and not isinstance(event, QueueChanged | ErrorRaised):
            return  # it is of something before
        if self._resumes or isinstance(
            event, Restored | Answered | ModelChanged | ErrorRaised | Notice | SessionStarted
        ):
            self._until, self._slow, self._resumes = 0.0, False, False
        elif event.settled and not (self._slow or isinstance(event, JobChanged)):
            self._until = 0.0  # words follow the state of a job

    def busy(self) -> bool:
        """Whether something is under way that will be said soon."""
        model = self._chat.model
        aside = model.aside is not None and model.aside.state == "asking"
        recall = model.recall is not None and not model.recall.done
        answers = model.transcript.answers
        told = (
            model.started
            and (model.transcript.model or answers.models is not None)
            and answers.trust is not None
        )
        opening = not told and not model.gone and model.overlay is None
        queued = (
            bool(model.queue) and not model.transcript.paused and model.composer.editing is None
        )
        asked = waits(model)
        waits_until = max(self._until, self._starts_until, self._opens_until)
        return (
            model.is_running
            or opening
            or aside
            or asked
            or recall
            or queued
            or time.monotonic() < waits_until
        )

    def may_edit(self) -> bool:
        """Whether readline may have the terminal: nothing will be said meanwhile."""
        source = self._chat.source
        edits = source.terminal if self.secret else source.edits
        quiet = not self.busy() and not (source.lines or source.has_begun or self._chat.left)
        return edits and quiet and not source.ended and self._chat.link.rest()

    @property
    def secret(self) -> bool:
        """Whether what is typed now must not be seen."""
        purpose = self._chat.model.composer.purpose
        return purpose is not None and purpose.secret

    def take(self) -> None:
        """Use the lines that are there, as far as it is their turn."""
        chat = self._chat
        while chat.source.lines and not chat.left and self._ready(chat.source.lines[0]):
            self.line(chat.source.pop_line())
        waits = bool(chat.model.composer.calls) and not chat.model.gone  # for the skills
        if chat.source.ended and not chat.source.lines and not chat.left and not waits:
            self._ended()

    def _ready(self, line: str) -> bool:
        """A person's lines are used at once; those of a pipe when what came before them is over."""
        model = self._chat.model
        if (model.composer.calls or is_ahead(model)) and not model.gone:
            return False  # a line waits for the skills, or what it is for, and keeps its place
        if self._chat.source.terminal:
            return bool(model.transcript.model) or model.overlay is not None or not self.busy()
        if model.question is not None:
            return model.question.id != self._answered or model.composer.purpose is not None
        if not self.busy():
            return True
        return model.is_running and first_word(line) in AT_ONCE and not self._assembler.open

    def forget(self) -> None:
        """Ctrl+C: what was begun is no prompt any more; the history has it."""
        if self._assembler.open and (begun := self._assembler.rest()).strip():
            self._chat.remember(begun)
        self._assembler = Assembler()
        self._save_begun("")

    def _ended(self) -> None:
        """No line will come any more: what is asked gets a no, and when nothing runs, it is
        over."""
        chat = self._chat
        if self._assembler.open and not chat.source.terminal:
            self._prompt(self._assembler.rest())
        question = chat.model.question
        if question is not None:
            if self._answered != question.id:
                self._unanswered(question)
        elif not self.busy():
            now = time.monotonic()
            held = now - self._ended_at < ANEW_SECONDS  # the key is held down
            self._ended_at = now
            if self._asks_about_jobs():
                chat.source.go_on()
                self._close()
                chat.call("quit")
            elif chat.source.terminal and (held or self._has_just_asked()):
                chat.source.go_on()
            else:
                chat.leave(1 if opening.is_open_for(chat.model, "no_model") else None)
        elif chat.source.terminal and chat.model.is_running and not self._leaves:
            self._leaves = True
            chat.out.say(["Quitting when this turn ends; Ctrl+C interrupts it."])

    # -- one line

    def line(self, text: str) -> None:
        """Use `text`."""
        model = self._chat.model
        if self._assembler.open:
            self._go_on(text)
        elif first_word(text) in ("quit", "exit", "stop", "stop-all"):
            self._leaving(first_word(text))
        elif model.composer.purpose is not None:
            self._asked(text)
        elif model.is_asking:
            self._answer(text)
        elif model.is_covered:
            self._choice(text)
        elif model.composer.editing is not None:
            if text.strip():
                self._submit(text)
            else:
                self._chat.call("stop", model.composer.draft)
        else:
            self._go_on(text)

    def _go_on(self, text: str) -> None:
        """A line of a prompt that may have more of them. They belong to it whatever is asked
        meanwhile, and are on record until it is sent."""
        whole = self._assembler.feed(text)
        if whole is None:
            self._save_begun(self._assembler.begun_text)
            return
        asked = self._chat.model.question
        self._prompt(whole)
        self._save_begun("")
        if asked is not None and self._chat.model.question is asked:
            self._chat.notices.repeat(self._chat.model)

    def _save_begun(self, text: str) -> None:
        """Put what was begun on record as the draft, behind the one that there is."""
        if text != self._begun and self._chat.source.terminal:
            draft = composer.own_draft(self._chat.model)
            saved = "\n".join(filter(None, (draft, text)))
            self._chat.link.send(SaveDraft(saved, at_once=True))
            self._chat.link.flush_draft()  # nothing else runs while readline has the terminal
        self._begun = text

    def _asks_about_jobs(self) -> bool:
        """Whether it is asked what becomes of them; who quits once more meanwhile means it."""
        model = self._chat.model
        asked = opening.is_open_for(model, "jobs") and model.switching is None
        return self._chat.source.terminal and asks_about_jobs(model) and not asked

    def _has_just_asked(self) -> bool:
        """Whether what becomes of jobs was asked so lately that nobody can have read it."""
        overlay = self._chat.model.overlay
        asked = overlay is not None and opening.is_open_for(self._chat.model, "jobs")
        return overlay is not None and asked and time.time() - overlay.filled_at < ANEW_SECONDS

    def _leaving(self, word: str) -> None:
        model = self._chat.model
        if word in ("quit", "exit"):
            if self._asks_about_jobs():
                self._close()
                self._chat.call("quit")
            elif not self._has_just_asked():
                self._chat.leave()
        elif word == "stop" and model.is_covered:
            self._choice("")
        else:
            self._chat.call(word, model.composer.draft)

    def _prompt(self, text: str) -> None:
        name, arguments = parse_call(text)
        if first_word(text) in UNSEEN:
            self._chat.out.say([f"/{first_word(text)} works only in the full screen."])
        elif name:
            draft = arguments if name in WORDED else ""
            self._chat.call(name, draft or self._chat.model.composer.draft)
            self._opened(name)
        elif text.strip() or self._chat.source.terminal:
            self._submit(text)
            self._searched()

    def _submit(self, text: str) -> None:
        """Send `text`, to the model or for what the prompt is used for."""
        self._chat.call("send", text)

    def _opened(self, name: str) -> None:
        if name == "expand":
            whole = self._chat.model.reading.expanded
            self._chat.out.say(
                [
                    f"From now on, tool output and thoughts are {'complete' if whole else 'shortened'}."
                ]
            )

    # -- answers

    def _answer(self, text: str) -> None:
        chat = self._chat
        question, dialog = chat.model.question, chat.model.dialog
        assert question is not None and dialog is not None
        pending, early = chat.model.transcript.questions, chat.source.early
        taken = announcer.match_answer(question, text, pending)
        if question.id == self._answered:
            self._go_on(text)
        elif len(pending) > 1 and text.strip().lower() == announcer.NEXT:
            self._answered = ""  # an answer may be changed
            chat.dispatch(msg.QuestionTurned(at=time.time()))
        elif taken is None and not text.strip():
            if chat.source.terminal:
                chat.notices.repeat(chat.model)
        elif taken is None and not chat.source.terminal:
            chat.source.lines.appendleft(text)
            self._unanswered(question)
        elif taken is None and (early or text.lstrip().startswith(FENCE)):
            self._go_on(text)  # no line of a prompt that has begun so is an answer
        elif taken is None:
            said = "That is not one of the answers. Nothing was sent. /history has it."
            chat.remember(text)
            chat.out.say([said, announcer.answer_ways(question, pending)], "warning")
        elif chat.source.terminal and (early or _is_soon(dialog.shown_at, dialog.interrupts)):
            chat.out.say([TOO_EARLY], "warning")
        elif not chat.notices.has_said_all(question, taken, pending):
            chat.out.say([f"Type {announcer.NEXT} to read the others first."], "warning")
        else:
            self._reply(announcer.reply(question, taken, pending))

    def _unanswered(self, question: Approval | Question) -> None:
        """A pipe holds no answer: what asks for consent gets none, and what is stuck stops."""
        goes_on = isinstance(question, Question) and question.kind in GO_ON
        if not goes_on:
            self._chat.leave_unanswered()
        stops = isinstance(question, Question) and not goes_on
        choice: Choice = put_off(question) or ("stop" if stops else "no")
        says = "the answer is stop" if choice == "stop" else "the answer is no"
        if isinstance(question, Question) and question.call_id:
            says = "it is declined"
        self._chat.out.say([f"Nobody answered, so {says}."], "warning")
        self._reply(msg.QuestionAnswered(question.id, choice, by="nobody"))

    def _reply(self, answer: msg.QuestionAnswered) -> None:
        """Answer the open question."""
        self._answered = answer.id
        self._chat.dispatch(replace(answer, at=time.time()))

    def _asked(self, text: str) -> None:
        """The prompt is for something else than the model."""
        model = self._chat.model
        purpose = model.composer.purpose
        assert purpose is not None
        if purpose.kind == "history":
            self._recalled(text)
        elif purpose.kind == "search" and text.strip():
            self._chat.model = composer.change_text(model, text, len(text))
            self._searched()
        elif purpose.secret and text.strip():
            self._chat.secret = text.strip()
            self._submit(HIDDEN)
        elif text.strip() or purpose.kind in ("deny", "setting"):
            self._answered = purpose.id
            self._submit(text)
        else:
            self._chat.call("stop")

    def _searched(self) -> None:
        """Say what holds the words of an open search, and end it."""
        model = self._chat.model
        words = model.composer.draft.strip()
        if model.search is not None and words:
            self._chat.out.say(found_lines(model, words))
            self._chat.call("stop", model.composer.draft)

    def _recalled(self, text: str) -> None:
        chat = self._chat
        found = chat.model.recall
        wanted = text.strip()
        if found is None or not wanted:
            chat.call("stop", chat.model.composer.draft)
        elif wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted) <= found.total:
            chat.dispatch(msg.PromptRecalled(int(wanted) - 1, at=time.time()))
        else:
            chat.dispatch(msg.DraftChanged(at=time.time(), text=wanted, caret=len(wanted)))

    def _choice(self, text: str) -> None:
        chat = self._chat
        overlay, early = chat.model.overlay, chat.source.early
        assert overlay is not None
        if chat.source.terminal and sheets.must_be_read(overlay):
            if early and text.strip():
                self._go_on(text)
                chat.notices.repeat(chat.model)
                return
            if early or _is_soon(max(overlay.shown_at, overlay.filled_at)):
                chat.out.say([TOO_EARLY], "warning")
                return
        called = bool(SLASH.match(text.strip()))
        if called and not chat.model.alone:
            asks = opening.asks(chat.model)  # which no command answers
            if asks and (parse_call(text)[0] or submit.refuses(chat.model, text)):
                said = f"{ANSWER_FIRST.capitalize()}."
                chat.out.say([f"{said} {sheets.hint(chat.model, overlay)}"], "warning")
                return
            if not asks:
                self._close()
            self._prompt(text)
            return
        rows = chat.notices.rows
        wanted = None if called else sheets.intents(chat.model, overlay, text, rows)
        waits = chat.model.aside is not None and chat.model.aside.state == "asking"
        if wanted is None and sheets.is_read_only(overlay) and not waits:
            self._close()
            self._go_on(text)
            return
        if wanted is None:
            said = "That is not a choice here."
            if chat.source.terminal and not (called or chat.model.alone) and text.strip():
                chat.remember(text)
                said += " Nothing was sent. /history has it."
            chat.out.say([f"{said} {sheets.hint(chat.model, overlay)}"], "warning")
            return
        chat.dispatch(*wanted)

    def _close(self) -> None:
        """Close the sheet, with all its steps, for a line that is meant for the model."""
        chat = self._chat
        while (overlay := chat.model.overlay) is not None:
            chat.dispatch(*sheets.closing_acts(chat.model, overlay))
            if chat.model.overlay is overlay:
                return


def _is_soon(shown_at: float, interrupts: bool = False) -> bool:
    """Whether a line came too soon to be meant for the question: what takes the place of a list
    gets the number that was meant for that."""
    return time.time() - shown_at < (LIST_SECONDS if interrupts else BURST_SECONDS)


MOST: Final = 50


def found_lines(model: Model, words: str) -> list[str]:
    """The lines of the session that hold `words`, the newest last, and who said them."""
    wanted, hits = words.casefold(), list[str]()
    for row in model.transcript.rows:
        who = (
            ASSISTANT if isinstance(row, TextBlock) else "You" if isinstance(row, UserBlock) else ""
        )
        for line in block_lines(row, model.look, True):
            for part in line.split("\n"):
                if wanted in part.casefold():
                    hits.append(
                        f"{who}: {part.strip()}"
                        if who and not part.startswith(f"{who}: ")
                        else part.strip()
                    )
    if not hits:
        return [f"No line contains “{words}”."]
    more = [f"and {len(hits) - MOST} earlier ones"] if len(hits) > MOST else []
    return [
        f"{wording.count(len(hits), 'line contains', 'lines contain')} “{words}”:",
        *more,
        *hits[-MOST:],
    ]
