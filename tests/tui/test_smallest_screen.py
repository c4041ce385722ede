"""At twenty columns and five rows there is no footer: the prompt names the one key that is needed
most, whole, and no line is broken."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.protocol.events import ApprovalAsked
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import SESSION, PlayedEngine, hold, play, text, until

ASKED = ApprovalAsked(
    id="q",
    call_id="c",
    tool="run_shell_command",
    label="make test",
    reason="it runs a program",
    session=SESSION,
)


@pytest.mark.parametrize("size", [(20, 5), (24, 5), (20, 6), (20, 8)])
@pytest.mark.parametrize(
    ("state", "needed"),
    [
        ("idle", ("too small", "Enter send")),
        ("running", ("Esc stop",)),
        ("question", ("❯ y yes, once",)),
        ("sheet", ("Esc close",)),
    ],
)
def test_the_most_needed_key_is_named_whole(
    state: str, needed: tuple[str, ...], size: tuple[int, int]
) -> None:
    engine = PlayedEngine(hold)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        if state in ("running", "question"):
            await pilot.press("g", "enter")
            await until(lambda: app.model.is_running)
        if state == "question":
            engine.say(ASKED)
            await until(lambda: app.model.dialog is not None)
        if state == "sheet":
            await pilot.press("f1")
            await until(lambda: app.model.overlay is not None)
        await until(lambda: any(words in text(app) for words in needed))
        await pilot.pause()
        rows = text(app).split("\n")
        assert [cell_len(row) for row in rows] == [size[0]] * size[1]
        assert not any(edge in row for row in rows for edge in "╭╮╰╯│"), "no half frame"
        assert any(row.startswith("  ❯") for row in rows), "the prompt keeps its row"

    play(engine, steps, size)
