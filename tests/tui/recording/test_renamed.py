"""Recordings of earlier versions play after a class or its module got another name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.protocol.answers import OldFile
from agent_tui.tui.core.model import initial
from agent_tui.tui.core.msg import DraftChanged, Submitted
from agent_tui.tui.core.undo_state import GoingBack
from agent_tui.tui.recording import classes as known
from agent_tui.tui.recording.classes import with_old_names
from agent_tui.tui.recording.player import Player
from tests.tui.recording.live import Live

EVER = Path(__file__).with_name("names.txt")
"""Names that a recording of any version so far may hold. One of them that is no class any more needs a
line in
`RENAMED`; new names may be added here."""


def test_every_name_that_was_ever_written_is_known() -> None:
    names = {line for line in EVER.read_text().splitlines() if line}
    assert names and names - known.classes().keys() == set()


def test_a_recording_whose_class_has_moved_since_plays() -> None:
    live = Live(replace(initial(), going_back=GoingBack(files=(OldFile("a.py"),))))
    live.say(DraftChanged("hello", 5))
    old = [line.replace('"answers.OldFile"', '"going_back.OldFile"') for line in live.lines]
    assert old[0] != live.lines[0]
    player = Player.load((line.encode() for line in old), live.log)
    going = player.model(1).going_back
    assert player.problems == [] and going is not None and going.files == (OldFile("a.py"),)


@pytest.mark.parametrize(
    "renames",
    [
        {"prompts": "msg"},
        {"prompts.DraftChanged": "msg.DraftChanged", "prompts.Submitted": "msg.Submitted"},
        {"prompts": "words", "words": "msg"},
        {"prompts.DraftChanged": "words.DraftChanged", "prompts": "msg", "words": "msg"},
    ],
)
def test_a_line_in_the_table_is_enough(
    renames: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live()
    live.say(DraftChanged("hello", 5))
    live.say(Submitted("hello"))
    old = [line.replace('"msg.', '"prompts.') for line in live.lines]
    assert json.loads(old[1])["m"]["_"] == "prompts.DraftChanged"
    monkeypatch.setattr(known, "with_old_names", lambda found: with_old_names(found, renames))
    known.classes.cache_clear()
    try:
        player = Player.load((line.encode() for line in old), live.log)
        assert player.problems == [] and player.model(2).composer.draft == "hello"
        assert player.find_differences() == []
    finally:
        known.classes.cache_clear()


def test_a_name_that_is_used_anew_means_its_class_of_today() -> None:
    found = with_old_names({"msg.Now": int, "model.Now": str}, {"msg.Now": "model.Now"})
    assert found == {"msg.Now": int, "model.Now": str}
