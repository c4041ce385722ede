"""Histories as Gemini reads them, and what of its own answers it gets back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
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
from agent_tui.providers.base import Failed, TextChunk, ThinkingChunk
from agent_tui.providers.dialects.gemini_messages import (
    UNSIGNED,
    GeminiAnswer,
    contents,
    wants_signatures,
)
from agent_tui.providers.dialects.translate import Parts
from agent_tui.providers.wire.failures import Place
from tests.providers.asking import HISTORY, sent
from tests.providers.cases import joined
from tests.providers.gemini_server import GEMINI
from tests.providers.servers import KEY

MODEL = "gemini-3-pro-preview"
PLACE = Place("Gemini", "https://example.test", MODEL)


def wired(*messages: Message, model: str = MODEL) -> list[dict[str, Any]]:
    return contents(messages, "gemini", model)


def answered(
    parts: Sequence[dict[str, Any]], history: Request | None = None, model: str = MODEL
) -> AssistantMessage:
    """What stands in the history after an answer of `parts`, each in an event of its own."""
    answer = GeminiAnswer(history or Request("", ()), PLACE, model)
    told = Parts()
    for part in parts:
        answer.add({"candidates": [{"content": {"parts": [part]}}]}, told)
    answer.add({"candidates": [{"finishReason": "STOP"}]}, told)
    answer.rest(told)
    items = told.take()
    assert not any(isinstance(item, Failed) for item in items)
    end = answer.finish()
    return AssistantMessage(
        joined(items, TextChunk), joined(items, ThinkingChunk), end.calls, "gemini", end.state
    )


def test_a_request_has_what_it_must() -> None:
    body = asyncio.run(sent(GEMINI, lambda address: GEMINI.create(address, {}), HISTORY))
    assert body["headers"]["x-goog-api-key"] == KEY
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert body["generationConfig"] == {"maxOutputTokens": 99}
    assert body["tools"] == [{"functionDeclarations": [{"name": "ls", "description": "List."}]}]
    ask, answer, results = body["contents"]
    assert ask == {"role": "user", "parts": [{"text": "go"}]}
    assert answer == {
        "role": "model",
        "parts": [
            {"functionCall": {"name": "ls", "args": {"b": 1, "a": 2}}},
            {"functionCall": {"name": "ls", "args": {"malformed_arguments": "{"}}},
        ],
    }
    assert results == {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "ls", "response": {"output": "a.py"}}},
            {
                "functionResponse": {
                    "name": "ls",
                    "response": {"error": "Error [invalid_arguments]: no"},
                }
            },
        ],
    }


def test_images_go_inline() -> None:
    image = Image("a.png", "image/png", "blob", "aGk=")
    data = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert wired(UserMessage("see", (image,)))[0]["parts"] == [{"text": "see"}, data]
    assert wired(UserMessage("", (image,)))[0]["parts"] == [data]


def test_an_answer_that_was_cut_before_it_said_anything_is_left_out() -> None:
    found = wired(
        UserMessage("one"), AssistantMessage("", "hm", provider="gemini"), UserMessage("two")
    )
    assert [content["role"] for content in found] == ["user", "user"]


def test_signatures_go_back_in_the_part_that_they_came_with() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "hm, ", "thought": True},
        {"text": "so", "thought": True, "thoughtSignature": "S0"},
        {"text": "Let me "},
        {"text": "look."},
        {"text": "!", "thoughtSignature": "S1"},
        {"functionCall": {"name": "ls", "args": {"n": 1}, "id": "g1"}, "thoughtSignature": "S2"},
        {"functionCall": {"name": "ls", "args": {"n": 2}, "id": "g2"}},
        {"text": "", "thoughtSignature": "S3"},
    ]
    message = answered(parts)
    assert (message.text, message.reasoning) == ("Let me look.!", "hm, so")
    results = (ToolMessage("g2", "ls", "b"), ToolMessage("g1", "ls", "a"))
    _, answer, result = wired(UserMessage("go"), message, *results)
    assert answer["parts"] == [parts[1], {"text": "Let me look."}, *parts[4:]]
    assert [part["functionResponse"]["id"] for part in result["parts"]] == [
        "g1",
        "g2",
    ]  # in the order of the calls


def test_an_answer_without_signatures_has_no_state() -> None:
    message = answered(
        [{"text": "a", "thought": True}, {"text": "b"}, {"functionCall": {"name": "ls"}}]
    )
    assert message.state == "" and message.calls == (ToolCall("call_1", "ls", "{}"),)


def test_what_another_wrote_has_none_of_its_state() -> None:
    own = answered(
        [{"text": "a", "thoughtSignature": "S"}, {"functionCall": {"name": "ls", "id": "g"}}]
    )
    result = ToolMessage("g", "ls", "x")
    plain = [
        {"text": "a"},
        {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": UNSIGNED},
    ]
    answer = {"functionResponse": {"name": "ls", "response": {"output": "x"}}}
    broken = json.dumps({"model": MODEL, "parts": [["text", "x"], ["call"]]})
    for other in (
        replace(own, provider="anthropic"),
        replace(own, state=own.state.replace(MODEL, "gemini-3-flash")),
        replace(own, text="another"),
        *(replace(own, state=state) for state in ("{", "[]", '{"parts":1}', broken)),
    ):
        found = wired(UserMessage("go"), other, result)
        assert found[1]["parts"] == [{"text": other.text}, plain[1]]
        assert found[2]["parts"] == [answer]


def test_calls_of_another_are_marked_for_models_that_want_signatures() -> None:
    history = (
        UserMessage("go"),
        AssistantMessage("", calls=(ToolCall("a", "ls"), ToolCall("b", "ls")), provider="x"),
    )
    for model, marks in ((MODEL, [UNSIGNED, None]), ("gemini-2.5-pro", [None, None])):
        parts = wired(*history, model=model)[1]["parts"]
        assert [part.get("thoughtSignature") for part in parts] == marks
    newer = (
        "gemini-3-flash",
        "gemini-3.1-pro",
        "gemini-10",
        "gemini-flash-latest",
        "models/gemini-4",
    )
    assert all(map(wants_signatures, newer))
    older = ("gemini-1.5-pro", "gemini-2.0-flash", "gemini-2.5-pro", "gemma-3-27b-it", "m")
    assert not any(map(wants_signatures, older))


_TEXT = st.text(max_size=4)
_SIGNED = st.sampled_from([{}, {}, {"thoughtSignature": "c2ln"}])
_ARGS = st.dictionaries(st.sampled_from("abc"), st.integers() | _TEXT, max_size=2)


@st.composite
def _part(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["text", "thought", "call"]))
    signed = draw(_SIGNED)
    if kind == "call":
        named = draw(st.sampled_from([{}, {"id": "g1"}, {"id": "g2"}]))
        return {"functionCall": {"name": "ls", "args": draw(_ARGS), **named}, **signed}
    return {"text": draw(_TEXT), **({"thought": True} if kind == "thought" else {}), **signed}


def _merged(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """`parts` as they may go back: text without signatures in one piece, and no thoughts without."""
    found: list[dict[str, Any]] = []
    for part in parts:
        if "functionCall" not in part and "thoughtSignature" not in part and not part["text"]:
            continue
        plain = set(part) == {"text"}
        if plain and found and set(found[-1]) == {"text"}:
            found[-1] = {"text": found[-1]["text"] + part["text"]}
        else:
            found.append(part)
    return [part for part in found if set(part) != {"text", "thought"}]


def _once(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """`parts` without calls that are there already: with their id, or right before."""
    found, calls = list[dict[str, Any]](), list[dict[str, Any]]()
    for part in parts:
        call = part.get("functionCall")
        if call is None or not (call in calls[-1:] or ("id" in call and call in calls)):
            found.append(part)
        calls += [] if call is None else [call]
    return found


@settings(deadline=None)
@given(st.lists(_part(), min_size=1, max_size=8))
def test_an_answer_goes_back_as_it_came(parts: list[dict[str, Any]]) -> None:
    message = answered(parts, model="gemini-2.5-pro")
    found = wired(message, model="gemini-2.5-pro")
    seen = set[str]()
    expected = _merged(_once(parts))
    for part in expected:
        if (call := part.get("functionCall")) and (call.get("id") in seen or not message.state):
            call.pop("id", None)  # an id that comes twice is not used again
        seen.add(call["id"]) if call and "id" in call else None
    if not message.state:
        texts = "".join(part["text"] for part in expected if "text" in part)
        expected = [
            *([{"text": texts}] if texts else []),
            *(part for part in expected if "functionCall" in part),
        ]
    assert (found[0]["parts"] if found else []) == expected


@st.composite
def _history(draw: st.DrawFn) -> list[Message]:
    """A session that went through several providers; every call has its result."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(1, 4))):
        messages.append(UserMessage(draw(_TEXT)))
        for _ in range(draw(st.integers(0, 3))):
            if draw(st.booleans()):
                history = Request("", tuple(messages))
                message = answered(draw(st.lists(_part(), min_size=1, max_size=4)), history)
            else:
                start = sum(isinstance(m, ToolMessage) for m in messages)
                calls = tuple(
                    ToolCall(f"toolu_{start + n}", "ls", "{}")
                    for n in range(draw(st.integers(0, 3)))
                )
                message = AssistantMessage(
                    draw(_TEXT), draw(_TEXT), calls, "anthropic", '{"signature":"x"}'
                )
            results = draw(
                st.permutations([ToolMessage(call.id, call.name, "ok") for call in message.calls])
            )
            messages += [message, *results]
    return messages


@settings(deadline=None)
@given(_history())
def test_every_history_is_valid(messages: list[Message]) -> None:
    """As many results as calls right behind them, in their order, with the ids of those that have
    one."""
    found = wired(*messages)
    assert all(content["parts"] for content in found)
    for content, after in pairwise([*found, {"role": "user", "parts": []}]):
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        results = [
            part["functionResponse"] for part in after["parts"] if "functionResponse" in part
        ]
        assert [(c["name"], c.get("id")) for c in calls] == [
            (r["name"], r.get("id")) for r in results
        ]
        assert content["role"] == ("model" if calls else content["role"])
        if calls:  # the first of them is signed
            assert next(part for part in content["parts"] if "functionCall" in part)[
                "thoughtSignature"
            ]
    kept = json.dumps(found[:-1])[:-1]
    assert json.dumps(wired(*messages, UserMessage("more"))).startswith(kept)
