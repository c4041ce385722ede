"""Every picture of the screen at every width: what a region has to say fits into it, and nothing
stands outside."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widget import Widget

from agent_tui.tui.core.msg import Resized
from agent_tui.tui.markdown.lines import line_cells
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.transcript.widget import Transcript
from agent_tui.tui.update import update
from agent_tui.tui.view import TOO_SMALL
from agent_tui.tui.widgets.paint import Region
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.stage import text, until
from tests.tui.story import NOW, Story, still
from tests.tui.test_snapshots import STORIES as WORK
from tests.tui.test_snapshots_reading import STORIES as READING

WIDTHS = (40, 60, 80, 120, 200, 300)
HEIGHT = 30


@pytest.mark.parametrize("story", [*WORK, *READING], ids=lambda story: story.name)
def test_nothing_is_wider_than_its_place(story: Story) -> None:
    app = still(
        update(story.model(), Resized(at=NOW + 9, width=WIDTHS[0], height=HEIGHT))[0], story.theme
    )

    async def run() -> list[str]:
        wrong: list[str] = []
        async with app.run_test(size=(WIDTHS[0], HEIGHT)) as pilot:
            await pilot.pause()
            if story.then is not None:
                await story.then(pilot)
            for width in WIDTHS:
                await pilot.resize_terminal(width, HEIGHT)
                await until(lambda: app.model.width == width == app.screen.size.width)  # noqa: B023
                await pilot.pause()
                wrong += [f"at {width}: {said}" for said in misplaced(app, width)]
        return wrong

    assert asyncio.run(run()) == []


def misplaced(app: AgentApp, width: int) -> Iterator[str]:
    """What does not fit a screen of this width."""
    rows = text(app).split("\n")
    yield from (
        f"row {y} has {cell_len(row)} cells" for y, row in enumerate(rows) if cell_len(row) != width
    )
    if len(rows) != HEIGHT:
        yield f"{len(rows)} rows"
    for widget in app.screen.walk_children(Widget):
        place = widget.region
        if not widget.display or not place.size:
            continue
        if place.x < 0 or place.right > width or place.y < 0 or place.bottom > HEIGHT:
            yield f"{widget} stands at {place}"
        if isinstance(widget, Region):
            wide = widget.size.width
            yield from (
                f"{widget}: {line}"
                for line in widget.lines(wide)
                if line_cells(line, cell_len) > wide
            )
        if isinstance(widget, Transcript):
            strips = [widget.render_line(y) for y in range(widget.size.height)]
            if {strip.cell_length for strip in strips} - {
                width,
                width - 1,
            }:  # the last column is the bar's
                yield f"lines of the transcript: {strips}"


def test_a_tiny_terminal_says_so_and_comes_back(tmp_path: Path) -> None:
    env = {
        "OPS": str(tmp_path / "ops"),
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "TMUX": "",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "ESCDELAY": "60",
    }
    pty = Pty(["-m", "tests.tui.screen_program"], env, (80, 24))
    try:
        pty.until("Enter send")
        for width, height in ((19, 24), (80, 5), (15, 3), (1, 1), (19, 6)):
            pty.resize(width, height)
            if width > len(TOO_SMALL) + 2:
                pty.until(TOO_SMALL)
        pty.resize(40, 12)
        pty.until(lambda shown: "Ask, or type" in shown and TOO_SMALL not in shown)
        pty.type("still here\r")
        pty.until("You said: still here")
    finally:
        pty.close()
