"""Any session, whoever answered in it, is a valid request of Chat Completions with all quirks, of
Responses and of Ollama. What Messages and Gemini demand stands with their own tests."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    Message,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.dialects import ollama_chat, responses
from agent_tui.providers.dialects.chat_completions import message
from agent_tui.providers.dialects.chat_quirks import NOTHING, PLAIN, Quirks, adapt_messages
from agent_tui.providers.facts import presets

ORIGIN = responses.Origin("openai", "api.openai.com", "gpt-5")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
IDS = st.sampled_from(["call_{}", "toolu_01{}", "{}", "call:{}.ü", "fc_{}" + "x" * 60, "ab cd {}"])
ARGUMENTS = st.sampled_from(["{}", '{"p": "ü"}', "", "{", "7", '{"n": NaN}', "[1]"])
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Z2VoZWlt"}
STATES = st.sampled_from(
    [
        "",
        "{",
        "7",
        '{"reasoning":"reasoning_content"}',
        '{"model":"m","details":[{"type":"reasoning.text","text":"x"}]}',
        json.dumps(
            {"host": ORIGIN.host, "model": ORIGIN.model, "parts": [["reasoning", REASONING]]}
        ),
        json.dumps(
            {
                "host": ORIGIN.host,
                "model": ORIGIN.model,
                "parts": [["reasoning", REASONING], ["call", {}]],
            }
        ),
    ]
)
WRITERS = st.sampled_from(["openai", "anthropic", "gemini", "ollama", "moonshot", "mistral", ""])
IMAGES = st.sampled_from([(), (), (Image("a.png", "image/png", "0", "aGk="),)])


@st.composite
def sessions(draw: st.DrawFn) -> list[Message]:
    """Every call has its result, as the engine sees to it; ids are what their servers made of them."""
    found: list[Message] = []
    for _ in range(draw(st.integers(1, 3))):
        found += draw(st.lists(st.builds(UserMessage, TEXTS, IMAGES), min_size=1, max_size=2))
        for _ in range(draw(st.integers(0, 3))):
            number = sum(isinstance(one, ToolMessage) for one in found)
            calls = tuple(
                ToolCall(
                    draw(IDS).format(number + place),
                    draw(st.sampled_from(["ls", "grep"])),
                    draw(ARGUMENTS),
                )
                for place in range(draw(st.integers(0, 2)))
            )
            found.append(
                AssistantMessage(draw(TEXTS), draw(TEXTS), calls, draw(WRITERS), draw(STATES))
            )
            found += draw(
                st.permutations([ToolMessage(call.id, call.name, draw(TEXTS)) for call in calls])
            )
    return [*found, UserMessage("and now?")]


def chat(session: list[Message], provider: str, quirks: Quirks) -> list[dict[str, Any]]:
    wired = (message(one, provider, "m") for one in session)
    found = adapt_messages(
        [{"role": "system", "content": "s"}, *(one for one in wired if one is not None)], quirks
    )
    json.dumps(found, allow_nan=False)
    return found


def check(wired: list[dict[str, Any]]) -> None:
    """Results stand right behind their calls, all of them and no others; arguments are an object;
    ids are their own."""
    waiting: set[str] = set()
    for one in wired:
        if one["role"] == "tool":
            waiting.remove(one["tool_call_id"])
            continue
        assert not waiting
        calls = one.get("tool_calls", [])
        waiting = {call["id"] for call in calls}
        assert len(waiting) == len(calls)
        assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)
        assert one["content"] or calls or one["role"] != "assistant"
    assert not waiting


@pytest.mark.parametrize("name", ["compatible", *presets.SERVICES])
@given(session=sessions())
def test_chat_completions(name: str, session: list[Message]) -> None:
    quirks = presets.SERVICES[name].quirks if name in presets.SERVICES else PLAIN
    wired = chat(session, name, quirks)
    check(wired)
    roles = [one["role"] for one in wired]
    ids = {call["id"] for one in wired for call in one.get("tool_calls", ())}
    assert not quirks.short_ids or all(len(id) == 9 and id.isalnum() and id.isascii() for id in ids)
    assert all(len(id) <= 40 for id in ids)
    assert not quirks.worded or all(one["content"] or one.get("tool_calls") for one in wired)
    assert not quirks.spoken or ("tool", "user") not in pairwise(roles)
    assert not quirks.turns or ("user", "user") not in pairwise(roles)
    own = {one.provider for one in session if isinstance(one, AssistantMessage) and one.state}
    assert name in own or not any(key.startswith("reasoning") for one in wired for key in one)


ONLY_THOUGHT = json.dumps(
    {"host": ORIGIN.host, "model": ORIGIN.model, "parts": [["reasoning", REASONING]]}
)


@given(sessions())
@example(
    [
        UserMessage("go"),
        AssistantMessage("", "hm", (), "openai", ONLY_THOUGHT),
        UserMessage("and now?"),
    ]
)
def test_responses(session: list[Message]) -> None:
    body = json.loads(responses.body(Request("s", tuple(session)), ORIGIN, 0, "", True, True))
    calls = [one["call_id"] for one in body["input"] if one.get("type") == "function_call"]
    results = [one["call_id"] for one in body["input"] if one.get("type") == "function_call_output"]
    assert sorted(calls) == sorted(results) and len(set(calls)) == len(calls)
    waiting: set[str] = set()
    thought = False
    for one in body["input"]:
        kind = one.get("type", one.get("role"))
        assert not waiting or kind in ("function_call", "function_call_output")
        assert not thought or kind in ("reasoning", "function_call", "message"), (
            "a thought goes with what came of it"
        )
        thought = kind == "reasoning"
        if kind == "function_call":
            assert len(one["call_id"]) <= 64 and isinstance(json.loads(one["arguments"]), dict)
            waiting.add(one["call_id"])
        elif kind == "function_call_output":
            waiting.remove(one["call_id"])
            assert one["output"]
    assert not waiting and not thought


@given(sessions())
def test_ollama(session: list[Message]) -> None:
    wired = [ollama_chat.message(one) for one in session]
    json.dumps(wired, allow_nan=False)
    waiting: set[str] = set()
    for one in wired:
        if one["role"] == "tool":
            waiting.remove(one["tool_call_id"])
            continue
        assert not waiting
        waiting = {call["id"] for call in one.get("tool_calls", ())}
        assert all(
            isinstance(call["function"]["arguments"], dict) for call in one.get("tool_calls", ())
        )
        assert "thinking" not in one or one["thinking"]
    assert not waiting and NOTHING not in json.dumps(wired)
