"""`agent-tui run`: one prompt, no screen. Prints the answer, one JSON object, or every event as a
JSON line."""

from __future__ import annotations

import json
import math
import os
import queue
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from agent_tui import std_output
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.boot import terminal
from agent_tui.present.jobs import ENDED
from agent_tui.protocol import codec, exit_codes
from agent_tui.protocol.answers import Models
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    ErrorRaised,
    Event,
    JobChanged,
    Notice,
    RequestSent,
    Restored,
    Retrying,
    SavingChanged,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.ops import Cancel, Submit
from agent_tui.protocol.transcript import Bill, Saving, TurnEnd
from agent_tui.providers.services import service_of
from agent_tui.structures.visible import visible

GRACE_SECONDS: Final = 5.0
LISTS: Final = (
    "To get a model:",
    "`agent-tui setup` sets up a provider, or a server by its address",
    "`agent-tui models` lists the models; `-m NAME` takes one",
    "`-m demo` needs no model: a script answers",
)
OWN_SERVER: Final = "set OPENAI_BASE_URL to the address of a server that speaks OpenAI's API"
INDENT: Final = "\n  "
SILENT_SECONDS: Final = 2.0
"""So long a server may be silent before it is said that it is waited for."""
OF_CHILDREN: Final = (UsageReported, ApprovalAsked, ApprovalAnswered)
"""What counts of sub-agents too: what they took, and what nobody could allow them."""
LABEL_CHARS: Final = 120
NOTHING: Final = "The model sent an empty answer."
PATIENT: Final = 2
"""Signals that ask for the end; one more has it at once."""


@dataclass(slots=True)
class Outcome:
    """What the turn has come to so far."""

    session: str = ""
    model: str = ""
    text: str = ""
    cut: bool = False
    """The answer goes on in the next step."""
    empty: bool = False
    """The newest answer says nothing and calls nothing."""
    state: TurnEnd | None = None
    error: ErrorRaised | None = None
    asked: dict[str, str] = field(default_factory=dict)
    """What the calls do that needed an approval, by the ids of the questions."""
    denied: list[str] = field(default_factory=list)
    """Those that nobody could allow."""
    steps: int = 0
    duration_ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    cached_tokens: int = 0
    bill: Bill = field(default_factory=Bill)
    unpriced: int = 0
    notices: list[str] = field(default_factory=list)
    jobs: dict[str, str] = field(default_factory=dict)
    """The commands in the background that end with the run, by the ids of their jobs."""
    begun: bool = False
    record: int = 0
    """The number of the record that holds the prompt."""
    saving: Saving = field(default_factory=Saving)

    def hear(self, event: Event) -> None:
        if not event.is_main and not isinstance(event, OF_CHILDREN):
            return
        match event:
            case SessionStarted():
                self.session, self.model = event.session, event.model
            case TurnStarted():
                self.begun, self.record = True, event.n
            case SavingChanged():
                self.saving = Saving(event.problem, event.through)
            case AssistantReplied():
                self.empty = not event.text.strip() and not event.calls
                if event.text:
                    self.text = _joined(self.text if self.cut else "", event.text)
                    self.cut = event.stop_reason in ("length", "error") and not event.calls
            case UsageReported():
                self.prompt_tokens += event.usage.prompt_tokens
                self.completion_tokens += event.usage.completion_tokens
                self.cached_tokens += event.usage.cached_tokens
                self.estimated = self.estimated or event.usage.estimated
                self.bill = self.bill.plus(event.cost, event.cost_estimated)
                self.unpriced += event.cost is None
            case ApprovalAsked():
                self.asked[event.id] = event.label
            case ApprovalAnswered(by="headless"):
                self.denied.append(self.asked.get(event.id, "a call"))
            case ErrorRaised():
                self.error = event
            case Notice(level="warning" | "error"):
                self.notices.append(event.text)
            case JobChanged(state="running", kept=False):
                self.jobs[event.id] = event.command
            case JobChanged():
                self.jobs.pop(event.id, None)
            case TurnEnded():
                self.state, self.steps, self.duration_ms = (
                    event.state,
                    event.steps,
                    event.duration_ms,
                )
            case _:
                pass

    @property
    def code(self) -> int:
        """The exit code."""
        may_pass = self.error is not None and self.error.may_pass
        if self.answered_nothing:
            return exit_codes.FAILED
        code = exit_codes.of_turn(self.state or "error", bool(self.denied), may_pass)
        return exit_codes.of_saving(code, self.is_unsaved)

    @property
    def answered_nothing(self) -> bool:
        """Whether the turn went well, but its last answer is empty."""
        return self.state == "completed" and self.empty

    @property
    def is_unsaved(self) -> bool:
        """Whether something of the session is not on disk."""
        return self.begun and bool(self.saving.problem)

    def summary(self) -> dict[str, object]:
        usage = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "estimated": self.estimated,
        }
        cost = {
            "dollars": self.bill.cost,
            "estimated": self.bill.estimated,
            "unpriced": self.unpriced,
        }
        error = None if self.error is None else {"kind": self.error.kind, "text": self.error.text}
        if error is None and self.answered_nothing:
            error = {"kind": "empty_answer", "text": NOTHING}
        return {
            "session": self.session,
            "model": self.model,
            "state": self.state or "error",
            "exit_code": self.code,
            "text": self.text,
            "steps": self.steps,
            "duration_ms": self.duration_ms,
            "usage": usage,
            "cost": cost,
            "saved": not self.is_unsaved,
            "denied": len(self.denied),
            "notices": self.notices,
            "error": error,
        }


def _joined(begun: str, more: str) -> str:
    """An answer that was cut off, with what came when it was to go on: some models begin it over
    again."""
    return more if more.startswith(begun) else begun + more


class Progress:
    """Says on standard error that a silent server is waited for: on a terminal in one line that
    counts, and that goes again; elsewhere once, and at each new try."""

    def __init__(self, shows: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if shows else None
        self._counts = shows and sys.stderr.isatty()
        self._clock = clock
        self._model, self._since, self._until = "", 0.0, 0.0
        self._reason = ""
        self._is_told = False
        self._drawn = ""

    def hear(self, event: Event) -> None:
        if not event.is_main:
            return
        self.clear()
        match event:
            case RequestSent():
                self._model, self._since, self._until = event.model, self._clock(), 0.0
            case Retrying():
                self._since, self._until = 0.0, self._clock() + event.delay_s
                self._reason = event.reason
                if not self._counts:
                    self._print(f"{event.reason}; trying again in {event.delay_s:.0f} s")
            case _:
                self._since = self._until = 0.0

    def tick(self) -> None:
        """Time passes, and nothing comes."""
        now = self._clock()
        if self._until and self._counts:
            left = max(0, math.ceil(self._until - now))
            self._draw(f"{self._reason}; trying again in {left} s")
        elif self._since and now - self._since >= SILENT_SECONDS:
            if self._counts:
                self._draw(f"waiting for {self._model}, {now - self._since:.0f} s")
            elif not self._is_told:
                self._is_told = True
                self._print(f"waiting for {self._model}")

    def clear(self) -> None:
        """Take the line that counts away."""
        if self._drawn and self._stream is not None:
            self._drawn = ""
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self, text: str) -> None:
        if self._stream is None or text == self._drawn:
            return
        self._drawn = text
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{visible(f'agent-tui: {text}')[:width]}")
        self._stream.flush()

    def _print(self, text: str) -> None:
        if self._stream is not None:
            print(f"agent-tui: {visible(text)}", file=self._stream, flush=True)


def run(config: EngineConfig, prompt: str, output: str) -> int:
    """Run one prompt to its end; returns the exit code. `output` is text, json or stream-json."""
    worker = Worker(config)
    outcome = Outcome()
    strikes = count(1)

    def interrupt(number: int, _: object) -> None:
        if next(strikes) > PATIENT:
            os._exit(128 + number)  # commands end with us
        outcome.state = outcome.state or "cancelled"  # if there is no turn yet, none will say so
        worker.send(Cancel())

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    closed = sys.stdout is None
    _prepare_output()
    worker.start(lambda: None)
    try:
        _follow(worker, outcome, prompt, output)
        _report(outcome, output)
    except OSError as error:
        std_output.silence_output(error)
        return exit_codes.FAILED
    finally:
        heard = terminal.collect_signals()
        worker.stop(GRACE_SECONDS)
        _follow_end(worker, outcome)
    for command in outcome.jobs.values():
        print(f"agent-tui: {ENDED}{visible(' '.join(command.split()))}", file=sys.stderr)
    if closed:
        print("agent-tui: standard output is closed: the answer was not printed", file=sys.stderr)
    if outcome.is_unsaved:
        lost = int(outcome.record > outcome.saving.through)
        print(f"agent-tui: {visible(outcome.saving.describe_loss(lost, 1))}", file=sys.stderr)
    if heard:
        return 128 + heard[0]
    return outcome.code or int(closed)


def _prepare_output() -> None:
    """A stream that is closed takes what it gets."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", errors="replace"))  # noqa: PTH123, SIM115 - open to the end


def _follow(worker: Worker, outcome: Outcome, prompt: str, output: str) -> None:
    """Hear every event until the turn has ended, or cannot begin."""
    progress = Progress(shows=output == "text")
    try:
        _hear_all(worker, outcome, prompt, progress, stream=output == "stream-json")
    finally:
        progress.clear()


def _hear_all(
    worker: Worker, outcome: Outcome, prompt: str, progress: Progress, stream: bool
) -> None:
    sent = False
    while True:
        alive = worker.is_alive  # asked first: what it said last is heard all the same
        try:
            event = worker.events.get(timeout=0.1)
        except queue.Empty:
            if not alive or (outcome.state == "cancelled" and not outcome.begun):
                return
            progress.tick()
            continue
        if isinstance(event, Restored):
            continue
        outcome.hear(event)
        progress.hear(event)
        if stream:
            _print_event(event)
        if isinstance(event, TurnEnded) and event.is_main:
            return
        if isinstance(event, ErrorRaised) and not outcome.begun:
            return
        if isinstance(event, SessionStarted) and event.model and not sent:
            if outcome.state == "cancelled":  # before there was a turn: none begins
                return
            sent = True
            worker.send(Submit(prompt))
        if isinstance(event, Answered) and isinstance(event.data, Models) and not event.data.model:
            outcome.error = no_model(event.data)
            return


def _follow_end(worker: Worker, outcome: Outcome) -> None:
    """What the end of the engine told of the disk: the last records are written there."""
    while not worker.events.empty():
        event = worker.events.get()
        if isinstance(event, SavingChanged):
            outcome.hear(event)


def no_model(found: Models) -> ErrorRaised:
    """What was tried, and what to do: a line each."""
    tried = [f"{each.what}: {each.result}" for each in found.tried]
    if len(tried) == 1:  # the one model that was named; what is wrong with a script, no list mends
        script = service_of(found.tried[0].what.partition("/")[0]).is_played
        return ErrorRaised(tried[0], "unknown_model", "" if script else INDENT.join(LISTS))
    first = next(iter(found.variables), "")  # all eleven would hide the rest
    keys = (f"set {first}, or the variable of another provider",) if first else ()
    said = INDENT.join(("no model to run on", *tried))
    return ErrorRaised(said, "unreachable", INDENT.join((*LISTS, *keys, OWN_SERVER)))


def _short(label: str) -> str:
    """What a call does, in a line."""
    said = " ".join(visible(label).split())
    return said if len(said) <= LABEL_CHARS else f"{said[:LABEL_CHARS]}…"


def _said(error: ErrorRaised) -> str:
    """What happened, and what to do: behind it, or below it where that takes several lines."""
    if "\n" in error.hint:
        return f"{error.text}\n{error.hint}"
    return f"{error.text} ({error.hint})" if error.hint else error.text


def _print_event(event: Event) -> None:
    data = codec.dump(event)
    if not event.settled:
        data["delta"] = True
    print(json.dumps(data, ensure_ascii=True), flush=True)


def _report(outcome: Outcome, output: str) -> None:
    if output == "json":
        print(json.dumps(outcome.summary(), ensure_ascii=True, indent=2))
    elif output == "text" and outcome.text:
        print(visible(outcome.text) if sys.stdout.isatty() else outcome.text)
    sys.stdout.flush()
    if output == "text":
        for text in outcome.notices:
            print(f"agent-tui: {visible(text)}", file=sys.stderr)
    elif outcome.answered_nothing:
        print(f"agent-tui: {NOTHING}", file=sys.stderr)
    if outcome.error is not None and outcome.code not in (0, exit_codes.DENIED):
        print(f"agent-tui: {visible(_said(outcome.error))}", file=sys.stderr)
    elif outcome.denied:
        calls = "\n".join(f"  {_short(label)}" for label in outcome.denied)
        print(
            f"agent-tui: not done, for nobody was there to allow it:\n{calls}\n"
            "--mode accept-edits or accept-all allows more",
            file=sys.stderr,
        )
