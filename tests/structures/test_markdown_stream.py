"""The splitter: lossless, blind to chunking, bounded, linear; and its pieces draw alone as they did
together."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.structures import markdown_stream
from agent_tui.structures.markdown_stream import FENCE_LINES, LIMIT, MdStream, Piece, split
from tests.strategies import MARKDOWN_BITS

GIANTS = (
    "x" * (LIMIT - 1),
    "x" * LIMIT,
    "x" * (LIMIT + 1),
    "x" * (2 * LIMIT + 17),
    "# " + "h" * LIMIT,
    "- " + "i" * LIMIT,
    "```" + "f" * LIMIT,
    "| a " * 900,
    "code line\n" * (FENCE_LINES + 3),
    "words and words\n" * 500,
    "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 700,
    "- " * 1500,
    " " * LIMIT,
)
small = st.lists(st.sampled_from(MARKDOWN_BITS) | st.text(max_size=4), max_size=40).map("".join)
large = st.lists(st.sampled_from(MARKDOWN_BITS + GIANTS), max_size=14).map("".join)
markdown = small | large


def fed(text: str, sizes: Iterator[int]) -> tuple[tuple[Piece, ...], MdStream]:
    """What feeding `text` in chunks of `sizes` closes, and the stream after it; the bound holds all
    the way."""
    stream, pieces, position = MdStream(), list[Piece](), 0
    while position < len(text):
        size = next(sizes)
        closed, stream = stream.feed(text[position : position + size])
        position += size
        pieces.extend(closed)
        assert len(stream.tail) < 2 * LIMIT
        assert len(stream.line) < LIMIT
    return tuple(pieces), stream


def random_sizes(seed: int) -> Iterator[int]:
    draw = random.Random(seed)
    while True:
        yield draw.choice((1, 2, 3, 7, 40, 500, LIMIT - 1, LIMIT, 3 * LIMIT))


@given(markdown)
def test_the_pieces_joined_are_the_source(text: str) -> None:
    assert "".join(piece.text for piece in split(text)) == text
    assert all(piece.text for piece in split(text))


@settings(deadline=None)
@given(markdown, st.integers())
def test_chunked_is_whole(text: str, seed: int) -> None:
    pieces, stream = fed(text, random_sizes(seed))
    assert pieces + stream.close() == split(text)
    assert stream.holds(text)
    assert stream.length == len(text)


@given(small)
def test_character_by_character_is_whole(text: str) -> None:
    pieces, stream = fed(text, iter(lambda: 1, 0))
    assert pieces + stream.close() == split(text)


@given(markdown)
def test_closed_pieces_and_tail_are_the_text_so_far(text: str) -> None:
    closed, stream = MdStream().feed(text)
    assert "".join(piece.text for piece in closed) + stream.tail == text
    assert stream.feed("") == ((), stream)


@given(small, small)
def test_holds_only_the_very_text(text: str, other: str) -> None:
    _, stream = MdStream().feed(text)
    assert stream.holds(other) is (text == other)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_where_it_cuts(ending: str) -> None:
    source = (
        "# Title\nOne\ntwo\n\nThree\n\n- a\n\n- b\n\n  still b\n\n```py\nx = 1\n\n# no heading\n```\nEnd\n## Next\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    expected = [
        "# Title\n",
        "One\ntwo\n\n",
        "Three\n\n",
        "- a\n\n- b\n\n  still b\n\n",
        "```py\nx = 1\n\n# no heading\n```\n",
        "End\n",
        "## Next\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
    ]
    pieces = split(source.replace("\n", ending))
    assert [piece.text for piece in pieces] == [text.replace("\n", ending) for text in expected]
    assert all(piece.lead == "" for piece in pieces)


def test_blank_lines_belong_to_the_block_that_follows() -> None:
    assert [piece.text for piece in split("\n\n# A\n\nOne\n\n\n```\n\n```\n\n\nEnd\n\n")] == [
        "\n\n# A\n",
        "\nOne\n\n\n",
        "```\n\n```\n",
        "\n\nEnd\n\n",
    ]


def test_what_follows_a_cut_table_is_no_row_of_it() -> None:
    row = "| 1, wide enough that the size ends it | 2 |\n"
    head = "| a | b |\n|---|---|\n"
    filled = head + row * ((LIMIT - len(head) - 1) // len(row) + 1)
    assert split(filled + "\nAfter it\n") == (Piece(filled), Piece("\nAfter it\n"))


def test_a_long_fence_goes_on_as_code_behind_its_opener() -> None:
    code = [f"line {n}\n" for n in range(2 * FENCE_LINES)]
    pieces = split("```python\n" + "".join(code) + "```\nafter\n")
    assert [piece.lead for piece in pieces] == ["", "```python\n", "```python\n", ""]
    assert pieces[-1].text == "after\n"
    assert pieces[-2].text.endswith("```\n")


def test_a_giant_line_inside_a_fence_stays_code_whatever_it_begins_with() -> None:
    for start in ("# ", "~~~", "- "):
        giant = start + "x" * (2 * LIMIT)
        pieces = split(f"```\nfirst\n{giant}\nlast\n```\n# Heading\n")
        assert [piece.lead for piece in pieces[1:-1]] == ["```\n"] * (len(pieces) - 2)
        assert pieces[-1] == Piece("# Heading\n")


def test_a_long_table_goes_on_under_its_head() -> None:
    head = "| a | b |\n|---|:-:|\n"
    pieces = split(head + "| 1 | 2 |\n" * 1500 + "\nEnd\n")
    assert len(pieces) > 3
    assert [piece.lead for piece in pieces[1:-1]] == [head] * (len(pieces) - 2)
    assert pieces[-1] == Piece("End\n")


def test_surrogates_of_a_broken_stream_pass() -> None:
    text = "a\ud83d\n\nb"
    pieces, stream = fed(text, iter(lambda: 1, 0))
    assert pieces + stream.close() == split(text)
    assert stream.holds(text)


SHAPES = {
    "paragraphs": "Some words in a line of it.\nAnd more of them.\n\n",
    "one giant line": "word ",
    "a fence that never ends": "x = 1\n",
    "a table that never ends": "| 1 | 2 |\n",
    "a list that never ends": "- item\n\n",
    "blank lines": "\n",
}


@pytest.mark.parametrize("chunk", [1, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(
    shape: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work counts the characters that are scanned, cut or joined again; no clock."""
    work = 0
    cutter = markdown_stream._Cutter
    take, stream, cut = cutter.take, cutter.stream, cutter.cut_block

    def counted_take(self: markdown_stream._Cutter, text: str) -> None:
        nonlocal work
        work += len(text)
        take(self, text)

    def counted_stream(self: markdown_stream._Cutter, length: int, crc: int) -> MdStream:
        nonlocal work
        work += self.size
        return stream(self, length, crc)

    def counted_cut(self: markdown_stream._Cutter, keep_open: bool = False) -> None:
        nonlocal work
        work += self.size
        cut(self, keep_open)

    monkeypatch.setattr(cutter, "take", counted_take)
    monkeypatch.setattr(cutter, "stream", counted_stream)
    monkeypatch.setattr(cutter, "cut_block", counted_cut)
    opening = {
        "a fence that never ends": "```py\n",
        "a table that never ends": "| a | b |\n|---|---|\n",
    }.get(shape, "")

    def measured(size: int) -> int:
        nonlocal work
        work = 0
        text = opening + SHAPES[shape] * (size // len(SHAPES[shape]))
        fed(text, iter(lambda: chunk, 0))
        return work

    measured(LIMIT)
    one, two = measured(5 * LIMIT), measured(10 * LIMIT)
    assert two <= 2.1 * one


def test_a_delimiter_row_of_spaces_is_no_trap() -> None:
    """The pattern for a table's second line never goes back over blanks: it fails after one pass."""
    row = "-" + " " * (LIMIT - 10) + "x"
    pieces = split("| a |\n" + row + "\n" + "y" * 50 + "\n")
    assert "".join(piece.text for piece in pieces).count("x") == 1
    assert markdown_stream._DELIMITER_ROW.match("-" + " " * 500_000 + "x") is None
    assert markdown_stream._DELIMITER_ROW.match("  |:--|  --:  | - |") is not None
