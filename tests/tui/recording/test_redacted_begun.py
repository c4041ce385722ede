"""A secret that was cut short is one: in a label, in half of a word that was typed; and whose
folder it is, nowhere."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.cli.bug import bug
from agent_tui.cli.replay import replay
from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import AssistantReplied, ToolStarted, TurnEnded, TurnStarted
from agent_tui.protocol.transcript import Transcript
from agent_tui.safety.secrets.scrubber import DOT, Redactor
from agent_tui.tui.core.model import initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Started
from tests.tui.recording.live import Live

KEY = "ghp_" + "a1B2c3D4e5" * 4
ACCESS = "AKIA" + "Q7R8S9T0" * 2
PLAIN = "hunter-seventy-seven"


@pytest.mark.parametrize("size", range(12, len(KEY)))
def test_every_beginning_is_hidden_once_the_whole_is_known(size: int) -> None:
    hide = Redactor().with_secrets_of([f"the key is {KEY}."]).text
    assert hide(f"cut {KEY[:size]}… off") == f"cut {DOT * size}… off"
    assert hide(KEY[: 12 - 4]) == KEY[:8] and hide("ghp_another") == "ghp_another"


def test_a_value_that_was_told_by_its_name_is_known_where_it_stands_alone() -> None:
    hide = Redactor().with_secrets_of([f"password={PLAIN}"]).text
    assert hide(f"I use {PLAIN} now, {PLAIN[:14]}") == f"I use {DOT * len(PLAIN)} now, {DOT * 14}"
    assert Redactor([PLAIN]).with_secrets_of([]).text(PLAIN[:13]) == DOT * 13


def test_an_archive_has_no_beginning_of_a_secret_and_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", "/home/lovelace")
    monkeypatch.setenv("SHOP_TOKEN", PLAIN)
    live = Live(replace(initial(), sessions={"": Transcript(cwd="/home/lovelace/work")}))
    live.say(Started(80, 24, home="/home/lovelace"))
    live.say(DraftChanged(KEY[:20], 20))
    live.say(DraftChanged(""))
    live.say(
        EventsArrived(
            (
                TurnStarted(prompt=f"use {KEY}", turn=1),
                AssistantReplied(text=f"{ACCESS} in /home/lovelace/work", turn=1, step=1),
                ToolStarted(
                    "c",
                    "run_shell_command",
                    f"Run echo {ACCESS[:16]} …",
                    json.dumps({PLAIN: [KEY]}),
                    turn=1,
                ),
                ToolStarted("d", "run_shell_command", f"Run echo {PLAIN[:15]} …", turn=1),
                TurnEnded(state="completed", turn=1),
            )
        )
    )
    (tmp_path / "s.jsonl").write_bytes(b"".join(map(encode, live.log)))
    (tmp_path / "s.msgs.jsonl").write_text("".join(live.lines))
    made = tmp_path / "out.zip"
    assert bug([str(tmp_path / "s.jsonl"), "--output", str(made)]) == 0
    with zipfile.ZipFile(made) as archive:
        everything = "".join(archive.read(name).decode() for name in archive.namelist())
    for secret in (KEY, ACCESS, PLAIN):
        assert secret[:12] not in everything
    assert "lovelace" not in everything
    assert replay([str(made), "--verify"]) == 0
    assert "0 differences" in capsys.readouterr().out
