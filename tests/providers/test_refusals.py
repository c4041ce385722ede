"""Why a model declined: the reason comes with the end of the answer, in the words of whoever refused, without keys."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import AssistantReplied, Notice
from tests.agent.driving import Place
from tests.agent.model_server import engine, model_server, streamed
from tests.providers import dialect_anthropic, dialect_responses, servers
from tests.providers.cases import finished
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.dialect_presets import PRESETS
from tests.providers.dialect_responses import RESPONSES
from tests.providers.gemini_server import GEMINI
from tests.providers.servers import KEY, Dialect, played, sse

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
    results = {"hate": {"filtered": True}, "violence": {"filtered": False}, "self_harm": {"filtered": True}, "x": 1}
    assert why(dialect, {"choices": [{**choice, "content_filter_results": results}]}, b"data: [DONE]\n\n") == (
        "refusal", "content_filter: hate, self_harm",
    )  # fmt: skip
    assert why(dialect, {"choices": [choice]}, b"data: [DONE]\n\n") == ("refusal", "content_filter")


def test_messages_tell_the_rule_and_explain_it() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": f"This would\nbreak into things with {KEY}."}
    told = {"stop_reason": "refusal", "stop_details": details}
    stream = [{"type": "message_delta", "delta": told}, {"type": "message_stop"}]
    for payloads in ([dialect_anthropic.START, *stream], [{"type": "message", "content": [], **told}]):
        reason, said = why(ANTHROPIC, *payloads)
        assert reason == "refusal" and said.startswith("cyber: This would break into things with ")
        assert KEY not in said and "\n" not in said
    bare = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": None}}
    assert why(ANTHROPIC, dialect_anthropic.START, bare, {"type": "message_stop"}) == ("refusal", "")


def test_gemini_tells_why_the_prompt_or_the_answer_was_blocked() -> None:
    ratings = [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": True}, {"category": "OTHER"}]
    prompt = {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": ratings, "blockReasonMessage": "too rude"}}
    assert why(GEMINI, prompt) == ("refusal", "SAFETY: HARM_CATEGORY_HARASSMENT: too rude")
    candidate = {"finishReason": "PROHIBITED_CONTENT", "finishMessage": "It may not be said."}
    assert why(GEMINI, {"candidates": [candidate]}) == ("refusal", "PROHIBITED_CONTENT: It may not be said.")
    assert why(GEMINI, {"candidates": [{"finishReason": "STOP"}]}) == ("stop", "")


def test_responses_tell_that_a_filter_cut_in() -> None:
    assert why(RESPONSES, *dialect_responses.parts([], "content_filter")) == ("refusal", "content_filter")


def test_the_person_is_told_why(tmp_path: Path) -> None:
    refused = streamed({"content": "", "refusal": "I will not do that."})
    answers = (refused, streamed(end="content_filter"))
    with model_server(*answers) as server, engine(Place(tmp_path), server) as driver:
        driver.turn("one")
        driver.turn("two")
        words = [reply.text for reply in driver.all(AssistantReplied)]
        notices = [notice.text for notice in driver.all(Notice) if "declined" in notice.text]
    assert words == ["I will not do that.", ""]
    assert notices == ["The model declined to answer.", "The model declined to answer: content_filter."]
    assert json.dumps(server.bodies[1]["messages"]).count("I will not do that.") == 1
