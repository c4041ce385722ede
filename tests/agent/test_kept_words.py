"""What the person said early and what the person said last stays beside a summary that says
nothing, as a very small model writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.context.compaction import SMALL, Kept, summary_text
from agent_tui.protocol.events import Compacted
from tests.agent.driving import Place
from tests.agent.model_server import Always, Answer, engine, model_server, said
from tests.agent.test_compaction import WINDOW, is_summary

RULES = [f"rule {name}: {name * 40}" for name in ("one", "two", "three", "four")]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_rules_of_the_first_prompts_outlive_summaries_that_say_nothing(place: Place) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        return said("I am sorry") if is_summary(body) else said("answer " + "word " * 300)

    with model_server() as server:
        server.window, server.answers = WINDOW, Always(server, answer)
        with engine(place, server) as driver:
            for rule in RULES:
                driver.turn(rule)
            number = 0
            while len(driver.all(Compacted)) < 5:
                driver.turn(f"question {number}: " + "more " * 20)
                number += 1
            summary = driver.all(Compacted)[-1].summary
    assert len(summary) < SMALL.summary * 2 and "more …" in summary
    assert [rule in summary for rule in RULES] == [True] * 4


def test_the_first_words_take_half_of_the_room_and_the_newest_the_rest() -> None:
    words = [f"word {number} " + "x" * 200 for number in range(40)]
    kept = summary_text("", Kept(words), SMALL).splitlines()[1:]
    assert kept == [
        *(f"- {said}" for said in words[:4]),
        "- … 31 more …",
        *(f"- {said}" for said in words[-5:]),
    ]


def test_a_long_first_prompt_stays_and_the_newest_beside_it() -> None:
    words = [
        "goal " + "x" * 2_000,
        "y" * 300,
        *[f"word {number} " + "z" * 200 for number in range(9)],
    ]
    kept = summary_text("", Kept(words), SMALL).splitlines()[1:]
    assert kept[0].startswith("- goal") and "y" * 300 not in kept
    assert kept[-1].startswith("- word 8")
