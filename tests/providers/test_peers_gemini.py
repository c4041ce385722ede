"""Gemini's wire against somebody else's server: what only its dialect has there."""

from __future__ import annotations

import pytest

from agent_tui.protocol.messages import Request, Usage, UserMessage
from agent_tui.providers.base import StreamItem, TextChunk, ThinkingChunk
from tests.providers.cases import failed, finished, joined
from tests.providers.test_peers_aimock import gemini_at, played

pytestmark = pytest.mark.peers


def asked(address: str, prompt: str) -> list[StreamItem]:
    return played(gemini_at(address), Request("", (UserMessage(prompt),)))[0]


def test_thoughts_and_tokens(aimock: str) -> None:
    items = asked(aimock, "reckon")
    assert (joined(items, ThinkingChunk), joined(items, TextChunk)) == ("six times seven", "42")
    assert finished(items).usage == Usage(9, 4)


def test_other_ends(aimock: str) -> None:
    assert finished(asked(aimock, "at length")).stop_reason == "length"
    assert finished(asked(aimock, "forbidden")).stop_reason == "refusal"


def test_a_stream_that_is_cut(aimock: str) -> None:
    items = asked(aimock, "torn")
    assert "Hello, are you there?".startswith(joined(items, TextChunk))
    assert failed(items, "broken_stream", aimock).may_pass


def test_refused_requests(aimock: str) -> None:
    assert failed(asked(aimock, "far too much"), "overflow", aimock)
    assert failed(asked(aimock, "who am I"), "auth", aimock)
    assert failed(
        asked(aimock, "nothing that it knows"), "server", aimock
    ).may_pass  # a 503, it is strict
