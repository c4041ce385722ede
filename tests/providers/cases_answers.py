"""Cases: what a good answer means."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence

from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.base import CallChunk, StreamItem, TextChunk, ThinkingChunk
from tests.providers.cases import answer, finished, joined
from tests.providers.servers import (
    ANSWERED,
    COMPLETION,
    PROMPT,
    Dialect,
    call,
    played,
    text,
    thinking,
)

THOUGHT = {"gemini": 2, "openai-responses": 3, "azure-responses": 3}
"""Tokens that were thought, of the servers here that tell them."""
COUNTED = re.compile(rb'((?:[Tt]oken\w*|eval_count)": ?)\d+')
"""A number of tokens in a payload."""


async def plain_text(dialect: Dialect) -> None:
    items = await answer(dialect, [text("Hel"), text("lo "), text("wörld 🎉")])
    assert joined(items, TextChunk) == "Hello wörld 🎉"
    assert finished(items).stop_reason == "stop"
    assert finished(items).calls == ()


async def thought_and_text(dialect: Dialect) -> None:
    items = await answer(dialect, [thinking("hm, "), thinking("so"), text("yes")])
    assert joined(items, ThinkingChunk) == "hm, so"
    assert joined(items, TextChunk) == "yes"
    assert isinstance(items[0], ThinkingChunk)
    assert finished(items).stop_reason == "stop"


def whole_calls(items: Sequence[StreamItem]) -> dict[int, list[str]]:
    """The calls as their chunks tell them: id, name, arguments."""
    found: dict[int, list[str]] = {}
    for item in items:
        if isinstance(item, CallChunk):
            entry = found.setdefault(item.index, [item.id, item.name, ""])
            entry[2] += item.text
    return found


async def one_call(dialect: Dialect) -> None:
    items = await answer(dialect, [call("read_file", '{"path":"ä.py"}', "a1")], "tool_calls")
    end = finished(items)
    assert end.stop_reason == "tool_calls"
    assert [(c.name, json.loads(c.arguments)) for c in end.calls] == [
        ("read_file", {"path": "ä.py"})
    ]
    assert end.calls[0].id
    assert whole_calls(items) == {0: [end.calls[0].id, "read_file", end.calls[0].arguments]}


async def parallel_calls(dialect: Dialect) -> None:
    said = [
        call("glob", '{"p":"*"}', "a1"),
        call("grep", '{"q":"x"}', "a2"),
        call("grep", '{"q":"y"}', "a3"),
    ]
    items = await answer(dialect, said, "tool_calls")
    end = finished(items)
    assert [c.name for c in end.calls] == ["glob", "grep", "grep"]
    assert [json.loads(c.arguments) for c in end.calls] == [{"p": "*"}, {"q": "x"}, {"q": "y"}]
    assert len({c.id for c in end.calls}) == 3
    assert [entry[0] for entry in whole_calls(items).values()] == [c.id for c in end.calls]


async def text_and_call(dialect: Dialect) -> None:
    items = await answer(dialect, [text("Let me look."), call("ls", "{}", "a1")], "tool_calls")
    assert joined(items, TextChunk) == "Let me look."
    assert finished(items).calls[0].name == "ls"
    assert finished(items).stop_reason == "tool_calls"


async def arguments_and_numbers_that_are_none(dialect: Dialect) -> None:
    """NaN is no JSON: the call comes as it was written, for the tool to refuse. A count beyond
    reason is not told."""
    parts = dialect.raw_call(b'{"n":NaN,"m":1e999}', b"9" * 400)
    async with dialect.answering(parts) as (_, provider):
        end = finished(await played(provider))
    assert [(c.name, c.arguments) for c in end.calls] == [("ls", '{"n":NaN,"m":Infinity}')]
    assert end.usage is not None and (end.usage.prompt_tokens, end.usage.completion_tokens) == (
        0,
        3,
    )


async def ids_are_new_in_a_history(dialect: Dialect) -> None:
    before = tuple(ToolCall(f"call_{n}", "ls") for n in (1, 2, 3))
    results = tuple(ToolMessage(c.id, "ls", "a") for c in before)
    history = Request("s", (UserMessage("go"), AssistantMessage("", calls=before), *results))
    async with dialect.answering(
        dialect.parts([call("ls", "{}"), call("cat", "{}")], "tool_calls")
    ) as (_, provider):
        first, again = (
            finished(await played(provider, history)),
            finished(await played(provider, history)),
        )
    assert len({c.id for c in (*before, *first.calls)}) == 5
    assert first.calls == again.calls


async def usage_is_reported(dialect: Dialect) -> None:
    usage = finished(await answer(dialect, [text("hi")])).usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (
        PROMPT,
        COMPLETION,
        False,
    )
    assert usage.reasoning_tokens == THOUGHT.get(dialect.name, 0)
    assert usage.cache_write_tokens == (2 if dialect.name == "anthropic" else 0)
    assert usage.cached_tokens == (0 if dialect.name == "ollama" else 3)


async def the_model_that_answered_is_named(dialect: Dialect) -> None:
    """An alias, or a router, is answered by a model of another name."""
    assert finished(await answer(dialect, [text("hi")])).model == ANSWERED
    no_name = [part.replace(b"odel", b"odd") for part in dialect.parts([text("hi")], "stop")]
    async with dialect.answering(no_name) as (_, provider):
        assert finished(await played(provider)).model == ""


async def a_number_that_is_too_long_to_read_costs_no_answer(dialect: Dialect) -> None:
    parts = dialect.parts([text("hi")], "stop")
    long = [COUNTED.sub(rb"\g<1>" + b"9" * 5_000, part) for part in parts]
    assert long != parts
    async with dialect.answering(long) as (_, provider):
        items = await played(provider)
    assert finished(items).stop_reason == "stop" and joined(items, TextChunk) == "hi"


async def length_stop(dialect: Dialect) -> None:
    assert finished(await answer(dialect, [text("hi")], "length")).stop_reason == "length"


async def a_refusal(dialect: Dialect) -> None:
    assert dialect.refusal
    items = await answer(dialect, [text("I cannot.")], dialect.refusal)
    assert finished(items).stop_reason == "refusal" and joined(items, TextChunk) == "I cannot."


async def an_image_goes_with_its_words(dialect: Dialect) -> None:
    data = base64.b64encode(b"\x89PNG \xff" * 99).decode()
    asked = Request(
        "s", (UserMessage("what is it?", (Image("a.png", "image/png", "0" * 64, data),)),)
    )
    async with dialect.answering(dialect.parts([text("a dot")], "stop")) as (server, provider):
        finished(await played(provider, asked))
        (body,) = server.bodies(dialect.path)
    assert body.count(data.encode()) == 1 and b"what is it?" in body


async def an_answer_without_words_is_an_answer(dialect: Dialect) -> None:
    items = await answer(dialect, [])
    assert finished(items).stop_reason == "stop"
    assert len(items) == 1
