"""Tool calls however a server sends them, and arguments however a model writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_tui.protocol.messages import ToolCall
from agent_tui.providers.dialects.translate import (
    CallDeltas,
    CallIds,
    arguments_object,
    arguments_text,
)
from tests.providers.servers import (
    request,
)

Parts = list[dict[str, Any]]
DEEP = '{"a":' * 950 + "1" + "}" * 950
"""Deep enough to be read and too deep to be written again inside a request."""


def part(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    function = {key: fields.pop(key) for key in ("name",) if key in fields}
    return {
        **fields,
        "function": {**function, **({} if arguments is None else {"arguments": arguments})},
    }


TWO = [("ls", '{"p":1}'), ("cat", '{"p":2}')]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(
            [
                part("", index=0, id="a", name="ls"),
                part('{"p"', index=0),
                part(":1}", index=0),
                part("", index=1, id="b", name="cat"),
                part('{"p":2}', index=1),
            ],
            id="by index",
        ),
        pytest.param(
            [
                part("", index=0, id="a", name="ls"),
                part("", index=1, id="b", name="cat"),
                part('{"p":', index=1),
                part('{"p":', index=0),
                part("2}", index=1),
                part("1}", index=0),
            ],
            id="interleaved",
        ),
        pytest.param(
            [part('{"p":1}', id="a", name="ls"), part('{"p":2}', id="b", name="cat")],
            id="whole, without index",
        ),
        pytest.param(
            [part('{"p":1}', name="ls"), part('{"p":2}', name="cat")],
            id="whole, nothing but a name",
        ),
        pytest.param(
            [
                part('{"p":1}', index=0, id="a", name="ls"),
                part('{"p":2}', index=0, id="b", name="cat"),
            ],
            id="one index for all",
        ),
        pytest.param(
            [part('{"p":1}', index=0, name="ls"), part('{"p":2}', index=0, name="cat")],
            id="one index, no ids",
        ),
        pytest.param(
            [
                part('{"p"', id="a", name="ls"),
                part(":1}"),
                part("", id="b", name="cat"),
                part('{"p":2}'),
            ],
            id="no index, ids only first",
        ),
        pytest.param(
            [
                part('{"p"', index=0, id="a", name="ls"),
                part(":1}", index=0, id="", name=""),
                part('{"p":2', index=1, id="b", name="cat"),
                part("}", index=1, id="", name=""),
            ],
            id="empty ids and names again",
        ),
        pytest.param(
            [
                part('{"p"', index=0, id="a", name="ls"),
                part(":1}", index=0, id="a", name="ls"),
                part('{"p":', index=1, id="b", name="cat"),
                part("2}", index=1, id="b", name="cat"),
            ],
            id="all repeated",
        ),
        pytest.param(
            [
                part({"p": 1}, index=0, id="a", name="ls"),
                part({"p": 2}, index=1, id="b", name="cat"),
            ],
            id="objects",
        ),
        pytest.param(
            [
                part('{"p"', index=0, id="a"),
                part(":1}", index=0, name="ls"),
                part('{"p":2}', index=1, name="cat"),
            ],
            id="name later",
        ),
        pytest.param(
            [
                part('{"p":1}', index=0, id="same", name="ls"),
                part('{"p":2}', index=1, id="same", name="cat"),
            ],
            id="one id for two",
        ),
    ],
)
def test_call_deltas_of_all_kinds_of_servers(parts: Parts) -> None:
    deltas = CallDeltas(CallIds(request()))
    chunks = [chunk for entry in parts for chunk in deltas.feed(entry)]
    calls = deltas.calls()
    assert [(c.name, c.arguments) for c in calls] == TWO
    assert len({c.id for c in calls}) == 2
    for index, made in enumerate(calls):
        mine = [c for c in chunks if c.index == index]
        assert [(c.id, c.name) for c in mine] == [(made.id, made.name)] + [("", "")] * (
            len(mine) - 1
        )
        assert "".join(c.text for c in mine) == made.arguments


def test_a_call_without_arguments_has_an_empty_object() -> None:
    deltas = CallDeltas(CallIds(request()))
    deltas.feed(part("", index=0, id="a", name="ls"))
    assert deltas.calls() == (ToolCall("a", "ls", "{}"),)


@pytest.mark.parametrize(
    ("given", "text", "object_"),
    [
        ('{"b": 1,"a":2}', '{"b": 1,"a":2}', {"b": 1, "a": 2}),
        ("", "{}", {}),
        ("  ", "{}", {}),
        ('{"a": ', '{"malformed_arguments":"{\\"a\\": "}', {"malformed_arguments": '{"a": '}),
        ("[1]", '{"malformed_arguments":[1]}', {"malformed_arguments": [1]}),
        (
            '{"a": NaN}',
            '{"malformed_arguments":"{\\"a\\": NaN}"}',
            {"malformed_arguments": '{"a": NaN}'},
        ),
        ('{"a": 1e999}', None, {"malformed_arguments": '{"a": 1e999}'}),
        (DEEP, None, {"malformed_arguments": DEEP}),
        ("[" * 100_000, None, {"malformed_arguments": "[" * 100_000}),
    ],
)
def test_arguments_are_always_an_object(
    given: str, text: str | None, object_: dict[str, Any]
) -> None:
    assert arguments_object(given) == object_
    assert json.loads(arguments_text(given)) == object_
    assert text is None or arguments_text(given) == text


def test_a_name_that_comes_with_every_part_does_not_have_all_of_them_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    whole = json.loads

    def counted(text: str) -> Any:
        read.append(text)
        return whole(text)

    monkeypatch.setattr(json, "loads", counted)
    deltas = CallDeltas(CallIds(request()))
    for text in ['{"a": "', *["word "] * 500, '"}']:
        deltas.feed(part(text, index=0, name="ls"))
    deltas.feed(part("{}", index=0, name="ls"))
    assert len(read) == 1 and [call.arguments[:6] for call in deltas.calls()] == ['{"a": ', "{}"]


def test_very_many_calls_keep_their_parts() -> None:
    deltas = CallDeltas(CallIds(request()))
    for text in ('{"n": ', "1}"):
        for n in range(1_000):
            (chunk,) = deltas.feed(part(text, index=n, id=f"c{n}", name="ls"))
            assert chunk.index == n
    assert [(call.id, call.arguments) for call in deltas.calls()] == [
        (f"c{n}", '{"n": 1}') for n in range(1_000)
    ]
