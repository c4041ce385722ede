from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.present import parts as p
from agent_tui.present.document import pieces_of
from agent_tui.present.plain import part_lines
from agent_tui.protocol.display import DiffDisplay
from agent_tui.structures import lexing
from agent_tui.tools.support.diff import EXACT_LINES, NO_NEWLINE, diff, diff_made, lines
from agent_tui.tools.support.matching import Place, Replacement, replace_places
from agent_tui.tui.core.display_options import DiffForm
from agent_tui.tui.transcript.diff import diff_lines
from tests.campaigns import examples

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=30)
TEXT = LINES.map(lambda found: "".join(f"{line}\n" for line in found))


def applied(old: str, display: DiffDisplay) -> list[str]:
    """The old lines with the hunks applied; checks that context and removed lines are really there."""
    before, result, position = lines(old), [], 0
    for hunk in display.hunks:
        result += before[position : hunk.old_start - 1]
        position = hunk.old_start - 1
        assert hunk.new_start - 1 == len(result)
        for line in hunk.lines:
            if line[0] in " -":
                assert before[position] == line[1:]
                position += 1
            if line[0] in " +":
                result.append(line[1:])
    return result + before[position:]


@settings(max_examples=examples(300), deadline=None)
@given(old=TEXT, new=TEXT)
def test_applying_the_hunks_gives_the_new_text(old: str, new: str) -> None:
    display = diff("f", old, new)
    assert applied(old, display) == lines(new)
    marks = [line[0] for hunk in display.hunks for line in hunk.lines]
    assert (marks.count("+"), marks.count("-")) == (display.added, display.removed)


def test_far_changes_are_hunks_of_their_own_with_three_lines_around() -> None:
    old = "".join(f"{n}\n" for n in range(40))
    display = diff("f", old, old.replace("5\n", "five\n", 1).replace("30\n", "thirty\n"))
    assert [(hunk.old_start, len(hunk.lines)) for hunk in display.hunks] == [(3, 8), (28, 8)]


@pytest.mark.parametrize("name", ["f.txt", "f.py"])
def test_what_lies_between_known_changes_is_not_split_into_lines(name: str) -> None:
    text = "".join(f"x{number} = {number}\n" for number in range(30_000))
    changes = {"x5 = 5": "y = 1\nz = 2", "x20000 = 20000\nx20001 = 20001\n": "", "x29998": "end"}
    made = [
        Replacement(Place(text.index(old), text.index(old) + len(old)), new)
        for old, new in changes.items()
    ]
    after = replace_places(text, made)
    assert diff_made(name, text, made[::-1]) == diff(name, text, after)


@settings(max_examples=examples(300), deadline=None)
@given(
    cuts=st.lists(st.integers(0, 400), max_size=12, unique=True),
    news=st.lists(st.sampled_from(["", "x", "\n", "x\ny\n", "\n\n"]), min_size=6, max_size=6),
    end=st.sampled_from(["", "\n"]),
)
def test_known_changes_are_shown_by_what_is_around_them(
    cuts: list[int], news: list[str], end: str
) -> None:
    old = "\n".join(f"{number}" for number in range(140)) + end
    ordered = sorted(min(cut, len(old)) for cut in cuts)
    pairs = zip(ordered[::2], ordered[1::2], strict=False)
    made = [Replacement(Place(*pair), new) for pair, new in zip(pairs, news, strict=False)]
    new = replace_places(old, made)
    with mock.patch.object(lexing, "FOLLOWED", 60):
        display = diff_made("f", old, made[::-1])
    assert applied(old, display) == lines(new)


def test_a_new_file_is_all_added() -> None:
    display = diff("f", "", "a\nb", created=True)
    assert display.created and [hunk.lines for hunk in display.hunks] == [("+a", "+b")]


def test_a_huge_change_is_coarse_but_right() -> None:
    old = "".join(f"{n}\n" for n in range(EXACT_LINES))
    new = "".join(f"{n} changed\n" for n in range(EXACT_LINES))
    display = diff("f", old, new)
    assert len(display.hunks) == 1 and applied(old, display) == lines(new)


def test_no_change_has_no_hunks() -> None:
    assert diff("f", "a\n", "a\n").hunks == ()


def shown(old: str, new: str) -> list[str]:
    return [line for hunk in diff("f", old, new).hunks for line in hunk.lines]


def test_a_newline_at_the_end_that_comes_or_goes_is_shown() -> None:
    assert shown("a\nb\n", "a\nb") == [" a", "-b", "+b", NO_NEWLINE]
    assert shown("a\nb", "a\nb\n") == [" a", "-b", NO_NEWLINE, "+b"]
    assert shown("a\nb", "a\nc\n") == [" a", "-b", NO_NEWLINE, "+c"]
    assert shown("b", "a\nb") == ["+a", " b"] and shown("a", "b") == ["-a", "+b"]
    assert shown("a\n", "") == ["-a"]
    made = diff("f", "a\n", "a")
    assert (made.added, made.removed) == (1, 1)


def test_other_line_ends_and_a_bom_are_notes() -> None:
    assert shown("a\r\nb\r\n", "a\nb\n") == ["\\ line ends: CRLF, now LF"]
    assert shown("a\nb\n", "a\r\nc\r\n") == ["\\ line ends: LF, now CRLF", " a", "-b", "+c"]
    assert shown("a\nb\n", "a\r\nb\n") == ["\\ line ends: LF, now mixed", "-a", "+a\r", " b"]
    assert shown("a\n", "\ufeffa\n") == ["\\ byte order mark (BOM) added"]
    assert shown("\ufeffa\n", "b\n") == ["\\ byte order mark (BOM) removed", "-a", "+b"]
    assert shown("a\r\n", "a\r\n") == shown("\ufeffa\n", "\ufeffa\n") == []


def test_every_reader_of_a_difference_gets_its_notes() -> None:
    part = p.Diff(diff("f.txt", "a\nb\n", "a\nb"))
    assert "\\ no newline at the end" in "\n".join(part_lines([part]))
    assert "@@ -1,2 +1,2 @@" in str(pieces_of([part]))
    forms: tuple[DiffForm, ...] = ("unified", "split")
    for form in forms:
        lines, left = diff_lines(part.diff, 100, cell_len, form)
        text = ["".join(one.text for one in line.segments) for line in lines]
        assert left == 0 and sum("no newline at the end" in line for line in text) == 1, text
        assert text[-1].count("no newline") == 1
