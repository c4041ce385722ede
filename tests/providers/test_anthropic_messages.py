"""Histories on the wire of Anthropic's Messages: valid whatever they were, and answers as they had
been."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    Message,
    Request,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.providers.base import Finished, TextChunk, ThinkingChunk
from agent_tui.providers.dialects import anthropic_messages as dialect
from agent_tui.providers.dialects.anthropic_answer import AnthropicAnswer
from agent_tui.providers.dialects.translate import Parts
from agent_tui.providers.wire.failures import Place

ORIGIN = dialect.Origin("anthropic", "api.anthropic.com", "claude-opus-5-5")
texts = st.text(st.characters(codec="utf-8"), max_size=6)
ids = st.sampled_from(["a", "b", "c:1", "c.1", "ü", "", "call_1"])
calls = st.builds(
    ToolCall,
    ids,
    st.sampled_from(["ls", "b c", ""]),
    st.sampled_from(["{}", '{"x":1}', "{", "7", ""]),
)
states = st.sampled_from(
    ["", "{", "[]", '{"from":"x"}', json.dumps({"from": ORIGIN.name, "blocks": [{"text": 1}]})]
)
histories = st.lists(
    st.one_of(
        st.builds(
            UserMessage, texts, st.sampled_from([(), (Image("a", "image/png", "0", "aGk="),)])
        ),
        st.builds(
            AssistantMessage,
            texts,
            texts,
            st.lists(calls, max_size=3).map(tuple),
            st.sampled_from(["anthropic", "ollama"]),
            states,
        ),
        st.builds(ToolMessage, ids, st.just("ls"), texts),
    ),
    max_size=9,
)


def results(turn: dict[str, Any]) -> list[str]:
    return [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]


def uses(turn: dict[str, Any]) -> list[str]:
    return [block["id"] for block in turn["content"] if block["type"] == "tool_use"]


def check(wired: list[dict[str, Any]]) -> None:
    """What the server demands of a history."""
    json.dumps(wired, allow_nan=False)
    roles = [turn["role"] for turn in wired]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    used = [id for turn in wired for id in uses(turn)]
    assert len(set(used)) == len(used) and all(re.fullmatch("[a-zA-Z0-9_-]+", id) for id in used)
    for before, turn in pairwise([{"role": "", "content": []}, *wired]):
        found = results(turn)
        assert sorted(found) == sorted(uses(before))
        assert [block["type"] for block in turn["content"][: len(found)]] == ["tool_result"] * len(
            found
        )
        assert turn["content"]
    for block in (block for turn in wired for block in turn["content"]):
        assert block["type"] != "text" or block["text"].strip()
        assert block["type"] != "tool_use" or (isinstance(block["input"], dict) and block["name"])
        assert "content" not in block or block["content"].strip()
    marked = [turn for turn in wired for block in turn["content"] if "cache_control" in block]
    assert marked == [turn for turn in wired if turn["role"] == "user"][-2:]


@given(histories, st.booleans())
def test_any_history_is_valid(history: list[Message], thoughts: bool) -> None:
    wired = dialect.messages([*history, UserMessage("and now?")], ORIGIN, thoughts)
    check(wired)


@given(histories)
def test_every_word_of_a_history_is_sent(history: list[Message]) -> None:
    sent = json.dumps(dialect.messages(history, ORIGIN, False))
    for message in history:
        said = message.content if isinstance(message, ToolMessage) else message.text
        assert not said.strip() or json.dumps(said)[1:-1] in sent


thoughts = st.builds(
    lambda t, s: {"type": "thinking", "thinking": t, "signature": s},
    texts,
    st.text("AZ09+/=", min_size=1),
)
redacted = st.builds(
    lambda d: {"type": "redacted_thinking", "data": d}, st.text("AZ09+/=", min_size=1)
)
words = st.builds(lambda t: {"type": "text", "text": f"{t}."}, texts)
answers = st.tuples(
    st.lists(st.one_of(thoughts, redacted), min_size=1, max_size=3),
    st.lists(st.one_of(thoughts, redacted, words), max_size=4),
    words,
    st.lists(st.fixed_dictionaries({"path": texts}, optional={"n": st.integers()}), max_size=3),
).map(
    lambda found: [
        *found[0],
        *found[1],
        found[2],
        *(
            {"type": "tool_use", "id": f"toolu_{n}", "name": "ls", "input": given}
            for n, given in enumerate(found[3])
        ),
    ]
)


def events(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An answer of `blocks` as the server streams it, in pieces."""
    found: list[dict[str, Any]] = [{"type": "message_start", "message": {}}]
    for index, block in enumerate(blocks):
        parts: list[dict[str, Any]] = []
        start = dict(block)
        if block["type"] == "tool_use":
            start["input"], whole = {}, json.dumps(block["input"])
            parts = [
                {"type": "input_json_delta", "partial_json": part}
                for part in (whole[:3], whole[3:])
            ]
        elif block["type"] != "redacted_thinking":
            key = block["type"]
            start[key] = ""
            parts = [{"type": f"{key}_delta", key: letter} for letter in block[key]]
            if key == "thinking":
                start["signature"] = ""
                parts.append({"type": "signature_delta", "signature": block["signature"]})
        found.append({"type": "content_block_start", "index": index, "content_block": start})
        found += [{"type": "content_block_delta", "index": index, "delta": part} for part in parts]
        found.append({"type": "content_block_stop", "index": index})
    return [
        *found,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def heard(blocks: list[dict[str, Any]], origin: dialect.Origin = ORIGIN) -> AssistantMessage:
    """What is kept of an answer of `blocks`."""
    answer = AnthropicAnswer(Request("", ()), Place("Anthropic", "here"), origin)
    parts = Parts()
    for event in events(blocks):
        answer.add(event, parts)
    answer.rest(parts)
    items, end = parts.take(), answer.finish()
    assert isinstance(end, Finished)
    text = "".join(item.text for item in items if isinstance(item, TextChunk))
    reasoning = "".join(item.text for item in items if isinstance(item, ThinkingChunk))
    return AssistantMessage(text, reasoning, end.calls, origin.provider, end.state)


@given(answers)
def test_an_answer_goes_back_as_it_came(blocks: list[dict[str, Any]]) -> None:
    message = heard(blocks)
    wired = dialect.messages([UserMessage("go"), message], ORIGIN, thoughts=True)
    assert wired[1] == {"role": "assistant", "content": blocks}
    plain = [block for block in blocks if "thinking" not in block["type"]]
    for other in (
        dialect.Origin("anthropic", ORIGIN.host, "claude-sonnet-5"),
        dialect.Origin("anthropic", "127.0.0.1", ORIGIN.model),
        dialect.Origin("kimi", ORIGIN.host, ORIGIN.model),
    ):
        words = "".join(block["text"] for block in plain if block["type"] == "text")
        assert dialect.messages([UserMessage("go"), message], other, True)[1]["content"] == [
            {"type": "text", "text": words},
            *(block for block in plain if block["type"] == "tool_use"),
        ]


THOUGHT = [
    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
    {"type": "text", "text": "yes"},
]


@pytest.mark.parametrize(
    "changed",
    [{"reasoning": "hm!"}, {"text": "ye"}, {"calls": (ToolCall("a", "ls"),)}, {"state": "{"}],
)
def test_a_message_that_was_changed_is_sent_without_its_thoughts(changed: dict[str, Any]) -> None:
    message = heard(THOUGHT)
    kept = {
        name: getattr(message, name) for name in ("text", "reasoning", "calls", "provider", "state")
    }
    wired = dialect.messages(
        [UserMessage("go"), AssistantMessage(**{**kept, **changed})], ORIGIN, True
    )
    assert wired[1]["content"][0]["type"] == "text"


def test_a_thought_without_a_signature_goes_to_servers_that_sign_none() -> None:
    unsigned = [{**THOUGHT[0], "signature": ""}, THOUGHT[1]]
    near = dialect.Origin("anthropic", "127.0.0.1", "kimi", strict=False)
    for origin, expected in ((ORIGIN, unsigned[1:]), (near, unsigned)):
        wired = dialect.messages([UserMessage("go"), heard(unsigned, origin)], origin, True)
        assert wired[1]["content"] == expected


def test_a_turn_goes_on_thinking_only_where_it_began_so() -> None:
    def begins(*history: Message) -> bool:
        return dialect.starts_with_thought(
            dialect.messages([UserMessage("go"), *history], ORIGIN, True)
        )

    foreign = AssistantMessage("", "hm", (ToolCall("c1", "ls"),), "ollama")
    own = heard([THOUGHT[0], {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}])
    more = AssistantMessage("", "", (ToolCall("c2", "ls"),), "anthropic")
    done, again = ToolMessage("c1", "ls", "a"), ToolMessage("c2", "ls", "b")
    assert begins() and begins(own, done) and begins(own, done, more, again)
    assert not begins(foreign, done)
    assert begins(foreign, done, UserMessage("and be quick"))


def test_a_call_without_a_result_gets_one_and_a_result_without_a_call_is_words() -> None:
    history = (
        UserMessage("go"),
        AssistantMessage("", calls=(ToolCall("c1", "ls"), ToolCall("c2", "ls"))),
        UserMessage("wait"),
        ToolMessage("c2", "ls", "Error [failed]: no"),
        ToolMessage("zz", "cat", "meow"),
        AssistantMessage("Sorry."),
    )
    turns = dialect.messages(history, ORIGIN, True)
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user", "assistant", "user"]
    failed, missing, *words = turns[2]["content"]
    assert (failed["tool_use_id"], failed["is_error"]) == ("c2", True)
    assert (missing["tool_use_id"], missing["is_error"]) == ("c1", True) and "no result" in missing[
        "content"
    ]
    assert [block["text"] for block in words] == ["wait", "[cat]\nmeow"]
    assert turns[4]["content"][0]["text"] == dialect.GO_ON


def test_at_most_four_marks() -> None:
    specs = [ToolSpec(name, "A tool.", {"properties": {}}) for name in ("ls", "cat")]
    tools = dialect.tools(specs)
    assert [("cache_control" in tool, tool["input_schema"]["type"]) for tool in tools] == [
        (False, "object"),
        (True, "object"),
    ]
    assert dialect.tools([]) == [] and dialect.system(" ") == []
    history = [m for n in range(9) for m in (UserMessage(f"{n}"), AssistantMessage("ok"))]
    sent = [
        *tools,
        *dialect.system("s"),
        *dialect.messages([*history, UserMessage("x")], ORIGIN, True),
    ]
    assert json.dumps(sent).count('"cache_control"') == 4
