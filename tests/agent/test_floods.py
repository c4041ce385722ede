"""All of a long answer at once: it is told in slices, and what the person asks for is done between
them."""

from __future__ import annotations

from pathlib import Path

from agent_tui.protocol.events import AssistantReplied, TextDelta
from agent_tui.protocol.ops import Cancel, Submit
from tests.agent.driving import Place

WORDS = 500_000


def test_a_flood_is_stopped_in_the_middle(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([{"text": "a\n\n", "chunk": 1, "repeat": WORDS}])) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Cancel())
        reply = driver.until(AssistantReplied)
    assert 0 < len(reply.text) < 3 * WORDS
    assert ("a\n\n" * WORDS).startswith(reply.text)


def test_a_flood_is_told_whole_and_in_parts(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([{"text": "word ", "chunk": 5, "repeat": 20_000}])) as driver:
        assert driver.turn("go").state == "completed"
        told = driver.all(TextDelta)
    assert "".join(delta.text for delta in told) == "word " * 20_000
    assert len(told) > 1
