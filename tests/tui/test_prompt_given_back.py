"""A prompt that came to nothing is back, with the caret behind it: what is typed is added."""

from __future__ import annotations

import asyncio

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.ops import Op, Submit
from agent_tui.tui.commands.turn import ENDED_SECONDS
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import PlayedEngine, play, text, until


def fails(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text)
        engine.end("error")


async def given_back(pilot: Pilot[int], app: AgentApp) -> None:
    await until(lambda: app.model.started)
    await pilot.press(*"more", "enter")
    await until(lambda: app.model.composer.rev > 1 and app.regions.prompt.text == "more")


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ((), "more!"),
        (("right",), "more!"),
        (("end",), "more!"),
        (("left",), "mor!e"),
        (("home",), "!more"),
    ],
)
def test_what_is_typed_is_added_and_nothing_is_selected(keys: tuple[str, ...], left: str) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        assert not app.regions.prompt.selected_text
        await pilot.press(*keys, "!")
        await until(lambda: app.regions.prompt.text == left)

    play(PlayedEngine(fails), steps)


def test_enter_sends_it_again_with_what_was_added() -> None:
    engine = PlayedEngine(fails)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        await pilot.press("space", *"again", "enter")
        await until(lambda: Submit("more again") in engine.ops)
        await until(lambda: app.regions.prompt.text == "more again")

    play(engine, steps)


def test_enter_sends_it_again_and_ctrl_c_clears_it() -> None:
    engine = PlayedEngine(fails)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await given_back(pilot, app)
        await pilot.press("enter")
        await until(
            lambda: engine.ops.count(Submit("more")) == 2 and app.regions.prompt.text == "more"
        )
        await asyncio.sleep(ENDED_SECONDS)  # before, it would be meant for the turn
        await pilot.press("ctrl+c")
        await until(lambda: not app.regions.prompt.text)
        assert "brings it back" in text(app)

    play(engine, steps)
