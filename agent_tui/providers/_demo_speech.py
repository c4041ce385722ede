"""What the demo says, as plain values, and when: a reply is laid out in beats, each with the delay before it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_tui.protocol.messages import ToolCall
from agent_tui.providers.base import CallChunk, Finished, StreamItem, TextChunk, ThinkingChunk

RATE: Final = 40.0
"""Tokens per second."""

_TOKEN: Final = re.compile(r"\s*\S{1,4}|\s+")


@dataclass(frozen=True, slots=True)
class Say:
    """Words, streamed at `rate` tokens per second. `whole`: all of them are one token."""

    text: str
    rate: float = RATE
    whole: bool = False

    def tokens(self) -> tuple[str, ...]:
        return (self.text,) if self.whole else tuple(_TOKEN.findall(self.text))


@dataclass(frozen=True, slots=True)
class Wish:
    """A tool call to make."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: what is thought, what is said, `rest` seconds to read it, then the calls. `state` goes into the
    history with it."""

    said: tuple[Say, ...]
    wishes: tuple[Wish, ...] = ()
    state: str = "{}"
    rest: float = 0.0
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Beat:
    """An item of the stream, and the seconds to wait before it."""

    delay: float
    item: StreamItem


def beats(reply: Reply, number: int) -> Iterator[Beat]:
    """The stream of `reply`, which is the answer number `number` of its session (call ids come from it)."""
    for token in Say(reply.thought).tokens():
        yield Beat(1 / RATE, ThinkingChunk(token))
    for say in reply.said:
        for token in say.tokens():
            yield Beat(1 / say.rate, TextChunk(token))
    calls = tuple(
        ToolCall(f"demo-{number}-{index}", wish.tool, json.dumps(wish.arguments, ensure_ascii=False))
        for index, wish in enumerate(reply.wishes)
    )
    for index, call in enumerate(calls):
        yield Beat(reply.rest if index == 0 else 1 / RATE, CallChunk(index, id=call.id, name=call.name))
        for token in _TOKEN.findall(call.arguments):
            yield Beat(1 / RATE, CallChunk(index, token))
    yield Beat(0.0, Finished("tool_calls" if calls else "stop", calls, state=reply.state))


def code(text: str) -> str:
    """`text` as a Markdown code span, whatever it holds, on one line and not too long."""
    line = " ".join(text.split())
    line = f"{line[:160]}…" if len(line) > 160 else line
    if not line:
        return "(nothing)"
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"
