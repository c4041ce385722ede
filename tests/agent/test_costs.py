"""What turns cost: on record with each request, and in figures from the log alone."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import AsideEnded, SessionStarted, UsageReported, fold
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import AskAside
from agent_tui.protocol.transcript import Bill, TurnBlock
from agent_tui.sessions.index.stats import lines, stats
from agent_tui.sessions.log.store import read
from tests.agent.driving import Driver, Place

STEPS = (
    [
        {"call": "list_files", "arguments": {}},
        {"usage": {"prompt_tokens": 1_000, "completion_tokens": 100}},
    ],
    [
        {"text": "done"},
        {"usage": {"prompt_tokens": 2_000, "completion_tokens": 50, "cached_tokens": 1_000}},
    ],
    [{"text": "again"}, {"usage": {"prompt_tokens": 3_000, "completion_tokens": 10}}],
)
PRICES = {"scripted/*": {"input": 1_000.0, "output": 2_000.0, "cached": 100.0}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def played(place: Place, prices: dict[str, dict[str, float]], aside: bool = False) -> Driver:
    config = place.config(place.script(*STEPS))
    config = replace(config, settings=replace(config.settings, prices=prices))
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    try:
        driver.until(SessionStarted)
        assert driver.turn("one").state == "completed"
        if aside:
            driver.send(AskAside("a", "what?"))
            driver.until(AsideEnded)
        assert driver.turn("two").state == "completed"
    finally:
        driver.worker.stop(10)
    return driver


def test_each_turn_and_the_session_have_their_cost(place: Place) -> None:
    driver = played(place, PRICES)
    assert [event.cost for event in driver.all(UsageReported)] == [1.2, 1.2, 3.02]
    seen = driver.transcript()
    ends = [row for row in seen.rows if isinstance(row, TurnBlock)]
    assert [end.bill.cost for end in ends] == [pytest.approx(2.4), 3.02]
    assert seen.bill.cost == pytest.approx(5.42)


def test_the_figures_come_from_the_log_alone(place: Place) -> None:
    played(place, PRICES, aside=True)
    [path] = (place.home / "sessions").glob("*.jsonl")
    events, problems = read(path)
    found = stats(events)
    assert not problems and found.cost is not None and found.unpriced == 0
    assert [(turn.name, turn.cost) for turn in found.by_turn] == [("1", 2.4), ("2", 3.02)]
    assert found.by_turn[0].cached == 1_000 and found.beside.count == 1
    assert found.beside.cost is not None and found.by_model[0].cost == pytest.approx(found.cost)
    assert found.cost == pytest.approx(5.42 + found.beside.cost)
    told = json.loads(json.dumps(asdict(found)))
    assert told["by_turn"][1]["cost"] == 3.02 and told["cost"] == found.cost
    said = dict(lines(found))
    assert said["from a cache"] == "17%" and said["outside the turns"].startswith("1 request, ")
    assert fold(events).bill.cost == pytest.approx(found.cost)


def test_what_has_no_price_is_said_to_have_none() -> None:
    used = UsageReported(Usage(10, 5), "acme/x", turn=1, step=1)
    found = stats([used, replace(used, cost=0.5, cost_estimated=True, step=2)])
    assert (found.cost, found.unpriced, found.cost_estimated) == (0.5, 1, True)
    said = dict(lines(found))
    assert (said["cost"], said["no price known"]) == ("≈ $0.50", "1 request")
    assert "cost" not in dict(lines(stats([used])))


def test_a_script_costs_nothing(place: Place) -> None:
    assert played(place, {}).transcript().bill == Bill(0.0)
