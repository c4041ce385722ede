"""A hit that is looked at stays in view whatever becomes of the size of the terminal."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import play, until
from tests.tui.test_transcript_search import Mute, given
from tests.tui.transcript_stage import rows_of

MANY = "\n\n".join(
    f"thought {n} " + "with many words that wrap in a narrow place " * 4 for n in range(20)
)
ROWS = Vec[Block]([
    UserBlock("go"), ThinkingBlock(f"{MANY}\n\nhere is the needle\n\n{MANY}"),
    TextBlock("answer words " * 200 + "\n", head=True),
])  # fmt: skip
SIZES = ((40, 12), (100, 30), (60, 30), (60, 12), (30, 10), (120, 50), (41, 9))


def needle(app: AgentApp) -> bool:
    return any("needle" in row for row in rows_of(app.regions.transcript))


async def resized(pilot: Pilot[int], app: AgentApp, size: tuple[int, int]) -> None:
    transcript = app.regions.transcript
    await pilot.resize_terminal(*size)
    await until(lambda: size[0] - 6 <= transcript._laid.width <= size[0] == app.model.width)
    await until(lambda: transcript._laid == transcript.scrollable_content_region.size)
    await pilot.pause()


@pytest.mark.parametrize(
    "rows", [ROWS, Vec[Block]([*ROWS, UserBlock("so"), TextBlock("a needle\n", head=True)])]
)
def test_a_hit_stays_in_view_through_resizes(rows: Vec[Block]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("ctrl+f", *"needle")
        assert needle(app)
        for size in SIZES:
            await resized(pilot, app, size)
            assert needle(app), size

    play(Mute(), steps, (100, 30), model=given(rows))


def test_a_hit_that_was_scrolled_away_from_does_not_come_back() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("ctrl+f", *"needle")
        await pilot.press("pagedown", "pagedown")
        top = rows_of(app.regions.transcript)[0]
        assert not needle(app)
        await resized(pilot, app, (100, 16))
        assert not needle(app) and rows_of(app.regions.transcript)[0] == top

    play(Mute(), steps, (100, 30), model=given(ROWS))
