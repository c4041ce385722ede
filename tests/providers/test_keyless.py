"""A key that a server repeats in its answer: what leaves the provider does not have it, wherever it
stood."""

from __future__ import annotations

import asyncio
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.messages import ToolCall
from agent_tui.providers.base import (
    CallChunk,
    Failed,
    Finished,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.wire.stream import Keyless
from agent_tui.safety.secrets.scrubber import Scrubber, placeholder
from tests.providers.cases import answer, finished, joined
from tests.providers.dialects import DIALECTS
from tests.providers.servers import KEY, Connection, Dialect, Received, call, played, text, thinking

SAID = f"It is {KEY}, is it? {KEY[:-1]}"
CALL = f'{{"path":"{KEY}"}}'


def arguments(items: list[StreamItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, CallChunk))


def hides(told: str, whole: str) -> bool:
    """Whether `told` is `whole` without the key, of which three letters may have gone ahead where
    it came in pieces."""
    pattern = ("(s|sk|sk-)?" + re.escape(placeholder("key", KEY))).join(
        map(re.escape, whole.split(KEY))
    )
    return KEY not in told and re.fullmatch(pattern, told) is not None


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
def test_it_is_hidden_in_words_thoughts_and_calls(dialect: Dialect) -> None:
    said = [*map(thinking, SAID), *map(text, SAID), call("ls", CALL, "c1"), call(KEY, CALL, KEY)]
    items = asyncio.run(answer(dialect, said, "tool_calls"))
    end = finished(items)
    assert KEY not in repr(items) + joined(items, TextChunk) + joined(
        items, ThinkingChunk
    ) + arguments(items)
    assert hides(joined(items, TextChunk), SAID) and hides(joined(items, ThinkingChunk), SAID)
    assert [one.arguments.replace(" ", "") for one in end.calls] == [
        CALL.replace(KEY, placeholder("key", KEY))
    ] * 2
    assert len({one.id for one in end.calls}) == 2


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
def test_what_waited_is_told_before_a_failure(dialect: Dialect) -> None:
    """An answer that breaks off in what could have been a key."""

    async def route(_: Received, connection: Connection) -> None:
        parts = dialect.parts([text("Hello " + KEY[:5])], "stop")
        await connection.stream(parts[: dialect.hello], dialect.content_type)

    async def scenario() -> list[StreamItem]:
        async with dialect.server(route) as (_, provider):
            return await played(provider)

    items = asyncio.run(scenario())
    assert isinstance(items[-1], Failed) and joined(items, TextChunk) == "Hello " + KEY[:5]


@given(st.lists(st.sampled_from([KEY, KEY[:3], KEY[3:], "s", "x"])), st.lists(st.integers(0, 90)))
def test_however_it_is_cut(words: list[str], cuts: list[int]) -> None:
    whole, keyless = "".join(words), Keyless(Scrubber((KEY,)))
    places = sorted({min(cut, len(whole)) for cut in cuts} | {0, len(whole)})
    items: list[StreamItem] = []
    for start, end in itertools.pairwise(places):
        piece = whole[start:end]
        items += keyless.pass_on([TextChunk(piece), ThinkingChunk(piece), CallChunk(0, piece)])
    items += keyless.pass_on([Finished("tool_calls", (ToolCall("c", "ls", whole),), state=whole)])
    shown = whole.replace(KEY, placeholder("key", KEY))
    told = joined(items, TextChunk)
    assert told == joined(items, ThinkingChunk) == arguments(items)
    assert hides(told, whole)
    assert finished(items).calls[0].arguments == shown
    assert finished(items).state == (whole if KEY not in whole else "")


def test_a_word_that_ends_as_a_key_begins_does_not_wait() -> None:
    keyless = Keyless(Scrubber((KEY,)))
    for word in ("as", "ask", "task-", "s", KEY[:2], KEY[2:5]):
        passed = keyless.pass_on([TextChunk(word)])
        assert joined(passed, TextChunk) == ("" if word == KEY[2:5] else word)


def test_without_a_key_nothing_is_looked_at() -> None:
    items: list[StreamItem] = [TextChunk("a"), Finished("stop")]
    assert Keyless(Scrubber(("",))).pass_on(items) is items
