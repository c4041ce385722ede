"""In a tiny window a summary is as long as the last one: a model is not asked for it again and
again, only to have its words thrown away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import Compacted
from tests.agent.driving import Place
from tests.agent.model_server import Always, Answer, engine, model_server, said
from tests.agent.test_compaction import is_summary


@pytest.mark.parametrize("length", [400, 1_200])
def test_most_summaries_that_are_written_are_put_in_place(tmp_path: Path, length: int) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        return said("s" * length) if is_summary(body) else said("answer " + "word " * 60)

    with model_server() as server:
        server.window, server.answers = 2_048, Always(server, answer)
        with engine(Place(tmp_path), server) as driver:
            for number in range(60):
                ended = driver.turn(f"What is a list beside a queue {number}? Two sentences.")
                assert ended.state == "completed"
            placed = driver.all(Compacted)
    asked = sum(map(is_summary, server.bodies))
    assert len(placed) >= 8, "and the conversation becomes shorter as before"
    assert asked <= 2 * len(placed), "without it: 43 for 13, 52 for 10"
