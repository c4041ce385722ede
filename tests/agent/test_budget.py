"""Budgets: a warning near the limit, a clean stop at it, and going on once somebody says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.accounts import Budget
from agent_tui.protocol.events import (
    AsideEnded,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    RequestSent,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, AskAside, Submit
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Driver, Place, running

LONG = "word " * 38_000
"""A prompt that is about as many tokens as the model says."""
PRICES = {"scripted/*": {"input": 100.0, "output": 100.0}}


def step(number: int, tokens: int) -> list[dict[str, Any]]:
    used = {"usage": {"prompt_tokens": tokens - 10, "completion_tokens": 10}}
    return [{"call": "list_files", "arguments": {"path": ".", "offset": number}}, used]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@contextmanager
def engine(
    place: Place, prices: Any = None, interactive: bool = True, **limits: Any
) -> Iterator[Driver]:
    """A model whose every request takes 50,000 tokens, or five dollars."""
    script = place.script(*(step(number, 50_000) for number in range(1, 4)), [{"text": "done"}])
    config = place.config(script, agent=AgentSettings(**limits), interactive=interactive)
    config = replace(
        config, settings=replace(config.settings, prices=PRICES if prices is None else prices)
    )
    with running(config) as driver:
        yield driver


def warnings(driver: Driver) -> list[str]:
    return [event.text for event in driver.all(Notice) if event.level == "warning"]


@pytest.mark.parametrize("limits", [{"max_tokens": 120_000}, {"max_cost": 12.0}])
def test_with_nobody_there_the_turn_ends_before_the_limit_is_crossed(
    place: Place, limits: dict[str, Any]
) -> None:
    with engine(place, interactive=False, **limits) as driver:
        assert driver.turn(LONG).state == "budget_exceeded"
    assert len(driver.all(RequestSent)) == 2
    near, ended = warnings(driver)
    assert "nearly used up" in near and "is not enough" in ended and "The turn ends here." in ended


def test_a_limit_below_the_first_request_sends_nothing(place: Place) -> None:
    with engine(place, interactive=False, max_tokens=50) as driver:
        assert driver.turn("go").state == "budget_exceeded"
    assert (
        driver.all(RequestSent) == []
        and "is not enough: 0 used, and the next request needs" in warnings(driver)[0]
    )


def test_without_a_limit_nothing_is_said(place: Place) -> None:
    with engine(place) as driver:
        assert driver.turn("go").state == "completed"
    assert warnings(driver) == [] and driver.all(QuestionAsked) == []


@pytest.mark.parametrize("choice", ["stop", "continue"])
def test_a_person_is_asked(place: Place, choice: Any) -> None:
    with engine(place, max_tokens=100_000) as driver:
        driver.send(Submit("go"))
        question = driver.until(QuestionAsked)
        assert question.kind == "budget" and "100,000 tokens" in question.text
        driver.send(Answer(question.id, choice))
        ended = driver.until(TurnEnded)
        assert driver.all(QuestionAnswered)[0].choice == choice
        assert ended.state == ("completed" if choice == "continue" else "budget_exceeded")


def test_who_goes_on_is_asked_once_of_a_request_however_small_the_limit(place: Place) -> None:
    with engine(place, max_tokens=1) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(QuestionAsked).id, "continue"))
        driver.until(RequestSent)
        assert len(driver.all(QuestionAsked)) == 1
        driver.send(Answer(driver.until(QuestionAsked).id, "stop"))
        assert driver.until(TurnEnded).state == "budget_exceeded"


def test_what_was_stopped_goes_on_in_another_turn_once_there_is_room(place: Place) -> None:
    with engine(place, max_tokens=100_000) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(QuestionAsked).id, "stop"))
        driver.until(TurnEnded)
        driver.send(Submit("on"))
        driver.send(Answer(driver.until(QuestionAsked).id, "continue"))
        assert driver.until(TurnEnded).state == "completed"


def test_a_retry_asks_the_budget_too(place: Place) -> None:
    fails = [{"thinking": "abcd ", "repeat": 4_000}, {"fail": "server", "may_pass": True}]
    limits = AgentSettings(max_tokens=8_000)
    config = place.config(place.script(fails, [{"text": "done"}]), agent=limits, interactive=False)
    with running(config) as driver:
        assert driver.turn("go").state == "budget_exceeded"
        assert len(driver.all(RequestSent)) == 1
        [said] = warnings(driver)
        assert said.startswith("The budget of 8,000 tokens") and "repeats" not in said


def test_what_costs_nothing_needs_no_budget(place: Place) -> None:
    with engine(place, prices={}, interactive=False, max_cost=0.000001) as driver:
        assert driver.turn("go").state == "completed"


def test_a_cost_that_nobody_knows_counts_as_over_the_limit() -> None:
    budget = Budget(1.0, 0)
    limit, said = budget.reached_limit("acme/m", False) or ("", "")
    assert limit == "price" and "No price is known for acme/m" in said
    budget.extend("price", "acme/m")
    assert (
        budget.reached_limit("acme/m", False) is None
        and budget.reached_limit("acme/n", False) is not None
    )


@pytest.mark.parametrize(
    ("limit", "said"), [(5.0, "$5.00 "), (0.001, "$0.001 "), (0.1 + 0.2, "$0.30 ")]
)
def test_a_limit_is_said_as_it_was_set(limit: float, said: str) -> None:
    found = Budget(limit, 0).reached_limit("acme/m", True, cost=9.0)
    assert found is not None and f"The budget of {said}(max_cost) is not enough" in found[1]


def test_a_question_on_the_side_is_not_asked_beyond_the_limit(place: Place) -> None:
    with engine(place, interactive=False, max_tokens=50_000) as driver:
        driver.turn("go")
        driver.send(AskAside("a", "and?"))
        ended = driver.until(AsideEnded)
        assert (
            ended.state == "error"
            and "is used up" in ended.problem
            and ended.usage.prompt_tokens == 0
        )


@pytest.mark.parametrize("limits", [{"max_tokens": 90_000}, {"max_cost": 9.0}])
def test_a_question_on_the_side_that_is_too_large_itself_is_not_asked(
    place: Place, limits: dict[str, Any]
) -> None:
    with engine(place, **limits) as driver:
        driver.send(AskAside("a", LONG + LONG + LONG))
        ended = driver.until(AsideEnded)
        assert ended.state == "error" and "is not enough: " in ended.problem
        assert ended.usage.prompt_tokens == 0 and not ended.cost


def test_a_question_on_the_side_that_cannot_fit_into_the_window_is_not_asked(place: Place) -> None:
    model = place.script()
    (place.cwd / "script.json").write_text('{"window": 8000, "steps": [[{"text": "done"}]]}')
    with running(place.config(model)) as driver:
        driver.send(AskAside("a", LONG))
        ended = driver.until(AsideEnded)
        assert ended.state == "error" and "the context window of" in ended.problem
        assert ended.usage.prompt_tokens == 0


def test_each_limit_warns_once_until_it_is_another() -> None:
    budget = Budget(1.0, 1_000)
    budget.spend(799, 0.1, False)
    assert budget.near_limit_warning() == ""
    budget.spend(1, 0.8, True)
    said = [budget.near_limit_warning(), budget.near_limit_warning(), budget.near_limit_warning()]
    assert "≈ $0.90 of $1.00" in said[0] and "800 of 1,000 tokens" in said[1] and not said[2]
    budget.extend("tokens", "m")
    assert (budget.max_tokens, budget.near_limit_warning()) == (2_000, "")
