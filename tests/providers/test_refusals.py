"""Why a model declined: the reason comes with the end of the answer, in the words of whoever
refused, without keys."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import (
    AsideEnded,
    AssistantReplied,
    ErrorRaised,
    Notice,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import AskAside, Continue
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, streamed
from tests.providers import dialect_anthropic, dialect_responses, servers
from tests.providers.cases import finished
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.dialect_presets import PRESETS
from tests.providers.dialect_responses import RESPONSES
from tests.providers.gemini_server import GEMINI
from tests.providers.servers import KEY, Dialect, played, sse
from tests.test_headless import run

CHATS = (*(dialect for dialect in servers.DIALECTS if dialect.name != "ollama"), *PRESETS)


def why(dialect: Dialect, *payloads: Any) -> tuple[str, str]:
    """The stop reason of an answer and the reason of a refusal."""

    async def scenario() -> tuple[str, str]:
        stream = [one if isinstance(one, bytes) else sse(one) for one in payloads]
        async with dialect.answering(stream) as (_, provider):
            end = finished(await played(provider))
            return end.stop_reason, end.why

    return asyncio.run(scenario())


@pytest.mark.parametrize("dialect", CHATS, ids=lambda dialect: dialect.name)
def test_chat_completions_name_the_filters(dialect: Dialect) -> None:
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "content_filter"}
    results = {
        "hate": {"filtered": True},
        "violence": {"filtered": False},
        "self_harm": {"filtered": True},
        "x": 1,
    }
    assert why(
        dialect, {"choices": [{**choice, "content_filter_results": results}]}, b"data: [DONE]\n\n"
    ) == (
        "refusal",
        "content_filter: hate, self_harm",
    )
    assert why(dialect, {"choices": [choice]}, b"data: [DONE]\n\n") == ("refusal", "content_filter")


def test_messages_tell_the_rule_and_explain_it() -> None:
    details = {
        "type": "refusal",
        "category": "cyber",
        "explanation": f"This would\nbreak into things with {KEY}.",
    }
    told = {"stop_reason": "refusal", "stop_details": details}
    stream = [{"type": "message_delta", "delta": told}, {"type": "message_stop"}]
    for payloads in (
        [dialect_anthropic.START, *stream],
        [{"type": "message", "content": [], **told}],
    ):
        reason, said = why(ANTHROPIC, *payloads)
        assert reason == "refusal" and said.startswith("cyber: This would break into things with ")
        assert KEY not in said and "\n" not in said
    bare = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": None}}
    assert why(ANTHROPIC, dialect_anthropic.START, bare, {"type": "message_stop"}) == (
        "refusal",
        "",
    )


def test_gemini_tells_why_the_prompt_or_the_answer_was_blocked() -> None:
    ratings = [
        {"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": True},
        {"category": "OTHER"},
    ]
    prompt = {
        "promptFeedback": {
            "blockReason": "SAFETY",
            "safetyRatings": ratings,
            "blockReasonMessage": "too rude",
        }
    }
    assert why(GEMINI, prompt) == ("refusal", "SAFETY: HARM_CATEGORY_HARASSMENT: too rude")
    candidate = {"finishReason": "PROHIBITED_CONTENT", "finishMessage": "It may not be said."}
    assert why(GEMINI, {"candidates": [candidate]}) == (
        "refusal",
        "PROHIBITED_CONTENT: It may not be said.",
    )
    assert why(GEMINI, {"candidates": [{"finishReason": "STOP"}]}) == ("stop", "")


def test_responses_tell_that_a_filter_cut_in() -> None:
    assert why(RESPONSES, *dialect_responses.parts([], "content_filter")) == (
        "refusal",
        "content_filter",
    )


def test_a_refusal_in_words_is_the_answer(tmp_path: Path) -> None:
    refused = streamed({"content": "", "refusal": "I will not do that."})
    with model_server(refused, said("Yes.")) as server, engine(Place(tmp_path), server) as driver:
        assert driver.turn("one").state == driver.turn("two").state == "completed"
        assert [reply.text for reply in driver.all(AssistantReplied)] == [
            "I will not do that.",
            "Yes.",
        ]
        assert not driver.all(ErrorRaised) and not driver.all(Notice)
    assert json.dumps(server.bodies[1]["messages"]).count("I will not do that.") == 1


def test_an_answer_that_a_filter_stops_fails_and_what_came_is_kept(tmp_path: Path) -> None:
    answers = (said("First you", end="content_filter"), said("Yes."))
    with model_server(*answers) as server, engine(Place(tmp_path), server) as driver:
        assert driver.turn("one").state == "error" and len(server.bodies) == 1
        [error] = driver.all(ErrorRaised)
        assert (error.text, error.may_pass) == (
            "A filter stopped the answer: content_filter.",
            False,
        )
        assert error.hint == "/rewind and ask in other words, or choose another /model"
        assert driver.all(AssistantReplied)[-1].text == "First you"
        assert driver.turn("two").state == "completed"
    assert json.dumps(server.messages[1]).count("First you") == 1


def test_the_calls_of_an_answer_that_a_filter_stops_do_not_run(tmp_path: Path) -> None:
    create = call("create_file", '{"path": "a", "content": "x"}')
    answers, place = (
        (streamed({"content": "Now"}, create, end="content_filter"), said("Yes.")),
        Place(tmp_path),
    )
    with model_server(*answers) as server, engine(place, server, mode="accept-all") as driver:
        assert driver.turn("one").state == "error"
        [reply] = driver.all(AssistantReplied)
        assert (reply.text, reply.calls, driver.all(ToolEnded)) == ("Now", (), [])
        assert driver.turn("two").state == "completed"
    assert not (place.cwd / "a").exists() and "tool_calls" not in json.dumps(server.messages[1])


def test_a_prompt_of_which_nothing_came_is_not_sent_again(tmp_path: Path) -> None:
    answers = (streamed(end="content_filter"), said("Yes."))
    with model_server(*answers) as server, engine(Place(tmp_path), server) as driver:
        assert driver.turn("zebra").state == "error"
        assert driver.all(ErrorRaised)[0].hint == "ask in other words, or choose another /model"
        assert driver.turn("second").state == "completed"
    assert "zebra" in json.dumps(server.messages[0]) and "zebra" not in json.dumps(
        server.messages[1]
    )


def test_what_a_filter_stopped_is_asked_for_once_more_with_the_same_request(tmp_path: Path) -> None:
    answers = (said("First", end="content_filter"), said("Yes."))
    with model_server(*answers) as server, engine(Place(tmp_path), server) as driver:
        driver.turn("one")
        driver.send(Continue(again=True))
        driver.until(TurnStarted)
        assert driver.until(TurnEnded).state == "completed"
    assert server.bodies[0] == server.bodies[1]


def test_a_question_on_the_side_that_a_filter_stops_fails(tmp_path: Path) -> None:
    with (
        model_server(said("Well", end="content_filter")) as server,
        engine(Place(tmp_path), server) as driver,
    ):
        driver.send(AskAside("1", "what is it?"))
        ended = driver.until(AsideEnded)
    assert (ended.state, ended.text, ended.problem) == (
        "error",
        "Well",
        "A filter stopped the answer: content_filter.",
    )


@pytest.mark.parametrize("output", ["text", "json"])
def test_without_a_screen_it_ends_with_1(tmp_path: Path, output: str) -> None:
    place = Place(tmp_path)
    place.cwd.mkdir()
    with model_server(said("First you", end="content_filter")) as server:
        place.home.mkdir(exist_ok=True)
        (place.home / "config.toml").write_text(
            f'[providers.compatible]\nbase_url = "{server.address}"\n'
        )
        done = run(place, "hi", "-m", "compatible/m", "--output", output)
    assert (
        done.returncode == 1
        and "A filter stopped the answer: content_filter. (ask in other words" in done.stderr
    )
    if output == "json":
        told = json.loads(done.stdout)
        assert (told["text"], told["state"], told["error"]["kind"]) == (
            "First you",
            "error",
            "content_filter",
        )
    else:
        assert done.stdout == "First you\n"
