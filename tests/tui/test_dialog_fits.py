"""A question that is longer than the screen: everything around it stays where it is, and nothing
scrolls the screen."""

from __future__ import annotations

import asyncio

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Hunk
from agent_tui.protocol.events import ApprovalAsked, QueueChanged
from agent_tui.protocol.ops import Op, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.dialog.layout import LEAST_CONTEXT
from agent_tui.tui.dialog.widget import CONTEXT_ROWS, roomy_parts
from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.screen.key_guards import BURST_SECONDS
from agent_tui.tui.widgets.paint import is_low
from tests.tui.stage import SESSION, PlayedEngine, play, text, until
from tests.tui.test_dialog_mouse import asking

SIZES = ((80, 24), (100, 30), (130, 36), (40, 20), (40, 19), (200, 50), (30, 12), (29, 10))


def new_file(lines: int) -> DiffDisplay:
    return DiffDisplay(
        "new.txt", (Hunk(0, 1, tuple(f"+line {n}" for n in range(lines))),), lines, 0
    )


def fits(app: AgentApp) -> None:
    """All regions stand on the screen, as wide as it is, the footer on its last row."""
    width, height = app.size
    rows = text(app).split("\n")
    assert not app.screen.show_vertical_scrollbar
    keys = ("Enter", "↑↓", "PgDn", "choose")  # right behind a key Enter answers nothing yet
    assert len(rows) == height and any(key in rows[-1] for key in keys), "\n".join(rows)
    assert "❯" in rows[-2 if is_low(app.size) else -3]
    regions = app.regions
    assert all(
        part.region.width == width for part in (regions.header, regions.transcript, regions.dialog)
    )
    assert regions.transcript.region.height >= (
        1 if is_low(app.size) else LEAST_CONTEXT if height < 24 else CONTEXT_ROWS
    )
    assert regions.dialog.region.bottom <= regions.status.region.y
    assert "yes, once" in text(app)
    assert regions.dialog.part[0] >= 1


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lines", [5, 60, 3000])
def test_everything_around_it_stays(size: tuple[int, int], lines: int) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: app.regions.dialog.part[1] > 0 and "yes, once" in text(app))
        await pilot.pause()
        fits(app)
        await pilot.press("pagedown")
        await pilot.pause()
        fits(app)

    play(asking(new_file(lines)), steps, size=size)


def test_it_makes_room_for_a_draft_and_for_what_waits() -> None:
    engine = asking(new_file(60))

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        before = app.regions.dialog.region.height
        engine.say(QueueChanged(session=SESSION, items=(Queued("a", "later"), Queued("b", "last"))))
        await until(lambda: "queued (2)" in text(app))
        await asyncio.sleep(2 * BURST_SECONDS)  # a key that comes sooner is not taken for an answer
        await pilot.press("m")
        await asyncio.sleep(BURST_SECONDS)
        await pilot.press("enter")
        await until(lambda: app.regions.label.display and bool(app.regions.label.text))
        for _ in range(4):
            await pilot.press("w", "shift+enter")
        await until(lambda: app.regions.prompt.region.height == 5)
        await pilot.pause()
        assert app.regions.dialog.region.height < before
        assert app.regions.footer.region.bottom == app.size.height
        assert app.regions.transcript.region.height >= 1
        assert app.regions.queue.region.height == 3

    play(engine, steps, size=(80, 30))


@pytest.mark.parametrize("size", [(130, 36), (80, 24), (40, 20)], ids=str)
def test_another_size_is_kept_to_at_once(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.resize_terminal(*size)
        await until(lambda: text(app).count("\n") == size[1] - 1)
        await pilot.pause()
        fits(app)

    play(asking(new_file(60)), steps, size=(100, 30))


def test_a_reason_is_whole_where_lines_are_free() -> None:
    """On a low screen too: it says why it is asked."""
    value = DialogView("t", "r", None, (Option("y", "yes"), Option("n", "no")), 0)
    reason = [(Segment(f"line {n}"),) for n in range(4)]
    whole = roomy_parts(value, reason, 3, 50, 9)
    assert whole is not None and list(whole[1]) == reason[:3]
    tight = roomy_parts(value, reason, 6, 50, 10)
    assert tight is None or len(tight[1]) + tight[0] + len(tight[2]) <= 8


def test_a_question_keeps_its_frame_and_place_beside_prompts_that_wait() -> None:
    """On a short screen too: empty lines go first."""

    def react(engine: PlayedEngine, op: Op) -> None:
        if not isinstance(op, Submit):
            return
        engine.begin(op.text)
        for n in (1, 2):
            engine.say(
                ApprovalAsked(
                    session=SESSION,
                    id=f"q{n}",
                    call_id=f"c{n}",
                    tool="run_command",
                    label=f"Run make {n}",
                    reason="it may do more than look",
                    always="make, in this folder",
                    prefix="make …",
                    folder="make, in this folder",
                    display=CommandDisplay(f"make {n}"),
                )
            )

    engine = PlayedEngine(react)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        engine.say(QueueChanged(session=SESSION, items=(Queued("a", "later"), Queued("b", "last"))))
        await until(lambda: "queued (2)" in text(app))
        await pilot.pause()
        shown = text(app)
        assert "╭─ Allow this command?" in shown and "1 of 2 ─╮" in shown
        assert "it may do more than look" in shown and "$ make 1" in shown
        assert "m/4 no, and say why" in shown

    play(engine, steps, size=(60, 20))
