"""What a recording holds and does not hold, damaged ones, and seeking."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent_tui.protocol import codec
from agent_tui.protocol.answers import Files, PrivateOutput, Skills
from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    Answered,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.messages import SkillInfo
from agent_tui.structures.plain import to_plain
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    HistoryAsked,
    HistoryLoaded,
    Started,
    Submitted,
)
from agent_tui.tui.recording import masked
from agent_tui.tui.recording.digest import digests, frame_of
from agent_tui.tui.recording.player import EVERY, Player
from agent_tui.tui.recording.tape import check
from agent_tui.tui.view import view
from tests.answers import answer_event
from tests.tui.recording.live import Live

BEGAN = SessionStarted(session="s", cwd="/w", model="fake/model", window=1_000)


def talked(turns: int, deltas: int = 3) -> Live:
    live = Live()
    live.say(Started(80, 24, home="/home/ada"))
    live.say(EventsArrived((BEGAN,)))
    for turn in range(1, turns + 1):
        live.say(DraftChanged(f"prompt {turn}", 8))
        live.say(Submitted(f"prompt {turn}"))
        live.say(
            EventsArrived(
                (TurnStarted(prompt=f"prompt {turn}", turn=turn), StepStarted(step=1, turn=turn))
            )
        )
        for n in range(deltas):
            live.say(EventsArrived((TextDelta(text=f"word{n} ", turn=turn, step=1, session="s"),)))
        live.say(EventsArrived((TurnEnded(state="completed", turn=turn),)))
    return live


def test_a_turn_plays_word_by_word() -> None:
    live = talked(1)
    player = live.replayed()
    texts = ["\n".join(frame_of(player.model(count), view)) for count in range(len(player) + 1)]
    assert [sum(f"word{n}" in text for n in range(3)) for text in texts[6:10]] == [0, 1, 2, 3]
    assert "> prompt 1" in texts[4]


def test_what_stands_in_the_log_is_not_stored_twice() -> None:
    live = Live()
    live.say(
        EventsArrived(
            (BEGAN, TurnStarted(prompt="p" * 5_000), ToolEnded("c", "t", "l", "x" * 5_000))
        )
    )
    assert json.loads(live.lines[-1])["e"] == [1, 2, 3]


def test_typing_costs_the_keys_and_not_the_draft() -> None:
    live, text = Live(), ""
    for letter in "word " * 200:
        text += letter
        live.say(DraftChanged(text, len(text)))
    assert sum(map(len, live.lines[1:])) < 100 * len(text)
    assert live.replayed().model(len(live.lines)).composer.draft == text


@pytest.mark.parametrize("draft", ["!!cat secret", "  !! secret"])
def test_private_commands_are_not_written_down(draft: str) -> None:
    live = Live()
    live.say(EventsArrived((BEGAN,)))
    for size in range(len(draft) + 1):
        live.say(DraftChanged(draft[:size], size))
    live.say(Submitted(draft))
    said = {"command": draft, "said": "exit code 0", "output": "secret\nsecret"}
    live.say(EventsArrived((answer_event("1", "private", said),)))
    assert not any("secret" in line for line in live.lines)
    player = live.replayed()
    assert digests(player.model(len(player)), view) == live.hashes[-1]
    hidden = masked.model(live.model).transcript.answers.private
    assert hidden == PrivateOutput(said="exit code 0", output="2 lines, not recorded", lines=2)


def test_earlier_prompts_and_files_are_written_down_only_as_far_as_they_were_shown() -> None:
    live = Live()
    paths = ["unseen.py"]
    files = Answered("f", Files(paths, paths, paths))
    live.say(EventsArrived((BEGAN, files)))
    live.say(HistoryLoaded(("oldest", "older", "newest")))
    live.say(HistoryAsked(-1))
    live.say(HistoryAsked(-1))
    assert not any("oldest" in line or "unseen" in line for line in live.lines)
    player = live.replayed()
    assert player.model(len(player)).composer.text == "older"
    assert digests(player.model(len(player)), view) == live.hashes[-1]


def test_a_resumed_run_follows_and_begins_with_what_the_log_had() -> None:
    first = talked(2)
    second = Live()
    second.log = list(first.log)
    second.say(Started(100, 30))
    second.say(
        EventsArrived((Restored(fold(first.log), len(first.log)), replace(BEGAN, resumed=True)))
    )
    assert not any("prompt 1" in line for line in second.lines)
    player = Player.load([line.encode() for line in (*first.lines, *second.lines)], second.log)
    assert player.problems == []
    assert digests(player.model(len(first.lines)), view) == first.hashes[-1]
    assert digests(player.model(len(player)), view) == second.hashes[-1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{\n", "line 5"),
        (b"[]\n", "not a record"),
        (b'{"v":2}\n', "format 2"),
        (b"\x00\xff\n", "line 5"),
        (b'{"t":1,"m":{"_":"os.system"}}\n', "no value of this version"),
        (b'{"t":1,"e":[99]}\n', "no record 99"),
        (b'{"t":1,"m":{"_":"msg.Resized"}}\n', "line 5"),
        (b"[" * 100_000 + b"\n", "line 5"),
        (b'{"t":1,"e":[{"_":"msg.Ticked"}]}\n', "no Event"),
    ],
)
def test_a_damaged_line_costs_itself_and_is_named(line: bytes, says: str) -> None:
    live = talked(1)
    lines = [one.encode() for one in live.lines]
    player = Player.load([*lines[:4], line, *lines[4:]], live.log)
    assert len(player.problems) == 1 and says in player.problems[0]
    assert digests(player.model(len(player)), view) == live.hashes[-1]


def test_a_difference_is_found() -> None:
    live = talked(1)
    live.lines.append(check(*live.hashes[-1]))
    assert live.replayed().find_differences() == []
    live.lines.append(check("0" * 32, live.hashes[-1][1]))
    live.say(EventsArrived((BEGAN,)))
    assert live.replayed().find_differences() == [
        f"step {len(live.hashes)}: the model differs from that of the recording"
    ]


def test_any_moment_is_near_one_that_is_kept() -> None:
    live = talked(120)
    player = live.replayed()
    while player.keep():
        pass
    assert len(player) > 3 * EVERY
    for count in (len(player), 1, EVERY, EVERY + 1, 2 * EVERY - 1, 0):
        model = player.model(count)
        assert count < 2 or digests(model, view) == live.hashes[count - 2]
    assert player.prompt(0, 1) == 6
    assert player.model(player.prompt(0, 1)).transcript.turn == 1
    assert player.prompt(len(player), -1) == player._prompts[-1]


def test_answers_as_older_versions_wrote_them_are_played() -> None:
    live = Live()
    live.say(EventsArrived((BEGAN,)))
    tidy = {"name": "tidy", "description": ""}
    old = {
        "_": "session_events.Answered",
        "id": "start",
        "kind": "skills",
        "data": to_plain([tidy]),
    }
    private = {
        **old,
        "kind": "private",
        "data": to_plain({"command": "", "said": "ok", "output": "2 lines", "lines": 2}),
    }
    newer = {**old, "kind": "tomorrow"}
    lines = [
        line.encode() for line in (*live.lines, json.dumps({"t": 1.0, "e": [old, private, newer]}))
    ]
    player = Player.load(lines, live.log, codec.load)
    known = player.model(len(player)).transcript.answers
    assert player.problems == [] and known.skills == Skills((SkillInfo("tidy", ""),))
    assert known.private == PrivateOutput(said="ok", output="2 lines", lines=2)
    [problem] = Player.load(lines, live.log).problems
    assert "as older versions wrote it" in problem
