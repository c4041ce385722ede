"""What is opened or closed by hand stays under the hand, also at the end of the transcript."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import CodeDisplay, MatchesDisplay
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, blocks, rows_of, run

HEAD = re.compile("⚙.Read cart.py  ")
Journey = Callable[[Screen, Pilot[None]], Awaitable[None]]


def end_with(lines: int, *after: Block, before: int = 61) -> TranscriptView:
    """A page that ends with a folded read of so many lines, and what comes `after`."""
    shown = CodeDisplay("x = 1\n" * lines, "cart.py", "python", 1, lines)
    read = ToolBlock("r", "read_file", "Read cart.py", "done", display=shown)
    return TranscriptView(Vec([*blocks(before), read, *after]), ())


def head(transcript: Transcript) -> int:
    return next(y for y, line in enumerate(rows_of(transcript)) if HEAD.match(line))


def follows(transcript: Transcript) -> bool:
    return transcript.following


WORDS = TextBlock("Words.\n\n" * 6, head=True)


@pytest.mark.parametrize(
    ("go", "after"), [(0, ()), (0, (WORDS,)), (1, (WORDS,))], ids=["last", "clicked", "by key"]
)
def test_what_is_opened_at_the_end_stays_where_it_is_and_closed_the_end_is_followed(
    go: int, after: tuple[Block, ...]
) -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        before, line = rows_of(transcript), head(transcript)
        opened = replace(app.view, exceptions=frozenset({61}), go=go, mark=61 if go else -1)
        transcript.apply(opened)
        await pilot.pause()
        assert head(transcript) == line
        assert not follows(transcript)
        grown = replace(opened, live=(TextBlock("streamed " * 40),))
        transcript.apply(grown)
        assert head(transcript) == line
        transcript.apply(replace(opened, exceptions=frozenset(), go=2 * go))
        await pilot.pause()
        assert follows(transcript)
        assert [row.replace("▌", " ") for row in rows_of(transcript)] == before
        assert app.said == [("following", False), ("following", True)]

    run(end_with(80, *after), journey)


def test_a_click_opens_under_the_pointer() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        line = head(transcript)
        await pilot.click(Transcript, offset=(4, line))
        await pilot.pause()
        assert app.said == [("toggled", 61)]
        transcript.apply(replace(app.view, exceptions=frozenset({61})))
        assert head(transcript) == line
        assert "x = 1" in rows_of(transcript)[line + 1]

    run(end_with(80, TextBlock("Words.\n\n- of\n- an\n- answer\n", head=True)), journey)


@pytest.mark.parametrize("before", [0, 61], ids=["short page", "long page"])
def test_what_fits_above_the_end_is_shown_whole_and_the_end_is_followed_on(before: int) -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        transcript.apply(replace(app.view, exceptions=frozenset({before})))
        assert follows(transcript)
        shown = rows_of(transcript)
        assert sum("x = 1" in line for line in shown) == 3
        assert any(HEAD.match(line) for line in shown)

    run(end_with(3, before=before), journey)


def test_a_group_opens_in_its_place_too() -> None:
    reads = [
        ToolBlock(str(n), "grep_files", f"Search {n}", "done", display=MatchesDisplay(str(n), ()))
        for n in range(30)
    ]
    view = TranscriptView(Vec([*blocks(8), TextBlock("I look.\n", head=True), *reads]), ())

    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        line = next(y for y, row in enumerate(rows_of(transcript)) if "Searched" in row)
        transcript.apply(replace(view, groups=frozenset({9})))
        assert "Searched" in rows_of(transcript)[line]
        assert not follows(transcript)
        transcript.apply(view)
        assert follows(transcript)

    run(view, journey)


def test_away_from_the_end_it_stays_as_well() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        for _step in range(3):
            transcript.scroll_view("line_up")
        line = head(transcript)
        for number, exceptions in enumerate((frozenset({61}), frozenset[int]()), 1):
            transcript.apply(replace(app.view, exceptions=exceptions, go=number, mark=61))
            assert head(transcript) == line
            assert not follows(transcript)

    run(end_with(80, WORDS), journey)


def test_a_key_opens_the_last_line_so_that_something_of_it_is_in_view() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        before = rows_of(transcript)
        transcript.apply(replace(app.view, exceptions=frozenset({61}), go=1, mark=61))
        shown = rows_of(transcript)
        assert sum("x = 1" in line for line in shown) == len(shown) // 2 - 1
        assert any(HEAD.match(line) for line in shown)
        assert not follows(transcript)
        transcript.apply(replace(app.view, go=2))
        assert follows(transcript)
        assert rows_of(transcript) == before

    run(end_with(80), journey)
