"""The transcript under real mouse events: clicks, the wheel, the scrollbar, selection and what it
copies."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.geometry import Offset, Region
from textual.pilot import Pilot
from textual.selection import Selection

from agent_tui.protocol.transcript import Block, TextBlock, UserBlock
from agent_tui.structures.markdown_stream import split
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, blocks, rows_of, run


def test_a_click_on_a_head_line_asks_to_toggle_its_row() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        rows = rows_of(app.transcript)
        await pilot.click(Transcript, offset=(3, rows.index("∴ thought for 1.0 s")))
        await pilot.pause()
        assert app.said == [("toggled", 4)]
        app.transcript.apply(replace(app.view, exceptions=frozenset({4})))
        assert "  thought 4" in rows_of(app.transcript)
        app.transcript.apply(replace(app.view, expanded=True, exceptions=frozenset({4})))
        assert "  thought 4" not in rows_of(app.transcript)

    run(TranscriptView(blocks(5), ()), journey, (60, 40))


def test_a_click_on_a_link_says_its_address_and_on_text_nothing() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await pilot.click(Transcript, offset=(3, 0))
        await pilot.click(Transcript, offset=(30, 0))
        await pilot.pause()
        assert app.said == [("link", "https://example.org/")]

    run(
        TranscriptView(
            Vec([TextBlock("[here](https://example.org/) and there is more text\n")]), ()
        ),
        journey,
    )


def test_the_wheel_scrolls() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        transcript.scroll_view("line_up")  # then the heights around are known
        before = transcript.scroll_offset.y
        position = {"x": 5, "y": 5, "delta_x": 0, "delta_y": -1, "button": 0}
        wheel = events.MouseScrollUp(transcript, shift=False, meta=False, ctrl=False, **position)  # type: ignore[arg-type]
        transcript.post_message(wheel)
        await pilot.pause()
        assert transcript.scroll_offset.y == before - 3
        assert not transcript.following

    run(TranscriptView(blocks(100), ()), journey)


def test_the_scrollbar_moves_the_page() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        assert transcript.vertical_scrollbar.position == transcript.scroll_offset.y
        await pilot.click(transcript.vertical_scrollbar, offset=(0, 0))
        await pilot.pause()
        assert not transcript.following

    run(TranscriptView(blocks(400), ()), journey)


async def drag(pilot: Pilot[None], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(Transcript, offset=start)
    await pilot.hover(Transcript, offset=end)
    await pilot.mouse_up(Transcript, offset=end)
    await pilot.pause()


SOURCE = (
    "A **bold** word, and then so much text that this paragraph is wrapped.\n\n"
    "- item\n\n```python\nif x:\n    y\n```\n"
)


def test_dragging_selects_and_wrapping_is_undone() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await drag(pilot, (2, 2), (30, 3))
        chosen = app.screen.get_selected_text()
        assert chosen is not None and "\n" not in chosen.strip()
        assert chosen.startswith("A bold word, and then so much text")
        assert any(
            s.style and s.style.bgcolor for s in app.transcript.render_lines(Region(0, 2, 40, 1))[0]
        )

    rows: list[Block] = [UserBlock("hello"), *(TextBlock(p.text, p.lead) for p in split(SOURCE))]
    run(TranscriptView(Vec(rows), ()), journey, (40, 30))


def test_rows_that_are_wholly_selected_are_copied_as_source() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        text = app.transcript.get_selection(Selection(None, None))
        assert text is not None
        assert text[0] == "hello\n\n" + SOURCE.strip()
        code = next(y for y, row in enumerate(rows_of(app.transcript)) if row.strip() == "if x:")
        part = app.transcript.get_selection(Selection(Offset(4, code), Offset(9, code + 1)))
        assert part is not None and part[0] == "if x:\n    y"

    rows: list[Block] = [UserBlock("hello"), *(TextBlock(p.text, p.lead) for p in split(SOURCE))]
    run(TranscriptView(Vec(rows), ()), journey, (40, 30))


def test_a_selection_stays_on_its_words_when_the_page_above_changes() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        y = next(i for i, row in enumerate(rows_of(transcript)) if "question" in row)
        await drag(pilot, (2, y), (10, y))
        assert app.screen.get_selected_text() == "question"
        transcript.apply(replace(app.view, exceptions=frozenset({4, 9, 14})))
        assert app.screen.get_selected_text() == "question"
        for _ in range(8):
            transcript.scroll_view("page_up")
        assert app.screen.get_selected_text() == "question"

    run(TranscriptView(blocks(300), ()), journey)


def test_two_clicks_take_the_word() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        await pilot.click(Transcript, offset=(8, 0), times=2)
        await pilot.pause()
        assert app.screen.get_selected_text() == "words"
        await pilot.click(Transcript, offset=(8, 0), times=3)
        await pilot.pause()
        assert app.screen.get_selected_text() == "some words here\nand there"

    run(TranscriptView(Vec([UserBlock("some words here\nand there")]), ()), journey)
