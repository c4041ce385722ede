"""The transcript widget: what it shows, where it stays, and what it does not do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from agent_tui.protocol.transcript import TextBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, blocks, rows_of, run


def test_it_opens_at_the_end_and_every_line_has_the_width() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        assert rows_of(transcript)[-1].startswith("∴ thought")
        assert transcript.following
        size = transcript.scrollable_content_region.size
        strips = transcript.render_lines(Region(0, 0, size.width, size.height))
        assert {strip.cell_length for strip in strips} == {size.width}

    run(TranscriptView(blocks(200), ()), journey)


def test_page_up_and_down_keep_one_line_in_common_over_estimated_rows() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        for _ in range(30):
            before = rows_of(transcript)
            transcript.scroll_view("page_up")
            after = rows_of(transcript)
            assert after[-1].removesuffix("↓").rstrip() == before[0] or "↓" in after[-1]
            assert after[:-1] != before[:-1]
        top = rows_of(transcript)
        transcript.scroll_view("page_down")
        assert rows_of(transcript)[0] == top[-1] or "↓" in top[-1]
        transcript.scroll_view("top")
        assert rows_of(transcript)[0] == "❯ question 0"
        transcript.scroll_view("end")
        await pilot.pause()
        assert transcript.following
        assert app.said == [("following", False), ("following", True)]

    run(TranscriptView(blocks(2000), ()), journey)


def test_reading_from_the_top_sees_every_block_once_in_order() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        transcript.scroll_view("top")
        seen: list[str] = []
        for _ in range(400):
            seen.extend(rows_of(transcript)[:-1])
            if transcript.following:
                break
            transcript.scroll_view("page_down")
        questions = [line for line in seen if line.startswith("❯")]
        assert list(dict.fromkeys(questions)) == [f"❯ question {n}" for n in range(0, 300, 5)]

    run(TranscriptView(blocks(300), ()), journey)


def test_growth_is_followed_at_the_end_and_ignored_elsewhere() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        view = replace(app.view, live=(TextBlock("streaming"),))
        transcript.apply(view)
        assert rows_of(transcript)[-1] == "  streaming"
        told: list[int] = []
        transcript.below = told.append
        transcript.scroll_view("page_up")
        before = rows_of(transcript)
        for n in range(20):
            view = replace(
                view, rows=view.rows.append(TextBlock(f"new {n}\n")), live=(TextBlock("more " * n),)
            )
            transcript.apply(view)
        assert rows_of(transcript) == before, "nothing is drawn over what is read"
        assert told == list(range(21))
        transcript.scroll_view("end")
        assert transcript.following and told[-1] == -1
        assert rows_of(transcript)[-1].strip().startswith("more")

    run(TranscriptView(blocks(100), ()), journey)


def test_a_jump_shows_the_end() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        app.transcript.scroll_view("top")
        app.transcript.apply(replace(app.view, jump=1))
        assert app.transcript.following
        assert rows_of(app.transcript)[-1].startswith("∴ thought")

    run(TranscriptView(blocks(100), ()), journey)


def test_growth_causes_no_layout() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript, view = app.transcript, app.view
        laid = app.screen._layout_updates, transcript._layout_updates
        for n in range(10):
            view = replace(
                view, rows=view.rows.append(TextBlock(f"{n}\n")), live=(TextBlock("x" * 100 * n),)
            )
            transcript.apply(view)
            await pilot.pause()
        assert (app.screen._layout_updates, transcript._layout_updates) == laid

    run(TranscriptView(blocks(50), ()), journey)


def test_an_unchanged_view_is_painted_from_the_cache() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        first = transcript.render_lines(Region(0, 0, 59, 20))
        transcript.apply(replace(app.view))
        again = transcript.render_lines(Region(0, 0, 59, 20))
        assert all(a is b for a, b in zip(first, again, strict=True))

    run(TranscriptView(blocks(50), ()), journey)


def test_a_resize_keeps_the_row_at_the_top() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        transcript.scroll_view("page_up")
        transcript.scroll_view("page_up")
        while not rows_of(transcript)[0].startswith("❯ question"):
            transcript.scroll_view("line_up")
        top = rows_of(transcript)[0]
        for width in (40, 100, 30, 60):
            await pilot.resize_terminal(width, 22)
            await pilot.pause()
            assert rows_of(transcript)[0] == top
        await pilot.resize_terminal(1, 3)
        await pilot.pause()
        await pilot.resize_terminal(60, 22)
        await pilot.pause()
        assert rows_of(transcript)[0] == top

    run(TranscriptView(blocks(500), ()), journey)


def test_running_tools_tick() -> None:
    running = ToolBlock("r", "run", "Run make", "running", started_at=100.0)

    async def journey(app: Screen, _: Pilot[None]) -> None:
        assert rows_of(app.transcript)[-1] == "⚙ Run make  running 5 s"
        view = replace(app.view, now=107.0)
        app.transcript.apply(view)
        assert rows_of(app.transcript)[-1] == "⚙ Run make  running 7 s"
        done = replace(running, state="done", duration_ms=8000)
        app.transcript.apply(replace(view, rows=view.rows.set(50, done)))
        assert rows_of(app.transcript)[-1] == "⚙ Run make  8.0 s"

    run(TranscriptView(blocks(50).append(running), (), now=105.0), journey)


def test_taking_rows_back_and_another_session() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = app.transcript
        transcript.apply(replace(app.view, rows=app.view.rows.truncate(3)))
        assert rows_of(transcript)[0] == "❯ question 0"
        transcript.apply(TranscriptView(Vec([UserBlock("other")]), ()))
        assert [row for row in rows_of(transcript) if row] == ["❯ other"]
        transcript.apply(TranscriptView(Vec(), ()))
        assert set(rows_of(transcript)) == {""}

    run(TranscriptView(blocks(300), ()), journey)


def test_after_any_changes_it_shows_what_a_fresh_one_shows() -> None:
    """Incremental and whole are the same page."""

    async def journey(app: Screen, _: Pilot[None]) -> None:
        view = TranscriptView(Vec(), ())
        rows = list(blocks(60))
        for n, block in enumerate(rows):
            view = replace(
                view, rows=view.rows.append(block), live=(TextBlock("live " * n),) if n % 3 else ()
            )
            if n % 7 == 0:
                view = replace(view, exceptions=view.exceptions ^ {n // 2})
            if n == 40:
                view = replace(view, expanded=True)
            if n == 50:
                view = replace(view, rows=view.rows.set(20, TextBlock("changed\n" * 5)))
            app.transcript.apply(view)
        app.transcript.scroll_view("end")
        incremental = rows_of(app.transcript)
        fresh = Transcript()
        await app.mount(fresh, after=app.transcript)
        await app.transcript.remove()
        fresh.apply(view)
        fresh.on_resize()
        assert rows_of(fresh) == incremental

    run(TranscriptView(Vec(), ()), journey)


@pytest.mark.parametrize("theme", ["dark", "light", "ansi", "no-colour"])
def test_every_theme_paints(theme: str) -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        app.transcript.restyle()
        strips = app.transcript.render_lines(Region(0, 0, 59, 20))
        colours = {s.style.color for strip in strips for s in strip if s.style and s.style.color}
        assert all(colour.is_default for colour in colours) == (theme == "no-colour")

    run(TranscriptView(blocks(20), ()), journey, theme=theme)


def test_no_colour_in_the_environment_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def journey(app: Screen, _: Pilot[None]) -> None:
        strips = app.transcript.render_lines(Region(0, 0, 59, 20))
        triplets = [
            s.style.color.get_truecolor()
            for strip in strips
            for s in strip
            if s.style and s.style.color
        ]
        assert triplets and all(len(set(triplet)) == 1 for triplet in triplets)

    run(TranscriptView(blocks(20), ()), journey)


def test_it_lives_on_one_cell() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        for size in ((1, 1), (2, 3), (3, 4), (60, 22)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert rows_of(app.transcript)[-1].startswith("∴ thought")

    run(TranscriptView(blocks(30), ()), journey)
