"""When the words of an answer are told: those of a server as they are read, others once the loop
waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from agent_tui.agent.turn import loop
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.protocol.events import Event, TextDelta, ThinkingDelta
from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import Finished, Provider, StreamItem, TextChunk, ThinkingChunk
from agent_tui.safety.secrets.hidden_values import HiddenValues

PARTS = (ThinkingChunk("hm"), TextChunk("a"), TextChunk("b"))


class Here:
    """A provider that has its whole answer at once. `told` is looked at whenever the next part is
    asked for."""

    name, model = "here", "m"
    roots: tuple[Path, ...] = ()

    def __init__(self, told: list[Event]) -> None:
        self.told, self.before = told, list[int]()

    async def info(self) -> ModelInfo:
        return ModelInfo("here/m")

    async def models(self) -> tuple[ModelInfo, ...]:
        return ()

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        assert not request.messages
        for part in PARTS:
            yield part
            self.before.append(len(self.told))
        await asyncio.sleep(0)
        yield Finished("stop")

    async def prepare(self) -> None:
        return None

    async def close(self) -> None:
        return None


class There(Here):
    base_url = "http://there"


def streamed(kind: type[Here]) -> tuple[list[Event], list[int]]:
    told: list[Event] = []

    async def scenario() -> list[int]:
        provider = kind(told)
        found: Provider = provider
        turn = Turn(1, lambda event, _: told.append(event), "x")
        assert await loop.stream(turn, found, Request("", ()), HiddenValues()) == Finished("stop")
        return provider.before

    return told, asyncio.run(scenario())


def test_what_a_server_sent_is_told_before_it_is_asked_for_more() -> None:
    told, before = streamed(There)
    assert told == [ThinkingDelta(text="hm"), TextDelta(text="a"), TextDelta(text="b")]
    assert before == [1, 2, 3]


def test_what_others_have_at_once_gathers_until_the_loop_waits() -> None:
    told, before = streamed(Here)
    assert told == [ThinkingDelta(text="hm"), TextDelta(text="ab")]
    assert before == [0, 1, 1]
