"""The prompt queue: its edits, each told as the whole queue, so that every front end sees the
same."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agent_tui.agent.session.record import Record
from agent_tui.protocol.events import QueueChanged, SteerSeen
from agent_tui.protocol.ops import QueueEdit
from agent_tui.protocol.transcript import Queued
from agent_tui.structures.chips import Paste


class PromptQueue:
    """A view of the record's standing queue that can be edited."""

    def __init__(self, record: Record) -> None:
        self.record = record

    @property
    def items(self) -> tuple[Queued, ...]:
        return self.record.standing.queue

    def edit(self, op: QueueEdit) -> None:
        items, paused = self.items, self.record.standing.paused
        match op.action:
            case "add":
                self.add(op.text, pastes=op.pastes)
                return
            case "remove":
                items = tuple(item for item in items if item.id != op.id)
            case "edit":
                new = partial(replace, text=op.text, pastes=op.pastes)
                items = tuple(new(item) if item.id == op.id else item for item in items)
            case "up" | "down":
                items = move_item(items, op.id, -1 if op.action == "up" else 1)
            case "clear":
                items = ()
            case "pause":
                paused = True
            case "resume":
                paused = False
        self.set(items, paused)

    def set(self, items: tuple[Queued, ...], paused: bool) -> None:
        """Make this the queue; an empty one is never paused. Told only when it is another."""
        paused = paused and bool(items)
        if (items, paused) != (self.items, self.record.standing.paused):
            self.record.emit(QueueChanged(items=items, paused=paused))

    def pause(self) -> None:
        self.set(self.items, True)

    def steer(self, id: str) -> None:
        """Mark a prompt as one for the running turn."""
        items = tuple(replace(item, steer=True) if item.id == id else item for item in self.items)
        self.set(items, self.record.standing.paused)

    def add(
        self,
        text: str,
        steer: bool = False,
        pastes: tuple[Paste, ...] = (),
        *,
        first: bool = False,
    ) -> Queued | None:
        """A prompt at the end of the queue, or `first`; None for one that says nothing."""
        if not text.strip():
            return None
        item = Queued(_new_id(), text, steer, pastes)
        items = (item, *self.items) if first else (*self.items, item)
        self.set(items, self.record.standing.paused)
        return item

    def put_back(self, steers: Sequence[SteerSeen]) -> None:
        """Words that a turn which has ended did not see: first in the queue, under new ids, free
        again."""
        if steers:
            taken = {steer.queue_id for steer in steers}
            back = tuple(Queued(_new_id(), steer.text, pastes=steer.pastes) for steer in steers)
            self.set((*back, *(item for item in self.items if item.id not in taken)), True)

    def find(self, id: str) -> Queued | None:
        return next((item for item in self.items if item.id == id), None)


def _new_id() -> str:
    return uuid.uuid4().hex[:8]


def move_item(items: tuple[Queued, ...], id: str, by: int) -> tuple[Queued, ...]:
    """`items` with `id` one place further among those that wait for a turn of their own; as they
    are at the ends."""
    places = [place for place, item in enumerate(items) if not item.steer]
    at = next((number for number, place in enumerate(places) if items[place].id == id), -1)
    if at < 0 or not 0 <= at + by < len(places):
        return items
    one, other = places[at], places[at + by]
    changed = list(items)
    changed[one], changed[other] = items[other], items[one]
    return tuple(changed)
