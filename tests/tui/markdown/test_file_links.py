"""What in a text may name a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.structures.file_names import LONGEST, MOST
from agent_tui.tui.markdown.lines import Segment, file_runs, named_file
from agent_tui.tui.markdown.render import render

Place = tuple[str, int]


def named(text: str) -> list[tuple[str, Place]]:
    """What is shown of each name, and what it means."""
    found = ((run.text, named_file(run.meta)) for run in file_runs(Segment(text)))
    return [(shown, place) for shown, place in found if place is not None]


def marked(source: str) -> list[tuple[str, Place]]:
    """The same of an answer."""
    runs = (run for line in render(source, 60, cell_len) for run in line.segments)
    found = ((run.text, named_file(run.meta)) for run in runs)
    return [(shown, place) for shown, place in found if place is not None]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/app.py.", [("src/app.py", ("src/app.py", 0))]),
        ("app.py:12:5: error", [("app.py:12", ("app.py", 12))]),
        ("(./a/b.c, ~/n.txt)", [("./a/b.c", ("./a/b.c", 0)), ("~/n.txt", ("~/n.txt", 0))]),
        ('File "/w/a.py", line 7, in f', [('/w/a.py", line 7', ("/w/a.py", 7))]),
        ("tests/t.py::test_x", [("tests/t.py", ("tests/t.py", 0))]),
        ("docs/b.md#L9", [("docs/b.md#L9", ("docs/b.md", 9))]),
        ("naïve/größe.py", [("naïve/größe.py", ("naïve/größe.py", 0))]),
    ],
)
def test_names(text: str, found: list[tuple[str, Place]]) -> None:
    assert named(text) == found


@pytest.mark.parametrize(
    "text",
    ["words. And more", "1.5 and 20.000", "https://a.org/b/c.py", "and/", "", "...", "x:12"],
)
def test_no_names(text: str) -> None:
    assert named(text) == []


def test_answers_name_files_in_words_and_code_and_behind_a_link() -> None:
    assert marked("In `src/a.py:3` and b.py") == [
        ("src/a.py:3", ("src/a.py", 3)),
        ("b.py", ("b.py", 0)),
    ]
    assert marked("[safe](../evil.py)") == [("../evil.py", ("../evil.py", 0))], "the words are none"
    assert marked("https://a.org/b.py and [x](https://a.org/c.py) <https://a.org/d.py>") == []


def test_a_name_that_wraps_is_one_file() -> None:
    path = "/".join(["folder"] * 20) + "/a.py"
    pieces = marked(path)
    assert len(pieces) > 1 and {place for _, place in pieces} == {(path, 0)}


@pytest.mark.parametrize("text", ["a\x1b[31m/b.py", "a\u202eb/c.py", "a\u200b/b.py"])
def test_what_is_named_is_what_is_shown(text: str) -> None:
    assert all(place[0] == shown for shown, place in marked(text))


def test_few_and_short_ones_are_looked_for() -> None:
    assert len(named("a/b " * 1_000)) <= MOST + 1
    assert named(f"{'a' * LONGEST}.py") == []


@given(st.text(st.sampled_from('ab/.:1~ -"#L漢'), max_size=80), st.text(max_size=40))
def test_every_letter_stays(name: str, other: str) -> None:
    text = f"{other}{name}{other}"
    runs = file_runs(Segment(text, "code", (("toggle", "1"),)))
    assert "".join(run.text for run in runs) == text
    assert all(run.text and run.style == "code" and run.meta for run in runs)
