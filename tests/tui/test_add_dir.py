"""`/add-dir` at the prompt: what it asks of the engine, and what the list over the prompt offers."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import Answered, DirectoriesChanged, Directory
from agent_tui.protocol.ops import SetDirectory
from agent_tui.tui.update.completion import candidates
from tests.tui.play import Play


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/add-dir", SetDirectory()), ("/add-dir  ../lib ", SetDirectory("../lib")),
        ('/add-dir "~/my notes"', SetDirectory("~/my notes")), ("/add-dir a b", SetDirectory("a b")),
        ("/add-dir --remove /x/lib", SetDirectory("/x/lib", True)),
        ("/add-dir --remove '/x/my lib'", SetDirectory("/x/my lib", True)),
    ],
)  # fmt: skip
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


def test_the_list_offers_to_remove_what_was_added() -> None:
    play = Play()
    play.feed(
        DirectoriesChanged((Directory("/x/lib", 1, 2),), "Added /x/lib.", session="s"),
        Answered("directories", "directories", ["/x/lib"]),
    )
    answers = play.model.transcript.answers
    assert [one.insert for one in candidates("/add-dir ", answers)] == ["/add-dir --remove /x/lib"]
    assert [one.insert for one in candidates("/add-dir ../o", answers)] == []
    assert "Added /x/lib." in [getattr(row, "text", "") for row in play.model.transcript.rows]
