"""When the engine has stopped: nothing waits for it, nothing typed is lost, and one can leave."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ApprovalAsked, ErrorRaised, QueueChanged
from agent_tui.protocol.ops import Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import Quit
from tests.tui.play import Play

STOPPED = ErrorRaised(text="The engine stopped: OSError: disk", kind="stopped")


def head(play: Play) -> str:
    return "".join(span.text for span in play.view.header.left_spans)


@pytest.mark.parametrize("kind", ["stopped", "locked"])
def test_a_session_that_cannot_be_opened_gives_the_prompt_back(kind: str) -> None:
    play = Play(started=False)
    assert head(play).startswith("starting")
    play.type("hello")
    play.press("enter")
    assert play.take() == [Submit("hello")]
    play.feed(ErrorRaised(text="it is open elsewhere", kind=kind))
    assert (play.text, play.model.is_running) == ("hello", False)
    assert head(play).startswith("stopped")
    play.press("enter")
    assert (play.take(), play.text) == ([], "hello")
    assert play.view.toast is not None and "quits" in play.view.toast.text


def test_one_can_leave_where_the_engine_stopped_in_a_turn() -> None:
    play = Play()
    play.begin()
    play.feed(ApprovalAsked(id="a1", call_id="c1", tool="t", label="l", session="s"))
    play.feed(QueueChanged(items=(Queued("q1", "later"),), session="s"))
    play.feed(STOPPED)
    assert play.view.dialog is None
    assert not play.model.is_running
    assert play.take() == []
    play.press("ctrl+c")
    play.press("ctrl+c", after=0.5)
    assert any(isinstance(effect, Quit) for effect in play.effects)
