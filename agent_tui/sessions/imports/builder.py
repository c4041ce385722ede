"""Another program's conversation as our events: prompts, answers, calls and results, turn by turn.

Nothing of it is guessed: no file is said to have changed (there is nothing to undo), and no model
is set (a session that is resumed goes on with the person's own).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from agent_tui.protocol.display import TextDisplay
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    Notice,
    RequestSent,
    SessionStarted,
    SteerSeen,
    StepStarted,
    Titled,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import ToolCall, Usage

SHOWN: Final = 20_000
"""Characters of a result that the screen keeps; the model gets all of it."""
LABEL: Final = 100
_NAMED: Final = (
    "command",
    "cmd",
    "file_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "input",
)
"""What an argument is called that says best what a call is about."""


@dataclass(slots=True)
class Step:
    """A model's answer as it is gathered; `key` tells whether what comes belongs to it."""

    key: str
    at: float
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: dict[str, tuple[str, bool, float]] = field(default_factory=dict)
    usage: Usage | None = None
    model: str = ""


@dataclass(slots=True)
class Turn:
    prompt: str
    at: float
    steps: list[Step] = field(default_factory=list)
    steers: list[tuple[int, str, float]] = field(default_factory=list)
    """Words of the person that came while it ran: before which step, what, when."""
    cancelled: bool = False


class Builder:
    """Gathers a conversation in the order in which it is on file; `events` tells it."""

    def __init__(self, program: str, provider: str) -> None:
        self.program, self.provider = program, provider
        self.source = self.cwd = self.branch = self.model = self.version = ""
        self.titles: dict[str, str] = {}
        """By whom (`person`, `model`)."""
        self.left_out: Counter[str] = Counter()
        self.turns: list[Turn] = []
        self._steps: dict[str, Step] = {}

    def prompt(self, text: str, at: float) -> None:
        self.turns.append(Turn(text, at))

    def add_steer(self, text: str, at: float) -> None:
        if text.strip() and self.turns:
            self.turns[-1].steers.append((len(self.turns[-1].steps), text, at))

    def add_text(self, text: str, at: float, key: str = "") -> None:
        if text:
            self._step(at, key).texts.append(text)

    def add_thought(self, text: str, at: float, key: str = "") -> None:
        if text:
            self._step(at, key).thoughts.append(text)

    def add_call(self, id: str, name: str, arguments: str, at: float, key: str = "") -> None:
        step = self._step(at, key)
        if id in self._steps:
            return  # on file twice
        step.calls.append(ToolCall(id, name, arguments))
        self._steps[id] = step

    def add_result(self, id: str, content: str, bad: bool, at: float) -> None:
        if id in self._steps:
            self._steps[id].results.setdefault(id, (content, bad, at))
        else:
            self.left_out["results without a call"] += 1

    def add_usage(self, usage: Usage, at: float, key: str = "") -> None:
        self._step(at, key).usage = usage

    def cancel_turn(self) -> None:
        if self.turns:
            self.turns[-1].cancelled = True

    @property
    def empty(self) -> bool:
        return not any(turn.prompt or turn.steps for turn in self.turns)

    def _step(self, at: float, key: str) -> Step:
        """The step that goes on, or a new one: with another key, or after results where there are
        no keys."""
        if not self.turns:
            self.turns.append(Turn("", at))
        steps = self.turns[-1].steps
        if not steps or (steps[-1].key != key if key else bool(steps[-1].results)):
            steps.append(Step(key, at))
        steps[-1].model = self.model or steps[-1].model
        return steps[-1]

    def events(self, session: str) -> Iterator[Event]:
        for event in self._events():
            yield replace(event, session=session)

    def _events(self) -> Iterator[Event]:
        began = next((turn.at for turn in self.turns if turn.at), 0.0)
        versions = {self.program: self.version} if self.version else {}
        yield SessionStarted(mode="", cwd=self.cwd, versions=versions, at=began)
        left = ", ".join(f"{what} ({count:,})" for what, count in sorted(self.left_out.items()))
        words = f"Imported from {self.program}, session {self.source}.{f' Left out: {left}.' if left else ''}"
        yield Notice(words, at=began)
        for by in ("model", "person"):
            if self.titles.get(by):
                yield Titled(
                    self.titles[by][:200], "person" if by == "person" else "model", at=began
                )
        last = began
        for number, turn in enumerate(self.turns, 1):
            for event in self._turn(turn):
                last = max(last, event.at)
                yield replace(event, turn=number, at=event.at or last)

    def _turn(self, turn: Turn) -> Iterator[Event]:
        yield TurnStarted(turn.prompt, at=turn.at)
        last = turn.at
        for number, step in enumerate(turn.steps, 1):
            yield from (
                SteerSeen(text, at=at) for before, text, at in turn.steers if before == number - 1
            )
            for event in self._told(step, number):
                last = max(last, event.at)
                yield replace(event, step=number)
        yield from (
            SteerSeen(text, at=at) for before, text, at in turn.steers if before >= len(turn.steps)
        )
        took = round((last - turn.at) * 1000) if turn.at else 0
        state = "cancelled" if turn.cancelled else "completed"
        yield TurnEnded(
            "cancelled" if state == "cancelled" else "completed", took, len(turn.steps), at=last
        )

    def _told(self, step: Step, number: int) -> Iterator[Event]:
        facts = (
            f"<environment>\nGit branch: {self.branch}\n</environment>"
            if self.branch and number == 1
            else ""
        )
        model = f"{self.provider}/{step.model}" if step.model else ""
        yield StepStarted(facts, at=step.at)
        yield RequestSent(model, at=step.at)
        yield AssistantReplied(
            "\n\n".join(step.texts),
            "\n\n".join(step.thoughts),
            tuple(step.calls),
            self.provider,
            stop_reason="tool_calls" if step.calls else "stop",
            at=step.at,
        )
        if step.usage is not None:
            yield UsageReported(step.usage, model, self.provider, at=step.at)
        for call in step.calls:
            yield from _call(call, step)


def _call(call: ToolCall, step: Step) -> Iterator[Event]:
    name = label(call)
    yield ToolStarted(call.id, call.name, name, call.arguments, at=step.at)
    content, bad, at = step.results.get(call.id, ("", False, 0.0))
    if call.id not in step.results:
        content = "Error [interrupted]: no result is on record; unknown whether it ran"
    tag = "interrupted" if call.id not in step.results else "failed" if bad else "ok"
    took = max(0, round((at - step.at) * 1000)) if at and step.at else 0
    yield ToolEnded(
        call.id, call.name, name, content, TextDisplay(content[:SHOWN]), took, tag, at=at or step.at
    )


def label(call: ToolCall) -> str:
    """What the call does, in a line: its name, and the argument that says most."""
    try:
        given: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        given = call.arguments
    said = given if isinstance(given, str) else ""
    if isinstance(given, dict):
        found = next((given[name] for name in _NAMED if given.get(name)), "")
        said = " ".join(map(str, found)) if isinstance(found, list) else str(found)
    line = " ".join(f"{call.name} {said[:1_000]}".split())
    return line if len(line) <= LABEL else f"{line[: LABEL - 1]}…"


def moment(value: object) -> float:
    """Seconds since the epoch of an ISO 8601 text; 0 for anything else."""
    if not isinstance(value, str):
        return 0.0
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def words(value: object) -> str:
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0
