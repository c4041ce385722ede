"""Recording what the screen is told, and playing it back: CPU while an answer streams, size on
disk, and seeking.

The floor of writing is `json.dumps` of the streamed text alone; the floor of seeking is no work at
all (a model that is kept). One session: prompts that are typed key by key, answers of 100 tokens a
second in pieces of a tenth of a second.
"""

from __future__ import annotations

import json
import random
import time
from collections import deque
from dataclasses import replace

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    AssistantReplied,
    SessionStarted,
    StepStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Msg, Started, Submitted
from agent_tui.tui.recording.player import Player
from agent_tui.tui.recording.recorder import Recorder, Taken
from agent_tui.tui.update import update
from benchmarks.common import judged, percentile, quick, report

TICK = 0.1
"""Seconds between two pieces of an answer."""
PIECE = "Ten tokens of an answer that streams along, so. "
PROMPT = "what does this do, and why?"
SECONDS = 30
"""Of streaming in each turn."""


class Session:
    """Says Msgs to the core and to a recorder, and counts what that took."""

    def __init__(self) -> None:
        self.model: Model = initial()
        self.at = 1_800_000_000.0
        self.log: list[Event] = []
        self.lines: list[str] = []
        self.visible = 0
        self.count = 0
        self.took_core = self.took_recorder = 0
        self._taken: deque[Taken] = deque()
        self._recorder = Recorder(lambda _, __, lines: self.lines.append(lines))

    def say(self, msg: Msg, after: float) -> None:
        self.at = round(self.at + after, 3)
        before, told = self.model, replace(msg, at=self.at)
        begin = time.perf_counter_ns()
        self.model, _ = update(before, told)
        middle = time.perf_counter_ns()
        self._taken.append((told, before, self.model))
        if len(self._taken) == 10:
            self.write()
        self.took_core += middle - begin
        self.took_recorder += time.perf_counter_ns() - middle
        self.count += 1

    def write(self) -> None:
        while self._recorder.write(self._taken):
            pass

    def told(self, *events: Event) -> None:
        numbered: list[Event | Restored] = []
        for event in events:
            own = replace(
                event, session="s", at=self.at, n=len(self.log) + 1 if event.settled else 0
            )
            if own.settled:
                self.log.append(own)
            numbered.append(own)
        self.say(EventsArrived(tuple(numbered)), TICK)

    def turn(self, number: int) -> None:
        for size in range(1, len(PROMPT) + 1):
            self.say(DraftChanged(PROMPT[:size], size), 0.15)
        self.say(Submitted(PROMPT), 0.2)
        self.told(TurnStarted(prompt=PROMPT, turn=number), StepStarted(turn=number, step=1))
        pieces = round(SECONDS / TICK)
        for _ in range(pieces):
            self.told(TextDelta(text=PIECE, turn=number, step=1))
        reply = AssistantReplied(text=PIECE * pieces, turn=number, step=1)
        self.told(reply, TurnEnded(state="completed", turn=number, steps=1))
        self.visible += len(PROMPT) + len(PIECE) * pieces


def main() -> None:
    turns = 3 if quick() else 31
    session = Session()
    session.say(Started(120, 40), 0.1)
    session.told(SessionStarted(model="openai/bench"))
    for number in range(1, turns + 1):
        session.turn(number)
    session.write()
    tape = "".join(session.lines).encode()
    begin = time.perf_counter()
    floor = [json.dumps({"t": n, "text": PIECE}) for n in range(session.count)]
    floor_us = (time.perf_counter() - begin) / len(floor) * 1e6

    begin = time.perf_counter()
    player = Player.load(tape.splitlines(keepends=True), session.log)
    load = time.perf_counter() - begin
    begin = time.perf_counter()
    while player.keep():
        pass
    kept = time.perf_counter() - begin
    chance, seeks = random.Random(1), list[float]()
    for _ in range(50 if quick() else 300):
        count = chance.randrange(len(player) + 1)
        begin = time.perf_counter()
        player.model(count)
        seeks.append((time.perf_counter() - begin) * 1e3)

    each = session.took_recorder / session.count / 1e3
    share = each * 1e-6 / TICK * 100
    ratio = len(tape) / session.visible
    slowest = percentile(seeks, 1.0)
    report(
        f"Recording and replay ({session.count:,} Msgs, {session.visible:,} visible characters)",
        ("what", "measured", "floor"),
        [
            ("recording, per Msg", f"{each:.0f} µs", f"{floor_us:.0f} µs (json.dumps of the text)"),
            (
                "recording, while streaming",
                f"{share:.2f} % of a core",
                f"{floor_us * 1e-6 / TICK * 100:.2f} %",
            ),
            ("update, per Msg", f"{session.took_core / session.count / 1e3:.0f} µs", ""),
            (
                "size on disk",
                f"{len(tape):,} bytes, {ratio:.2f} x the text",
                f"{sum(map(len, floor)):,} bytes",
            ),
            ("loading", f"{load * 1e3:.0f} ms", ""),
            ("playing all of it once", f"{kept * 1e3:.0f} ms", ""),
            (
                "a seek, p50 / most",
                f"{percentile(seeks, 0.5):.1f} / {slowest:.1f} ms",
                "0.0 ms (a kept model)",
            ),
        ],
        [
            judged(
                f"recording costs at most 1 % of a core while streaming (is {share:.2f} %)",
                share <= 1.0,
            ),
            judged(f"a recording is at most 2 x the visible text (is {ratio:.2f} x)", ratio <= 2.0),
            judged(
                f"a seek in 10,000 Msgs takes at most 100 ms (is {slowest:.1f} ms)",
                slowest <= 100.0,
            ),
        ],
    )


if __name__ == "__main__":
    main()
