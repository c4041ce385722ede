"""Selecting with the mouse while the page changes, and in a diff side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.transcript import Block, NoticeBlock, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, blocks, rows_of, run

LONG = "\treturn " + " + ".join(f"part_{n}" for n in range(12)) + "  "
DIFF = DiffDisplay(
    "a.py",
    (
        Hunk(
            7,
            7,
            (
                " def f():",
                "-\tx = 1",
                "-    y = 2",
                f"+{LONG}",
                " # 漢字 end",
                "\\ No newline at end of file",
            ),
        ),
        Hunk(90, 89, ("-old", "+new")),
    ),
    added=2,
    removed=3,
)
ROWS: Vec[Block] = Vec(
    [
        UserBlock("before"),
        ToolBlock("1", "edit", "Edit a.py", "done", display=DIFF),
        TextBlock("after\n", head=True),
    ]
)
Journey = Callable[[Screen, Pilot[None]], Awaitable[None]]


async def drag(pilot: Pilot[None], start: tuple[int, int], *ends: tuple[int, int]) -> None:
    await pilot.mouse_down(Transcript, offset=start)
    for end in ends:
        await pilot.hover(Transcript, offset=end)
    await pilot.mouse_up(Transcript, offset=ends[-1])
    await pilot.pause()


def find(app: Screen, words: str, last: bool = False) -> tuple[int, int]:
    """Where `words` is drawn, as cell and line."""
    rows = rows_of(app.transcript)
    places = [(row.index(words), y) for y, row in enumerate(rows) if words in row]
    return places[-1 if last else 0]


def selected(app: Screen) -> list[str]:
    """What is drawn as selected, line by line."""
    size = app.transcript.scrollable_content_region.size
    look = app.palette.style("selection").bgcolor
    strips = app.transcript.render_lines(Region(0, 0, size.width, size.height))
    lines = [
        "".join(s.text for s in strip if s.style and s.style.bgcolor == look) for strip in strips
    ]
    return [line for line in lines if line]


def test_a_drag_in_the_old_column_takes_only_what_was_there() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        x, y = find(app, "def f():")
        await drag(pilot, (x + 4, y), (x + 80, y + 1), (x + 2, find(app, "- old")[1]))
        assert app.screen.get_selected_text() == "f():\n\tx = 1\n    y = 2\n# 漢字 end\nold"
        assert not any("│" in line or "part" in line for line in selected(app))

    run(TranscriptView(ROWS, ()), journey, (130, 24))


def test_a_drag_in_the_new_column_takes_only_what_came_and_no_wraps() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        x, y = find(app, "+     return")
        end = find(app, "+ new")
        await drag(pilot, (x, y), (5, y + 1), (end[0] + 4, end[1]))
        assert app.screen.get_selected_text() == f"{LONG}\n# 漢字 end\nnew"
        await drag(pilot, (end[0] + 4, end[1]), (5, y))  # upwards, and over to the other side
        assert app.screen.get_selected_text() == f"{LONG}\n# 漢字 end\nnew"
        await drag(pilot, (x + 6, y), (x + 11, y))
        assert app.screen.get_selected_text() == "return"
        await drag(pilot, (x + 6, y), (x + 26, y + 1))
        text = app.screen.get_selected_text()
        assert text is not None and LONG.startswith("\t" + text) and len(text) > 40

    run(TranscriptView(ROWS, ()), journey, (130, 24))


def test_a_diff_that_is_taken_whole_is_a_unified_one() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await drag(pilot, (2, find(app, "before")[1]), (6, find(app, "after")[1]))
        text = app.screen.get_selected_text()
        hunks = ["\n".join(line for line in hunk.lines if line[0] != "\\") for hunk in DIFF.hunks]
        assert text is not None and text.splitlines()[0] == "before"
        assert all(hunk in text for hunk in hunks), text

    run(TranscriptView(ROWS, ()), journey, (130, 24))


def test_a_word_ends_at_the_bar_between_the_columns() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        x, y = find(app, "x = 1")
        for place, word in (((x, y), "x"), (find(app, "part_0"), "part_0")):
            await pilot.click(Transcript, offset=place, times=2)
            await pilot.pause()
            assert app.screen.get_selected_text() == word

    run(TranscriptView(ROWS, ()), journey, (130, 24))


async def _folded(app: Screen, _: Pilot[None]) -> None:
    app.view = replace(app.view, exceptions=frozenset(range(4, 100, 5)))
    app.transcript.apply(app.view)


async def _narrower(_: Screen, pilot: Pilot[None]) -> None:
    await pilot.resize_terminal(44, 22)
    await pilot.pause()


async def _wider(_: Screen, pilot: Pilot[None]) -> None:
    await pilot.resize_terminal(90, 22)
    await pilot.pause()


async def _scrolled(app: Screen, _: Pilot[None]) -> None:
    for where in ("page_up",) * 6 + ("page_down",) * 6:
        app.transcript.scroll_view(where)


async def _streamed(app: Screen, _: Pilot[None]) -> None:
    rows, parts = (
        app.view.rows,
        ["More", "More and more", "More and more, so that it is wrapped. " * 5],
    )
    for part in parts:
        app.view = replace(app.view, rows=rows, live=(TextBlock(part, head=True),))
        app.transcript.apply(app.view)
    app.view = replace(
        app.view, rows=rows.extend([TextBlock(parts[-1] + "\n", head=True)]), live=()
    )
    app.transcript.apply(app.view)


async def _told(app: Screen, _: Pilot[None]) -> None:
    """A notice goes in above the last rows."""
    rows = app.view.rows
    app.view = replace(
        app.view,
        rows=rows.truncate(50).extend([NoticeBlock("info", "news\n" * 3)]).extend(rows[50:]),
    )
    app.transcript.apply(app.view)


CHANGES = [_folded, _narrower, _wider, _scrolled, _streamed, _told]


@pytest.mark.parametrize("change", CHANGES)
def test_a_drag_goes_on_from_the_letter_on_which_it_began(change: Journey) -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        app.transcript.scroll_view("line_up")
        x, y = find(app, "wraps at most")
        await pilot.mouse_down(Transcript, offset=(x, y))
        await pilot.hover(Transcript, offset=(x + 4, y))
        await change(app, pilot)
        assert app.screen.get_selected_text() == "wraps"
        x, y = find(app, "screen.", last=True)
        await pilot.hover(Transcript, offset=(x + 5, y))
        await pilot.mouse_up(Transcript, offset=(x + 5, y))
        await pilot.pause()
        text = app.screen.get_selected_text()
        assert text is not None
        assert text.startswith("wraps at most widths of a screen"), text
        assert text.endswith("screen"), text

    more = "It goes on for so long that it wraps at most widths of a screen. And again: to the end of the screen.\n"
    run(
        TranscriptView(blocks(60).extend([UserBlock("then"), TextBlock(more, head=True)]), ()),
        journey,
        (60, 22),
    )


def test_a_drag_that_began_in_what_is_being_written_stays_on_its_letter() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        parts = [
            "First words",
            "First words of it.\n\nThen",
            "First words of it.\n\nThen a second part",
        ]
        app.view = replace(app.view, live=(TextBlock(parts[0], head=True),))
        app.transcript.apply(app.view)
        x, y = find(app, "First words")
        await pilot.mouse_down(Transcript, offset=(x + 6, y))
        await pilot.hover(Transcript, offset=(x + 10, y))
        for part in parts[1:]:
            app.transcript.apply(replace(app.view, live=(TextBlock(part, head=True),)))
            assert app.screen.get_selected_text() == "words"
        closed = [TextBlock("First words of it.\n\n", head=True), TextBlock("Then a second part\n")]
        app.transcript.apply(replace(app.view, rows=app.view.rows.extend(closed), live=()))
        x, y = find(app, "part", last=True)
        await pilot.hover(Transcript, offset=(x + 3, y))
        await pilot.mouse_up(Transcript, offset=(x + 3, y))
        await pilot.pause()
        assert app.screen.get_selected_text() == "words of it.\n\nThen a second part"

    run(TranscriptView(blocks(30), ()), journey, (60, 22))
