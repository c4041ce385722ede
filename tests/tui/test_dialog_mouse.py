"""A question under real mouse events: what is selected of a command or a diff is copied as its
source."""

from __future__ import annotations

from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display, Hunk
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked
from agent_tui.protocol.ops import Answer, Op, SetClipboard, Submit
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.stage import SESSION, PlayedEngine, play, text, until

LONG = "make all " + " ".join(f"TARGET_{n}=value{n}" for n in range(12))
COMMAND = CommandDisplay(f"cd /tmp\n{LONG}\nif true; then\n    echo done\nfi")
DIFF = DiffDisplay("a.py", (Hunk(7, 7, (" def f():", "-    return 1", "+    return 2")),), 1, 1)


def asking(display: Display) -> PlayedEngine:
    def react(engine: PlayedEngine, op: Op) -> None:
        if isinstance(op, Submit):
            engine.begin(op.text)
            asked = ApprovalAsked(
                session=SESSION,
                id="q",
                call_id="c",
                tool="t",
                label="Run it",
                reason="it runs",
                display=display,
            )
            engine.say(asked)
        if isinstance(op, Answer):
            engine.say(ApprovalAnswered(session=SESSION, id="q", choice="no"))

    return PlayedEngine(react)


def place(app: AgentApp, words: str) -> tuple[int, int]:
    """Where `words` stand on the screen."""
    rows = text(app).split("\n")
    y = next(number for number, row in enumerate(rows) if words in row)
    return rows[y].index(words), y


async def drag(pilot: Pilot[int], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await pilot.pause()


def test_a_command_is_copied_without_what_is_around_it() -> None:
    engine = asking(COMMAND)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "Allow this" in text(app))
        await drag(
            pilot,
            place(app, "cd /tmp"),
            (place(app, "echo done")[0] + 8, place(app, "echo done")[1]),
        )
        assert app.screen.get_selected_text() == f"cd /tmp\n{LONG}\nif true; then\n    echo done"
        strip = app.regions.dialog.render_line(
            place(app, "cd /tmp")[1] - app.regions.dialog.region.y
        )
        assert any(part.style and part.style.bgcolor and "cd" in part.text for part in strip)
        await pilot.press("ctrl+c")
        assert app.clipboard == f"cd /tmp\n{LONG}\nif true; then\n    echo done"
        await until(lambda: any(isinstance(op, SetClipboard) for op in engine.asked()))
        assert not any(isinstance(op, Answer) for op in engine.asked())

    play(engine, steps, size=(80, 40))


def test_a_diff_is_copied_without_its_numbers() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "Allow this" in text(app))
        x, y = place(app, "def f")
        await drag(pilot, (x, y), (x + 60, y + 2))
        chosen = app.screen.get_selected_text()
        assert chosen is not None
        assert chosen.split("\n") == ["def f():", "-    return 1", "+    return 2"]

    play(asking(DIFF), steps, size=(90, 40))


def test_what_was_selected_goes_with_its_question() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "Allow this" in text(app))
        await drag(pilot, place(app, "cd /tmp"), place(app, "echo done"))
        assert app.screen.get_selected_text()
        await pilot.pause(0.4)
        await pilot.press("n")
        await pilot.pause(0.4)
        await pilot.press("enter")
        await until(lambda: "Allow this" not in text(app))
        assert not app.screen.get_selected_text()

    play(asking(COMMAND), steps, size=(80, 40))


def test_a_drag_over_border_and_bars_takes_only_what_is_source() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "Allow this" in text(app))
        await drag(pilot, (2, 0), (70, 38))
        chosen = app.screen.get_selected_text() or ""
        assert LONG in chosen
        for foreign in ("│", "╭", "Header", "Footer", "Status", "yes, once"):
            assert foreign not in chosen

    play(asking(COMMAND), steps, size=(80, 40))
