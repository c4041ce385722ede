"""Diffs in one column and in two: numbers, marks, colours, the words that changed, and their
bounds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.protocol.display import CodeDisplay, DiffDisplay, Hunk
from agent_tui.tui.core.display_options import DiffForm, Look
from agent_tui.tui.markdown.lines import Line
from agent_tui.tui.transcript.diff import (
    AUTO_WIDTH,
    COLOURED,
    LEAST_WIDTH,
    LONGEST_DRAWN,
    diff_lines,
)
from agent_tui.tui.transcript.displays import MOST_DIFF_LINES, display_lines
from tests.campaigns import examples

CHANGE = DiffDisplay(
    "a.py", (Hunk(9, 9, (" import os", "-y = old(1)", "+y = new(1)", "+z = 2", " ")),), 2, 1
)


def rows(diff: DiffDisplay, width: int, form: DiffForm = "auto", most: int = 0) -> list[str]:
    return [line.text.rstrip() for line in diff_lines(diff, width, cell_len, form, most)[0]]


def looks(lines: list[Line], word: str) -> list[str]:
    return [s.style for line in lines for s in line.segments if s.text == word]


def test_side_by_side_keeps_numbers_and_marks() -> None:
    assert rows(CHANGE, LEAST_WIDTH, "split") == [
        " 9   import os                    │ 9   import os",
        "10 - y = old(1)                   │10 + y = new(1)",
        "                                  │11 + z = 2",
        "11                                │12",
    ]


def test_one_column_keeps_numbers_and_marks() -> None:
    assert rows(CHANGE, 50) == [
        " 9   import os",
        "10 - y = old(1)",
        "10 + y = new(1)",
        "11 + z = 2",
        "12",
    ]


def test_numbers_have_the_room_that_the_last_one_needs() -> None:
    nine = Hunk(7, 7, (" a", "-b", "+c", " d", "\\ No newline at end of file"))
    assert rows(DiffDisplay("a", (nine,), 1, 1), 50) == [
        "7   a",
        "8 - b",
        "8 + c",
        "9   d",
        "    \\ No newline at end of file",
    ]
    ten = Hunk(7, 7, (" a", "-b", "+c", "+d", " e"))
    assert rows(DiffDisplay("a", (ten,), 2, 1), 50) == [
        " 7   a",
        " 8 - b",
        " 8 + c",
        " 9 + d",
        "10   e",
    ]


def test_the_form_follows_the_width_and_the_setting() -> None:
    one, two = rows(CHANGE, 50), len(rows(CHANGE, LEAST_WIDTH, "split"))
    assert rows(CHANGE, AUTO_WIDTH - 1) == one
    assert len(rows(CHANGE, AUTO_WIDTH)) == two
    assert rows(CHANGE, AUTO_WIDTH, "unified") == one
    assert rows(CHANGE, LEAST_WIDTH - 1, "split") == one, "too narrow for two columns"


def test_a_new_file_has_nothing_to_stand_beside() -> None:
    new = DiffDisplay("a.py", (Hunk(0, 1, ("+a", "+b")),), 2, 0, created=True)
    assert rows(new, 200, "split") == ["1 + a", "2 + b"]


def test_a_long_line_goes_on_below_on_its_own_side() -> None:
    diff = DiffDisplay("a.txt", (Hunk(1, 1, ("-short", f"+{'x' * 50}")),), 1, 1)
    assert rows(diff, 71, "split") == [
        "1 - short                          │1 + " + "x" * 31,
        "                                   │  ↳ " + "x" * 19,
    ]
    lines = diff_lines(diff, 71, cell_len, "split")[0]
    assert all(sum(cell_len(s.text) for s in line.segments) == 71 for line in lines)
    assert lines[1].segments[0].style == "diff.removed indent", "the tint of a side is one block"


def test_syntax_colours_lie_under_the_tints() -> None:
    for form in ("unified", "split"):
        lines = diff_lines(CHANGE, 100, cell_len, form)[0]  # type: ignore[arg-type]
        assert looks(lines, "import ")[0] == "diff.context code.keyword diff.context.code"
        assert looks(lines, "2") == ["code.number diff.added"]
        assert looks(lines, "old") == ["diff.removed diff.removed.word"]
        assert looks(lines, "new") == ["diff.added diff.added.word"]


def test_lines_stand_beside_those_they_became() -> None:
    lines = (
        "-import one",
        "-from b import first, second, third",
        "+from b import first, other, third",
        "+import two",
    )
    diff = DiffDisplay("a", (Hunk(1, 1, lines),), 2, 2)
    assert rows(diff, 81, "split") == [
        "1 - import one                          │",
        "2 - from b import first, second, third  │1 + from b import first, other, third",
        "                                        │2 + import two",
    ]
    drawn = diff_lines(diff, 81, cell_len, "unified")[0]
    assert [line.text for line in drawn] == [
        "1 - import one",
        "2 - from b import first, second, third",
        "1 + from b import first, other, third",
        "2 + import two",
    ]
    assert [s.text for line in drawn for s in line.segments if "word" in s.style] == [
        "second",
        "other",
    ]


def test_of_a_large_change_line_stands_beside_line() -> None:
    diff = DiffDisplay(
        "a", (Hunk(1, 1, (*(f"-a{n}" for n in range(40)), *(f"+b{n}" for n in range(39)))),), 39, 40
    )
    drawn = rows(diff, 80, "split")
    assert len(drawn) == 40
    assert drawn[38].split() == ["39", "-", "a38", "│39", "+", "b38"]
    assert drawn[39].split() == ["40", "-", "a39", "│"]


def test_the_mark_between_hunks_never_ends_a_diff() -> None:
    diff = DiffDisplay("a", (Hunk(1, 1, ("+a", "+b", "+c")), Hunk(9, 12, ("+d", "+e"))), 5)
    for most in range(1, 8):
        lines, left = diff_lines(diff, 60, cell_len, "auto", most)
        assert lines and not lines[-1].text.endswith("⋯")
        assert sum(not line.text.endswith("⋯") for line in lines) + left == 5


def test_marks_are_whole_words() -> None:
    diff = DiffDisplay(
        "a", (Hunk(1, 1, ("-the value_one is here", "+the value_two is here")),), 1, 1
    )
    lines = diff_lines(diff, 60, cell_len)[0]
    assert [s.text for line in lines for s in line.segments if "word" in s.style] == [
        "value_one",
        "value_two",
    ]


def marked(old: str, new: str) -> tuple[list[str], list[str]]:
    lines = diff_lines(
        DiffDisplay("a", (Hunk(1, 1, (f"-{old}", f"+{new}")),), 1, 1), 2_000, cell_len, "unified"
    )[0]
    one, other = ([s.text for s in line.segments if s.style.endswith(".word")] for line in lines)
    return one, other


def test_what_came_in_between_is_marked_and_what_stayed_is_not() -> None:
    assert marked("mean = sum(all) / len(all)", "mean = sum(all) / max(1, len(all))") == (
        [],
        ["max(1, ", ")"],
    )
    assert marked("answer = call_it(a, second, c)", "answer = call_it(b, second, d)") == (
        ["a", "c"],
        ["b", "d"],
    )
    assert marked("the same words", "the same words") == ([], [])
    old, new = (
        "return f'{count} items, {mean:.2f} each'",
        "return f'{count} items, {mean.quantize(CENT)} each'",
    )
    assert marked(old, new) == ([":.2f"], ["quantize(CENT)"]), "no gap of one character"


def test_too_many_marks_are_one() -> None:
    old, new = (
        f"begin_of_a_long_line_here({sep.join('abcdef')})_and_its_long_end" for sep in (", ", "; ")
    )
    assert marked(old, new) == ([", b, c, d, e,"], ["; b; c; d; e;"])
    old, new = (
        "begin " * 60 + " ".join(f"{side}{n}" for n in range(40)) + " end" * 60 for side in "ab"
    )
    one, other = marked(old, new)
    assert (len(one), len(other)) == (1, 1), "so many words are not compared"


def test_an_unknown_language_stays_plain() -> None:
    diff = DiffDisplay("a.unheard", (Hunk(1, 1, ("-import a", "+import b")),), 1, 1)
    assert not any(
        "code." in s.style for line in diff_lines(diff, 60, cell_len)[0] for s in line.segments
    )


def test_only_so_much_is_highlighted() -> None:
    diff = DiffDisplay("a.py", (Hunk(1, 1, ("+x = 1",) * COLOURED),), COLOURED)
    lines = diff_lines(diff, 60, cell_len, "unified", 5_000)[0]
    coloured = ["code.number" in "".join(s.style for s in line.segments) for line in lines]
    assert coloured[0] and not coloured[-1]
    assert coloured == sorted(coloured, reverse=True)
    assert sum(coloured) == COLOURED // len("x = 1\n")


def test_one_endless_line_is_cut() -> None:
    diff = DiffDisplay("a.js", (Hunk(1, 1, ("+" + "x" * 5_000_000,)),), 1)
    text = "".join(line.text for line in diff_lines(diff, 100, cell_len)[0])
    assert len(text) < LONGEST_DRAWN * 2
    assert f"{5_000_000 - LONGEST_DRAWN:,}" in text


def test_what_is_left_out_is_counted() -> None:
    diff = DiffDisplay(
        "a", (Hunk(1, 1, ("-a",) * 20 + ("+b",) * 20), Hunk(90, 90, ("-c", "+d"))), 21, 21
    )
    lines, left = diff_lines(diff, 60, cell_len, "unified", 30)
    assert (len(lines), left) == (30, 12)
    lines, left = diff_lines(diff, 120, cell_len, "split", 10)
    assert (len(lines), left) == (10, 22), "lines of the diff, as in one column"
    assert display_lines(diff, 60, False, cell_len)[-1].text == "… 12 more lines (click or Ctrl+O)"


def test_even_an_open_diff_has_an_end_and_says_so() -> None:
    diff = DiffDisplay("a", (Hunk(1, 1, ("+a",) * (MOST_DIFF_LINES + 9)),), MOST_DIFF_LINES + 9)
    lines = display_lines(diff, 60, True, cell_len)
    assert len(lines) == MOST_DIFF_LINES + 2, "the title, the lines, and how many more there are"
    assert lines[-1].text == "… 9 more lines"


def test_a_note_on_the_last_line_end_is_no_line_of_the_file() -> None:
    diff = DiffDisplay("a", (Hunk(1, 1, ("-a", "+b", "\\ No newline at end of file")),), 1, 1)
    assert rows(diff, 60)[-1] == "    \\ No newline at end of file"


def test_a_note_on_the_whole_file_is_said_once_without_a_mark() -> None:
    note = "changed after the edit by `fmt`"
    diff = DiffDisplay("a", (Hunk(1, 1, (f"\\ {note}", "-a", "+b")),), 1, 1)
    for width in (60, 160):
        assert " ".join(rows(diff, width)).count(note) == 1
        assert f"\\ {note}" not in " ".join(rows(diff, width))


def test_a_long_file_is_highlighted_in_its_beginning() -> None:
    code = CodeDisplay("x = 1\n" * 12_000, "a.py")
    lines = display_lines(code, 60, True, cell_len)
    assert lines[0].text == "   1  x = 1"
    assert lines[4_999].text == "5000  x = 1"
    assert looks(list(lines[:1]), "1") == ["code.number"]


sides = st.lists(
    st.tuples(st.sampled_from(" +-"), st.text("ab 漢\t\x1b\r\u202e\"'#(", max_size=40)), max_size=30
)


@settings(max_examples=examples(200), deadline=None)
@given(sides, st.integers(1, 160), st.sampled_from(["auto", "unified", "split"]))
def test_every_line_is_there_once_and_fits(
    lines: list[tuple[str, str]], width: int, form: DiffForm
) -> None:
    hunk = Hunk(1, 1, tuple(mark + text for mark, text in lines))
    added, removed = (sum(mark == wanted for mark, _ in lines) for wanted in "+-")
    diff = DiffDisplay("a.py", (hunk,), added, removed)
    drawn, left = diff_lines(diff, width, cell_len, form)
    assert left == 0
    assert all(sum(cell_len(s.text) for s in line.segments) <= width for line in drawn)
    if width > 20:
        marks = [s.text for line in drawn for s in line.segments if s.text in ("+", "-")]
        assert marks.count("+") >= added and marks.count("-") >= removed
    assert diff_lines(diff, width, cell_len, form, 1_000) == (drawn, 0)


def test_a_look_is_passed_on() -> None:
    assert display_lines(CHANGE, 90, True, cell_len, Look(diff="split")) != display_lines(
        CHANGE, 90, True, cell_len
    )
