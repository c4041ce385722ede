"""What came below the part of the transcript in view is told in the line above the prompt, where it
covers nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.protocol.transcript import TextBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import Span, StatusView
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.regions import Status
from tests.tui.stage import play
from tests.tui.test_transcript_search import Mute, given
from tests.tui.transcript_stage import rows_of

RUNS = StatusView(0, tuple(map(Span, ("Run make docs", " · ", "12 s", " · ", "Esc stop"))))

WRITES = StatusView(0, tuple(map(Span, ("writing", " · ", "Esc stop"))))


class Shown(Status):
    """Without a screen to draw on."""

    def redraw(self, layout: bool = False) -> None:  # noqa: ARG002
        return


def line(new: int, value: StatusView | None, width: int) -> str:
    status = Shown()
    status.show(value)
    status.show_below(new)
    (segments,) = status.lines(width)
    said = "".join(segment.text for segment in segments)
    assert cell_len(said) == width
    return said.rstrip()


@pytest.mark.parametrize(
    ("new", "value", "width", "said"),
    [
        (-1, None, 40, ""),
        (-1, RUNS, 40, "⠋ Run make docs · 12 s · Esc stop"),
        (0, None, 20, "                   ↓"),
        (3, None, 20, "            3 new ↓"),
        (1_234, None, 20, "        1,234 new ↓"),
        (3, RUNS, 49, "⠋ Run make docs · 12 s · Esc stop        3 new ↓"),
        (3, RUNS, 39, "⠋ Run make docs · Esc stop     3 new ↓"),
        (3, RUNS, 29, "⠋ Run make… · Esc stop   3 ↓"),
        (0, RUNS, 19, "⠋ Esc stop        ↓"),
        (-1, WRITES, 19, "⠋ Esc stop"),
        (-1, WRITES, 20, "⠋ writing · Esc stop"),
    ],
)
def test_news_stand_at_the_right_and_what_runs_keeps_its_end(
    new: int, value: StatusView | None, width: int, said: str
) -> None:
    assert line(new, value, width) == said


@pytest.mark.parametrize("width", range(1, 60))
def test_the_line_is_as_wide_as_the_screen(width: int) -> None:
    for value in (None, RUNS):
        for new in (-1, 0, 7, 12_345):
            line(new, value, width)


def at_end(app: AgentApp) -> bool:
    return app.regions.transcript.following


def grown(app: AgentApp) -> Model:
    """A row more, below what is in view."""
    session = app.model.transcript
    more = replace(session, rows=session.rows.extend([TextBlock("One more.\n", head=True)]))
    return replace(app.model, sessions={"": more})


def test_a_click_on_the_news_shows_the_end() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript, status = app.regions.transcript, app.regions.status
        bottom = rows_of(transcript)
        await pilot.press("pageup")
        above = rows_of(transcript)
        assert above != bottom and status.strips(76)[0].text.rstrip().endswith("↓")
        app.model = grown(app)
        await pilot.press("x")
        assert rows_of(transcript) == above
        assert status.strips(76)[0].text.rstrip().endswith("1 new ↓")
        await pilot.click(Status, offset=(10, 0))
        assert not at_end(app)
        await pilot.click(Status, offset=(74, 0))
        assert at_end(app) and not status.strips(76)[0].text.strip()

    play(Mute(), steps, (80, 30), model=given())


def test_no_row_is_covered_at_any_width() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        for width in (24, 40, 61, 100):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            transcript.scroll_view("top")
            page = transcript._page
            top = transcript.scroll_offset.y
            rows = [
                page.strip(top + number).text.rstrip() for number in range(len(rows_of(transcript)))
            ]
            assert rows_of(transcript) == rows

    play(Mute(), steps, (80, 30), model=given(Vec([TextBlock("Words. " * 900, head=True)])))
