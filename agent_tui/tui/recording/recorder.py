"""Writes down what a running screen is told: the lines of each session that it shows, made when nobody waits for them.

`took` costs a list entry; a second later, in slices, the lines are made and given away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from agent_tui.protocol.event import Restored
from agent_tui.protocol.session_events import SessionStarted
from agent_tui.protocol.turn_events import TurnEnded
from agent_tui.tui.model import Model
from agent_tui.tui.msg import EventsArrived, Msg
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.recording.tape import Writer, check

SLICE: Final = 40
"""Msgs that are written down at once: two milliseconds."""

Taken = tuple[Msg, Model, Model]
"""A Msg, the model before it and the model after it."""


class Recorder:
    """`keep` is given the id of a session and new lines of its recording."""

    def __init__(self, keep: Callable[[str, str], None], versions: Mapping[str, str]) -> None:
        self._keep, self._versions = keep, versions
        self._writer = Writer()
        self._session = ""
        self._lines: list[str] = []
        self._begun = False

    def write(self, taken: deque[Taken]) -> bool:
        """Write down a slice of `taken`, oldest first, and give it away; whether some is left."""
        ended: Model | None = None
        for _ in range(min(SLICE, len(taken))):
            msg, before, after = taken.popleft()
            self._step(msg, before, after)
            ended = after if _ends(msg) else ended
            if ended is not None and not taken:  # the moment after a turn is one to compare a replay with
                self._lines.append(check(*digests(after)))
        if self._session and self._lines:
            self._keep(self._session, "".join(self._lines))
            self._lines.clear()
        return bool(taken)

    def _step(self, msg: Msg, before: Model, after: Model) -> None:
        session = _opened(msg)
        if session and session != self._session:
            if self._session:
                self._keep(self._session, "".join(self._lines))
                self._lines.clear()
                self._begun = False
            self._session = session
        if not self._begun:
            self._begun = True
            self._lines.append(self._writer.header(before, msg.at, session, self._versions))
        self._lines.append(self._writer.step(msg, before, after))


def _opened(msg: Msg) -> str:
    """The session whose first events `msg` brings; empty: it brings none."""
    for told in msg.events if isinstance(msg, EventsArrived) else ():
        if isinstance(told, SessionStarted):
            return told.session
        if isinstance(told, Restored):
            return told.transcript.session
    return ""


def _ends(msg: Msg) -> bool:
    return isinstance(msg, EventsArrived) and any(isinstance(told, TurnEnded) for told in msg.events)
