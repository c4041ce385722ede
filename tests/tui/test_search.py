"""Finding words in the rows: what is searched, what is found, and that a change costs what has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
)  # fmt: skip
from agent_tui.structures.vec import Vec
from agent_tui.tui import search
from agent_tui.tui.search import Found, Index


def looked(rows: Vec[Block], query: str) -> Found:
    return search.find(search.index(rows, Index(), search.has_marks(query))[0], search.plain(query))


def texts(*said: str) -> Vec[Block]:
    return Vec[Block](UserBlock(text) for text in said)


def test_hits_are_counted_and_have_a_place() -> None:
    found = looked(texts("Total of totals", "nothing", "the TOTAL"), "total")
    assert (found.rows, found.totals, found.total) == ((0, 2), (2, 3), 3)
    assert [found.place(number) for number in range(3)] == [(0, 0), (0, 1), (2, 0)]
    assert [found.number(row, nth) for row, nth in ((0, 1), (0, 9), (1, 0), (2, 0), (7, 0))] == [1, 1, -1, 2, -1]
    assert [found.nearest(row) for row in (-1, 0, 1, 2, 9)] == [0, 1, 1, 2, 2]
    assert looked(texts("a"), "b").nearest(0) == -1
    with pytest.raises(IndexError):
        found.place(3)


def test_an_answer_is_searched_as_it_is_drawn_unless_its_marks_are_asked_for() -> None:
    rows = Vec[Block]([TextBlock("It is **rounded** in `cart.py`,\nonce. 2 ** 3"), UserBlock("in `cart.py`")])
    assert looked(rows, "rounded in cart.py, once").rows == (0,)
    assert looked(rows, "in `cart.py`").rows == (0, 1)
    assert looked(rows, "2 ** 3").rows == (0,)


@pytest.mark.parametrize(
    ("block", "query"),
    [
        (UserBlock("short", sent="the whole skill"), "whole skill"),
        (ThinkingBlock("hm, why"), "why"),
        (CallBlock("edit", '{"path"'), "path"),
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
        d.TextDisplay("it"), d.MarkdownDisplay("it"), d.CodeDisplay("it"), d.PlanDisplay("it"),
        d.CommandDisplay("make", output="it"), d.DiffDisplay("a", (d.Hunk(1, 1, ("+it",)),)),
        d.ListingDisplay(".", (d.Entry("it"),)), d.MatchesDisplay("x", (d.Match("a", 1, "it"),)),
        d.TableDisplay(("a",), (("it",),)), d.TodoDisplay((d.TodoItem("it"),)), d.QuestionDisplay("?", ("it",)),
        d.ImageDisplay("it.png"), d.AgentsDisplay((d.AgentStatus("a", "it", "b"),)),
    ],
    ids=lambda shown: shown.type,
)  # fmt: skip
def test_every_result_is_searched(shown: d.Display) -> None:
    assert looked(Vec([ToolBlock("c", "n", "l", "done", display=shown)]), "it").total == 1


def test_a_turn_end_and_hidden_thoughts_hold_nothing() -> None:
    assert looked(Vec([TurnBlock("completed")]), "c").total == 0
    index, _ = search.index(Vec([ThinkingBlock("why")]), Index(), thinking=False)
    assert search.find(index, "why").total == 0


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=6).map(" ".join)


ROWS = st.lists(WORDS, max_size=20)


@given(ROWS, ROWS, st.integers(0, 20), st.sampled_from(["a", "ab", "b a"]))
def test_what_changed_is_found_as_if_all_were_new(first: list[str], more: list[str], keep: int, query: str) -> None:
    rows = texts(*first)
    index, _ = search.index(rows, Index())
    before = search.find(index, query)
    rows = rows.truncate(keep).extend(texts(*more))
    index, since = search.index(rows, index)
    assert search.find(index, query, before, since) == looked(rows, query)


@given(st.lists(WORDS, max_size=20), st.text("ab ", max_size=5))
def test_a_longer_query_is_found_as_if_it_were_new(said: list[str], query: str) -> None:
    rows = texts(*said)
    index, _ = search.index(rows, Index())
    found = Found()
    for end in range(1, len(query) + 1):
        found = search.find(index, query[:end], found, len(rows))
        assert found == looked(rows, query[:end])


def test_a_new_row_costs_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    rows = texts(*(f"row {n}" for n in range(2_000)))
    index, _ = search.index(rows, Index())
    before = search.find(index, "row")
    monkeypatch.setitem(search._SAID, UserBlock, lambda block: read.append(1) or block.text)  # type: ignore[index]
    index, since = search.index(rows.append(UserBlock("row more")), index)
    assert search.find(index, "row", before, since).total == 2_001
    assert (len(read), since) == (1, 2_000)


def test_what_is_too_much_leaves_out_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BUDGET", 1_000)
    monkeypatch.setattr(search, "ROW", 50)
    monkeypatch.setattr(search, "_STRIDE", 10)
    rows = texts(*("x" * 49 + "y" for _ in range(100)), "z" * 60 + "y")
    index, _ = search.index(rows, Index())
    assert 0 < index.first < 100
    found = search.find(index, "y")
    assert found.rows == tuple(range(index.first, 100))
