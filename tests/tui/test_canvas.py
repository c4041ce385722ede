"""Whatever frames follow each other, the terminal shows the last one; and it is told no more than
it must be."""

from __future__ import annotations

import re

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip

from agent_tui.tui.textual_port.canvas import Canvas, Pieces, Repaint
from tests.campaigns import examples

WIDTH, HEIGHT = 20, 12
CONSOLE = Console(color_system="truecolor", force_terminal=True)
LINES = tuple(
    Strip([Segment(f"line {number:<{WIDTH - 6}}", Style(color=f"color({number % 8})"))], WIDTH - 1)
    for number in range(60)
)
BARS = tuple(Strip([Segment(glyph)], 1) for glyph in " ▁▄█")


class Terminal:
    """A canvas, and the terminal that it writes to."""

    def __init__(self) -> None:
        self.canvas = Canvas()
        self.canvas.size = Size(WIDTH, HEIGHT)
        self.canvas.shown = [{} for _ in range(HEIGHT)]
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.stream = pyte.Stream(self.screen)

    def paint(self, pieces: dict[int, Pieces]) -> str:
        written = Repaint(self.canvas, pieces, Region(0, 0, WIDTH, HEIGHT)).render_segments(CONSOLE)
        self.stream.feed(written)
        return written


def rows(first: int, count: int, top: int = 0, bar: int = 0) -> dict[int, Pieces]:
    """Lines `first` and after it as rows `top` and below, each with a piece of a bar behind it."""
    return {
        top + n: {0: LINES[first + n], WIDTH - 1: BARS[(bar + n) % len(BARS)]} for n in range(count)
    }


def texts(pieces: Pieces) -> str:
    return "".join(strip.text for _, strip in sorted(pieces.items()))


frames = st.lists(
    st.builds(
        lambda first, count, top, bar: rows(first, min(count, HEIGHT - top), top, bar),
        st.integers(0, 40), st.integers(1, HEIGHT), st.integers(0, HEIGHT - 1), st.integers(0, 3),
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@given(frames)
@settings(max_examples=examples(300), deadline=None)
def test_the_terminal_shows_the_last_frame_whatever_came_before(
    told: list[dict[int, Pieces]],
) -> None:
    terminal, expected = Terminal(), [" " * WIDTH] * HEIGHT
    for pieces in told:
        terminal.paint(pieces)
        for y, row in pieces.items():
            expected[y] = texts(row)
        assert terminal.screen.display == expected
        assert [texts(row) for row in terminal.canvas.shown if row] == [
            row for row in expected if row.strip()
        ]


@given(st.integers(-HEIGHT, HEIGHT), st.integers(0, 4))
def test_text_that_moved_is_moved_and_not_written_again(by: int, top: int) -> None:
    terminal, count = Terminal(), HEIGHT - top
    terminal.paint(rows(20, count, top))
    written = terminal.paint(rows(20 + by, count, top))
    stayed = count - abs(by)
    again = len(re.findall("line", written))
    assert terminal.screen.display[top:] == [
        texts(row) for row in rows(20 + by, count, top).values()
    ]
    if stayed >= 3:
        assert again == abs(by)


def test_what_is_shown_already_is_not_written() -> None:
    terminal = Terminal()
    terminal.paint(rows(3, HEIGHT))
    assert terminal.paint(rows(3, HEIGHT)) == ""
    assert terminal.paint({4: rows(3, HEIGHT)[4]}) == ""


def test_nothing_is_moved_that_is_not_painted() -> None:
    """A box that lies over the text stays where it is: its rows are not part of the repaint."""
    terminal = Terminal()
    terminal.paint(rows(3, HEIGHT))
    terminal.paint({5: {0: LINES[59], WIDTH - 1: BARS[3]}})
    moved = rows(4, HEIGHT)
    del moved[5]
    written = terminal.paint(moved)
    assert "r" not in re.findall(r"\x1b\[[\d;]*([A-Za-z])", written)
    assert terminal.screen.display[5] == texts({0: LINES[59], WIDTH - 1: BARS[3]})


def test_pieces_at_other_places_replace_what_they_cover() -> None:
    terminal = Terminal()
    terminal.paint(rows(3, HEIGHT))
    wide = Strip([Segment("w" * WIDTH)], WIDTH)
    terminal.paint({2: {0: wide}})
    terminal.paint({2: rows(3, HEIGHT)[2]})
    assert terminal.screen.display == [texts(row) for row in rows(3, HEIGHT).values()]
