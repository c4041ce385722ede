"""`/add` and `/drop` at the prompt: what they ask of the engine, and what the transcript says."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import InViewChanged
from agent_tui.protocol.ops import SetInView
from tests.tui.play import Play


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/add", SetInView()),
        ("/add src/a.py", SetInView(("src/a.py",))),
        ("/add @src/a.py, @b.py", SetInView(("src/a.py", "b.py"))),
        ('/add @"b b.py"', SetInView(("b b.py",))),
        ('/add "b b.py"', SetInView(("b b.py",))),
        ("/drop", SetInView((), remove=True)),
        ("/drop @src/a.py", SetInView(("src/a.py",), remove=True)),
    ],
)
def test_what_is_asked_of_the_engine(typed: str, asked: SetInView) -> None:
    play = Play()
    play.type(typed)
    play.press("enter")
    assert asked in play.take()


def test_what_was_done_stands_in_the_transcript() -> None:
    play = Play()
    play.feed(InViewChanged(("a.py",), "In view from your next prompt on: a.py.", session="s"))
    texts = [getattr(row, "text", "") for row in play.model.transcript.rows]
    assert "In view from your next prompt on: a.py." in texts
