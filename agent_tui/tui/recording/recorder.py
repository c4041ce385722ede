"""Writes down what a running screen is told: the lines of each session that it shows, made when
nobody waits for them.

`took` costs a list entry; a second later, in slices, the lines are made and given away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.session_events import SessionStarted
from agent_tui.protocol.turn_events import TurnEnded
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Msg, Ticked
from agent_tui.tui.recording.digest import SHORT, digests
from agent_tui.tui.recording.tape import Writer, check
from agent_tui.tui.view import view

SLICE: Final = 0.001
"""Seconds after which no further Msg is written down at once: keys come between."""
RARELY: Final = 8
"""Of the Msgs that come many times a second (letters, ticks, pieces of an answer) one in so many is
hashed, which costs a millisecond. All others are, every one; and so is the end of a turn, with all
its digits."""

Taken = tuple[Msg, Model, Model]
"""A Msg, the model before it and the model after it."""


class Recorder:
    """`keep` is given the id of a session, the run that opened it, and new lines of its
    recording."""

    def __init__(self, keep: Callable[[str, str, str], None]) -> None:
        self._keep = keep
        self._writer = Writer(0.0)
        self._session = self._run = ""
        self._first: Model | None = None
        """What the run of this session began with."""
        self._lines: list[str] = []
        self._along = False
        """A session of another program is read along."""
        self._often = 0
        self._ended = False
        """A turn has: when all is written down, it is a moment to compare a replay with."""

    def write(self, taken: deque[Taken]) -> bool:
        """Write down a slice of `taken`, oldest first, and give it away; whether some is left."""
        end = monotonic() + SLICE
        while taken:
            msg, before, after = taken.popleft()
            self._step(msg, before, after)
            self._check(msg, after, not taken)
            if monotonic() >= end:
                break
        self._give()
        return bool(taken)

    def _step(self, msg: Msg, before: Model, after: Model) -> None:
        if self._first is None:
            self._begin(before, msg.at)
        told, opened = _restored(msg), _opened(msg)
        other = (
            told.transcript.session
            if told is not None
            else opened.session
            if opened is not None
            else self._session
        )
        if other != self._session:
            if self._session or self._along:  # else what came before it was known is its own
                self._give()
                self._begin(before, msg.at)
            self._session, self._along = "", told is not None and told.transcript.reading
        if opened is not None and not self._session:
            self._session, self._run = opened.session, opened.run
            self._lines.insert(
                0, self._writer.header(self._first or before, opened.session, opened.versions)
            )
        self._lines.append(self._writer.step(msg, before, after, msg.at))

    def _check(self, msg: Msg, after: Model, last: bool) -> None:
        """The hashes that a replay is compared with."""
        self._ended = self._ended or _ends(msg)
        whole = self._ended and last
        self._often = (self._often + _is_frequent(msg)) % RARELY
        if whole or not _is_frequent(msg) or not self._often:
            model, frame = digests(after, view)
            self._lines.append(
                check(model, frame) if whole else check(model[:SHORT], frame[:SHORT])
            )
        self._ended = self._ended and not whole

    def _begin(self, before: Model, at: float) -> None:
        self._first, self._writer = before, Writer(at)

    def _give(self) -> None:
        if self._session and self._lines:
            self._keep(self._session, self._run, "".join(self._lines))
        if self._session or self._along:  # the program that has a session records it
            self._lines.clear()


def _opened(msg: Msg) -> SessionStarted | None:
    """How the session begins that `msg` brings; None: it brings none."""
    told = msg.events if isinstance(msg, EventsArrived) else ()
    return next((event for event in told if isinstance(event, SessionStarted)), None)


def _restored(msg: Msg) -> Restored | None:
    told = msg.events if isinstance(msg, EventsArrived) else ()
    return next((event for event in told if isinstance(event, Restored)), None)


def _ends(msg: Msg) -> bool:
    return isinstance(msg, EventsArrived) and any(
        isinstance(told, TurnEnded) for told in msg.events
    )


def _is_frequent(msg: Msg) -> bool:
    if isinstance(msg, EventsArrived):
        return not any(told.settled for told in msg.events if isinstance(told, Event))
    return isinstance(msg, DraftChanged | Ticked)
