"""`agent-tui run`: one prompt, no screen. Prints the answer, one JSON object, or every event as a JSON line."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import count
from typing import Any, Final

from agent_tui import boot, std_output
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.protocol import codec, exit_codes
from agent_tui.protocol.events import (
    ApprovalAnswered,
    AssistantReplied,
    ErrorRaised,
    Event,
    Notice,
    Restored,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)  # fmt: skip
from agent_tui.protocol.ops import Cancel, Submit
from agent_tui.protocol.transcript import Bill, TurnEnd
from agent_tui.structures.visible import visible

GRACE_SECONDS: Final = 5.0
LISTS: Final = "`agent-tui models` lists what there is, `agent-tui setup` sets up a provider"
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
    state: TurnEnd | None = None
    error: ErrorRaised | None = None
    denied: int = 0
    steps: int = 0
    duration_ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    cached_tokens: int = 0
    bill: Bill = field(default_factory=Bill)
    unpriced: int = 0
    notices: list[str] = field(default_factory=list)
    begun: bool = False

    def hear(self, event: Event) -> None:
        match event:
            case SessionStarted():
                self.session, self.model = event.session, event.model
            case TurnStarted():
                self.begun = True
            case AssistantReplied() if event.text:
                self.text = (self.text if self.cut else "") + event.text
                self.cut = event.stop_reason == "length" and not event.calls
            case UsageReported():
                self.prompt_tokens += event.usage.prompt_tokens
                self.completion_tokens += event.usage.completion_tokens
                self.cached_tokens += event.usage.cached_tokens
                self.estimated = self.estimated or event.usage.estimated
                self.bill = self.bill.plus(event.cost, event.cost_estimated)
                self.unpriced += event.cost is None
            case ApprovalAnswered(by="headless"):
                self.denied += 1
            case ErrorRaised():
                self.error = event
            case Notice(level="warning" | "error"):
                self.notices.append(event.text)
            case TurnEnded():
                self.state, self.steps, self.duration_ms = event.state, event.steps, event.duration_ms
            case _:
                pass

    @property
    def code(self) -> int:
        """The exit code."""
        may_pass = self.error is not None and self.error.may_pass
        return exit_codes.of_turn(self.state or "error", bool(self.denied), may_pass)

    def summary(self) -> dict[str, Any]:
        usage = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "estimated": self.estimated,
        }
        cost = {"dollars": self.bill.cost, "estimated": self.bill.estimated, "unpriced": self.unpriced}
        error = None if self.error is None else {"kind": self.error.kind, "text": self.error.text}
        return {
            "session": self.session, "model": self.model, "state": self.state or "error", "exit_code": self.code,
            "text": self.text, "steps": self.steps, "duration_ms": self.duration_ms, "usage": usage,
            "cost": cost,
            "denied": self.denied, "notices": self.notices, "error": error,
        }  # fmt: skip


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
    _prepare_output()
    worker.start(lambda: None)
    try:
        _follow(worker, outcome, prompt, stream=output == "stream-json")
        _report(outcome, output)
    except OSError as error:
        std_output.refused(error)
        return exit_codes.FAILED
    finally:
        heard = boot.noted()
        worker.stop(GRACE_SECONDS)
    return 128 + heard[0] if heard else outcome.code


def _prepare_output() -> None:
    """What the terminal's encoding cannot say is written as its code; a stream that is closed takes what it gets."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", errors="replace"))  # noqa: PTH123, SIM115 - open to the end
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _follow(worker: Worker, outcome: Outcome, prompt: str, stream: bool) -> None:
    """Hear every event until the turn has ended, or cannot begin."""
    sent = False
    while True:
        alive = worker.alive  # asked first: what it said last is heard all the same
        try:
            event = worker.events.get(timeout=0.1)
        except queue.Empty:
            if not alive or (outcome.state == "cancelled" and not outcome.begun):
                return
            continue
        if isinstance(event, Restored):
            continue
        outcome.hear(event)
        if stream:
            _print_event(event)
        if isinstance(event, TurnEnded):
            return
        if isinstance(event, ErrorRaised) and not outcome.begun:
            return
        if isinstance(event, SessionStarted) and event.model and not sent:
            if outcome.state == "cancelled":  # before there was a turn: none begins
                return
            sent = True
            worker.send(Submit(prompt))
        if event_says_no_model(event):
            outcome.error = no_model(event)
            return


def event_says_no_model(event: Event) -> bool:
    data = getattr(event, "data", None)
    return getattr(event, "kind", "") == "models" and isinstance(data, dict) and not data.get("model")


def no_model(event: Event) -> ErrorRaised:
    """What was tried, in one line, and what to do."""
    data: dict[str, Any] = getattr(event, "data", {})
    tried = [f"{each['what']}: {each['result']}" for each in data.get("tried", [])]
    if len(tried) == 1:  # the one model that was named
        return ErrorRaised(tried[0], "unknown_model", LISTS)
    first = next(iter(data.get("variables", [])), "")  # all eleven would hide the rest of the line
    hint = f"{f'set {first} or the variable of another provider, or ' if first else ''}name a model with -m; {LISTS}"
    return ErrorRaised(f"no model to run on. {'; '.join(tried)}", "unreachable", hint)


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
    if outcome.error is not None and outcome.code not in (0, exit_codes.DENIED):
        hint = f" ({outcome.error.hint})" if outcome.error.hint else ""
        print(f"agent-tui: {visible(outcome.error.text)}{visible(hint)}", file=sys.stderr)
    elif outcome.denied:
        calls = "1 call" if outcome.denied == 1 else f"{outcome.denied} calls"
        more = "--mode accept-edits or accept-all allows more"
        print(f"agent-tui: {calls} needed an approval that nobody could give; {more}", file=sys.stderr)
