"""What is shown of a call while its arguments are written: the same however they are cut, each
piece read once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.structures import argument_stream
from agent_tui.structures.argument_stream import SUBJECT, TAIL, ArgumentStream
from tests.campaigns import examples


def feed(*pieces: str) -> ArgumentStream:
    stream = ArgumentStream()
    for piece in pieces:
        stream = stream.feed(piece)
    return stream


def shown(*pieces: str) -> tuple[str, str, int, str]:
    stream = feed(*pieces)
    return stream.subject, stream.body, stream.lines, stream.key


def test_the_first_text_of_one_line_is_the_subject_and_the_others_are_the_body() -> None:
    assert shown('{"path": "src/a') == ("src/a", "", 0, "path")
    assert shown('{"path": "src/a.py", "content": "import os\\nx = \\"1\\"') == (
        "src/a.py",
        'import os\nx = "1"',
        2,
        "content",
    )
    assert shown('{"path": "a", "old": "one\\ntwo", "new": "1\\n2') == (
        "a",
        "one\ntwo\n1\n2",
        4,
        "new",
    )


def test_a_text_of_many_lines_is_no_subject_and_one_that_comes_later_may_be() -> None:
    assert shown('{"command": "make', "\\nmake test") == ("", "make\nmake test", 2, "command")
    assert shown('{"content": "a\\nb", "path": "a.txt"}') == ("a.txt", "a\nb", 2, "path")
    long = "x" * (SUBJECT + 1)
    assert shown(json.dumps({"command": long})) == ("", long, 1, "command")


def test_nested_texts_are_shown_and_other_values_are_passed_over() -> None:
    call = {
        "n": 1,
        "all": True,
        "items": [{"text": "one", "state": "open"}, {"text": "two"}],
        "more": {"a": [[], "b"]},
    }
    assert shown(json.dumps(call)) == ("one", "open\ntwo\nb", 3, "a")


@pytest.mark.parametrize(
    ("pieces", "subject"),
    [
        (('{"a": "\\ud83d', '\\ude00"'), "😀"),
        (('{"a": "\\u00', 'e9"'), "é"),
        (('{"a": "\\', "n"), "\n"),
        (('{"a": "\\\\', 'n"'), "\\n"),
        (('{"a": "\\uzz"',), "uzz"),
        (('{"a": "x\\', '"y"'), 'x"y'),
    ],
)
def test_escapes_that_are_cut_or_wrong(pieces: tuple[str, ...], subject: str) -> None:
    stream = feed(*pieces)
    assert (stream.subject or stream.body) == subject


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=30)
    | st.text('\n"\\é😀 x', max_size=400),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts_in(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts_in(inner)]
    return [value] if isinstance(value, str) and value else []


@settings(max_examples=examples(200), deadline=None)
@given(st.dictionaries(st.text(max_size=8), values, max_size=5), st.booleans(), st.data())
def test_all_texts_are_there_in_their_order_however_the_json_is_cut(
    arguments: dict[str, Any], ascii_only: bool, data: st.DataObject
) -> None:
    whole = json.dumps(arguments, ensure_ascii=ascii_only)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    stream = feed(*(whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)))
    assert stream == feed(whole)
    texts = texts_in(arguments)
    subject = next((text for text in texts if "\n" not in text and len(text) <= SUBJECT), "")
    assert stream.subject == subject
    if subject:
        texts.remove(subject)
    assert stream.body == "\n".join(texts)[-TAIL:]
    assert stream.lines == sum(text.count("\n") + 1 for text in texts)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.text('{}[]":,\\un0 a\n', max_size=20), max_size=10))
def test_what_is_no_json_does_no_harm(pieces: list[str]) -> None:
    stream = feed(*pieces)
    assert len(stream.body) <= TAIL and len(stream.subject) <= SUBJECT and len(stream.rest) < 6


def test_each_piece_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    original = argument_stream._Reader.read

    def counted(self: argument_stream._Reader, json: str) -> None:
        nonlocal read
        read += len(json)
        original(self, json)

    monkeypatch.setattr(argument_stream._Reader, "read", counted)
    whole = json.dumps({"path": "a.py", "content": 'a line with "quotes" and \\\n' * 5_000})
    stream = feed(*(whole[at : at + 7] for at in range(0, len(whole), 7)))
    assert stream.lines == 5_001 and len(stream.body) == TAIL
    assert read < len(whole) * 1.1
