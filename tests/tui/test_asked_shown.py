"""How much of what is asked about is in view is told when it is painted: before any key, once, and
never of another."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, SessionStarted
from agent_tui.protocol.ops import Answer
from agent_tui.tui.core.msg import AskedShown, EventsArrived
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.recording.live import Live
from tests.tui.stage import SESSION, PlayedEngine, play, text, until
from tests.tui.test_dialog_mouse import asking
from tests.tui.test_update_dialog_read import asking as asked
from tests.tui.test_update_dialog_read import footer, unread

LONG = CommandDisplay("\n".join(f"echo {number}" for number in range(60)))
SHORT = CommandDisplay("make")
READ_ON = ("PgDn", "read to the end first")


def test_the_footer_says_at_once_that_there_is_more_to_read() -> None:
    play = asked()
    play.say(AskedShown("a1", 10, 40))
    assert footer(play) == READ_ON
    play.press("pagedown", "pagedown", "pagedown")
    assert footer(play) == ("Enter", "yes")


def test_what_is_whole_in_view_can_be_allowed_at_once() -> None:
    play = asked(asked=(0, 0))
    play.say(AskedShown("a1", 3, 3))
    assert not unread(play)
    play.press("y", "enter")
    assert play.take() == [Answer("a1", "once")]


@pytest.mark.parametrize("told", [AskedShown("other", 3, 3), AskedShown("a1", 0, 0)])
def test_what_was_painted_of_another_question_or_of_none_tells_nothing(told: AskedShown) -> None:
    play = asked()
    play.say(told)
    assert unread(play)
    play.press("y", "enter")
    assert play.take() == []


def told(app: AgentApp) -> list[AskedShown]:
    """What is told of it, from now on."""
    seen = list[AskedShown]()
    dispatch = app.regions._tell

    def kept(message: AskedShown) -> None:
        seen.append(message)
        dispatch(message)

    app.regions._tell = kept
    return seen


def test_the_screen_tells_it_once_and_again_where_it_has_another_size() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        seen = told(app)
        await pilot.press("x", "enter")
        await until(lambda: "PgDn read to the end first" in text(app).split("\n")[-1])
        for _ in range(5):
            await pilot.press("down")
            await pilot.pause()
        (first,) = seen
        assert (first.page, first.lines) == app.regions.dialog.part and 0 < first.page < first.lines
        await pilot.resize_terminal(100, 90)
        await until(lambda: len(seen) > 1)
        await pilot.pause()
        assert seen[-1].page == seen[-1].lines == 60
        assert "read to the end" not in text(app).split("\n")[-1], "its end came into view"
        assert len(set(map(str, seen))) == len(seen)

    play(asking(LONG), steps, size=(100, 30))


def test_each_of_two_questions_alike_is_told_of() -> None:
    engine = PlayedEngine()

    async def steps(_: Pilot[int], app: AgentApp) -> None:
        seen = told(app)
        engine.begin("go")
        for name in "ab":
            engine.say(
                ApprovalAsked(
                    session=SESSION, id=name, call_id=name, tool="t", label="it", display=SHORT
                )
            )
        await until(lambda: "1 of 2" in text(app) and len(seen) == 1)
        engine.say(ApprovalAnswered(session=SESSION, id="a", choice="no"))
        await until(lambda: len(seen) == 2)
        assert [(one.id, one.page, one.lines) for one in seen] == [("a", 1, 1), ("b", 1, 1)]

    play(engine, steps)


def test_it_is_recorded_and_played() -> None:
    live = Live()
    question = ApprovalAsked(session="s", id="a", call_id="c", tool="t", label="l", display=LONG)
    live.say(EventsArrived((SessionStarted(session="s", model="fake/model"), question)))
    live.say(AskedShown("a", 10, 60))
    for model in (live.model, live.replayed().model(len(live.lines))):
        assert model.dialog is not None and model.dialog.unseen == 50
