"""A recording that this program did not write, or that was changed by hand: what cannot be played
is left out and said, and no value of it makes the program fail or need more memory than there is.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_tui.cli.bug import bug
from agent_tui.cli.replay import replay
from agent_tui.protocol.codec import encode
from agent_tui.protocol.turn_events import TextDelta, TurnEnded, TurnStarted
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    KeyPressed,
    Resized,
    Started,
    Submitted,
)
from agent_tui.tui.recording.player import Player
from tests.tui.recording.live import Live

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\x1b]0;x\x07\x1b[2J",
    "x" * 3_000,
    [],
    {},
    [[]],
    {"_": "model.Model"},
    {"a": {"b": 1}},
    "\ud800",
    "../../etc/passwd",
    2**31,
    ["()"],
    ["vec", 1],
    ["inf"],
)


def recorded() -> Live:
    live = Live()
    live.say(Started(80, 24, home="/home/ada"))
    live.say(DraftChanged("hello"))
    live.say(KeyPressed("enter", "hello"))
    live.say(Submitted("hello"))
    live.say(EventsArrived((TurnStarted("hello", turn=1), TextDelta("an answer", turn=1, step=1))))
    live.say(Resized(60, 20))
    live.say(EventsArrived((TurnEnded("completed", turn=1),)))
    return live


def places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    inner = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in inner:
        yield from places(value, (*at, key))


def changed(data: Any, at: tuple[Any, ...], value: Any) -> Any:
    whole = copy.deepcopy(data)
    part = whole
    for key in at[:-1]:
        part = part[key]
    part[at[-1]] = value
    return whole


def written(folder: Path, live: Live, lines: list[Any]) -> Path:
    log = folder / "one.jsonl"
    log.write_bytes(b"".join(map(encode, live.log)))
    (folder / "one.msgs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return log


@pytest.mark.parametrize("seed", range(4))
def test_any_value_anywhere(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    chance, live = random.Random(seed), recorded()
    lines = [json.loads(line) for line in live.lines]
    for _ in range(60):
        at = chance.randrange(len(lines))
        odd = changed(lines[at], chance.choice(list(places(lines[at]))), chance.choice(HOSTILE))
        log = written(tmp_path, live, [*lines[:at], odd, *lines[at + 1 :]])
        assert replay([str(log), "--verify"]) in (0, 1)
        assert replay([str(log), "--frames", str(tmp_path / "frames")]) == 0
        assert bug([str(log), "--output", str(tmp_path / f"{seed}.zip")]) in (0, 1)
        (tmp_path / f"{seed}.zip").unlink(missing_ok=True)
        assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("at", "field", "value"),
    [(0, "width", 10**9), (0, "height", -1), (1, "width", 10**9), (1, "height", "x")],
)
def test_a_screen_beyond_all_measure_is_not_drawn(at: int, field: str, value: Any) -> None:
    live = recorded()
    lines = [json.loads(line) for line in live.lines]
    lines[at]["m" if at else "start"][field] = value
    player = Player.load((json.dumps(line).encode() for line in lines), live.log)
    assert any(f"line {at + 1}: {field}" in problem for problem in player.problems)


def test_more_earlier_prompts_than_there_can_be_are_not_made() -> None:
    live = recorded()
    lines = [json.loads(line) for line in live.lines]
    lines[2]["h"] = [10**12, -1, ""]
    player = Player.load((json.dumps(line).encode() for line in lines), live.log)
    assert player.problems == ["line 3: ValueError: more earlier prompts than are ever kept"]


def test_a_step_that_cannot_be_played_is_left_out_and_said() -> None:
    live = recorded()
    lines = [json.loads(line) for line in live.lines]
    lines[5]["e"][1] = ["a", 0.5, [1], "words", "name"]  # an index that is a list
    player = Player.load((json.dumps(line).encode() for line in lines), live.log)
    assert player.problems == [] and player.model(len(player)).width == 60
    assert (
        "step 6 is left out: it was not written by this program (TypeError"
        in player.find_differences()[0]
    )
