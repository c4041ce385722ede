"""The session on record: every event is stamped here, appended before anything follows from it, and
then told.

Keeps the small folds that the engine needs itself: the model's history, the state of queue, mode
and draft, and what was changed in files.
"""

from __future__ import annotations

import itertools
import os
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.session.changes import Changes
from agent_tui.agent.session.history import History
from agent_tui.protocol.event import MAIN
from agent_tui.protocol.events import (
    AllowanceRevoked,
    ApprovalAnswered,
    DirectoriesChanged,
    Directory,
    DraftSaved,
    EffortChanged,
    ErrorRaised,
    Event,
    InViewChanged,
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
)
from agent_tui.protocol.standing import Allowance, EditedPrompt
from agent_tui.protocol.transcript import Queued
from agent_tui.sessions.log.store import Store
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, Paste, chips_in
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec

HINT: Final = "free some space or repair the folder; saving then resumes by itself"
RENEWED: Final = (
    "Something deleted or changed the file of this session. It was written again, and is complete."
)

Sink = Callable[[Event | Restored], None]


@frozen
class Begun:
    """A turn: the number of its first record, its own number, its prompt, and what was allowed for
    the whole session when it began."""

    n: int
    turn: int
    prompt: str
    pastes: tuple[Paste, ...] = ()
    allowed: frozenset[Allowance] = frozenset()


def still_allowed(allowed: Iterable[Allowance]) -> str:
    """What is said of what was allowed before, and holds."""
    texts = sorted(one.text for one in allowed)
    shown = "; ".join(texts[:3]) + f"; and {len(texts) - 3} more" * (len(texts) > 3)
    return f"Still allowed from earlier in this session: {shown}"


@frozen
class Standing:
    """What of a session outlives its turns."""

    mode: str = "auto"
    model: str = ""
    effort: str = ""
    queue: tuple[Queued, ...] = ()
    paused: bool = False
    draft: str = ""
    pasted: tuple[Chip, ...] = ()
    edited: EditedPrompt | None = None
    turns: int = 0
    place: int = -1
    allowed: frozenset[Allowance] = frozenset()
    """What was allowed for the whole session."""
    directories: tuple[Directory, ...] = ()
    """Beside the session's own; what is rewound does not bring one back."""
    in_view: tuple[str, ...] = ()
    """Files that stay in the model's view."""
    titled: bool = False
    marks: Vec[Begun] = Vec()
    """The turns that stand, and were not taken back."""

    def turn_begun_at(self, n: int) -> Begun | None:
        """The turn that began with record `n`, if it stands."""
        return next(
            (self.marks[i] for i in range(len(self.marks) - 1, -1, -1) if self.marks[i].n == n),
            None,
        )

    def with_event(self, event: Event) -> Standing:
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
                pasted = chips_in(event.text, self.pasted, event.pasted)
                return replace(self, draft=event.text, pasted=pasted, edited=event.edited)
            case DirectoriesChanged():
                return replace(self, directories=event.directories)
            case InViewChanged():
                return replace(self, in_view=event.paths)
            case Titled():
                return replace(self, titled=True)
            case PlaceKept():
                return replace(self, place=event.row)
            case ApprovalAnswered(choice="always" | "prefix", allows=Allowance() as allowed):
                return replace(self, allowed=self.allowed | {allowed})
            case AllowanceRevoked():
                return replace(self, allowed=self.allowed - {event.allowed})
            case Rewound():
                return self._before(event.to)
            case TurnStarted() | SteerSeen():
                if isinstance(event, TurnStarted):
                    begun = Begun(event.n, event.turn, event.prompt, event.pastes, self.allowed)
                    self = replace(self, marks=self.marks.append(begun))
                queue = tuple(
                    item for item in self.queue if not event.queue_id or item.id != event.queue_id
                )
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
    """The id of a trace. Tracing systems sample by its bits: all of them are random, unlike those
    of a uuid."""
    return os.urandom(16).hex()


class AgentRecord:
    """What one agent of a session has on record: what it says is put there as its own here, and
    here alone."""

    def __init__(self, whole: Record, agent: str = MAIN, parent_call: str = "") -> None:
        self.whole, self.agent, self.parent_call = whole, agent, parent_call
        self.history = History()
        self.turns = 0
        self.prompt = ""
        """The newest prompt, as it was typed."""
        self.pastes: tuple[Paste, ...] = ()
        """What of it was pasted."""
        self.skill = ""
        """The skill that the newest turn runs."""
        self.error: ErrorRaised | None = None
        """What went wrong last."""

    def emit(self, event: Event, turn: int = 0, step: int = 0) -> None:
        self.whole.emit(event, turn, step, self)

    def take(self, event: Event) -> None:
        """Fold what is on record, and this agent's."""
        self.history = self.history.with_event(event)
        if isinstance(event, TurnStarted):
            self.turns = max(self.turns, event.turn)
            self.prompt, self.pastes = event.prompt, event.pastes
            self.skill = self.skill if event.continued else event.skill
        elif isinstance(event, ErrorRaised):
            self.error = event


class Record:
    """One session's log with its folds; `tell` hears every event after it was stored."""

    def __init__(self, session: str, store: Store, tell: Sink) -> None:
        self.session, self.store, self.tell = session, store, tell
        self.run = uuid.uuid4().hex[:12]
        self.trace = new_trace()
        self.main = AgentRecord(self)
        self._agents: dict[str, AgentRecord] = {}
        self._known: set[str] = set()
        """The ids of all sub-agents that ever were: none is given twice."""
        self.standing = Standing()
        self.changes = Changes()
        self.on_trouble: Callable[[], None] = lambda: None
        """Called when the log can no longer be written: somebody must try again, also where nothing
        happens."""
        self._saving = SavingChanged()
        self._renewed = 0
        self._aside: Path | None = None

    @property
    def history(self) -> History:
        """That of the main agent, as what follows."""
        return self.main.history

    def history_of(self, agent: str) -> History:
        """That of an agent that is at work."""
        return self._agents.get(agent, self.main).history

    @property
    def prompt(self) -> str:
        return self.main.prompt

    @property
    def pastes(self) -> tuple[Paste, ...]:
        return self.main.pastes

    def begin_agent(self, above: str, name: str, parent_call: str) -> AgentRecord:
        """A place for a new agent below `above`, which the call `parent_call` of that one
        starts."""
        path = name if above == MAIN else f"{above}/{name}"
        free = (f"{path}-{number}" for number in itertools.count(1))
        agent = next(one for one in free if one not in self._known)
        self._known.add(agent)
        self._agents[agent] = AgentRecord(self, agent, parent_call)
        return self._agents[agent]

    def end_agent(self, agent: str) -> None:
        """It says no more."""
        self._agents.pop(agent, None)

    def replay(self, events: Iterable[Event]) -> None:
        """Take what was on record before."""
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> None:
        self.changes.take(event)
        if event.is_main:
            self.main.take(event)
            self.standing = self.standing.with_event(event)
            return
        self._known.add(event.agent)
        if (own := self._agents.get(event.agent)) is not None:
            own.take(event)

    def emit(
        self, event: Event, turn: int = 0, step: int = 0, whose: AgentRecord | None = None
    ) -> None:
        """Stamp, store, fold and tell `event`; without `whose` it is the main agent's, or says
        itself whose it is."""
        stamp = self._stamp()
        if whose is not None and whose is not self.main:
            stamp |= {"agent": whose.agent, "parent_call": whose.parent_call}
        elif isinstance(event, TurnStarted):
            stamp["trace"] = self.trace = new_trace()
        event = replace(event, **stamp, turn=turn or event.turn, step=step or event.step)
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
        return {
            "at": round(time.time(), 3),
            "session": self.session,
            "run": self.run,
            "trace": self.trace,
        }

    def _tell_saving(self) -> tuple[Notice, ...]:
        """Tell what has changed about the log since it was told last; returns what there is to say
        of it."""
        store, before = self.store, self._saving
        problem, elsewhere = store.trouble, str(store.path) if store.moved else ""
        through = store.last_number if problem else 0
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
        if store.aside != self._aside:
            self._aside = store.aside
            news.append(
                Notice(f"What could not be read of its log is kept: {store.aside}", "warning")
            )
        return tuple(news)

    def _say(self, news: Iterable[Notice]) -> None:
        for notice in news:
            if notice.level == "error":  # of the log itself: it cannot take it
                self.tell(replace(notice, **self._stamp()))
                self.on_trouble()
            else:
                self.emit(notice)
