"""Takes events off the engine's queue; what streamed in many small pieces becomes one event a poll."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.tool_events import ToolOutput
from agent_tui.protocol.turn_events import TextDelta, ThinkingDelta, ToolArgsDelta

Delta = TextDelta | ThinkingDelta | ToolArgsDelta | ToolOutput
D = TypeVar("D", TextDelta, ThinkingDelta, ToolArgsDelta, ToolOutput)

MOST: Final = 20_000
"""Events taken at one poll, so that a flood cannot keep the screen from answering keys."""


def drain(queue: SimpleQueue[Event | Restored]) -> list[Event | Restored]:
    """All that is in the queue now, oldest first; at most `MOST`."""
    taken: list[Event | Restored] = []
    while len(taken) < MOST:
        try:
            taken.append(queue.get_nowait())
        except Empty:
            break
    return taken


def join(events: Iterable[Event | Restored]) -> tuple[Event | Restored, ...]:
    """`events` with adjacent deltas of the same thing made one; the first of each keeps its time and number."""
    joined: list[Event | Restored] = []
    run: list[Delta] = []
    for event in events:
        if isinstance(event, Delta):
            if run and _same(run[0], event):
                run.append(event)
                continue
            _close(run, joined)
            run = [event]
        else:
            _close(run, joined)
            run = []
            joined.append(event)
    _close(run, joined)
    return tuple(joined)


def _same(one: Delta, other: Delta) -> bool:
    if type(one) is not type(other) or (one.agent, one.turn, one.step) != (other.agent, other.turn, other.step):
        return False
    if isinstance(one, ToolOutput) and isinstance(other, ToolOutput):
        return one.call_id == other.call_id
    if isinstance(one, ToolArgsDelta) and isinstance(other, ToolArgsDelta):
        return one.index == other.index
    return True


def _close(run: list[Delta], joined: list[Event | Restored]) -> None:
    if len(run) < 2:
        joined.extend(run)
        return
    first, text = run[0], "".join(delta.text for delta in run)
    if isinstance(first, ToolArgsDelta):
        name = next((d.name for d in run if isinstance(d, ToolArgsDelta) and d.name), "")
        joined.append(replace(first, text=text, name=name))
    else:
        joined.append(replace(first, text=text))
