"""A live session that is recorded: Msgs in, lines and hashes out, as the runtime does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agent_tui.protocol.event import Event, Restored
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import EventsArrived, Msg
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.recording.player import Player
from agent_tui.tui.recording.tape import Writer
from agent_tui.tui.update import update
from agent_tui.tui.view import view


class Live:
    """`lines` is the recording, `hashes[i]` what the model was after `i + 1` Msgs, `log` the settled
    events."""

    def __init__(self, start: Model | None = None) -> None:
        self.model = start or initial()
        self.at = 1_000.0
        self.log: list[Event] = []
        self.hashes: list[tuple[str, str]] = []
        self._writer = Writer(self.at)
        self.lines = [self._writer.header(self.model, "s", {"agent-tui": "1"})]

    def say(self, msg: Msg, after: float = 0.1) -> None:
        self.at += after
        if isinstance(msg, EventsArrived):
            msg = EventsArrived(tuple(self._numbered(msg.events)))
        before, msg = self.model, replace(msg, at=self.at)
        self.model, _ = update(before, msg)
        self.lines.append(self._writer.step(msg, before, self.model, self.at))
        self.hashes.append(digests(self.model, view))

    def replayed(self) -> Player:
        return Player.load((line.encode() for line in self.lines), self.log)

    def _numbered(self, told: Iterable[Event | Restored]) -> Iterable[Event | Restored]:
        """As the store numbers what it keeps."""
        for event in told:
            if isinstance(event, Event) and event.settled:
                event = replace(event, n=len(self.log) + 1)
                self.log.append(event)
            yield event
