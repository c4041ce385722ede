"""Stream readers: any cutting of the bytes gives what the whole gives, and the WHATWG rules hold."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.providers.wire.stream_parsers import JSONLines, Reader, ServerSentEvents, WholeBody

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=12)


def read(reader: Reader, chunks: list[bytes]) -> list[str]:
    return [payload for chunk in chunks for payload in reader.feed(chunk)] + reader.close()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(p % (len(data) + 1) for p in places)})
    return [data[a:b] for a, b in pairwise(edges)]


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """An event stream with its payloads: comments, other fields, all line ends, with and without
    the space."""
    text, expected = draw(st.sampled_from(["", "\ufeff"])), []
    for _ in range(draw(st.integers(0, 5))):
        lines = draw(st.lists(TEXTS, min_size=1, max_size=3))
        for line in lines:
            if draw(st.booleans()):
                text += draw(
                    st.sampled_from([": ping", ":", "event: x", "id: 7", "retry: 9", "what"])
                ) + draw(ENDS)
            space = draw(st.sampled_from([" ", ""])) if not line.startswith(" ") else " "
            text += f"data:{space}{line}" + draw(ENDS)
        text += "\n" if text.endswith("\n") else draw(st.sampled_from(["\n", "\r"]))
        # CR of a data line and LF of the blank line would be one CRLF: then another blank line ends
        # the event.
        text += "\n"
        expected.append("\n".join(lines))
    return text.encode(), expected


@given(streams(), st.lists(st.integers(0, 10_000), max_size=20))
def test_events_survive_any_cutting(stream: tuple[bytes, list[str]], places: list[int]) -> None:
    data, expected = stream
    assert read(ServerSentEvents(), [data]) == expected
    assert read(ServerSentEvents(), cut(data, places)) == expected
    assert read(ServerSentEvents(), [data[i : i + 1] for i in range(len(data))]) == expected


def hard(random: Random) -> bytes:
    """Something like a stream, with all that can be cut in the wrong place."""
    ends, words = (
        ("\n", "\r\n", "\r", "\n\n"),
        ('{"a": "é𝄞"}', ": ping", "event: x", "\ufeff", "\u2028", "[DONE]"),
    )
    parts = ("data: ", "data:", *ends, *words)
    return "".join(random.choices(parts, k=random.randrange(40))).encode() + random.choice(
        (b"", b"\xf0\x9d", b"\xff")
    )


def test_ten_thousand_random_cuttings_are_the_whole() -> None:
    random = Random(6)
    for _ in range(250):
        data = hard(random)
        for reader in (ServerSentEvents, JSONLines):
            expected = read(reader(), [data])
            for _ in range(20):
                places = random.choices(range(len(data) + 1), k=random.randrange(1, 30))
                assert read(reader(), cut(data, places)) == expected, (data, places)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=20))
def test_any_bytes_in_any_cutting_are_the_whole(data: bytes, places: list[int]) -> None:
    for reader in (ServerSentEvents, JSONLines, WholeBody):
        assert read(reader(), cut(data, places)) == read(reader(), [data])


@given(
    st.text(st.sampled_from("\r\nd:at \ufeffé\u2028\x0b"), max_size=60).map(str.encode),
    st.lists(st.integers(0, 200), max_size=20),
)
def test_hard_bytes_in_any_cutting_are_the_whole(data: bytes, places: list[int]) -> None:
    for reader in (ServerSentEvents, JSONLines):
        assert read(reader(), cut(data, places)) == read(reader(), [data])


@given(
    st.lists(TEXTS.filter(lambda t: bool(t.strip())), max_size=6),
    st.lists(st.integers(0, 10_000), max_size=20),
)
def test_json_lines_survive_any_cutting(lines: list[str], places: list[int]) -> None:
    lines = [line.removeprefix("\ufeff") or "x" for line in lines]
    for data in ("\n".join(lines).encode(), "".join(f"{line}\n\n" for line in lines).encode()):
        assert read(JSONLines(), cut(data, places)) == [line for line in lines if line.strip()]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"data: a\n\ndata:b\n\n", ["a", "b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data:  two spaces\n\n", [" two spaces"]),
        (b"data\ndata\n\n", ["\n"]),
        (b"data: a", ["a"]),
        (b"data: a\n", ["a"]),
        (b": comment\n\n\n\ndata: a\r\n\r\n", ["a"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"database: x\n\n", []),
        (b"event: ping\n\n", []),
        ("data: \u2028\x0b\x85\n\n".encode(), ["\u2028\x0b\x85"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b"", []),
    ],
)
def test_events_by_the_rules(data: bytes, expected: list[str]) -> None:
    assert read(ServerSentEvents(), [data]) == expected


def test_an_event_comes_with_its_blank_line_and_not_later() -> None:
    reader = ServerSentEvents()
    assert reader.feed(b"data: a\r") == []
    assert reader.feed(b"\n\r") == ["a"]
    assert reader.feed(b"\n") == []
    assert reader.close() == []


def test_a_long_line_in_small_pieces_is_joined_once() -> None:
    reader, piece = JSONLines(), b"x" * 1_000
    for _ in range(2_000):
        assert reader.feed(piece) == []
    assert len(reader._lines._open) == 2_000  # pieces are kept, not glued together again and again
    assert [len(line) for line in reader.feed(b"\n")] == [2_000_000]
