"""A model that fails for good, and the next of the chain: against real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import (
    AssistantReplied,
    ErrorRaised,
    Notice,
    QuestionAsked,
    RequestSent,
    Retrying,
    ToolEnded,
    TurnEnded,
    fold,
)
from agent_tui.protocol.ops import Answer as Reply
from agent_tui.protocol.ops import Submit
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Driver, Place
from tests.agent.model_server import (
    Answer,
    ModelServer,
    call,
    engine,
    model_server,
    said,
    status,
    streamed,
)

RUN = call("run_shell_command", '{"command": "echo ran >> ran.txt"}')
CHAIN: dict[str, Any] = {"fallback": ("acme/m", "other/m")}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@contextmanager
def both(
    place: Place, first: tuple[Answer, ...], second: Answer, name: str = "acme"
) -> Iterator[tuple[Driver, ModelServer, ModelServer]]:
    """The engine with a model, and another that is called `name` in the chain."""
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(model_server(*first)),
            stack.enter_context(model_server(second)),
        )
        options: dict[str, Any] = {"others": {name: two}, "settings": CHAIN, "mode": "accept-all"}
        yield stack.enter_context(engine(place, one, **options)), one, two


def test_the_next_model_answers_and_the_first_is_asked_again_in_the_next_turn(place: Place) -> None:
    thought = streamed({"reasoning_content": "hm"}, RUN, end="tool_calls")
    first = thought, status(401, "bad key"), said("back")
    with both(place, first, said("instead")) as (driver, one, two):
        assert driver.turn("go").state == "completed"
        [told] = [notice for notice in driver.all(Notice) if "instead" in notice.text]
        assert (
            "bad key" in told.text
            and "acme/m answers instead" in told.text
            and told.level == "warning"
        )
        assert [reply.provider for reply in driver.all(AssistantReplied)] == ["compatible", "acme"]
        assert [sent.model for sent in driver.all(RequestSent)] == [
            "compatible/m",
            "compatible/m",
            "acme/m",
        ]
        assert len(driver.all(ToolEnded)) == 1 and not driver.all(ErrorRaised)
        asked = next(event for event in driver.all(RequestSent) if event.model == "acme/m")
        seen = fold(driver.events[: driver.events.index(asked) + 1])
        assert (seen.model, seen.answering) == (
            "compatible/m",
            "acme/m",
        ) and not driver.transcript().answering
        assert driver.turn("again").state == "completed"
    assert (place.cwd / "ran.txt").read_text() == "ran\n"
    assert [m["role"] for m in two.messages[0]] == ["system", "user", "assistant", "tool"]
    assert "reasoning_content" not in two.messages[0][2]  # the other's thoughts stay with it
    assert [m["role"] for m in one.messages[2]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


def test_who_may_recover_is_asked_three_times_before_another_is(place: Place) -> None:
    busy = status(503, "busy")
    with both(place, (busy, busy, busy), said("instead")) as (driver, one, _):
        assert driver.turn("go").state == "completed"
        assert len(driver.all(Retrying)) == 2
        assert [notice.hint for notice in driver.all(Notice) if "instead" in notice.text] == [""], (
            "nobody is to try"
        )
    assert len(one.bodies) == 3


def test_what_is_not_there_is_said_and_the_last_failure_ends_the_turn(place: Place) -> None:
    with both(place, (status(401, "bad key"),), status(401, "no key"), "other") as (driver, _, _):
        assert driver.turn("go").state == "error"
        texts = [notice.text for notice in driver.all(Notice)]
        assert any(text.startswith("acme/m cannot answer instead: ") for text in texts)
        assert any("other/m answers instead" in text for text in texts)
        assert "no key" in driver.all(ErrorRaised)[0].text


def test_a_model_that_failed_does_not_answer_in_its_own_place(place: Place) -> None:
    """Under another name, or named twice."""
    settings = {"fallback": ("me", "acme/m", "acme/m", "me"), "aliases": {"me": "compatible/m"}}
    with (
        model_server(status(401, "bad key")) as one,
        model_server(status(401, "no key")) as two,
        engine(place, one, others={"acme": two}, settings=settings) as driver,
    ):
        assert driver.turn("go").state == "error"
        assert [sent.model for sent in driver.all(RequestSent)] == ["compatible/m", "acme/m"]


@pytest.mark.parametrize(
    "end", [status(400, "maximum context length is 8 tokens"), said("half", end="")]
)
def test_a_request_that_is_wrong_and_an_answer_that_began_go_to_nobody_else(
    place: Place, end: Answer
) -> None:
    with both(place, (end, end), said("instead")) as (driver, _, two):
        assert driver.turn("go").state == "error"
    assert two.bodies == []


@pytest.mark.parametrize("interactive", [False, True])
def test_a_model_that_the_budget_has_no_room_for_does_not_answer_instead(
    place: Place, interactive: bool
) -> None:
    prices = {"compatible/*": {"input": 1.0, "output": 1.0}}  # of the other no price is known
    settings = {**CHAIN, "prices": prices}
    with model_server(status(401, "bad key")) as one, model_server(said("instead")) as two:
        options: dict[str, Any] = {
            "others": {"acme": two},
            "settings": settings,
            "interactive": interactive,
        }
        with engine(place, one, AgentSettings(max_cost=5.0), **options) as driver:
            driver.send(Submit("go"))
            if interactive:
                question = driver.until(QuestionAsked)
                assert question.kind == "price" and "No price is known for acme/m" in question.text
                driver.send(Reply(question.id, "stop"))
            assert driver.until(TurnEnded).state == "budget_exceeded"
    assert len(one.bodies) == 1 and two.bodies == []


def test_an_answer_of_nothing_is_no_silent_success(place: Place) -> None:
    for answer in (said(""), streamed({"reasoning_content": "hm"}), said(" \n")):
        with model_server(answer) as server, engine(place, server) as driver:
            assert driver.turn("go").state == "completed"
            assert [notice.text for notice in driver.all(Notice)][
                -1
            ] == "The model sent an empty answer."
