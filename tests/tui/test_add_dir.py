"""`/add-dir` at the prompt: what it asks of the engine, and what the transcript says."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import DirectoriesChanged, Directory
from agent_tui.protocol.ops import SetDirectory
from agent_tui.tui.prompt.completion import candidates
from tests.tui.play import Play


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/add-dir", SetDirectory()),
        ("/add-dir  ../lib ", SetDirectory("../lib")),
        ('/add-dir "~/my notes"', SetDirectory("~/my notes")),
        ("/add-dir a b", SetDirectory("a b")),
        ("/add-dir --remove /x/lib", SetDirectory("/x/lib", True)),
        ("/add-dir --remove '/x/my lib'", SetDirectory("/x/my lib", True)),
    ],
)
def test_what_is_asked_of_the_engine(typed: str, asked: SetDirectory) -> None:
    play = Play()
    play.type(typed)
    play.press("enter")
    assert asked in play.take()


@pytest.mark.parametrize("typed", ["/add-dir --remove", "/add-dir --force /x"])
def test_what_is_no_folder_is_said(typed: str) -> None:
    play = Play()
    play.type(typed)
    play.press("enter")
    assert "--remove" in play.toast and play.take() == []


def test_a_path_that_is_typed_is_what_is_sent() -> None:
    play = Play()
    play.feed(DirectoriesChanged((Directory("/x/lib", 1, 2),), "Added /x/lib.", session="s"))
    assert "Added /x/lib." in [getattr(row, "text", "") for row in play.model.transcript.rows]
    assert [one.insert for one in candidates("/add-dir lib", play.model.transcript.answers)] == []
    play.type("/add-dir lib")
    play.press("enter")
    assert SetDirectory("lib") in play.take()
