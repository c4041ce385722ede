"""Painted lines: each once, and of a long text only those about what is looked at stay."""

from __future__ import annotations

from textual.strip import Strip

from agent_tui.tui.markdown.lines import Line, Segment
from agent_tui.tui.transcript.painted_rows import KEPT_STRIPS, Strips

LINES = tuple(Line((Segment(f"line {number}"),)) for number in range(5_000))


def painting() -> tuple[Strips, list[str]]:
    """The lines, and what was painted of them, in order."""
    painted: list[str] = []

    def paint(line: Line) -> Strip:
        painted.append(line.segments[0].text)
        return Strip([])

    return Strips(LINES, paint), painted


def test_a_line_is_painted_once_while_it_is_near() -> None:
    strips, painted = painting()
    for _ in range(3):
        for index in range(100, 150):
            assert strips[index] is strips[index]
    assert painted == [f"line {number}" for number in range(100, 150)]


def test_of_a_long_text_a_few_hundred_lines_stay_painted() -> None:
    strips, painted = painting()
    for index in range(len(LINES)):
        strips[index]
        if index % 100 == 99:
            painted.clear()
            screen = [strips[near] for near in range(index - 50, index)]
            assert painted == [] and len(screen) == 50
    for index in range(len(LINES)):
        strips[index]
    assert len(painted) >= len(LINES) - KEPT_STRIPS, "what is far was forgotten"


def test_a_text_that_grows_keeps_what_is_painted_and_no_more() -> None:
    before, painted = painting()
    for index in range(KEPT_STRIPS):
        before[index]
    after = Strips(LINES, before._paint)
    after.adopt(before)
    painted.clear()
    assert after[KEPT_STRIPS - 1] is before[KEPT_STRIPS - 1] and painted == []
    after[KEPT_STRIPS]
    after[0]
    assert painted == [f"line {KEPT_STRIPS}", "line 0"], "one more, and what is far goes"
