"""Who is told what outside of the screen, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    ApprovalAsked,
    ErrorRaised,
    SessionStarted,
    StepStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.tui.core import msg
from agent_tui.tui.core.effects import Effect, Notify, SetTitle, UseGround
from agent_tui.tui.core.model import InFlight, Model, Window
from agent_tui.tui.screen.notify import plain_text, title_of
from agent_tui.tui.update import update

AT = 1_000.0
ASKED = ApprovalAsked(
    session="s",
    turn=1,
    step=1,
    id="q",
    call_id="c",
    tool="run_shell_command",
    label="rm \x1b]0;x\a-r",
    reason="why",
)


def told(model: Model, *events: Event, at: float = AT) -> tuple[Model, list[Effect]]:
    model, effects = update(model, msg.EventsArrived(at=at, events=events))
    return model, [one for one in effects if isinstance(one, Notify | SetTitle)]


def running(window: Window) -> Model:
    model, _ = told(Model(window=window), SessionStarted(session="s", cwd="/work/shop", model="m"))
    return told(
        model,
        TurnStarted(session="s", turn=1, prompt="x"),
        StepStarted(session="s", turn=1, step=1),
    )[0]


def ended(state: TurnEnd = "completed") -> TurnEnded:
    return TurnEnded(session="s", turn=1, state=state)


AWAY = Window(focused=False)


def test_a_turn_that_ends_while_nobody_looks_is_told() -> None:
    assert told(running(AWAY), ended())[1] == [Notify("is done", False)]
    assert told(running(AWAY), ended("max_steps"))[1] == [Notify("stopped: max steps", False)]
    assert told(running(AWAY), ended("cancelled"))[1] == []
    assert told(running(replace(AWAY, bell=True)), ended())[1] == [Notify("is done", True)]


def test_who_looks_is_not_told() -> None:
    for bell in (True, False):
        assert told(running(Window(focused=True, bell=bell)), ended())[1] == []


def test_a_question_and_a_failure_are_told() -> None:
    asked, effects = told(running(AWAY), ASKED)
    assert [type(one) for one in effects] == [Notify]
    assert isinstance(effects[0], Notify) and effects[0].text.startswith("waits for you: rm ")
    assert "\x1b" not in effects[0].text and "\a" not in effects[0].text
    assert told(asked, StepStarted(session="s", turn=1, step=2))[1] == []  # once
    assert told(running(AWAY), ErrorRaised(session="s", kind="stopped", text="x"))[1] == [
        Notify("stopped", False)
    ]


@pytest.mark.parametrize("on", [(), ("question",), ("failure",)])
def test_only_what_is_asked_for(on: tuple[str, ...]) -> None:
    assert told(running(replace(AWAY, on=on)), ended())[1] == []


def test_no_desktop_is_no_desktop() -> None:
    assert told(running(replace(AWAY, desktop=False)), ended())[1] == []
    assert told(running(replace(AWAY, desktop=False, bell=True)), ended())[1] == [Notify("", True)]


def test_where_the_focus_is_not_known_only_the_bell_rings_and_only_after_a_while() -> None:
    assert told(running(Window()), ended())[1] == []
    ringing = update(running(Window(bell=True)), msg.DraftChanged(at=AT, text="a", caret=1))[0]
    assert told(ringing, ended(), at=AT + 9)[1] == []
    assert told(ringing, ended(), at=AT + 10)[1] == [Notify("", True)]


def test_focus_comes_from_the_terminal() -> None:
    model = update(running(Window()), msg.FocusChanged(at=AT, focused=False))[0]
    assert told(model, ended())[1] == [Notify("is done", False)]
    model = update(model, msg.FocusChanged(at=AT, focused=True))[0]
    assert told(model, ended())[1] == []


def test_a_queue_that_goes_on_is_no_end() -> None:
    model = replace(running(AWAY), in_flight=InFlight("next", "q1"))
    again, effects = told(
        model, ended(), TurnStarted(session="s", turn=2, prompt="next", queue_id="q1")
    )
    assert effects == [] and again.is_running


def test_the_title_says_state_and_folder() -> None:
    titles = []
    model = Model(window=Window(titled=True))
    started = SessionStarted(session="s", cwd="/work/shop", model="m")
    for event in (started, TurnStarted(session="s", turn=1, prompt="x"), ASKED, ended()):
        model, effects = told(model, event)
        titles += [one.text for one in effects if isinstance(one, SetTitle)]
    assert titles == [
        "shop - agent-tui",
        "* shop - agent-tui",
        "? shop - agent-tui",
        "shop - agent-tui",
    ]
    assert told(running(Window()), ended())[1] == []


def test_a_folder_cannot_write_to_the_terminal() -> None:
    model, _ = told(
        Model(),
        SessionStarted(session="s", cwd="/work/a\x1b]0;b\x07\nc\u202e" + "x" * 500, model="m"),
    )
    title = title_of(model.transcript)
    assert title.isprintable() and len(title) <= 80
    assert plain_text("a\x9b31m b").isprintable()


def test_the_ground_is_told_once() -> None:
    model, effects = update(Model(), msg.GroundTold(at=AT, dark=False))
    assert effects == (UseGround(False),) and model.window.dark is False
    assert update(model, msg.GroundTold(at=AT, dark=False))[1] == ()
    assert update(model, msg.GroundTold(at=AT, dark=True))[1] == (UseGround(True),)
