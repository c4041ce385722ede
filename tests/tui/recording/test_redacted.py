"""A recording for others: nothing secret is in it, and it replays to hashes of its own."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent_tui.protocol.codec import dump, load
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.turn_events import AssistantReplied
from agent_tui.safety.secrets.scrubber import DOT, Redactor
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    HistoryAsked,
    HistoryLoaded,
    Pasted,
    Started,
    Submitted,
)
from agent_tui.tui.recording.digest import frame_of
from agent_tui.tui.recording.player import Player
from agent_tui.tui.recording.redacted import redact_lines
from agent_tui.tui.recording.tape import check
from agent_tui.tui.view import view
from tests.answers import answer_event
from tests.tui.recording.live import Live

KEY = "sk-" + "a1B2" * 6
VALUE = "correct horse battery"
HIDE = Redactor([VALUE], "/home/ada").text


def hidden(event: Event) -> Event:
    def texts(data: object) -> object:
        if isinstance(data, str):
            return HIDE(data)
        if isinstance(data, list):
            return [texts(item) for item in data]
        return {key: texts(item) for key, item in data.items()} if isinstance(data, dict) else data

    told = texts(dump(event))
    assert isinstance(told, dict)
    return load(told)


def test_nothing_secret_is_left_and_the_rest_replays() -> None:
    live, prompt = Live(), f"use {KEY} and {VALUE}"
    live.say(Started(80, 24, home="/home/ada"))
    live.say(EventsArrived((SessionStarted(session="s", cwd="/home/ada/work", model="m"),)))
    live.say(HistoryLoaded((f"before {KEY}",)))
    live.say(HistoryAsked(-1))
    live.say(DraftChanged(""))
    for size in range(1, len(prompt) + 1):
        live.say(DraftChanged(prompt[:size], size))
    live.say(Submitted(prompt))
    live.say(EventsArrived((TurnStarted(prompt=prompt, turn=1), StepStarted(turn=1, step=1))))
    answer = f"The key {KEY} is in /home/ada/keys. "
    for at in range(0, len(answer), 7):
        live.say(EventsArrived((TextDelta(text=answer[at : at + 7], turn=1, step=1, session="s"),)))
    live.say(
        EventsArrived(
            (AssistantReplied(text=answer, turn=1, step=1), ToolEnded("c", "t", KEY, VALUE))
        )
    )
    live.say(EventsArrived((TurnEnded(state="completed", turn=1),)))
    live.say(Pasted(f"-----BEGIN PRIVATE KEY-----\n{VALUE}\n-----END PRIVATE KEY-----"))
    live.lines.append(check(*live.hashes[-1]))

    log = [hidden(event) for event in live.log]
    lines = list(redact_lines(live.replayed(), log, HIDE))
    everything = "".join(lines) + json.dumps([dump(event) for event in log])
    for secret in (KEY, KEY[:12], VALUE, "horse", "/ada/", '/ada"'):
        assert secret not in everything
    player = Player.load((line.encode() for line in lines), log)
    assert (player.problems, player.find_differences(), len(player.checks)) == ([], [], 1)
    assert len(player) == len(live.replayed())
    last = "\n".join(frame_of(player.model(len(player)), view))
    assert f"The key {DOT * len(KEY)} is in" in last and "completed" in last


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"x {KEY} y", "x  y"),
        ("ghp_" + "a" * 36, ""),
        ("AKIA" + "A" * 16, ""),
        ("https://me:pw@host/x", "https://@host/x"),
        ("Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer "),
        ("password=hunter22 x", "password= x"),
        ("/home/ada/x", "/home//x"),
        ("adamant /adam/x", "adamant /adam/x"),
        ("a task-force", "a task-force"),
        (VALUE, ""),
        (
            "no secret: 0123456789abcdef0123456789abcdef",
            "no secret: 0123456789abcdef0123456789abcdef",
        ),
    ],
)
def test_what_is_hidden(text: str, kept: str) -> None:
    assert len(HIDE(text)) == len(text)
    assert HIDE(text).replace(DOT, "") == kept


def test_a_restored_transcript_is_folded_from_what_is_hidden() -> None:
    first = Live()
    first.say(EventsArrived((SessionStarted(session="s"), TurnStarted(prompt=KEY, turn=1))))
    second = Live()
    second.log = list(first.log)
    second.say(
        EventsArrived(
            (Restored(fold(first.log), 2), replace(SessionStarted(session="s"), resumed=True))
        )
    )
    log = [hidden(event) for event in second.log]
    lines = list(redact_lines(second.replayed(), log, HIDE))
    player = Player.load((line.encode() for line in lines), log)
    assert player.model(2).transcript.rows[0] == fold(log[:2]).rows[0]
    assert KEY not in repr(player.model(2))


def test_nothing_of_other_sessions_is_told() -> None:
    live = Live()
    live.say(Started(80, 24))
    live.say(EventsArrived((SessionStarted(session="s"),)))
    other = {
        "id": "o",
        "title": "their secret plan",
        "cwd": "/x",
        "at": 1.0,
        "turns": 1,
        "model": "m",
        "here": True,
    }
    hits = [{"session": other, "snippet": "the secret plan is", "turn": 1, "n": 2, "marks": []}]
    for kind, data in (
        ("sessions", [other]),
        ("search", {"words": "plan", "here": True, "note": "", "more": False, "hits": hits}),
        ("tree", [{"session": other, "depth": 0, "last": True, "lines": ""}]),
        ("preview", {"text": "secret plan"}),
        ("shelf", {"sessions": [other]}),
    ):
        live.say(EventsArrived((answer_event("q", kind, data),)))
    live.lines.append(check(*live.hashes[-1]))
    lines = list(redact_lines(live.replayed(), live.log, HIDE))
    assert "secret" not in "".join(lines)
    player = Player.load((line.encode() for line in lines), live.log)
    assert (player.problems, player.find_differences(), len(player)) == (
        [],
        [],
        len(live.hashes) + 1,
    )
