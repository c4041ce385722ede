"""A full window and a warm cache, in each dialect, against a server that speaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.context.compaction import INSTRUCTION
from agent_tui.protocol.answers import Ledger
from agent_tui.protocol.events import Answered, Compacted, Notice
from agent_tui.protocol.ops import Query
from tests.agent.dialect_server import REFUSALS, Refusal, count, read_from_cache, serving, speaking
from tests.agent.driving import Driver, Place
from tests.agent.model_server import Always, Answer, engine, model_server, streamed

SUMMARISES = INSTRUCTION.split("\n", 1)[0][:60]


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("how", ["its own words", "413"])
def test_a_refusal_as_too_long_compacts_once_and_the_turn_goes_on(
    tmp_path: Path, name: str, how: str
) -> None:
    refused = list[str]()

    def answer(raw: str) -> str | Refusal:
        if SUMMARISES in raw:
            return "SUMMARY"
        if "now it is full" in raw and not refused:
            refused.append(raw)
            return REFUSALS[name] if how == "its own words" else (413, {"error": "too large"})
        return "word " * 1_500

    place = Place(tmp_path)
    with serving(name, answer) as server, speaking(place, server) as driver:
        for number in range(3):
            driver.turn(f"question {number}")
        ended = driver.turn("now it is full")
        compacted = driver.all(Compacted)
    assert ended.state == "completed", [one.text for one in driver.all(Notice)]
    assert len(refused) == 1 and [one.by for one in compacted] == ["overflow"]


@pytest.mark.parametrize("name", REFUSALS)
def test_the_second_request_is_read_from_the_cache(tmp_path: Path, name: str) -> None:
    place = Place(tmp_path)
    with serving(name, lambda _: "Done.") as server, speaking(place, server) as driver:
        driver.turn("first: " + "word " * 200)
        driver.turn("second")
    first, second = server.bodies
    assert read_from_cache(first, second) >= 0.95


def test_a_cache_that_is_not_kept_is_seen() -> None:
    first = {"tools": [{"name": "a"}], "messages": [{"role": "user", "content": "x" * 100}]}
    assert read_from_cache(first, first) == 1
    assert read_from_cache(first, {**first, "tools": [{"name": "b"}]}) == 0
    marked = {"system": [{"text": "s" * 100, "cache_control": {}}], "messages": first["messages"]}
    assert 0.4 < read_from_cache(marked, marked) < 0.6
    assert read_from_cache({**marked, "system": [{"text": "t"}]}, marked) == 0


def test_the_ledger_is_what_a_server_counts_that_can_be_asked(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with serving("Messages", lambda _: "Done.") as server, speaking(place, server) as driver:
        driver.turn("first " * 50)
        ledger = asked(driver)
    assert not ledger.estimated
    assert sum(part.tokens for part in ledger.parts if not part.gone) == ledger.tokens
    sent = server.bodies[0]
    assert count(sent) < ledger.tokens < count(sent) + 40, "the answer came behind it"


def test_the_ledger_is_near_what_a_server_counts_that_only_tells_what_it_read(
    tmp_path: Path,
) -> None:
    def answer(body: Any) -> Answer:
        return streamed({"content": "Done. " * 20}, used=(count(body), 40))

    with model_server() as server:
        server.answers = Always(server, answer)
        with engine(Place(tmp_path), server) as driver:
            for number in range(3):
                driver.turn(f"question {number} " * 100)
            ledger = asked(driver)
            driver.turn("last")
    *before, _ = server.bodies[-1]["messages"]
    counted = count({**server.bodies[-1], "messages": before})
    assert ledger.tokens == pytest.approx(counted, rel=0.02)


def asked(driver: Driver) -> Ledger:
    driver.send(Query("now", "context"))
    found = driver.until(Answered, lambda event: event.id == "now").data
    assert isinstance(found, Ledger)
    return found
