"""A prompt that came to nothing is back, selected: what is typed takes its place, what moves the
caret keeps it."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.ops import Clear, Op, Submit
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import PlayedEngine, play, text, until


def fails(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text)
        engine.end("error")


async def given_back(pilot: Pilot[int], app: AgentApp) -> None:
    await until(lambda: app.model.started)
    await pilot.press(*"more", "enter")
    await until(lambda: app.model.composer.selected and app.regions.prompt.text == "more")


def test_a_command_that_is_typed_next_is_run_and_nothing_is_sent() -> None:
    engine = PlayedEngine(fails)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        await pilot.press(*"/clear", "enter")
        await until(lambda: Clear() in engine.ops)
        await pilot.press("up", "up")
        await until(lambda: app.regions.prompt.text == "more")

    play(engine, steps)
    assert [op.text for op in engine.ops if isinstance(op, Submit)] == ["more"]


@pytest.mark.parametrize(
    ("key", "left"), [("right", "more!"), ("end", "more!"), ("up", "more!"), ("left", "!more")]
)
def test_a_key_that_moves_the_caret_keeps_it(key: str, left: str) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        await pilot.press(key, "!")
        await until(lambda: app.regions.prompt.text == left)

    play(PlayedEngine(fails), steps)


def test_enter_sends_it_again_and_ctrl_c_clears_it() -> None:
    engine = PlayedEngine(fails)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        await pilot.press("enter")
        await until(
            lambda: engine.ops.count(Submit("more")) == 2 and app.regions.prompt.text == "more"
        )
        await pilot.press("ctrl+c")
        await until(lambda: not app.regions.prompt.text)
        assert "brings it back" in text(app)

    play(engine, steps)
