"""The one list that is found by typing: what fits, in which order, and where the cursor is."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures import fuzzy
from agent_tui.tui.core.picker import MOST, SCORED, Entry, Picker, rank_entries

NAMES = ("/model", "/mode", "/mouse", "/timestamps", "/thinking", "/theme", "stop-all", "fold-down")
ENTRIES = tuple(
    Entry(name, name, about="All about colours" if name == "/theme" else "") for name in NAMES
)


def found(query: str, entries: tuple[Entry, ...] = ENTRIES) -> list[str]:
    return [entry.label for entry in rank_entries(entries, query)]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("mode", ["/mode", "/model"]),
        ("mdl", ["/model"]),
        ("tm", ["/timestamps", "/theme"]),
        ("MODEL", ["/model"]),
        ("fd", ["fold-down"]),
        ("sa", ["stop-all"]),
        ("colours", ["/theme"]),
        ("them col", ["/theme"]),
        ("xyz", []),
        ("mo xyz", []),
        ("  mode  ", ["/mode", "/model"]),
    ],
)
def test_what_is_meant_comes_first(query: str, best: list[str]) -> None:
    assert found(query)[: len(best)] == best
    assert bool(found(query)) is bool(best)


def test_nothing_typed_is_everything_in_its_order() -> None:
    assert found("") == found("   ") == list(NAMES)


def test_the_name_counts_before_what_is_said_of_it() -> None:
    entries = (Entry("a", "export", about="writes the theme"), Entry("b", "theme"))
    assert found("theme", entries) == ["theme", "export"]


def test_a_log_keeps_its_order_and_its_end_is_in_view() -> None:
    lines = tuple(Entry(str(n), f"line {n} {'error' if n % 3 == 0 else 'info'}") for n in range(10))
    picker = Picker(ordered=True).with_entries(lines)
    assert picker.at == 9
    found = picker.looked_up("error")
    assert [entry.id for entry in found.shown] == ["0", "3", "6", "9"] and found.at == 3


def test_very_many_entries_are_all_found_and_the_exact_ones_first() -> None:
    entries = (
        *(Entry(str(n), f"s e s s i o n {n}") for n in range(SCORED * 3)),
        Entry("x", "session"),
    )
    assert found("session", entries)[0] == "session"
    assert len(found("session", entries)) == SCORED * 3 + 1


def test_the_cursor_stays_on_its_entry_when_the_list_grows() -> None:
    picker = Picker().with_entries(ENTRIES[:3], on="/mouse")
    assert picker.chosen_entry == ENTRIES[2]
    grown = picker.move_to(1).with_entries((Entry("new", "/new"), *ENTRIES))
    assert grown.chosen_entry == ENTRIES[1]
    assert (
        Picker().with_entries(ENTRIES[:1]).with_entries(ENTRIES, on="/theme").chosen_entry
        == ENTRIES[5]
    ), "nobody has moved it yet"


def test_files_are_searched_as_paths() -> None:
    files = Picker(query="rdm").listing(fuzzy.corpus(["README.md", "src/", "src/random.py"]))
    assert files.chosen_entry == Entry("README.md", "README.md") and files.count == 3
    assert [entry.id for entry in files.looked_up("random").shown] == ["src/random.py"]
    many = Picker().listing(fuzzy.corpus(f"f{n}" for n in range(500)))
    assert len(many.shown) == MOST and many.count == 500


TEXT = st.text(string.printable, max_size=12)


@given(st.lists(TEXT, max_size=12), st.text(string.printable, max_size=6), st.integers())
def test_whatever_is_typed_the_cursor_is_on_an_entry_that_holds_it(
    names: list[str], query: str, to: int
) -> None:
    picker = (
        Picker()
        .with_entries(tuple(Entry(str(n), name) for n, name in enumerate(names)))
        .looked_up(query)
        .move_to(to)
    )
    assert (picker.chosen_entry is None) is (not picker.shown)
    assert {entry.id for entry in picker.shown} <= {str(n) for n in range(len(names))}
    if picker.chosen_entry is not None:
        letters = iter(fuzzy.fold(picker.chosen_entry.label))
        assert len(query.split()) > 1 or all(
            letter in letters for letter in fuzzy.fold(query.strip())
        )
