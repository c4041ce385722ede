"""A resize lays the page out anew: what is selected stays on its words, or nothing is selected any
more."""

from __future__ import annotations

import random

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.copy_text import unwrap_lines
from agent_tui.tui.transcript.selection import origin, span
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.test_transcript_select import drag, find, selected
from tests.tui.transcript_stage import PROSE, Screen, rows_of, run

TABLE = (
    "| Tool | What it does | When |\n|---|:-:|--:|\n| grep | finds lines that match in many files | always |\n"
    "| sed | changes lines of a file, one after the other | seldom |\n| ed | | always |\n"
    "| awk | adds up columns and prints **words** of a line | never |\n\n"
)
DIFF = DiffDisplay(
    "a.py", (Hunk(1, 1, (" def f():", "-    x = 1", "+    y = 2", "+    z = 3", " # end")),), 2, 1
)
CODE = "```python\nif name:\n    return name, " + "other, " * 12 + "last\n```\n\n"
LIST = "- one\n- one\n  - " + PROSE + "- one\n\n"
BLOCKS: Vec[Block] = Vec(
    [
        UserBlock("What are they?"),
        TextBlock(f"Words before. {PROSE}\n", head=True),
        TextBlock(TABLE),
        TextBlock(LIST),
        ToolBlock("1", "edit_file", "Edit a.py", "done", display=DIFF),
        TextBlock(CODE, head=True),
        TextBlock("漢字が" * 20 + "\n"),
    ]
)
VIEW = TranscriptView(BLOCKS, (), expanded=True)
SIZE = (90, 80)
SEED, ROUNDS = 7, 10


def letters(app: Screen) -> str:
    """The letters that are drawn as selected, in no order: a table that lies between the ends may
    have another."""
    transcript, chosen = app.transcript, app.screen.selections.get(app.transcript)
    page, found = transcript._page, ""
    if chosen is None:
        return ""
    for y in range(page.total):
        part = span(page, chosen, origin(page, transcript), y)
        index = page.index_at(y)
        assert index is not None
        line = page.lines(index)[y - page.extent(index)[0]]
        if part is not None:
            found += unwrap_lines([line], 0, 0, part[0], part[1])
    return "".join(sorted(found.replace("|", " "))).strip()


async def resized(pilot: Pilot[None], width: int) -> None:
    await pilot.resize_terminal(width, SIZE[1])
    await pilot.pause()


@pytest.mark.parametrize(
    ("first", "last", "stays"),
    [
        ("grep", "grep", {80, 60}),
        ("sed", "changes", {80}),
        ("match", "match", {80, 60}),
        ("match", "│ alw", {80, 60}),
        ("before", "sed", {80}),
        ("before", "漢", {80, 60, 20}),
        ("return", "other, other", {80, 60, 20}),
        ("y = 2", "z", {80, 60, 20}),
    ],
)
def test_what_is_selected_stays_as_long_as_its_lines_say_the_same(
    first: str, last: str, stays: set[int]
) -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        for width in (80, 60, 20):
            await resized(pilot, SIZE[0])
            x, y = find(app, last)
            await drag(pilot, find(app, first), (x + len(last.strip()) - 1, y))
            text = app.screen.get_selected_text()
            await resized(pilot, width)
            assert app.screen.get_selected_text() == (text if width in stays else None), width
            assert bool(selected(app)) == (width in stays)

    run(VIEW, journey, SIZE)


def test_no_resize_selects_other_words() -> None:
    chance = random.Random(SEED)

    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        kept = 0
        for _ in range(ROUNDS):
            await resized(pilot, chance.choice((90, 90, 70, 50)))
            size = app.transcript.scrollable_content_region.size
            ends = sorted(
                (chance.randrange(size.height), chance.randrange(size.width)) for _ in range(2)
            )
            begin, end = (Offset(x, y) for y, x in ends)
            app.screen.selections = {app.transcript: Selection(begin, end)}
            chosen, text = letters(app), app.screen.get_selected_text()
            for width in chance.sample(range(44, 110), 2):
                await resized(pilot, width)
                now, copied = letters(app), app.screen.get_selected_text()
                assert now in (chosen, "") if app.screen.selections else not now, (
                    width,
                    text,
                    copied,
                )
                kept += bool(now)
        assert kept > ROUNDS // 2

    run(VIEW, journey, SIZE)


def test_beside_a_wrapped_line_its_words_end() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await resized(pilot, 50)
        x, y = find(app, "before")
        await drag(pilot, (x, y), (48, y))
        text = app.screen.get_selected_text()
        assert text is not None and text == rows_of(app.transcript)[y].strip().removeprefix(
            "Words "
        )
        for width in (90, 30):
            await resized(pilot, width)
            assert app.screen.get_selected_text() == text
            assert selected(app)[-1].endswith(text.split()[-1])

    run(VIEW, journey, SIZE)


def test_what_began_in_a_column_of_a_diff_ends_with_the_columns() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await resized(pilot, 130)
        x, y = find(app, "z = 3")
        await drag(pilot, (x, find(app, "y = 2")[1]), (x + 4, y))
        text = app.screen.get_selected_text()
        await resized(pilot, 140)
        assert app.screen.get_selected_text() == text == "y = 2\n    z = 3"
        await resized(pilot, 90)
        assert not app.screen.get_selected_text()

    run(VIEW, journey, SIZE)


def test_a_drag_whose_beginning_is_gone_ends_and_another_begins() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        x, y = find(app, "match")
        await pilot.mouse_down(Transcript, offset=(x, y))
        await pilot.hover(Transcript, offset=(x + 4, y))
        assert app.screen.get_selected_text() == "match"
        await resized(pilot, 50)
        await pilot.hover(Transcript, offset=(x + 2, y + 4))
        assert not app.screen.get_selected_text()
        await pilot.mouse_up(Transcript, offset=(x + 2, y + 4))
        x, y = find(app, "finds")
        await drag(pilot, (x, y), (x + 4, y))
        assert app.screen.get_selected_text() == "finds"

    run(VIEW, journey, SIZE)
