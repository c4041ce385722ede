"""The changes of several files that one call makes: each is named, and none is taken for another's."""

from __future__ import annotations

from agent_tui.present.displays import diff_count, diffs_of, present
from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import Approval
from agent_tui.tui.dialog.view import brief_of
from tests.tui.test_blocks import page, tool

FIRST = d.DiffDisplay("a.py", (d.Hunk(1, 1, ("-x = 1", "+x = 2")),), 1, 1)
SECOND = d.DiffDisplay("b.py", (d.Hunk(1, 1, ("+y = 1",)),), 1, 0, created=True)
BOTH = d.DiffsDisplay((FIRST, SECOND))


def test_each_file_is_named_above_its_lines() -> None:
    shown = "\n".join(page(tool(BOTH)))
    assert shown.index("a.py") < shown.index("x = 2") < shown.index("b.py") < shown.index("y = 1")


def test_a_single_file_is_named_once() -> None:
    shown = "\n".join(page(tool(d.DiffsDisplay((FIRST,)))))
    assert "x = 2" in shown and shown.count("a.py") == 1  # in its label


def test_what_it_comes_to_is_counted_over_all() -> None:
    assert "".join(run.text for run in present(BOTH).summary) == "2 files +2 -1"
    assert present(BOTH).spoken == "2 files, 2 lines added, 1 removed"
    assert [diff.path for diff in diffs_of(BOTH)] == ["a.py", "b.py"]
    asked = Approval("q", "c", "apply_patch", "Patch 2 files: a.py, b.py", "why", BOTH)
    assert brief_of(asked) == "Patch 2 files: a.py, b.py 2 files +2 -1"


def test_a_note_about_a_file_counts_no_lines() -> None:
    note = d.DiffDisplay("a.py", (d.Hunk(1, 1, ("\\ `ruff check` failed (exit code 1)",)),))
    lines = page(tool(d.DiffsDisplay((FIRST, note))))
    assert any("ruff check" in line for line in lines) and not any("+0" in line for line in lines)
    assert "".join(run.text for run in present(d.DiffsDisplay((note,))).summary) == "1 file"
    assert "".join(run.text for run in diff_count(d.DiffDisplay("n", (), created=True))) == (
        "new file +0"
    )
