"""Answers that reach the model's token limit, against a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.session.history import ON
from agent_tui.protocol.events import AssistantReplied, ErrorRaised, Notice, ToolEnded
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, status, streamed


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_cut_answer_goes_on_by_itself_and_that_is_said(place: Place) -> None:
    with model_server(
        said("one, ", "length"), said("two, ", "length"), said("three"), said("more")
    ) as server:
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
    assert [m["content"] for m in server.messages[3] if m["role"] == "assistant"] == [
        "one, ",
        "two, ",
        "three",
    ]


@pytest.mark.parametrize("limit", [0, 1])
def test_it_goes_on_no_more_often_than_the_setting_says(place: Place, limit: int) -> None:
    settings = AgentSettings(continues=limit)
    with (
        model_server(*[said("and so on, ", "length")] * 4) as server,
        engine(place, server, settings) as driver,
    ):
        assert driver.turn("count").state == "completed"
        last = driver.all(Notice)[-1]
    assert len(server.bodies) == limit + 1
    assert last.level == "warning" and "/continue" in last.hint


def test_who_only_thought_is_not_asked_to_think_as_long_again(place: Place) -> None:
    thought = streamed({"reasoning_content": "hmm"}, end="length")
    with model_server(thought) as server, engine(place, server) as driver:
        assert driver.turn("think").state == "completed"
        assert "before it wrote an answer" in driver.all(Notice)[-1].text
    assert len(server.bodies) == 1


def test_a_call_that_was_cut_is_not_repaired(place: Place) -> None:
    half = streamed(call("create_file", '{"path": "a.txt", "content": "all of it"'), end="length")
    with (
        model_server(half, said("sorry")) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        assert driver.turn("write").state == "completed"
        [ended] = driver.all(ToolEnded)
        assert driver.all(AssistantReplied)[-1].text == "sorry"
    assert ended.tag == "invalid_arguments" and "token limit" in ended.content
    assert not (place.cwd / "a.txt").exists()


def test_a_whole_call_of_an_answer_that_was_cut_is_run_and_that_is_said(place: Place) -> None:
    whole = streamed(call("create_file", '{"path": "a.txt", "content": "all"}'), end="length")
    with (
        model_server(whole, said("done")) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        assert driver.turn("write").state == "completed"
        assert "Complete calls were run" in driver.all(Notice)[0].text
    assert (place.cwd / "a.txt").read_text() == "all"


FULL = streamed({"content": "and so"}, end="length", used=(4_000, 96))


def test_an_answer_that_fills_the_window_does_not_go_on(place: Place) -> None:
    with model_server(said("one"), FULL, said("never asked for")) as server:
        server.window = 4_096
        with engine(place, server) as driver:
            driver.turn("first")
            assert driver.turn("write a book").state == "error"
            error = driver.all(ErrorRaised)[-1]
            assert driver.all(AssistantReplied)[-1].text == "and so", "what came is kept"
    assert len(server.bodies) == 2, "nothing was sent once more"
    assert error.kind == "overflow" and "4,096" in error.text and "/rewind" in error.hint


def test_a_call_cut_by_the_full_window_does_not_run_and_nothing_more_is_asked(place: Place) -> None:
    half = streamed(
        call("create_file", '{"path": "a.txt", "content": "all'), end="length", used=(4_000, 90)
    )
    with model_server(half, said("never asked for")) as server:
        server.window = 4_096
        with engine(place, server, mode="accept-all") as driver:
            assert driver.turn("write").state == "error"
            assert [ended.tag for ended in driver.all(ToolEnded)] == ["invalid_arguments"], (
                "the call has its result"
            )
    assert len(server.bodies) == 1
    assert not (place.cwd / "a.txt").exists()


@pytest.mark.parametrize("room", [0, 8_192], ids=["nobody knows the window", "there is room"])
def test_the_limit_of_one_answer_is_no_full_window(place: Place, room: int) -> None:
    with model_server(FULL, said("on")) as server:
        server.window = room
        with engine(place, server) as driver:
            assert driver.turn("count").state == "completed"
    assert len(server.bodies) == 2


TOO_LONG = status(
    400, "This model's maximum context length is 4096 tokens, however you requested 9000 tokens"
)


def test_a_first_prompt_that_is_too_long_is_told_to_be_shortened(place: Place) -> None:
    with model_server(TOO_LONG) as server, engine(place, server) as driver:
        assert driver.turn("words " * 20_000).state == "error"
        error = driver.all(ErrorRaised)[-1]
        assert driver.transcript().draft.startswith("words "), "the prompt is given back"
    assert "your prompt ≈" in error.text
    assert "shorten the prompt" in error.hint
    assert "/clear" not in error.hint and "/rewind" not in error.hint, (
        "there is nothing to clear or to rewind"
    )


def test_a_conversation_that_is_too_long_names_its_largest_part_and_rewind(place: Place) -> None:
    (place.root / "work").mkdir(parents=True)
    (place.root / "work" / "big.txt").write_text("line of text\n" * 4_000)
    reads = streamed(call("read_file", '{"path": "big.txt"}'), end="tool_calls")
    with (
        model_server(reads, said("read"), TOO_LONG, TOO_LONG) as server,
        engine(place, server, AgentSettings(compact=False)) as driver,
    ):
        driver.turn("read it")
        assert driver.turn("and now?").state == "error"
        error = driver.all(ErrorRaised)[-1]
    assert "a result of read_file ≈" in error.text
    assert "/rewind" in error.hint


def test_headless_names_what_can_be_done_without_a_screen(place: Place) -> None:
    with model_server(TOO_LONG) as server, engine(place, server, interactive=False) as driver:
        driver.turn("hello")
        assert (
            "-m" in driver.all(ErrorRaised)[-1].hint and "/" not in driver.all(ErrorRaised)[-1].hint
        )
