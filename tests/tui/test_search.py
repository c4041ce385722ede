"""Finding words in the rows: what is searched, what is found, and that a change costs what has
changed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.present import texts as search_text
from agent_tui.present.parts import Words
from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    TurnBlock,
    UserBlock,
)
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.vec import Vec
from agent_tui.tui.transcript import search
from agent_tui.tui.transcript.search import Found, Index


def looked(rows: Vec[Block], query: str, thinking: bool = True, most: int = search.SLICE) -> Found:
    """All that is found, in slices of `most`."""
    index, _ = search.renew_index(Index(), rows, search.has_marks(query), thinking)
    found = search.begin_search(index, search.fold_text(query))
    while found.first:
        index, found = search.search_slice(index, found, most)
    return found


def texts(*said: str) -> Vec[Block]:
    return Vec[Block](UserBlock(text) for text in said)


def test_hits_are_counted_and_have_a_place() -> None:
    found = looked(texts("Total of totals", "nothing", "the TOTAL"), "total")
    assert (found.rows, found.totals, found.total) == ((0, 2), (2, 3), 3)
    assert [found.place(number) for number in range(3)] == [(0, 0), (0, 1), (2, 0)]
    assert [found.number(row, nth) for row, nth in ((0, 1), (0, 9), (1, 0), (2, 0), (7, 0))] == [
        1,
        1,
        -1,
        2,
        -1,
    ]
    assert [found.nearest_hit(row) for row in (-1, 0, 1, 2, 9)] == [0, 1, 1, 2, 2]
    assert looked(texts("a"), "b").nearest_hit(0) == -1
    with pytest.raises(IndexError):
        found.place(3)


def test_an_answer_is_searched_as_it_is_drawn_unless_its_marks_are_asked_for() -> None:
    rows = Vec[Block](
        [TextBlock("It is **rounded** in `cart.py`,\nonce. 2 ** 3"), UserBlock("in `cart.py`")]
    )
    assert looked(rows, "rounded in cart.py, once").rows == (0,)
    assert looked(rows, "in `cart.py`").rows == (0, 1)
    assert looked(rows, "2 ** 3").rows == (0,)


@pytest.mark.parametrize(
    ("block", "query"),
    [
        (UserBlock("short", sent="the whole skill"), "whole skill"),
        (ThinkingBlock("hm, why"), "why"),
        (CallBlock("edit", ArgumentStream().feed('{"path": "a.py')), "a.py"),
        (NoticeBlock("info", "no key", "set one"), "set one"),
        (DividerBlock("resumed"), "resumed"),
        (ToolBlock("c", "n", "Read a.py"), "read a"),
        (ToolBlock("c", "n", "", "running", tail="so far"), "so far"),
    ],
)
def test_every_kind_of_row_is_searched(block: Block, query: str) -> None:
    assert looked(Vec([block]), query).total == 1


@pytest.mark.parametrize(
    "shown",
    [
        d.TextDisplay("it"),
        d.MarkdownDisplay("it"),
        d.CodeDisplay("it"),
        d.PlanDisplay("it"),
        d.CommandDisplay("make", output="it"),
        d.DiffDisplay("a", (d.Hunk(1, 1, ("+it",)),)),
        d.ListingDisplay(".", (d.Entry("it"),)),
        d.MatchesDisplay("x", (d.Match("a", 1, "it"),)),
        d.TableDisplay(("a",), (("it",),)),
        d.TodoDisplay((d.TodoItem("it"),)),
        d.QuestionDisplay((d.AskedQuestion("?", ("it",)),)),
        d.ImageDisplay("it.png"),
        d.AgentsDisplay((d.AgentStatus("a", "it", "b"),)),
    ],
    ids=lambda shown: shown.type,
)
def test_every_result_is_searched(shown: d.Display) -> None:
    assert looked(Vec([ToolBlock("c", "n", "l", "done", display=shown)]), "it").total == 1


def test_a_turn_end_and_hidden_thoughts_hold_nothing() -> None:
    assert looked(Vec([TurnBlock("completed")]), "c").total == 0
    assert looked(Vec([ThinkingBlock("why")]), "why", thinking=False).total == 0


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=6).map(" ".join)


ROWS = st.lists(WORDS, max_size=20)


@given(
    ROWS,
    ROWS,
    st.integers(0, 20),
    st.sampled_from(["a", "ab", "b a"]),
    st.sampled_from([1, 4_000, search.SLICE]),
)
@settings(deadline=None)
def test_what_changed_is_found_as_if_all_were_new(
    first: list[str], more: list[str], keep: int, query: str, most: int
) -> None:
    rows = texts(*first)
    index, _ = search.renew_index(Index(), rows)
    index, found = search.search_slice(index, search.begin_search(index, query), most)
    rows = rows.truncate(keep).extend(texts(*more))
    index, changed = search.renew_index(index, rows)
    found = (
        search.begin_search(index, query)
        if changed is None
        else search.count_hits(index, found, changed)
    )
    while found.first:
        index, found = search.search_slice(index, found, most)
    assert found == looked(rows, query)


@given(ROWS, st.text("ab ", min_size=1, max_size=5), st.integers(1, 20_000))
def test_slices_find_what_one_pass_finds(said: list[str], query: str, most: int) -> None:
    assert looked(texts(*said), query, most=most) == looked(texts(*said), query)


@given(ROWS, st.text("ab ", min_size=1, max_size=5))
def test_what_was_read_for_one_query_serves_the_next(said: list[str], query: str) -> None:
    rows = texts(*said)
    index, _ = search.renew_index(Index(), rows)
    for end in range(1, len(query) + 1):
        index, found = search.search_slice(index, search.begin_search(index, query[:end]))
        assert found == looked(rows, query[:end])
    assert index.first == 0


def test_the_newest_come_first_and_it_is_known_when_the_nearest_is_among_them() -> None:
    rows = texts(*("x" if n % 4 == 0 else "-" for n in range(40)))
    index, _ = search.renew_index(Index(), rows)
    index, found = search.search_slice(index, search.begin_search(index, "x"), 10 * search.READ)
    assert 0 < found.first < 36
    assert found.rows == tuple(range(36, found.first - 1, -4))[::-1]
    assert (found.has_nearest(39), found.has_nearest(2)) == (True, False)
    older, total = found.rows, found.total
    index, found = search.search_slice(index, found)
    assert (found.first, found.rows[-total:], found.total) == (0, older, 10)
    assert found.has_nearest(2)


def test_a_new_row_costs_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    rows = texts(*(f"row {n}" for n in range(2_000)))
    index, _ = search.renew_index(Index(), rows)
    index, before = search.search_slice(index, search.begin_search(index, "row"))
    monkeypatch.setattr(
        search_text, "block_parts", lambda block: read.append(1) or (Words(block.text),)
    )
    index, changed = search.renew_index(index, rows.append(UserBlock("row more")))
    assert changed == [2_000]
    assert search.count_hits(index, before, changed).total == 2_001
    assert len(read) == 1


def test_a_long_row_is_searched_to_its_beginning_and_across_its_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "ROW", 50)
    rows = texts("needle", "-" * 47 + "needle" + "-" * 1_000 + "needle", "needle")
    index, _ = search.renew_index(Index(), rows)
    found, slices = search.begin_search(index, "needle"), 0
    while found.first:
        index, found = search.search_slice(index, found, 1)
        slices += 1
    assert (found.rows, found.totals) == ((0, 1, 2), (1, 3, 4))
    assert slices > 20
    assert search.renew_index(index, rows.append(rows[1]))[1] is None


def test_of_what_is_read_no_more_is_kept_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "KEPT", 1_000)
    rows = texts(*("x" * 49 + "y" for _ in range(100)))
    index, _ = search.renew_index(Index(), rows)
    for query in ("y", "xy"):
        index, found = search.search_slice(index, search.begin_search(index, query))
        assert found.total == 100
        assert 0 < sum(len(text or "") for text in index.texts) <= 1_000


@pytest.mark.parametrize(
    ("said", "query", "hits"),
    [
        ("İstanbul", "istanbul", 0),
        ("İstanbul", "İSTANBUL", 1),
        ("Straße", "STRASSE", 1),
        ("STRASSE", "straße", 1),
        ("ΟΔΟΣ οδος", "οδος", 2),
        ("ŉ ǰ", "ǰ", 1),
        ("漢字", "字", 1),
        ("(a|b)* [x", "[x", 1),
        ("a\\b$", "\\b$", 1),
    ],
)
def test_case_is_ignored_in_all_scripts(said: str, query: str, hits: int) -> None:
    assert looked(texts(said), query).total == hits
