"""A recording played back: the models that a session's Msgs made, any of them again, quickly.

Nothing is sent and nothing is performed: what an effect brought about stands in the recording as a
Msg of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import fold
from agent_tui.protocol.transcript import Transcript
from agent_tui.protocol.turn_events import TurnStarted
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import EventsArrived, HistoryAsked
from agent_tui.tui.recording.classes import UNPLAYABLE, unshown
from agent_tui.tui.recording.digest import SHORT, digests
from agent_tui.tui.recording.patches import NOTHING, apply_patch, apply_remembered
from agent_tui.tui.recording.tape import BadTape, Check, Cut, Header, Load, Reader, Step
from agent_tui.tui.update import update
from agent_tui.tui.view import view

EVERY: Final = 100
"""Steps between two models that are kept: so many are played again, at most, to come to any moment.
"""
LONGEST: Final = 2.0
"""Seconds of a pause that are played: a night between two prompts is not sat through."""


@dataclass(slots=True)
class Player:
    """`moments[i]` is when, in seconds since the start and with long pauses shortened, step `i`
    happens. A step is a
    Msg, or the beginning of another run (`Header`)."""

    steps: list[Header | Step] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    checks: dict[int, Check] = field(default_factory=dict)
    """What the model was after so many steps, as the live session saw it."""
    problems: list[str] = field(default_factory=list)
    is_cut: bool = False
    _skipped: dict[int, str] = field(default_factory=dict)
    _kept: list[Model] = field(default_factory=list)
    _prompts: list[int] = field(default_factory=list)
    _records: list[int] = field(default_factory=list)

    @classmethod
    def load(
        cls, lines: Iterable[bytes], events: Iterable[Event], load: Load | None = None
    ) -> Player:
        """The recording in `lines`, of a session with these settled `events`. What cannot be read
        is said in `problems` and left out; never raises for it. An empty line stands for one that
        is too long. `load`: as for a `Reader`."""
        player = cls()
        log = _Log(events)
        reader = Reader(log.record, log.restore_at, load)
        for number, line in enumerate(lines, 1):
            try:
                if not line:
                    raise BadTape("longer than any of a recording")
                if line.strip():
                    player._take(reader.read(line))
            except BadTape as error:
                player.problems.append(f"line {number}: {error}")
        return player

    @classmethod
    def of_log(cls, events: Iterable[Event], width: int = 100, height: int = 32) -> Player:
        """A session that was not recorded (`agent-tui run`, a fork, an import): its records as they
        came, without the keys and the single words."""
        player, told = cls(), tuple(events)
        began = told[0].at if told else 0.0
        start = replace(initial(), width=width, height=height)
        player._take(Header(began, told[0].session if told else "", {}, start))
        for event in told:
            player._take(Step(EventsArrived((event,), at=event.at), event.at, NOTHING))
        return player

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def seconds(self) -> float:
        """How long it plays at its own speed."""
        return self.moments[-1] if self.moments else 0.0

    def steps_before(self, moment: float) -> int:
        """How many steps have happened `moment` seconds after the start."""
        return bisect_right(self.moments, moment)

    def moment(self, count: int) -> float:
        """When `count` steps have happened."""
        return (
            self.moments[min(count, len(self.moments)) - 1] if count > 0 and self.moments else 0.0
        )

    def prompt(self, count: int, way: int) -> int:
        """How many steps have happened when the next prompt (`way` 1) or the one before (-1) has
        begun its turn."""
        others = [at for at in self._prompts if (at > count if way > 0 else at < count)]
        return (
            (others[0] if way > 0 else others[-1])
            if others
            else (len(self.steps) if way > 0 else 0)
        )

    def last_record(self, count: int) -> int:
        """The number of the newest record among the first `count` steps; 0: none."""
        return (
            self._records[min(count, len(self._records)) - 1] if count > 0 and self._records else 0
        )

    def model(self, count: int) -> Model:
        """The model after the first `count` steps."""
        count = max(0, min(count, len(self.steps)))
        while len(self._kept) <= count // EVERY:
            self.keep()
        at = count // EVERY * EVERY
        return self._played(self._kept[count // EVERY], at, count)

    def keep(self) -> bool:
        """Play on to the next model that is kept; whether there are more. A slice of the work that
        seeks save."""
        if not self._kept:
            self._kept.append(initial())
        at = (len(self._kept) - 1) * EVERY
        if at + EVERY > len(self.steps):
            return False
        self._kept.append(self._played(self._kept[-1], at, at + EVERY))
        return True

    def find_differences(self) -> list[str]:
        """Where the replay comes to something else than the live session did; empty: nowhere."""
        found, model, played = list[str](), initial(), 0
        for count, check in sorted(self.checks.items()):
            model, played = self._played(model, played, count), count
            try:
                mine = digests(model, view)
            except UNPLAYABLE as error:
                found.append(f"step {count}: {unshown(error)}")
                continue
            for what, own, live in zip(
                ("model", "frame"), mine, (check.model, check.frame), strict=True
            ):
                if own[: max(SHORT, len(live))] != live:
                    found.append(f"step {count}: the {what} differs from that of the recording")
        return [*self._skipped.values(), *found]

    def _take(self, found: Header | Step | Check | Cut) -> None:
        if isinstance(found, Cut):
            self.is_cut = True
        elif isinstance(found, Check):
            self.checks[len(self.steps)] = found
        else:
            last = self.moments[-1] if self.moments else 0.0
            since = found.at - self.steps[-1].at if self.steps else 0.0
            self.steps.append(found)
            self.moments.append(last + max(0.0, min(LONGEST, since)))
            told = (
                found.msg.events
                if isinstance(found, Step) and isinstance(found.msg, EventsArrived)
                else ()
            )
            newest = max((event.n for event in told), default=0)
            self._records.append(max(newest, self._records[-1] if self._records else 0))
            if any(isinstance(event, TurnStarted) and event.is_main for event in told):
                self._prompts.append(len(self.steps))

    def _played(self, model: Model, first: int, last: int) -> Model:
        for count, step in enumerate(self.steps[first:last], first + 1):
            try:
                model = apply_step(model, step)
            except UNPLAYABLE as error:
                self._skipped.setdefault(count, f"step {count} is left out: {unshown(error)}")
        return model


def apply_step(model: Model, step: Header | Step) -> Model:
    """The model after one step."""
    if isinstance(step, Header):
        return step.start
    if step.msg is not None:
        ready = apply_remembered(model, step.patch) if isinstance(step.msg, HistoryAsked) else model
        model, _ = update(ready, step.msg)
    else:
        model = replace(model, at=step.at)
    return apply_patch(model, step.patch)


class _Log:
    """The settled events of a session, by number, and what the first of them fold into."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = tuple(events)
        self._by_number: Mapping[int, Event] = {event.n: event for event in self._events}

    def record(self, n: int) -> Event:
        if n not in self._by_number:
            raise BadTape(f"the log has no record {n}")
        return self._by_number[n]

    def restore_at(self, n: int) -> Transcript:
        return fold(event for event in self._events if event.n <= n)
