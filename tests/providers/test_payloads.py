"""Texts of a stream to JSON objects, and what they add to parts of an answer."""

from __future__ import annotations

import json
import logging
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.providers.base import (
    CallChunk,
    Failed,
    Finished,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.dialects.translate import Parts
from agent_tui.providers.wire.failures import Place
from agent_tui.providers.wire.stream_parsers import DONE, MOST_BAD, Payload, Payloads, parse_payload

PLACE = Place("Somebody", "http://there")


@given(
    st.text(st.sampled_from('{}[]",:1a \t\n\ufeff\\'), max_size=12)
    | st.text(max_size=8).map(json.dumps)
)
def test_an_object_is_what_json_has_as_one(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    assert parse_payload(text) == (expected if isinstance(expected, dict) else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        (' {"a": 1} \r', {"a": 1}),
        ('{"a": 1}\n', {"a": 1}),
        ('{"a": 1}}', None),
        ('{"a": 1} {"b": 2}', None),
        ("[1]", None),
        ("7", None),
        ("", None),
        ("{", None),
        ("[DONE]", DONE),
        ('{"a": %s}' % ("9" * 5_000), {"a": float("inf")}),
        ("[%s]" % ("9" * 5_000), None),
        ('{"a": -%s} x' % ("9" * 5_000), None),
        (" [DONE]", None),
        ("[" * 100_000, None),
        ('{"a":' * 100_000, None),
    ],
)
def test_texts(text: str, expected: Any) -> None:
    assert parse_payload(text) == expected


def taken(*together: list[str]) -> tuple[list[Payload], Payloads]:
    payloads = Payloads(PLACE)
    found = [payload for texts in together for payload in payloads.parse_texts(texts)]
    return [*found, *payloads.end()], payloads


def test_bad_ones_are_skipped_until_there_are_too_many(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        logging.getLogger("agent_tui"), "propagate", True
    )  # a session before this one kept its own log
    with caplog.at_level(logging.WARNING):
        found, payloads = taken(["{}", "x", "y"], ["[DONE]", "x", "y"])
    assert found == [{}, DONE] and payloads.good and not payloads.broken
    assert len(caplog.records) == 4 and "http://there" in caplog.text
    found, payloads = taken(["{}", *"x" * (MOST_BAD - 1)], ["x", "{}"])
    assert found[0] == {} and len(found) == 2 and payloads.broken
    assert isinstance(found[1], Failed) and found[1].kind == "malformed"


def test_a_stream_with_nothing_good_in_it_is_malformed() -> None:
    found, payloads = taken(["x"])
    assert [one.kind for one in found if isinstance(one, Failed)] == [
        "malformed"
    ] and not payloads.good
    assert taken([])[0] == []
    for bad in ("x", '{"a":' * 100_000):
        found, payloads = taken([bad], ["[DONE]"])
        assert found[0] == DONE and not payloads.good
        assert [one.kind for one in found if isinstance(one, Failed)] == ["malformed"]


# -- parts

WORDS = st.text(max_size=3)
ITEMS = st.lists(
    st.builds(TextChunk, WORDS)
    | st.builds(ThinkingChunk, WORDS)
    | st.builds(CallChunk, st.integers(0, 2))
)


def told(items: list[StreamItem]) -> list[StreamItem]:
    parts = Parts()
    for item in items:
        match item:
            case TextChunk(text):
                parts.add_text(text)
            case ThinkingChunk(text):
                parts.add_thinking(text)
            case _:
                parts.add(item)
    found = parts.take()
    assert parts.take() == [] and not parts.failed
    return found


@given(ITEMS)
def test_words_that_follow_each_other_are_one_part_and_the_order_stays(
    items: list[StreamItem],
) -> None:
    def letters(of: list[StreamItem]) -> list[Any]:
        return [
            letter
            for item in of
            for letter in (
                [(type(item), one) for one in item.text]
                if not isinstance(item, CallChunk)
                else [item]
            )  # type: ignore[union-attr]
        ]

    found = told(items)
    assert letters(found) == letters(items)
    kinds = [type(item) for item in found if isinstance(item, CallChunk) or item.text]  # type: ignore[union-attr]
    assert len(kinds) == len(found)  # none is empty
    assert all(one is CallChunk or one is not other for one, other in pairwise(kinds))


def test_a_failure_is_seen_at_once() -> None:
    parts = Parts()
    parts.add_text("so")
    seen = []
    for item in (Finished("stop"), Failed("server", "no")):
        parts.add(item)
        seen.append(parts.failed)
    assert seen == [False, True]
    assert parts.take() == [TextChunk("so"), Finished("stop"), Failed("server", "no")]
