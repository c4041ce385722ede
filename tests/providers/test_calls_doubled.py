"""Calls that come twice in one answer: a tool never runs twice for what a server sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from agent_tui.protocol.messages import ToolCall
from tests.providers.asking import COMPATIBLE, OLLAMA
from tests.providers.cases import finished
from tests.providers.dialects import DIALECTS
from tests.providers.gemini_server import GEMINI, event
from tests.providers.servers import Dialect, Said, call, played, sse, text

WRITE = '{"path":"a","text":"b"}'


def calls(dialect: Dialect, chunks: Sequence[bytes]) -> tuple[ToolCall, ...]:
    async def scenario() -> tuple[ToolCall, ...]:
        async with dialect.answering(chunks) as (_, provider):
            return finished(await played(provider)).calls

    return asyncio.run(scenario())


def called(dialect: Dialect, *said: Said) -> list[tuple[str, str]]:
    found = calls(dialect, dialect.parts(said, "tool_calls"))
    assert len({one.id for one in found}) == len(found)
    return [(one.name, one.arguments.replace(" ", "")) for one in found]


@pytest.mark.parametrize(
    "dialect", [COMPATIBLE, OLLAMA, GEMINI], ids=lambda dialect: str(dialect.name)
)
def test_equal_calls_without_ids_that_follow_each_other_are_one(dialect: Dialect) -> None:
    said = call("write", WRITE), call("write", WRITE), call("ls", "{}"), call("ls", '{"path":"a"}')
    assert called(dialect, text("So."), *said) == [
        ("write", WRITE),
        ("ls", "{}"),
        ("ls", '{"path":"a"}'),
    ]


@pytest.mark.parametrize(
    "dialect", [COMPATIBLE, OLLAMA, GEMINI], ids=lambda dialect: str(dialect.name)
)
def test_a_call_before_and_after_another_runs_twice(dialect: Dialect) -> None:
    said = call("test", "{}"), call("write", WRITE), call("test", "{}")
    assert called(dialect, *said) == [("test", "{}"), ("write", WRITE), ("test", "{}")]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
def test_ids_tell_equal_calls_apart(dialect: Dialect) -> None:
    if dialect is not OLLAMA:  # its server here gives none
        assert called(dialect, call("ls", "{}", "a"), call("ls", "{}", "b")) == [("ls", "{}")] * 2


def test_an_answer_whose_chunks_are_doubled() -> None:
    signed = {"functionCall": {"name": "write", "args": {"a": 1}}, "thoughtSignature": "c2ln"}
    for part in (signed, {"functionCall": {"name": "write", "args": {"a": 1}, "id": "g1"}}):
        found = calls(GEMINI, [event(part), event(part), event(stop="STOP"), event(stop="STOP")])
        assert [(one.name, one.arguments) for one in found] == [("write", '{"a":1}')]
    whole = {"index": 0, "function": {"name": "write", "arguments": WRITE}}
    chunk = sse({"choices": [{"index": 0, "delta": {"tool_calls": [whole]}}]})
    end = sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert [one.arguments for one in calls(COMPATIBLE, [chunk, chunk, end])] == [WRITE]
