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
from pathlib import Path
from typing import Any, Final

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
    SavingChanged,
    SessionStarted,
    SteerSeen,
    Titled,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.standing import Allowance
from agent_tui.protocol.transcript import Queued
from agent_tui.sessions.store import Store
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, Paste, held
from agent_tui.structures.vec import Vec

HINT: Final = "free some space or repair the folder; saving then resumes by itself"
RENEWED: Final = "Something deleted or changed the file of this session. It was written again, and is complete."

Sink = Callable[[Event | Restored], None]


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn: the number of its first record, its own number, its prompt."""

    n: int
    turn: int
    prompt: str
    pastes: tuple[Paste, ...] = ()


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
                    begun = Begun(event.n, event.turn, event.prompt, event.pastes)
                    self = replace(self, marks=self.marks.append(begun))
                queue = tuple(item for item in self.queue if not event.queue_id or item.id != event.queue_id)
                return replace(self, queue=queue, turns=max(self.turns, event.turn))
            case _:
                return self

    def _before(self, to: int) -> Standing:
        for place in range(len(self.marks) - 1, -1, -1):
            if self.marks[place].n == to:
                begun, kept = self.marks[place], replace(self, marks=self.marks.truncate(place))
                if self.draft.strip():
                    return kept
                draft, pasted = chips.draft(begun.prompt, begun.pastes)
                return replace(kept, draft=draft, pasted=pasted)
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
        self.pastes: tuple[Paste, ...] = ()
        """What of it was pasted."""
        self.run = uuid.uuid4().hex[:12]
        self.trace = new_trace()
        self.history = History()
        self.standing = Standing()
        self.changes = Changes()
        self.on_trouble: Callable[[], None] = lambda: None
        """Called when the log can no longer be written: somebody must try again, also where nothing happens."""
        self._saving = SavingChanged()
        self._renewed = 0

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
            self.trace, self.prompt, self.pastes = new_trace(), event.prompt, event.pastes
        event = replace(event, **self._stamp(), turn=turn or event.turn, step=step or event.step)
        news: tuple[Notice, ...] = ()
        if event.settled:
            event = self.store.append(event)
            self._fold(event)
            news = self._tell_saving()
        self.tell(event)
        self._say(news)

    def save(self) -> None:
        """Try again to write what is not on disk, and see that the rest of it still is."""
        self.store.save()
        self._say(self._tell_saving())

    def move(self, path: Path) -> None:
        """Keep the session in the new file `path` from now on. Raises OSError."""
        self.store.move(path)
        self._say(self._tell_saving())

    def close(self) -> None:
        """Write what still waits, let go of the log, and tell what of it is not on disk."""
        self.store.close()
        self._tell_saving()

    def _stamp(self) -> dict[str, Any]:
        return {"at": round(time.time(), 3), "session": self.session, "run": self.run, "trace": self.trace}

    def _tell_saving(self) -> tuple[Notice, ...]:
        """Tell what has changed about the log since it was told last; returns what there is to say of it."""
        store, before = self.store, self._saving
        problem, elsewhere = store.trouble, str(store.path) if store.moved else ""
        through = store.through if problem else 0
        if (before.problem, before.through, before.elsewhere) != (problem, through, elsewhere):
            self._saving = SavingChanged(problem=problem, through=through, elsewhere=elsewhere)
            self.tell(replace(self._saving, **self._stamp()))
        news = []
        if problem and problem != before.problem:
            news.append(Notice(f"The session is not being saved: {problem}", "error", HINT))
        elif before.problem and not problem:
            news.append(Notice("The session is being saved again; nothing was lost."))
        if store.renewed != self._renewed:
            self._renewed = store.renewed
            news.append(Notice(RENEWED, "warning"))
        return tuple(news)

    def _say(self, news: Iterable[Notice]) -> None:
        for notice in news:
            if notice.level == "error":  # of the log itself: it cannot take it
                self.tell(replace(notice, **self._stamp()))
                self.on_trouble()
            else:
                self.emit(notice)
