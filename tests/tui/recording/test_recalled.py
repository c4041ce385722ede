"""The search of earlier prompts in a recording: the recording goes on, and holds of them only what
was shown."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace

import pytest

from agent_tui.protocol.events import SessionStarted
from agent_tui.tui.core.history_search import Past
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    HistoryRead,
    KeyPressed,
    Msg,
    Resized,
    Started,
)
from agent_tui.tui.recording.digest import digests, frame_of
from agent_tui.tui.recording.recorder import Recorder, Taken
from agent_tui.tui.recording.redacted import redact_lines
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.tui.recording.live import Live

PASTS = tuple(Past(f"prompt number {n:03}", float(n), n % 3 == 0) for n in range(200))
SEARCHED: tuple[Msg, ...] = (
    KeyPressed("ctrl+r"),
    HistoryRead(1, PASTS[:90]),
    HistoryRead(1, PASTS[90:], done=True),
    DraftChanged("prompt", 6),
    DraftChanged("prompt 1", 8),
    Resized(80, 14),
    *(KeyPressed("up", draft="prompt 1"),) * 3,
    Resized(90, 40),
    KeyPressed("pageup", draft="prompt 1"),
    KeyPressed("down", draft="prompt 1"),
)


def searching(*more: Msg) -> Live:
    live = Live()
    live.say(Started(80, 24, home="/home/ada"))
    live.say(
        EventsArrived((SessionStarted(session="s", cwd="/w", model="fake/model", window=1_000),))
    )
    for msg in (*SEARCHED, *more):
        live.say(msg)
    return live


@pytest.mark.parametrize("key", ["", "enter", "tab", "escape", "ctrl+c"])
def test_a_search_of_earlier_prompts_replays_to_what_was_seen(key: str) -> None:
    live = searching(*((KeyPressed(key, draft="prompt 1"),) if key else ()))
    player = live.replayed()
    assert player.problems == []
    for count, expected in enumerate(live.hashes, 2):
        assert digests(player.model(count), view) == expected, live.lines[count - 1]
    assert frame_of(player.model(len(player)), view) == frame_of(live.model, view)
    if key in ("enter", "tab"):
        assert player.model(len(player)).composer.text == live.model.composer.text != ""


def test_prompts_that_were_not_shown_are_not_written_down() -> None:
    said = "".join(searching().lines)
    assert "prompt number 000" in said
    assert "prompt number 119" not in said
    assert sum(past.text in said for past in PASTS) < 100


def test_a_private_prompt_is_not_written_down() -> None:
    live = Live()
    live.say(Started(80, 24))
    for msg in (
        KeyPressed("ctrl+r"),
        HistoryRead(1, (Past("!!cat secret"),), done=True),
        KeyPressed("enter"),
    ):
        live.say(msg)
    assert "secret" not in "".join(live.lines)
    assert digests(live.replayed().model(len(live.lines)), view) == live.hashes[-1]


def test_the_recorder_goes_on_while_earlier_prompts_are_searched() -> None:
    live, kept = searching(), list[str]()
    recorder = Recorder(lambda *given: kept.append(given[-1]))
    model, taken = Live().model, deque[Taken]()
    for msg in (EventsArrived((SessionStarted(session="s", cwd="/w"),)), *SEARCHED):
        after, _ = update(model, replace(msg, at=live.at))
        taken.append((msg, model, after))
        model = after
    while recorder.write(taken):
        pass
    assert sum('"c"' in line for line in "".join(kept).splitlines()) > len(SEARCHED) // 2


def test_a_report_says_nothing_of_earlier_prompts() -> None:
    lines = "".join(redact_lines(searching().replayed(), (), lambda text: text))
    assert "prompt number" not in lines
    assert json.loads(lines.splitlines()[0])["v"] == 1


@pytest.mark.parametrize(
    "r",
    [
        [{"_": "recall.Recall", "number": 1}, 0, 10**9, 0],
        [{"_": "recall.Recall", "number": 1}, 5, 3, 0],
        [{"_": "recall.Recall", "number": 1, "selected": 9}, 1, 1, 0],
        [{"_": "recall.Recall", "number": 1}, 1, 1, -1],
        [1, 0, 0, 0],
        [],
        5,
    ],
)
def test_a_search_that_cannot_be_costs_its_line(r: object) -> None:
    live = searching()
    line = json.loads(live.lines[4])
    assert "r" in line
    live.lines[4] = json.dumps({**line, "r": r}) + "\n"
    assert len(live.replayed().problems) == 1
