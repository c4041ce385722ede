"""Whatever the text: no exception, no line wider than asked, nothing that a terminal would obey."""

from __future__ import annotations

import re
from typing import Final

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.structures.markdown_stream import split
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.code import chop
from agent_tui.tui.markdown.lines import STYLES, Line, Segment, breaks, cut_text, wrap
from agent_tui.tui.markdown.render import render
from tests.campaigns import examples

HARMFUL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
MARKUP: Final = [
    "# ",
    "- ",
    "1. ",
    "> ",
    "```",
    "```py\n",
    "~~~",
    "| a | b |\n|---|--:|\n| c | d |\n",
    "**",
    "_",
    "`",
    "[",
    "![",
    "](http://a.b)",
    "<b>",
    "[x]: /y\n",
    "\n",
    "\n\n",
    "  \n",
    "    ",
    "\t",
    "---\n",
    "- [ ] ",
    "&#27;",
    "~~",
    "&#x202e;",
    "https://e.org/x",
    "word",
    "a" * 50,
    "漢字",
    "한국어",
    "é",
    "e\u0301",
    "👩\u200d💻",
    "⚠\ufe0f",
    "🇩🇪",
    "[/red]",
    "नमस्ते",
    "\u202eevil",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;t\x07",
    "\x9b2J",
    "\r",
    "\x00",
    "\x7f",
    "\ud800",
    "\U000e0041",
    "\u3000",
    "ﷺ",
]

sources = st.lists(st.one_of(st.sampled_from(MARKUP), st.text(max_size=12)), max_size=40).map(
    "".join
)
widths = st.integers(1, 100)


def cells_of(line: Line) -> int:
    return sum(cell_len(segment.text) for segment in line.segments)


def check(lines: tuple[Line, ...], width: int) -> None:
    for line in lines:
        assert cells_of(line) <= width, (line.text, width)
        assert not HARMFUL.search(line.text + line.glue), repr(line.text)
        for segment in line.segments:
            assert set(segment.style.split()) <= set(STYLES), segment.style
            assert segment.meta is None or not HARMFUL.search("".join(v for _, v in segment.meta))


@settings(max_examples=examples(300), deadline=None)
@given(sources, widths)
@example("> " * 300 + "deep", 40)
@example("- " * 150 + "deep", 40)
@example("漢", 1)
@example("[](x)" * 100, 3)
def test_any_markdown_fits_and_is_harmless(source: str, width: int) -> None:
    check(render(source, width, cell_len), width)


@settings(max_examples=examples(100), deadline=None)
@given(sources, st.integers(20, 80))
def test_each_streamed_piece_fits_too(source: str, width: int) -> None:
    for piece in split(source):
        check(render(piece.text, width, cell_len, lead=piece.lead), width)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), max_size=80),
    st.integers(1, 30),
)
def test_wrapping_loses_nothing_but_the_spaces_it_breaks_at(text: str, width: int) -> None:
    text = visible(text)
    lines = wrap([Segment(text, "text")], width, cell_len)
    assert all(cells_of(line) <= width for line in lines)
    if width > 1:
        assert "".join(line.text + line.glue for line in lines).rstrip(" ") == text.rstrip(" ")
    assert [line.soft for line in lines] == [True] * (len(lines) - 1) + [False]


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet=st.sampled_from("ab \u0301漢字。、é"), max_size=60), st.integers(2, 20))
def test_a_mark_stays_with_its_letter(text: str, width: int) -> None:
    for start, _, _ in breaks(text, width, cell_len)[1:]:
        assert text[start] != "\u0301" or text[start - 1] in " \u0301"


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=60), st.integers(1, 30))
def test_code_is_broken_without_losing_a_character(text: str, width: int) -> None:
    text = visible(text).replace("\n", "").replace("\t", "")
    lines = chop([Segment(text, "code.text")], width, cell_len)
    assert all(cells_of(line) <= width for line in lines)
    if width > 1:
        assert "".join(line.text for line in lines) == text
    assert cell_len(cut_text(text, width, cell_len)) <= width
