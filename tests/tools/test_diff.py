from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.display import DiffDisplay
from agent_tui.tools.support.diff import EXACT_LINES, diff, lines

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


@settings(max_examples=300, deadline=None)
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
