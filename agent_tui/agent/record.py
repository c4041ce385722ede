"""The session on record: every event is stamped here, appended before anything follows from it, and then told.

Keeps the small folds that the engine needs itself: the model's history, the state of queue, mode and draft, and what
was changed in files.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from agent_tui.agent.changes import Changes
from agent_tui.agent.history import History
from agent_tui.protocol.events import (
    ApprovalAnswered,
    DirectoriesChanged,
    Directory,
    DraftSaved,
    EffortChanged,
    Event,
    ModeChanged,
    ModelChanged,
    Notice,
    PlaceKept,
    QueueChanged,
    Restored,
    Rewound,
    SessionStarted,
    SteerSeen,
    Titled,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.standing import Allowance
from agent_tui.protocol.transcript import Queued
from agent_tui.sessions.store import Store
from agent_tui.structures.chips import Chip, held
from agent_tui.structures.vec import Vec

Sink = Callable[[Event | Restored], None]


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn: the number of its first record, its own number, its prompt."""

    n: int
    turn: int
    prompt: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a session outlives its turns."""

    mode: str = "auto"
    model: str = ""
    effort: str = ""
    queue: tuple[Queued, ...] = ()
    paused: bool = False
    draft: str = ""
    pasted: tuple[Chip, ...] = ()
    turns: int = 0
    place: int = -1
    allowed: frozenset[Allowance] = frozenset()
    """What was allowed for the whole session."""
    directories: tuple[Directory, ...] = ()
    """Beside the session's own; what is rewound does not bring one back."""
    titled: bool = False
    marks: Vec[Begun] = Vec()  # noqa: RUF009  (immutable)
    """The turns that stand, and were not taken back."""

    def begun(self, n: int) -> Begun | None:
        """The turn that began with record `n`, if it stands."""
        return next((self.marks[i] for i in range(len(self.marks) - 1, -1, -1) if self.marks[i].n == n), None)

    def after(self, event: Event) -> Standing:
        match event:
            case SessionStarted():
                return replace(self, mode=event.mode, model=event.model)
            case ModeChanged():
                return replace(self, mode=event.mode)
            case EffortChanged():
                return replace(self, effort=event.effort)
            case ModelChanged():
                return replace(self, model=event.model)
            case QueueChanged():
                return replace(self, queue=event.items, paused=event.paused)
            case DraftSaved():
                return replace(self, draft=event.text, pasted=held(event.text, self.pasted, event.pasted))
            case DirectoriesChanged():
                return replace(self, directories=event.directories)
            case Titled():
                return replace(self, titled=True)
            case PlaceKept():
                return replace(self, place=event.row)
            case ApprovalAnswered(allows=Allowance() as allowed):
                return replace(self, allowed=self.allowed | {allowed})
            case Rewound():
                return self._before(event.to)
            case TurnStarted() | SteerSeen():
                if isinstance(event, TurnStarted):
                    self = replace(self, marks=self.marks.append(Begun(event.n, event.turn, event.prompt)))
                queue = tuple(item for item in self.queue if not event.queue_id or item.id != event.queue_id)
                return replace(self, queue=queue, turns=max(self.turns, event.turn))
            case _:
                return self

    def _before(self, to: int) -> Standing:
        for place in range(len(self.marks) - 1, -1, -1):
            if self.marks[place].n == to:
                kept = replace(self, marks=self.marks.truncate(place))
                return kept if self.draft.strip() else replace(kept, draft=self.marks[place].prompt, pasted=())
        return self


def new_trace() -> str:
    """The id of a trace. Tracing systems sample by its bits: all of them are random, unlike those of a uuid."""
    return os.urandom(16).hex()


class Record:
    """One session's log with its folds; `tell` hears every event after it was stored."""

    def __init__(self, session: str, store: Store, tell: Sink) -> None:
        self.session, self.store, self.tell = session, store, tell
        self.prompt = ""
        """The newest prompt, as it was typed."""
        self.run = uuid.uuid4().hex[:12]
        self.trace = new_trace()
        self.history = History()
        self.standing = Standing()
        self.changes = Changes()
        self._trouble = ""

    def replay(self, events: Iterable[Event]) -> None:
        """Take what was on record before."""
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> None:
        self.history = self.history.after(event)
        self.standing = self.standing.after(event)
        self.changes.take(event)

    def emit(self, event: Event, turn: int = 0, step: int = 0) -> None:
        if isinstance(event, TurnStarted):
            self.trace, self.prompt = new_trace(), event.prompt
        ids = {"session": self.session, "run": self.run, "trace": self.trace}
        stamp: dict[str, Any] = {"at": round(time.time(), 3), **ids}
        event = replace(event, **stamp, turn=turn or event.turn, step=step or event.step)
        if event.settled:
            event = self.store.append(event)
            self._fold(event)
        self.tell(event)
        if self.store.trouble != self._trouble:
            self._trouble = self.store.trouble
            if self._trouble:
                self.tell(replace(Notice(f"The session is not being saved: {self._trouble}", "error"), **stamp))
            else:
                self.emit(Notice("The session is being saved again; nothing of it was lost."), turn, step)
