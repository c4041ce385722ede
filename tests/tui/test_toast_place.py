"""Where a short word to the person stands in a small terminal: on a row that nobody reads, over no
text."""

from __future__ import annotations

from functools import partial

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.ops import Op, Submit
from agent_tui.tui.core import step
from agent_tui.tui.core.effects import ExpireToast
from agent_tui.tui.core.msg import EffectFailed, ToastExpired
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import PlayedEngine, echo, play, text, until
from tests.tui.test_dialog_mouse import asking

WORDS = " ".join(f"w{number:03}" for number in range(240))
SMALL = ((24, 8), (40, 12), (29, 30), (40, 24), (60, 24), (79, 40), (100, 14))
LONG = "the folder cannot be written, and this is why: there is no room left on the device"


@pytest.fixture(autouse=True)
def stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said stays until it was looked at, however slow the machine is."""
    monkeypatch.setattr(step, "ExpireToast", lambda number, _: ExpireToast(number, 3600))


def answering(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text)
        engine.answer(WORDS)
        engine.end()
    else:
        echo(engine, op)


async def answered(pilot: Pilot[int], app: AgentApp) -> None:
    await pilot.press("x", "enter")
    await until(lambda: not app.model.is_running and "completed" in text(app))
    await pilot.pause()


def shows(app: AgentApp, words: str) -> bool:
    return words in text(app)


def rows_of(app: AgentApp, name: str) -> list[str]:
    region = getattr(app.regions, name).region
    return text(app).split("\n")[region.y : region.bottom]


@pytest.mark.parametrize("size", SMALL, ids=str)
def test_what_was_done_is_said_beside_the_transcript(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await answered(pilot, app)
        before, header = rows_of(app, "transcript"), app.regions.header.region
        assert any(row.strip() for row in before)
        await pilot.press("shift+tab")
        await until(
            lambda: any("accept-edits:" in row for row in text(app).split("\n")[header.bottom :])
        )
        await pilot.pause()
        assert rows_of(app, "transcript") == before
        shown = rows_of(app, "toast")
        assert len(shown) == 1 and (
            "before most commands" in shown[0] or shown[0].rstrip().endswith("…")
        )

    play(PlayedEngine(answering), steps, size)


@pytest.mark.parametrize("size", [(40, 24), (60, 24), (40, 16)], ids=str)
def test_what_went_wrong_is_said_whole_across_the_screen(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await answered(pilot, app)
        app.dispatch(EffectFailed(LONG))
        await until(lambda: "the folder" in text(app))
        await pilot.pause()
        assert LONG in " ".join(row.strip() for row in rows_of(app, "toast"))
        assert app.regions.toast.region.width == size[0] - 2
        assert app.regions.toast.region.y == 1

    play(PlayedEngine(answering), steps, size)


@pytest.mark.parametrize("size", [(40, 12), (30, 10), (80, 16)], ids=str)
def test_it_stands_below_a_question(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        before = rows_of(app, "dialog")
        app.dispatch(EffectFailed("no"))
        await until(lambda: "Error: no" in text(app))
        await pilot.pause()
        assert rows_of(app, "dialog") == before
        assert (
            app.regions.toast.region.y
            == app.regions.dialog.region.bottom
            == app.regions.status.region.y
        )

    play(asking(CommandDisplay("echo " + "word " * 200)), steps, size)


@pytest.mark.parametrize("size", [(40, 12), (60, 12)], ids=str)
def test_it_leaves_the_line_above_the_prompt_its_words_while_something_is_asked(
    size: tuple[int, int],
) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app) and app.model.dialog is not None)
        await pilot.pause()
        for said in (LONG[:2], LONG[:12], LONG[:24]):
            app.dispatch(EffectFailed(said))
            await until(partial(shows, app, f"Error: {said}  "))
            await pilot.pause()
            assert "Esc stop" in text(app).split("\n")[app.regions.status.region.y], text(app)
        app.dispatch(ToastExpired(app.model.toasts))
        await until(lambda: "waiting for you" in rows_of(app, "status")[0])

    play(asking(CommandDisplay("echo " + "word " * 200)), steps, size)


def test_it_leaves_its_row_to_a_list() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.dispatch(EffectFailed("no"))
        await until(lambda: app.regions.toast.region.y == app.regions.status.region.y > 1)
        await pilot.press("slash")
        await until(lambda: "/undo" in text(app) and app.regions.toast.region.y == 1)
        await pilot.press("backspace")
        await until(lambda: app.regions.toast.region.y == app.regions.status.region.y)

    play(PlayedEngine(echo), steps, (40, 12))
