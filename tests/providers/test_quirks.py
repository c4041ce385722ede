"""What servers of Chat Completions want different from each other, and thoughts that stand in the
text."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from agent_tui.providers.base import TextChunk, ThinkingChunk
from agent_tui.providers.dialects.chat_completions import ThinkTags
from agent_tui.providers.dialects.chat_quirks import (
    NOTHING,
    PLAIN,
    Quirks,
    adapt_messages,
    add_types,
    fitting_id,
)
from tests.providers.asking import sent
from tests.providers.cases import finished, joined
from tests.providers.dialect_presets import PRESETS, VERSION
from tests.providers.dialects import DIALECTS
from tests.providers.servers import KEY, played, sse

BY_NAME = {dialect.name: dialect for dialect in DIALECTS}
HISTORY = Request(
    "s",
    (
        UserMessage("go"),
        AssistantMessage("", calls=(ToolCall("toolu_0123456789", "ls", "{}"),), provider="x"),
        ToolMessage("toolu_0123456789", "ls", ""),
        UserMessage("and?"),
        UserMessage("be quick"),
    ),
    (ToolSpec("ls", "List.", {"properties": {"all": {}, "of": {"items": {}}}}),),
)


def body(name: str, **options: Any) -> dict[str, Any]:
    dialect = BY_NAME[name]
    return asyncio.run(sent(dialect, lambda address: dialect.create(address, options), HISTORY))


def test_a_hosted_service_gets_no_empty_message_and_types_everywhere() -> None:
    for name in ("moonshot", "qwen", "zhipu", "deepseek", "openrouter", "together", "mistral"):
        found = body(name)
        assert all(m["content"] or m.get("tool_calls") for m in found["messages"]), name
        schema = found["tools"][0]["function"]["parameters"]
        assert schema["type"] == "object" and schema["properties"]["all"] == {"type": "string"}
        assert schema["properties"]["of"] == {"type": "array", "items": {"type": "string"}}
        assert found["headers"]["authorization"] == f"Bearer {KEY}"


def test_mistral_wants_short_ids_and_a_word_between() -> None:
    found = body("mistral")
    assert [m["role"] for m in found["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "user",
    ]
    (id,) = {m["tool_call_id"] for m in found["messages"] if m["role"] == "tool"}
    assert len(id) == 9 and id.isalnum() and found["messages"][2]["tool_calls"][0]["id"] == id
    assert "stream_options" not in found


def test_a_server_nearby_gets_turns() -> None:
    for name in ("llamacpp", "vllm", "lmstudio"):
        messages = body(name)["messages"]
        assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "user"]
        assert messages[-1]["content"] == "and?\n\nbe quick"


def test_azure_has_a_header_and_a_version() -> None:
    for name in ("azure", "azure-version"):
        headers = body(name)["headers"]
        assert headers["api-key"] == KEY and "authorization" not in headers
    assert any(VERSION in dialect.path for dialect in PRESETS)


def test_a_limit_for_the_answer() -> None:
    assert body("moonshot", max_tokens=77)["max_tokens"] == 77
    assert body("azure", max_tokens=77)["max_completion_tokens"] == 77
    assert "max_tokens" not in body("moonshot")  # a server nearby knows its own


def test_ids_of_others_fit() -> None:
    assert fitting_id("call_1") == "call_1" and fitting_id("abcDEF123", short=True) == "abcDEF123"
    for long in ("x" * 41, "functions.ls:0" * 9, "\ud800" * 50):
        assert len(fitting_id(long)) <= 40 and fitting_id(long) == fitting_id(long)
    assert fitting_id("call_1", short=True) != fitting_id("call_2", short=True)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, {"type": "object"}),
        ({"type": "object", "properties": {"a": {"enum": [1, 2]}}}, "integer"),
        ({"properties": {"a": {"enum": ["x"]}}}, "string"),
        ({"properties": {"a": {"const": True}}}, "boolean"),
        ({"properties": {"a": {"properties": {}}}}, "object"),
        ({"properties": {"a": {"minimum": 1}}}, "number"),
        ({"properties": {"a": True}}, "string"),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"enum": [1]}]}}}, None),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}}, None),
    ],
)
def test_schemas_get_types(schema: dict[str, Any], expected: Any) -> None:
    found = add_types(schema, "object")
    assert found["type"] == "object" and add_types(found) == found
    if isinstance(expected, dict):
        assert found == expected
    elif "properties" in found:
        assert found["properties"]["a"].get("type") == expected
    if "$defs" in found:
        assert found["$defs"]["b"] == {"type": "string"}


def test_nothing_changes_where_nothing_has_to() -> None:
    messages = [{"role": "user", "content": ""}, {"role": "user", "content": "x"}]
    assert adapt_messages(messages, PLAIN) == messages
    pictured: list[dict[str, Any]] = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"type": "image_url"}]},
    ]
    (joined_up,) = adapt_messages(pictured, Quirks(turns=True))
    assert joined_up["content"] == [{"type": "text", "text": "a"}, {"type": "image_url"}]
    assert (
        adapt_messages([{"role": "tool", "content": "", "tool_call_id": "a"}], Quirks(worded=True))[
            0
        ]["content"]
        == NOTHING
    )


THINKING = [
    ("<think>hm</think>\n\nyes", "hm", "yes"),
    ("\n <think>\nhm <b></think>yes </think>", "hm <b>", "yes </think>"),
    ("<think>never ends </thin", "never ends </thin", ""),
    ("a <think>b</think>", "", "a <think>b</think>"),
    ("<thin", "", "<thin"), ("<table>", "", "<table>"), ("", "", ""), ("  ", "", "  "),
    ("<think></think>x", "", "x"),
]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(THINKING), st.lists(st.integers(0, 40), max_size=12))
def test_thoughts_in_the_text_however_it_is_cut(
    case: tuple[str, str, str], cuts: list[int]
) -> None:
    whole, thought, text = case
    tags = ThinkTags()
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    parts = [tags.feed(whole[start:end]) for start, end in pairwise(edges)]
    parts.append(tags.close())
    assert "".join(one for one, _ in parts) == thought
    assert "".join(one for _, one in parts) == text


def chat(name: str, *payloads: Any) -> list[Any]:
    async def scenario() -> list[Any]:
        async with BY_NAME[name].answering([sse(payload) for payload in payloads]) as (_, provider):
            return list(await played(provider))

    return asyncio.run(scenario())


def test_thoughts_in_the_text_of_a_server() -> None:
    def delta(content: str, reason: str | None = None) -> dict[str, Any]:
        return {"choices": [{"delta": {"content": content}, "finish_reason": reason}]}

    told = [delta("<thi"), delta("nk>hm"), delta("m</think>"), delta("\n\nyes"), delta("", "stop")]
    for name in ("lmstudio", "compatible"):
        items = chat(name, *told)
        assert (joined(items, ThinkingChunk), joined(items, TextChunk)) == ("hmm", "yes")
        assert finished(items).state == ""  # they are not sent back


def test_usage_wherever_it_stands() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "cached_tokens": 2,
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    items = chat(
        "moonshot",
        {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop", "usage": usage}]},
    )
    assert finished(items).usage == Usage(9, 4, 2, reasoning_tokens=3)
