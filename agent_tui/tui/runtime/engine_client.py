"""The engine as the screen holds it: when its thread starts, when Ops leave, when its queue is
looked at."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final, TypeVar

from agent_tui.protocol.engine import Engine
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import KeepPlace, Op, SaveDraft
from agent_tui.protocol.session_events import DraftSaved
from agent_tui.protocol.tool_events import ToolOutput
from agent_tui.protocol.transcript import Transcript
from agent_tui.protocol.turn_events import TextDelta, ThinkingDelta, ToolArgsDelta
from agent_tui.tui.runtime.unrecorded import Unrecorded

QUIET_SECONDS: Final = 0.3
"""So long no key must have come before the engine's imports may compete with typing."""
DRAFT_SECONDS: Final = 0.3
"""So long a draft rests before the engine is told of it. With the engine's own rest: on the disk
within a second."""
LONGEST_UNSAVED: Final = 0.6
"""So long the oldest key that is nowhere but here waits while somebody types without a rest."""
BEGIN_SECONDS: Final = 3.0
"""So long somebody may type without a rest before the engine starts beside it."""
SAVED_SECONDS: Final = 1.0
"""So long the shell waits for a draft to be on disk; the disk may hang."""
SOON: Final = (0.005, 0.015, 0.03, 0.06)
"""Seconds after an Op at which the queue is looked at besides the regular poll, so that its answer
shows at once."""
NEXT_SECONDS: Final = 0.01
"""After a flood was taken in part: so soon comes its next part."""
KEY_SECONDS: Final = 0.004
"""So soon is looked again while a key is on its way to the screen."""
LONGEST_REST: Final = 0.2
"""Nobody types so fast that nothing is taken for longer."""
PART_SECONDS: Final = 0.015
"""So long a part of a flood may take to be folded and drawn."""
FIRST_SHARE: Final = 0.1
LEAST_SHARE: Final = 0.05
"""Of the most that is taken at one look: nobody knows yet what lines as these cost; and no part is
smaller."""
KEY_LOST: Final = 0.06
"""Seconds after which nothing waits for a key any more: one that changes nothing is never painted.
"""


def wait_for_draft(now: float, last_key: float, unsaved_since: float) -> float:
    """Seconds until the draft is to be saved: after a rest, and at the latest so long after its
    first unsaved key."""
    return min(DRAFT_SECONDS - (now - last_key), LONGEST_UNSAVED - (now - unsaved_since))


class KeyFirst:
    """Where the newest key is: read by a thread, handled by the loop, or painted. What the engine
    says waits for it."""

    def __init__(self) -> None:
        self._read_at = -inf
        self._came = 0
        """Of the thread that reads; all else is of the loop."""
        self._handled = 0
        self._unpainted = False

    def read(self) -> None:
        """A key, or several as one, is on its way to the loop."""
        self._came, self._read_at = self._came + 1, monotonic()

    def on_keys_handled(self) -> None:
        self._handled, self._unpainted = self._handled + 1, True

    def on_frame_painted(self) -> None:
        """A frame goes to the terminal, with the keys that were handled."""
        self._unpainted = False

    def to_paint(self) -> bool:
        """Whether one was handled that is not painted yet."""
        return self.under_way() and self._unpainted

    def under_way(self) -> bool:
        """Whether one is read, or handled, and not painted. Of one that came to nothing this counts
        no longer."""
        if monotonic() - self._read_at >= KEY_LOST:
            self._handled, self._unpainted = self._came, False
        return self._unpainted or self._handled < self._came


class Link:
    """`look`: called in the screen's loop when the queue may hold something. Nothing is sent before
    `open`."""

    def __init__(self, engine: Engine, look: Callable[[], None], keeps: bool = True) -> None:
        self.engine = engine
        self.unrecorded = Unrecorded(keeps)
        self.begun = False
        self.keys = KeyFirst()
        self._look = look
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.Context()
        self._waiting: list[Op] = []
        self._draft: SaveDraft | None = None
        self._drafted = self._unsaved = 0.0
        """Since when there is a draft that the engine was not told, and one that is not saved
        either."""
        self._draft_timer: asyncio.TimerHandle | None = None
        self._unheard: SaveDraft | None = None
        """The newest draft, until the engine says that it is on record."""
        self._when_saved: Callable[[], None] | None = None
        self._soon: list[asyncio.TimerHandle] = []
        self._part_waits = False
        self._waits_since = 0.0
        self._share = FIRST_SHARE
        self._last_key = 0.0
        self._held: Held = deque()
        self._overheard = set[int]()
        """Which of what is held is no news to what is kept unrecorded."""

    @property
    def is_open(self) -> bool:
        """The first frame is on the screen."""
        return self._loop is not None

    def open(self, at_once: bool) -> None:
        """After the first frame: the engine starts now, or once typing has paused, or when it is
        needed."""
        self._loop = asyncio.get_running_loop()
        self._last_key = self._loop.time()
        self._context = contextvars.copy_context()
        waiting, self._waiting = self._waiting, []
        if at_once or waiting:
            self.begin()
        else:
            self._begin_when_quiet()
        for op in waiting:
            self._deliver(op)

    def key_came(self) -> None:
        self.keys.on_keys_handled()
        if self._loop is not None:
            self._last_key = self._loop.time()

    def begin(self) -> None:
        """Start the engine, if it was not."""
        if not self.begun:
            self.begun = True
            self.engine.resting = True
            self.engine.start(self._wake)

    def send(self, op: Op) -> bool:
        """Give `op` to the engine. Drafts wait until typing pauses; all else goes at once, after
        the draft: then an answer is near (True). A prompt is on disk before: in the session, or
        until there is one in a file."""
        if self.unrecorded.note(op):
            self.unrecorded.keep()
        return self._deliver(op)

    def _deliver(self, op: Op) -> bool:
        if self._loop is None:
            self._waiting.append(op)
            return False
        if isinstance(op, SaveDraft):
            if self._draft is None:
                self._drafted = self._unsaved = self._loop.time()
            self._draft = self._unheard = op
            self._later_draft(DRAFT_SECONDS)
            return False
        self.begin()
        self.flush_draft()
        self.engine.send(op)
        self._look_soon(self._loop)
        return True

    def tell(self, op: Op) -> None:
        """Give the engine, if it runs, an `op` that nothing answers."""
        if self.begun:
            self.engine.send(op)

    @property
    def is_behind(self) -> bool:
        """What the engine said is taken in parts, and the next one has its time."""
        return self._part_waits

    def take(self) -> tuple[Event | Restored, ...]:
        """What the engine said since the last time, or a part of it. A key on its way comes first,
        and between two parts of a flood there is room for one, whoever looks then."""
        if self._loop is None:
            return self._heard(join(drain(self.engine.events, self._held)))
        if self._part_waits:
            return self.overhear()
        now = self._loop.time()
        if self.keys.under_way() and now - (self._waits_since or now) < LONGEST_REST:
            self._waits_since = self._waits_since or now
            self._next_in(KEY_SECONDS)
            return self.overhear()
        self._waits_since = 0.0
        taken = self._heard(join(drain(self.engine.events, self._held, self._share)))
        if taken and not self._is_empty():
            self._part_waits = True
            self._loop.call_soon(self._shown, self._loop, now)
        return taken

    def overhear(self) -> tuple[()]:
        """What the engine said is shown later; but what it has on record is not kept here any more,
        or a kill would have it given back as not sent. Takes nothing."""
        while not self.unrecorded.is_over:
            try:
                event = self.engine.events.get_nowait()
            except Empty:
                break
            self._held.append(event)
            if not isinstance(event, Delta):
                self._overheard.add(id(event))
                self.unrecorded.hear(event)
        return ()

    def _heard(self, taken: tuple[Event | Restored, ...]) -> tuple[Event | Restored, ...]:
        if not self.unrecorded.is_over:
            for event in taken:
                if id(event) not in self._overheard:
                    self.unrecorded.hear(event)
        self._overheard.difference_update(map(id, taken))
        for event in taken:
            if isinstance(event, DraftSaved) and self._unheard is not None and event.is_main:
                self._unheard = None if event.text == self._unheard.text else self._unheard
        if self._unheard is None and self._when_saved is not None and self._loop is not None:
            self._loop.call_soon(self._saved)
        return taken

    def _shown(self, loop: asyncio.AbstractEventLoop, begun: float) -> None:
        """A part, begun then, is shown now; the next is as large as takes about `PART_SECONDS`."""
        factor = PART_SECONDS / max(loop.time() - begun, 0.001)
        self._share = min(max(self._share * min(factor, 2.0), LEAST_SHARE), 1.0)
        self._next_in(NEXT_SECONDS)

    def _next_in(self, seconds: float) -> None:
        self._part_waits = True
        if self._loop is not None:
            self._loop.call_later(seconds, self._next_part)

    def _next_part(self) -> None:
        self._part_waits = False
        self._look()

    def rest(self) -> bool:
        """Stop polling, if nothing came meanwhile; from here on the engine's next event wakes
        us."""
        self.engine.resting = True
        if self._is_empty():
            return True
        self.engine.resting = False
        return False

    def _is_empty(self) -> bool:
        return not self._held and self.engine.events.empty()

    def close(self, timeout: float, place: int = -1) -> None:
        """The screen is gone, while the row `place` was looked at (-1: the end): the engine gets
        the last draft and is stopped. Waits at most `timeout` seconds."""
        for handle in (*self._soon, *([self._draft_timer] if self._draft_timer else [])):
            handle.cancel()
        if self.begun:
            if self._draft is not None:
                self.engine.send(self._draft)
            self.engine.send(KeepPlace(place))
            self.engine.stop(timeout)
        self._loop = None

    def fold_rest(self, transcript: Transcript) -> Transcript:
        """`transcript` with what the engine said last: after `close`, all that is on record."""
        for event in self.take():
            transcript = event.apply(transcript)
        return transcript

    def _wake(self) -> None:
        """Called once from the engine's thread, at its first event after a rest."""
        if self._loop is None:
            return
        try:
            self._loop.call_soon_threadsafe(self._look, context=self._context)
        except RuntimeError:  # the loop has ended: there is nobody left to look
            return

    def _begin_when_quiet(self) -> None:
        if self._loop is None or self.begun:
            return
        left = QUIET_SECONDS - (self._loop.time() - self._last_key)
        if left <= 0.001:
            self.begin()
        else:
            self._loop.call_later(left, self._begin_when_quiet)

    def _later_draft(self, seconds: float) -> None:
        if self._draft_timer is None and self._loop is not None:
            self._draft_timer = self._loop.call_later(seconds, self._draft_rested)

    def _draft_rested(self) -> None:
        self._draft_timer = None
        if self._loop is None or self._draft is None:
            return
        now = self._loop.time()
        left = wait_for_draft(now, self._last_key, self._unsaved)
        if left > 0.001:
            self._later_draft(left)
            return
        self.unrecorded.keep()
        rests = now - self._last_key > DRAFT_SECONDS - 0.001
        if self.begun or rests or now - self._drafted >= BEGIN_SECONDS:
            self.begin()
            self.flush_draft()
        else:
            self._unsaved = now
            self._later_draft(DRAFT_SECONDS)

    def save_draft(self) -> None:
        """The loop will stand still: the engine is told of the draft now, and puts it on record."""
        self.unrecorded.keep()
        if self._unheard is not None:
            self.begin()
            self._draft = replace(self._unheard, at_once=True)
            self.flush_draft()

    def once_saved(self, do: Callable[[], None]) -> None:
        """Call `do` once the draft is on disk, or in a while if that does not come about."""
        self.save_draft()
        if self._unheard is None or not self.unrecorded.is_over or self._loop is None:
            do()
            return
        self._when_saved = do
        self._loop.call_later(SAVED_SECONDS, self._saved)
        self._look_soon(self._loop)

    def _saved(self) -> None:
        do, self._when_saved = self._when_saved, None
        if do is not None:
            do()

    def flush_draft(self) -> None:
        """Tell the engine of the draft now: what comes next counts on it."""
        if self._draft is not None:
            self.engine.send(self._draft)
            self._draft = None

    def _look_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        for handle in self._soon:
            handle.cancel()
        self._soon = [loop.call_later(seconds, self._look) for seconds in SOON]


Delta = TextDelta | ThinkingDelta | ToolArgsDelta | ToolOutput
D = TypeVar("D", TextDelta, ThinkingDelta, ToolArgsDelta, ToolOutput)

MOST: Final = 20_000
"""Events taken at one poll, so that a flood cannot keep the screen from answering keys."""
MOST_RUNS: Final = 1_000
"""The same after deltas were joined: events that are folded one by one."""
MOST_LINES: Final = 1_000
MOST_CHARS: Final = 100_000
"""Lines and characters of an answer that are taken at one poll; a delta that is longer is taken in
parts."""

Held = deque[Event | Restored]
"""What was taken off the queue and is still to come, oldest first."""


def drain(
    queue: SimpleQueue[Event | Restored], held: Held, share: float = 1.0
) -> list[Event | Restored]:
    """What was `held` and is in the queue now, oldest first; no more than can be shown without keys
    waiting for it: this `share` of the most there may be."""
    taken: list[Event | Restored] = []
    runs = lines = chars = 0
    most_runs, most_lines, most_chars = (
        int(most * share) for most in (MOST_RUNS, MOST_LINES, MOST_CHARS)
    )
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
    """As much of `delta` as has so many lines and characters, and the rest of it if there is
    one."""
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
    """`events` with deltas of the same thing made one, where their agent said nothing between; the
    first of each keeps
    its place, time and number. What agents say is folded apart, so several that write at once cost
    as one does."""
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
    if type(one) is not type(other) or (one.agent, one.turn, one.step) != (
        other.agent,
        other.turn,
        other.step,
    ):
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
