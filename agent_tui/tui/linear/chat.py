"""The runtime of the linear mode: tells the core what was typed, performs effects, drains the
engine, says the rest."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, assert_never

from agent_tui import std_output
from agent_tui.boot import terminal
from agent_tui.present.jobs import job_lines
from agent_tui.protocol.engine import Engine
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    AssistantReplied,
    ErrorRaised,
    Notice,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.exit_codes import CANCELLED, FAILED, of_saving, of_turn
from agent_tui.protocol.transcript import BackgroundJob, Transcript, TurnEnd
from agent_tui.settings.layers import Place
from agent_tui.settings.store import Store
from agent_tui.structures.visible import visible
from agent_tui.tui.core import effects as do
from agent_tui.tui.core import msg
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.core.model import Model, Window
from agent_tui.tui.core.words import one_line
from agent_tui.tui.linear import lines as reading
from agent_tui.tui.linear.announcer import Notices
from agent_tui.tui.linear.effects import Deeds
from agent_tui.tui.linear.input_rules import Rules
from agent_tui.tui.linear.keys import KEYS
from agent_tui.tui.linear.lines import Input, Out
from agent_tui.tui.linear.writer import Scribe
from agent_tui.tui.prompt import composer
from agent_tui.tui.runtime.editor import Foreground
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.history import Memory, PromptHistory
from agent_tui.tui.update import update

POLL_SECONDS: Final = 0.1
TWICE_SECONDS: Final = 1.0
"""Two Ctrl+C in so short a time leave, whatever runs."""
PROMPT: Final = "> "


class Gone(Exception):
    """A signal asked for the end, while a line was being edited."""


class Chat:
    """One conversation. `code` is the exit code once it is `left`."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        out: Out,
        source: reading.Input,
        deeds: Deeds,
        history: PromptHistory | None,
    ) -> None:
        self.model = model
        self.out, self.source, self.deeds = out, source, deeds
        self.outcome = Outcome()
        self.left = False
        self.secret = ""
        """What was typed for a secret setting, until it is written; the core does not get it."""
        self.code: int | None = None
        self.heard: list[int] = []
        """Signals that came while all is closed."""
        self.link = Link(engine, self._look, keeps=history is not None and source.terminal)
        self.rules = Rules(self)
        self.scribe = Scribe(out, echo=not source.terminal)
        self.notices = Notices(out)
        self.memory = Memory(history, self.dispatch, lambda: self.model.recall)
        self.loop = asyncio.new_event_loop()
        self._changed = asyncio.Event()
        self._blocking = False
        self._struck = float("-inf")

    # -- from the first line to the last

    def run(self, prompt: str) -> int:
        """Until the person leaves, or the input ends; the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._signal)
        if self.source.terminal:
            signal.signal(signal.SIGTSTP, self._suspend)
        try:
            self.loop.run_until_complete(self._begin(prompt))
            while not self.left:
                if self.rules.may_edit():
                    self._edit()
                self.loop.run_until_complete(self._serve())
        finally:
            self.source.close()
            self.heard = terminal.collect_signals()
            self.loop.close()
        return self.outcome.code(not self.source.terminal) if self.code is None else self.code

    async def _begin(self, prompt: str) -> None:
        self.link.open(True)
        self.source.open(self._changed.set)
        self.memory.load()
        if self.source.edits:
            reading.remember(self.model.composer.history)
        if self.model.alone:
            self.call("send", prompt)
        elif prompt:
            self.source.lines.appendleft(prompt)

    async def _serve(self) -> None:
        """Until somebody may edit a line in peace, or it is over."""
        await asyncio.sleep(0)  # what a signal has asked for comes first
        self.rules.take()  # a line of readline is for what was there when it was begun
        while True:
            self._drain()
            self.rules.take()
            self.source.hide(self.rules.secret)
            if self.left or self.rules.may_edit():
                return
            rests = not self.rules.busy() and self.link.rest()
            try:
                async with asyncio.timeout(None if rests else POLL_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                self._tick()
            self._changed.clear()

    def _tick(self) -> None:
        if (
            self.source.terminal and self.out.terminal
        ):  # somebody waits; what a program reads is whole lines
            self.scribe.on_pause()
        if self.model.is_running:
            self.dispatch(msg.Ticked(at=time.time()))

    def _edit(self) -> None:
        """Let readline take a line. Nothing runs meanwhile, so nothing is said into it."""
        self._blocking = True
        try:
            try:
                line = self.source.ask(PROMPT, hidden=self.rules.secret)
            finally:  # a signal that comes with the end of the line is still one of the line
                self._blocking = False
        except KeyboardInterrupt:
            self.out.say([""])
            if not self._keep_unsent(reading.typed_line()):
                self.loop.call_soon(self._interrupt)
            return
        except Gone as ended:
            self._end(int(str(ended)), reading.typed_line())
            return
        if line is None:
            self.out.say([""])
            self.source.ended = True
        else:
            self.source.lines.append(line)

    # -- signals

    def _signal(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGINT:
            if self._blocking:
                raise KeyboardInterrupt
            self.loop.call_soon_threadsafe(self._interrupt)
            return
        self.code = 128 + number  # also where nothing can be said any more
        if self._blocking:
            raise Gone(str(128 + number))
        ends = partial(self._end, 128 + number)
        self.loop.call_soon_threadsafe(lambda: ends(self.source.take_begun()))

    def _suspend(self, *_: object) -> None:
        """Ctrl+Z. In the midst of a line that readline edits, at once: nothing else runs."""
        if self._blocking:
            self._stop_here(PROMPT + ("" if self.rules.secret else reading.typed_line()))
        else:
            self.loop.call_soon_threadsafe(lambda: self._stop_here(self.source.keep_begun()))

    def _stop_here(self, begun: str) -> None:
        """Until the shell says go on; then what was `begun` is seen again."""
        take_back = self.source.lend_terminal()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._suspend)
        take_back()
        self.out.show_begun(begun)

    def _interrupt(self) -> None:
        now, begun = time.monotonic(), self.source.take_begun()
        if self.model.alone or now - self._struck < TWICE_SECONDS:
            self._keep_unsent(begun)
            self.leave(CANCELLED)
            return
        self._struck = now
        if self.source.terminal and self.rules.busy():
            self.out.say([""])  # the terminal shows ^C and ends no line
        self._keep_unsent(begun)
        self.rules.forget()
        kept = self.model
        if (
            unseen := kept.composer.draft if kept.busy else ""
        ):  # words that nobody sees here are not cleared first
            self.call("interrupt")
            self.model = composer.give_back(self.model, unseen)
        else:
            self.call("interrupt", kept.composer.draft)
        self._changed.set()

    def _keep_unsent(self, typed: str) -> bool:
        """Whether Ctrl+C took words away: the history has them."""
        if not typed.strip() or self.rules.secret:
            return bool(typed)
        self.remember(typed)
        self.out.say(["Not sent. /history has it."])
        return True

    def _end(self, code: int, typed: str) -> None:
        """A signal ends the program, where a line was being `typed`."""
        with suppress(OSError):  # the terminal may be gone: the history has it all the same
            self._keep_unsent(typed)
        self.leave(code)

    def leave(self, code: int | None = None) -> None:
        """It is over. `code`: None for what the last turn came to."""
        self.left, self.code = True, code if code is not None else self.code
        self._changed.set()

    # -- the core

    def leave_unanswered(self) -> None:
        """Something was asked, and the input has ended."""
        self.outcome.unanswered = True

    def remember(self, text: str) -> None:
        """Words that were not sent are in the history."""
        self.model, effects = composer.remember(self.model, text)
        for effect in effects:
            self._perform(effect)
        if self.source.edits:
            reading.remember((text,))

    def call(self, name: str, draft: str = "") -> None:
        """Tell the core that the command `name` is wanted, with `draft` in the prompt."""
        self.dispatch(msg.CommandCalled(name, draft, at=time.time()))

    def dispatch(self, *messages: msg.Msg) -> None:
        """Tell the core what happened, say what is new, do what it wants done."""
        for message in messages:
            before = self.model
            self.model, effects = update(before, message)
            if self.model.keys is not KEYS:  # the keys of a screen are not those of this
                self.model = replace(self.model, keys=KEYS)
            self._say(message, before)
            for effect in effects:
                try:
                    self._perform(effect)
                except OSError as error:
                    self.out.say([f"{type(effect).__name__}: {error}"], "bad")

    def _say(self, message: msg.Msg, before: Model) -> None:
        asked, sheet = self.model.dialog, self.model.overlay
        asks = asked is not None and (before.dialog is None or before.dialog.id != asked.id)
        more = len(self.model.transcript.questions) > len(before.transcript.questions)
        if asks or more or (sheet is not None and before.overlay is None):
            self.source.mark_begun()
        if isinstance(message, msg.EventsArrived):
            for event in message.events:
                self._told(event, before)
        self.notices.follow(self.model)
        if self.model.gone and not before.gone:
            self.leave(1)

    def _told(self, event: Event | Restored, before: Model) -> None:
        if self.out.links is not None:
            self.out.links.folder = self.model.transcript.cwd
        self.rules.on_event(event)
        begun = self.model.transcript.answers.models is not None
        if self.model.alone and not (begun and isinstance(event, Notice)):
            self.scribe.skip(self.model)  # the session is only there to hold the sheet
        else:
            self.scribe.follow(event, before, self.model)
        if (
            isinstance(event, TurnStarted | TurnEnded | ErrorRaised | AssistantReplied)
            and event.is_main
        ):
            self.outcome.hear(event)

    def _perform(self, effect: do.Effect) -> None:
        match effect:
            case do.Send() | do.SendKey():
                secret, self.secret = self.secret, ""
                op = effect.fill_op(secret)
                self.rules.on_op(op)
                self.link.send(op)
            case do.Quit():
                self.leave()
            case do.Remember(text):
                self.memory.add(text)
            case do.ReadHistory(number):
                self.memory.read(number)
            case do.Yield(seconds):
                self.loop.call_later(seconds, lambda: self.dispatch(msg.Yielded(at=time.time())))
            case _:
                secret, self.secret = self.secret, ""
                for told in self.deeds.perform(effect, self.model, secret):
                    self.dispatch(told)

    # -- the engine

    def _look(self) -> None:
        self._changed.set()

    def _drain(self) -> None:
        """One event at a time, so that each is said before the next one changes what it was
        about."""
        while taken := self.link.take():
            for event in taken:
                self.dispatch(msg.EventsArrived(at=time.time(), events=(event,)))


class Outcome:
    """The last turn. `unanswered`: something was asked in it, and the input had ended."""

    def __init__(self) -> None:
        self.state: TurnEnd | None = None
        self.unanswered = False
        self._failed: ErrorRaised | None = None

    def hear(self, event: TurnStarted | TurnEnded | ErrorRaised | AssistantReplied) -> None:
        match event:
            case TurnStarted():
                self.state, self.unanswered, self._failed = None, False, None
            case TurnEnded():
                self.state = event.state
            case ErrorRaised():
                self._failed = event
            case AssistantReplied():
                self._failed = None
            case _:
                assert_never(event)

    def code(self, counts: bool) -> int:
        """The exit code: that of the last turn where it `counts`; else 0."""
        failed = self._failed
        if not counts or (self.state is None and failed is None):
            return 0
        if self.state is None:
            return FAILED
        return of_turn(self.state, self.unanswered, failed is not None and failed.may_pass)


STOP_SECONDS: Final = 3.0
BOUNDLESS: Final = 100_000
"""Columns and lines: nothing is cut to a screen."""


def run(
    engine: Engine,
    *,
    prompt: str = "",
    look: Look = DEFAULT,
    history: Path | None,
    cwd: Path,
    themes: Sequence[Path] = (),
    place: Place | None = None,
    foreground: Foreground | None = None,
    coloured: bool = False,
) -> int:
    """Talk line by line until the person leaves or the input ends; the exit code."""
    out = Out(coloured)
    deeds = Deeds(out, Store(place) if place else None, themes, foreground)
    kept = PromptHistory(history, str(cwd)) if history else None
    source = Input()
    model = replace(_model(cwd, look), piped=not source.terminal)
    chat = Chat(engine, model, out, source, deeds, kept)
    code, ended = _talk(chat, prompt)
    code = 128 + chat.heard[0] if chat.heard else code
    if ended.is_unsaved:
        print(f"agent-tui: {visible(ended.describe_loss())}", file=sys.stderr)
        code = of_saving(code, True)
    return _say_farewell(chat, ended, code)


def run_sheet(engine: Engine, call: str, cwd: Path) -> tuple[int, Transcript]:
    """Talk about nothing but the sheet that the line `call` opens, until it closes: the exit code,
    and what the engine told."""
    out = Out()
    model = replace(_model(cwd, DEFAULT), alone=True)
    return _talk(Chat(engine, model, out, Input(), Deeds(out, None, (), None), None), call)


def _model(cwd: Path, look: Look) -> Model:
    return Model(
        sessions={"": Transcript(cwd=str(cwd))},
        look=look,
        keys=KEYS,
        width=BOUNDLESS,
        height=BOUNDLESS,
        home=str(Path.home()),
        window=Window(on=(), titled=False),
    )


def _talk(chat: Chat, prompt: str) -> tuple[int, Transcript]:
    """The exit code, and how it ended."""
    code = FAILED
    try:
        code = chat.run(prompt)
    except OSError as error:
        std_output.silence_output(error)
        code = chat.code or FAILED
    finally:
        chat.deeds.ending = True
        chat.link.close(STOP_SECONDS)
        ended = chat.link.fold_rest(chat.model.transcript)
    return code, ended


def _say_farewell(chat: Chat, ended: Transcript, code: int) -> int:
    try:
        if chat.source.terminal:
            chat.out.say(_farewell(ended, chat.model.transcript.jobs))
        return code
    except OSError as error:
        std_output.silence_output(error)
        return code or FAILED


def _farewell(transcript: Transcript, running: tuple[BackgroundJob, ...]) -> list[str]:
    """What was not sent, what became of what was `running` in the background, and how to go on, as
    far as it is on disk; nothing for a session without any of it, or that is off the record."""
    kept = "" if transcript.is_unsaved else one_line(transcript.draft)
    jobs = job_lines(running, transcript)
    if not transcript.session or transcript.otr or not (transcript.turn or kept or jobs):
        return []
    said = [f"Not sent, but saved: {kept}"] if kept else []
    said += map(visible, jobs)
    if way := transcript.way_back("agent-tui chat"):
        said.append(f"Continue: {way}")
    return said
