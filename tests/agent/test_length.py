"""Answers that reach the model's token limit, against a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.history import ON
from agent_tui.protocol.events import AssistantReplied, Notice, ToolEnded
from agent_tui.settings import AgentSettings
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_cut_answer_goes_on_by_itself_and_that_is_said(place: Place) -> None:
    with model_server(said("one, ", "length"), said("two, ", "length"), said("three"), said("more")) as server:
        with engine(place, server) as driver:
            ended = driver.turn("count")
            assert (ended.state, ended.steps) == ("completed", 3)
            notices = [notice.text for notice in driver.all(Notice) if "limit" in notice.text]
            session = driver.events[0].session
        with engine(place, server, resume=session) as driver:
            driver.turn("next")
    assert [text[-9:] for text in notices] == ["(1 of 3).", "(2 of 3)."]
    cut = [{"role": "assistant", "content": "one, "}, {"role": "user", "content": ON}]
    assert [m for m in server.messages[1] if m["role"] != "system"][1:] == cut
    assert [m["content"] for m in server.messages[3] if m["role"] == "assistant"] == ["one, ", "two, ", "three"]


@pytest.mark.parametrize("limit", [0, 1])
def test_it_goes_on_no_more_often_than_the_setting_says(place: Place, limit: int) -> None:
    settings = AgentSettings(continues=limit)
    with model_server(*[said("and so on, ", "length")] * 4) as server, engine(place, server, settings) as driver:
        assert driver.turn("count").state == "completed"
        last = driver.all(Notice)[-1]
    assert len(server.bodies) == limit + 1
    assert last.level == "warning" and "/continue" in last.hint


def test_who_only_thought_is_not_asked_to_think_as_long_again(place: Place) -> None:
    thought = streamed({"reasoning_content": "hmm"}, end="length")
    with model_server(thought) as server, engine(place, server) as driver:
        assert driver.turn("think").state == "completed"
        assert "before it said anything" in driver.all(Notice)[-1].text
    assert len(server.bodies) == 1


def test_a_call_that_was_cut_is_not_repaired(place: Place) -> None:
    half = streamed(call("create_file", '{"path": "a.txt", "content": "all of it"'), end="length")
    with model_server(half, said("sorry")) as server, engine(place, server, mode="accept-all") as driver:
        assert driver.turn("write").state == "completed"
        [ended] = driver.all(ToolEnded)
        assert driver.all(AssistantReplied)[-1].text == "sorry"
    assert ended.tag == "invalid_arguments" and "token limit" in ended.content
    assert not (place.cwd / "a.txt").exists()
