"""Takes events off the engine's queue; what streamed in many small pieces becomes one event a poll."""

from __future__ import annotations

from collections import deque
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
MOST_RUNS: Final = 1_000
"""The same after deltas were joined: events that are folded one by one."""
MOST_LINES: Final = 1_000
MOST_CHARS: Final = 100_000
"""Lines and characters of an answer that are taken at one poll; a delta that is longer is taken in parts."""

Held = deque[Event | Restored]
"""What was taken off the queue and is still to come, oldest first."""


def drain(queue: SimpleQueue[Event | Restored], held: Held, share: float = 1.0) -> list[Event | Restored]:
    """What was `held` and is in the queue now, oldest first; no more than can be shown without keys waiting for it:
    this `share` of the most there may be."""
    taken: list[Event | Restored] = []
    runs = lines = chars = 0
    most_runs, most_lines, most_chars = (int(most * share) for most in (MOST_RUNS, MOST_LINES, MOST_CHARS))
    while len(taken) < MOST and runs < most_runs and lines < most_lines and chars < most_chars:
        try:
            event = held.popleft() if held else queue.get_nowait()
        except Empty:
            break
        if isinstance(event, TextDelta):
            event, rest = _parted(event, most_lines - lines, most_chars - chars)
            held.extendleft(rest)
            lines, chars = lines + event.text.count("\n"), chars + len(event.text)
        last = taken[-1] if taken else None
        runs += not (isinstance(last, Delta) and isinstance(event, Delta) and _same(last, event))
        taken.append(event)
    return taken


def _parted(delta: TextDelta, lines: int, chars: int) -> tuple[TextDelta, tuple[TextDelta, ...]]:
    """As much of `delta` as has so many lines and characters, and the rest of it if there is one."""
    text, end = delta.text, -1
    if len(text) <= chars and text.count("\n") <= lines:
        return delta, ()
    for _ in range(lines):
        end = text.find("\n", end + 1, chars)
        if end < 0:
            break
    end = end + 1 if end >= 0 else min(chars, len(text))
    return replace(delta, text=text[:end]), (replace(delta, text=text[end:]),)


def join(events: Iterable[Event | Restored]) -> tuple[Event | Restored, ...]:
    """`events` with deltas of the same thing made one, where their agent said nothing between; the first of each keeps
    its place, time and number. What agents say is folded apart, so several that write at once cost as one does."""
    joined: list[Event | Restored] = []
    runs: dict[tuple[str, str], list[Delta]] = {}
    long: list[tuple[int, list[Delta]]] = []
    for event in events:
        if isinstance(event, Restored):
            runs.clear()
        elif not isinstance(event, Delta):
            runs.pop((event.session, event.agent), None)
        else:
            run = runs.get((event.session, event.agent))
            if run and _same(run[0], event):
                run.append(event)
                continue
            runs[event.session, event.agent] = run = [event]
            long.append((len(joined), run))
        joined.append(event)
    for place, run in long:
        joined[place] = _one(run)
    return tuple(joined)


def _same(one: Delta, other: Delta) -> bool:
    if type(one) is not type(other) or (one.agent, one.turn, one.step) != (other.agent, other.turn, other.step):
        return False
    if isinstance(one, ToolOutput) and isinstance(other, ToolOutput):
        return one.call_id == other.call_id
    if isinstance(one, ToolArgsDelta) and isinstance(other, ToolArgsDelta):
        return one.index == other.index
    return True


def _one(run: list[Delta]) -> Delta:
    first, text = run[0], "".join(delta.text for delta in run)
    if len(run) == 1:
        return first
    if isinstance(first, ToolArgsDelta):
        name = next((d.name for d in run if isinstance(d, ToolArgsDelta) and d.name), "")
        return replace(first, text=text, name=name)
    return replace(first, text=text)
