"""The conformance table once more, every provider against a server that this project did not write:
aimock. What it cannot play: an empty stream, a byte now and then; Ollama's thoughts, tokens and
length stop; a refusal in Messages."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial

import pytest

from agent_tui.protocol.messages import Image, Request, UserMessage
from agent_tui.providers import openai
from agent_tui.providers.base import Provider, ProviderSetup, StreamItem, TextChunk, ThinkingChunk
from agent_tui.providers.facts import presets
from tests.providers import test_peers_aimock as first
from tests.providers.aimock_cases import PROVIDERS_ELSEWHERE
from tests.providers.cases import failed, finished, joined
from tests.providers.test_peers_aimock import DIALECTS, TOOLS, Create, played

pytestmark = pytest.mark.peers


def preset_at(name: str, address: str) -> Provider:
    base = PROVIDERS_ELSEWHERE.get(name, "/v1")
    return presets.create(name, "m", ProviderSetup(f"{address}{base}", "sk-test"))


def openai_at(address: str) -> Provider:
    return openai.create("m", ProviderSetup(f"{address}/v1", "sk-test"))


CHAT = [name for name, service in presets.SERVICES.items() if service.dialect == "compatible"]
SERVICES = [name for name in CHAT if name not in DIALECTS]
EVERY: dict[str, Create] = {
    **DIALECTS,
    "openai": openai_at,
    **{name: partial(preset_at, name) for name in SERVICES},
}
each = pytest.mark.parametrize("name", EVERY)


def asked(address: str, name: str, prompt: str) -> list[StreamItem]:
    return played(EVERY[name](address), Request("Be kind.", (UserMessage(prompt),), TOOLS))[0]


@pytest.mark.parametrize("name", [name for name in EVERY if name not in DIALECTS])
def test_text_and_calls(aimock: str, name: str) -> None:
    """What the first of the files of this server has for one provider of each kind."""
    first.test_text(aimock, EVERY[name])
    first.test_tool_calls_and_their_results(aimock, EVERY[name])


@each
def test_thoughts(aimock: str, name: str) -> None:
    items = asked(aimock, name, "reckon")
    assert joined(items, TextChunk) == "42" and finished(items).stop_reason == "stop"
    assert joined(items, ThinkingChunk) == ("" if name == "ollama" else "six times seven")


@each
def test_one_call(aimock: str, name: str) -> None:
    end = finished(asked(aimock, name, "one call"))
    assert end.stop_reason == "tool_calls"
    assert [(call.name, json.loads(call.arguments)) for call in end.calls] == [
        ("list_files", {"a": "ü"})
    ]


@each
def test_words_and_a_call(aimock: str, name: str) -> None:
    items = asked(aimock, name, "words and a call")
    assert joined(items, TextChunk) == "Let me look." and [
        call.name for call in finished(items).calls
    ] == ["list_files"]


@each
def test_a_length_stop(aimock: str, name: str) -> None:
    assert finished(asked(aimock, name, "at length")).stop_reason == (
        "stop" if name == "ollama" else "length"
    )


@each
def test_a_refusal(aimock: str, name: str) -> None:
    items = asked(aimock, name, "forbidden")
    if name == "responses":  # this server lets the whole response fail, which is said
        assert failed(items, "server", aimock)
    else:
        assert finished(items).stop_reason == (
            "stop" if name in ("ollama", "anthropic") else "refusal"
        )


@each
def test_a_character_at_a_time(aimock: str, name: str) -> None:
    assert joined(asked(aimock, name, "letter by letter"), TextChunk) == "naïve 🎉 日本語"


@each
def test_an_image_goes_with_its_words(aimock: str, name: str) -> None:
    data = base64.b64encode(b"\x89PNG \xff" * 9).decode()
    message = UserMessage("what is in it", (Image("a.png", "image/png", "0" * 64, data),))
    (items,) = played(EVERY[name](aimock), Request("", (message,)))
    assert joined(items, TextChunk) == "a dot"


@each
@pytest.mark.parametrize(
    ("prompt", "kind", "may_pass", "wait"),
    [
        ("too long", "overflow", False, None),
        ("too large", "overflow", False, None),
        ("wrong key", "auth", False, None),
        ("no such model", "unknown_model", False, None),
        ("too fast", "rate_limited", True, 3.0),
        ("on fire", "server", True, None),
        ("overloaded", "server", True, 5.0),
        ("cut before", "broken_stream", True, None),
        ("torn", "broken_stream", True, None),
        ("garbage", "malformed", True, None),
    ],
)
def test_failures(
    aimock: str, name: str, prompt: str, kind: str, may_pass: bool, wait: float | None
) -> None:
    items = asked(aimock, name, prompt)
    end = failed(items, kind, aimock)
    assert (end.may_pass, end.retry_after) == (may_pass, wait)
    assert "Hello, are you there?".startswith(joined(items, TextChunk))


@each
def test_two_at_once(aimock: str, name: str) -> None:
    async def scenario() -> Sequence[str]:
        provider = EVERY[name](aimock)
        answers = await asyncio.gather(
            *(_words(provider, f"{which} of two") for which in ("first", "second"))
        )
        await provider.close()
        return answers

    assert asyncio.run(scenario()) == ["one", "two"]


async def _words(provider: Provider, prompt: str) -> str:
    request = Request("", (UserMessage(prompt),))
    return joined([item async for item in provider.stream(request)], TextChunk)


@each
def test_an_answer_that_is_left_ends_and_the_next_is_asked_for(aimock: str, name: str) -> None:
    async def scenario() -> str:
        provider = EVERY[name](aimock)
        began = asyncio.Event()
        task = asyncio.create_task(_until_cancelled(provider, began.set))
        await asyncio.wait_for(began.wait(), 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 30)
        said = await _words(provider, "say hello")
        await provider.close()
        return said

    assert asyncio.run(scenario()) == "Hello, wörld 🎉!"


async def _until_cancelled(provider: Provider, began: Callable[[], None]) -> None:
    async with aclosing(provider.stream(Request("", (UserMessage("without end"),)))) as items:
        async for item in items:
            if isinstance(item, TextChunk):
                began()
