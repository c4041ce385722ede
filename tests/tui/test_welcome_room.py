"""The welcome of an empty session stands above all that is below the transcript, or not at all."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.runtime.app import AgentApp
from tests.tui import stage
from tests.tui.stage import PlayedEngine, play, text, until

LINES = (
    "Ask for a change, a fix or an explanation.",
    "Asks before edits and most commands.",
    "commands and skills",
    "all keys",
)
SIZES = [(width, height) for width in (54, 80, 120) for height in range(16, 41)]
SIZES += [(20, 5), (30, 20), (53, 24)]


def _is_whole(shown: list[str], width: int, queued: bool) -> bool:
    """The welcome has all of its lines or none, the prompt its frame, and what waits is not
    covered."""
    known = [any(line in row for row in shown) for line in LINES]
    frame = f" ╭{'─' * (width - 4)}╮ "
    framed = not any("╭" in row for row in shown) or frame in shown
    waits = not queued or any(row.startswith("  queued (4) paused  ") for row in shown)
    return len(set(known)) == 1 and framed and waits


@pytest.mark.parametrize("queued", [False, True])
@pytest.mark.parametrize("draft", [1, 4, 8])
def test_it_covers_neither_the_prompt_nor_what_waits(draft: int, queued: bool) -> None:
    engine, seen = PlayedEngine(), set[bool]()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        if queued:
            items = tuple(Queued(str(n), f"prompt {n}") for n in range(4))
            engine.say(QueueChanged(items=items, paused=True, session=stage.SESSION))
            await until(lambda: "queued (4)" in text(app))
        app.regions.prompt.text = "\n".join(f"line {n}" for n in range(draft))
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            shown = text(app).split("\n")
            high = queued and height >= 16 and width >= 54
            assert _is_whole(shown, width, high), f"{width}x{height}\n" + "\n".join(shown)
            seen.add(LINES[0] in text(app))

    play(engine, steps)
    assert seen == {True, False}
