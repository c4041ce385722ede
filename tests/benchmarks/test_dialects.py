"""The server of the benchmark of providers: every provider reads from it all that it was asked to
send."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import cycle, islice

import pytest

from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.providers.base import Finished, StreamItem, TextChunk
from agent_tui.providers.choosing import choose
from benchmarks.dialects import DIALECTS, END, STAMP, Service
from benchmarks.providers import characters, settings
from benchmarks.server import TOKENS
from tests.places import configured


def answered(name: str, prompt: str) -> list[StreamItem]:
    return asyncio.run(_answered(name, prompt))


async def _answered(name: str, prompt: str) -> list[StreamItem]:
    listening = await asyncio.start_server(Service().serve, "127.0.0.1", 0)
    dialect, url = DIALECTS[name], f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    provider = choose.make(dialect.model, configured(settings(dialect), dialect.environment(url)))
    async with listening, aclosing(provider.stream(Request("", (UserMessage(prompt),)))) as items:
        found = [item async for item in items]
    await provider.close()
    return found


def words(items: list[StreamItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, TextChunk))


@pytest.mark.parametrize("name", DIALECTS)
def test_every_provider_reads_all_that_the_server_was_asked_for(name: str) -> None:
    items = answered(name, "stream 1@0, no: stream 450@0")
    whole = "".join(islice(cycle(TOKENS), 450))
    assert words(items) == f"{whole}\n\n{END}"
    assert len(whole) == characters(450)
    assert isinstance(items[-1], Finished) and items[-1].stop_reason == "stop"


@pytest.mark.parametrize("name", DIALECTS)
def test_each_token_says_when_it_was_sent(name: str) -> None:
    moments = [
        float(stamp)
        for stamp in STAMP.findall(words(answered(name, "stream 5@1000 stamped")).encode())
    ]
    assert len(moments) == 5 and moments == sorted(moments)
