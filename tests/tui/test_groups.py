"""Groups of reads and searches: which rows they hold, what their line says, and what keeping them
up to date costs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, ToolBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.markdown.lines import named_file
from agent_tui.tui.transcript.groups import MOST, Group, Groups, group_line, kind
from tests.campaigns import examples


def read(path: str = "a.py", **more: object) -> ToolBlock:
    return tool(d.CodeDisplay("x\n", path), "read_file", f"Read {path}", **more)


def search(pattern: str = "x") -> ToolBlock:
    return tool(d.MatchesDisplay(pattern, ()), "grep_files", f"Search {pattern}")


def tool(display: d.Display | None, name: str = "t", label: str = "T", **more: object) -> ToolBlock:
    return ToolBlock(
        **{
            "call_id": "1",
            "name": name,
            "label": label,
            "state": "done",
            "display": display,
            **more,
        }
    )  # type: ignore[arg-type]


def found(*blocks: Block) -> list[tuple[int, int]]:
    groups = Groups()
    groups.reset(blocks)
    return stretches(groups, len(blocks))


def stretches(groups: Groups, size: int) -> list[tuple[int, int]]:
    seen = dict.fromkeys(
        group for row in range(size) if (group := groups.group_of(row)) is not None
    )
    for group in seen:
        assert all(groups.group_of(row) is not None for row in range(group.first, group.last + 1))
    return [(group.first, group.last) for group in seen]


THOUGHT = ThinkingBlock("so", 2, 900)
TEXT = TextBlock("words")


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        (read(), "read"),
        (search(), "search"),
        (THOUGHT, "thought"),
        (TEXT, None),
        (tool(d.ListingDisplay(".", ()), "list_files"), "list"),
        (tool(d.ListingDisplay(".", ()), "glob_files"), "search"),
        (tool(d.CommandDisplay("ls")), None),
        (tool(d.DiffDisplay("a", ())), None),
        (tool(None), None),
        (read(state="running"), None),
        (read(state="asking"), None),
        (read(state="failed"), None),
        (read(note="allowed once"), None),
        (ThinkingBlock("so", live=True), None),
    ],
)
def test_what_may_stand_in_a_group(block: Block, wanted: str | None) -> None:
    assert kind(block) == wanted


def test_neighbours_are_a_group_and_one_alone_is_none() -> None:
    assert found(read(), search(), TEXT, read(), TEXT, read(), read()) == [(0, 1), (5, 6)]


def test_thoughts_between_belong_to_it_and_those_around_do_not() -> None:
    assert found(THOUGHT, read(), THOUGHT, THOUGHT, search(), THOUGHT, TEXT) == [(1, 4)]
    assert found(THOUGHT, read(), THOUGHT) == []


def test_what_runs_asks_or_failed_is_in_none() -> None:
    for state in ("running", "asking", "failed", "cancelled"):
        assert found(read(), read(), read(state=state), read()) == [(0, 1)]


def test_a_group_has_an_end() -> None:
    assert found(*[read()] * (2 * MOST + 1)) == [(0, MOST - 1), (MOST, 2 * MOST - 1)]


def test_the_line_counts_each_thing_once() -> None:
    blocks = [
        read("a.py", duration_ms=30),
        THOUGHT,
        read("b.py"),
        read("a.py"),
        search("def x"),
        search("[b]\x1b[1m"),
    ]
    assert group_line(blocks, False, 90, cell_len).text == (
        "⚙ Read 2 files, searched 2 patterns  a.py, b.py, def x, [b]␛[1m  30 ms"
    )
    assert (
        group_line(blocks, True, 90, cell_len).text == "⚙ Read 2 files, searched 2 patterns  30 ms"
    )
    assert (
        group_line([search("a"), search("b")], True, 50, cell_len).text == "⚙ Searched 2 patterns"
    )
    listed = [
        tool(d.ListingDisplay("src", ()), "list_files"),
        tool(d.ListingDisplay("", ()), "glob_files", "Find *.py"),
    ]
    assert (
        group_line(listed, False, 60, cell_len).text
        == "⚙ Searched 1 pattern, listed 1 folder  *.py, src"
    )


def test_what_was_read_is_said_in_words_and_how_long_it_took_beside_them() -> None:
    line = group_line([read("a.py", duration_ms=30), read("b.py")], False, 90, cell_len)
    said = {s.text.strip(): (s.style, named_file(s.meta)) for s in line.segments}
    assert line.text.endswith("  a.py, b.py  30 ms")
    assert said["a.py"] == ("tool.note", ("a.py", 0)), "each is the name of a file"
    assert said["b.py"] == ("tool.note", ("b.py", 0)) and said["30 ms"][0] == "tool.time"


@pytest.mark.parametrize("width", range(1, 60))
def test_the_line_fits(width: int) -> None:
    line = group_line([read("漢字/" * 9), search("b" * 90)], False, width, cell_len)
    assert sum(cell_len(s.text) for s in line.segments) <= width


rows = st.sampled_from(
    [read(), search(), THOUGHT, TEXT, read(state="running"), read(state="failed")]
)
edits = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 9), st.lists(rows, min_size=1, max_size=8)),
    st.tuples(st.just("set"), st.integers(0, 10_000), st.lists(rows, min_size=1, max_size=3)),
    st.tuples(st.just("cut"), st.integers(0, 9), st.lists(rows, max_size=5)),
    st.tuples(st.just("many"), st.integers(1, 250), st.just([read()])),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(edits, max_size=14))
def test_kept_up_to_date_is_as_made_anew(steps: list[tuple[str, int, list[Block]]]) -> None:
    groups, now = Groups(), Vec[Block]()
    for what, at, blocks in steps:
        before = now
        old = [groups.group_of(row) for row in range(len(before))]
        if what == "add":
            now = now.extend(blocks)
        elif what == "many":
            now = now.extend(blocks * at)
        elif what == "cut":
            now = now.truncate(len(now) - at).extend(blocks)
        else:
            for offset, block in enumerate(blocks if len(now) else ()):
                now = now.set((at + offset * 7) % len(now), block)
        touched = groups.update(now, list(now.changed_indices(before)))
        fresh = Groups()
        fresh.reset(now)
        for row in range(len(now)):
            assert groups.group_of(row) == fresh.group_of(row)
            same = row < len(old) and old[row] == fresh.group_of(row)
            assert (
                same
                or fresh.group_of(row) is None
                or (touched is not None and touched[0] <= row < touched[1])
            )


def test_a_row_that_comes_costs_the_last_group_only() -> None:
    for filling in (read(), TEXT):
        now = Vec[Block]([filling] * 50_000)
        groups = Groups()
        groups.reset(now)
        for block in (read(), THOUGHT, read(state="running"), read(), TEXT, read(), read()):
            before, now = now, now.append(block)
            looked = groups.looked
            groups.update(now, list(now.changed_indices(before)))
            assert groups.looked - looked <= 3 * MOST
        assert groups.group_of(50_006) == Group(50_005, 50_006)


def test_a_row_that_changes_costs_its_stretch_only() -> None:
    now = Vec[Block]([TEXT, *[read()] * 5] * 8_000)
    groups = Groups()
    groups.reset(now)
    before, now = now, now.set(24_003, read(state="failed"))
    looked = groups.looked
    assert groups.update(now, list(now.changed_indices(before))) == (24_001, 24_006)
    assert groups.looked - looked < 20
    assert [groups.group_of(row) for row in range(24_001, 24_006)] == [
        Group(24_001, 24_002),
        Group(24_001, 24_002),
        None,
        Group(24_004, 24_005),
        Group(24_004, 24_005),
    ]
