"""What a person does on the screen, and what it shows: the prompt, its history, dialogs, sheets and
the mouse."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Hunk
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ToolEnded,
    ToolOutput,
    ToolStarted,
)
from agent_tui.protocol.ops import Answer, Op, Query, SetMode, Submit
from agent_tui.tui.core import msg
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.history import PromptHistory
from agent_tui.tui.screen.key_guards import BURST_SECONDS
from tests.answers import answer_event
from tests.tui.stage import SESSION, PlayedEngine, hold, play, text, until

DIFF = DiffDisplay("a.py", (Hunk(1, 1, (" one", "-two [b]", "+three [/b]")),), 1, 1)


def ask(engine: PlayedEngine, op: Op) -> None:
    if isinstance(op, Submit):
        engine.begin(op.text)
        engine.say(
            ApprovalAsked(
                session=SESSION,
                id="ap1",
                call_id="c1",
                tool="edit_file",
                label="Edit a.py",
                display=DIFF,
                reason="auto mode asks",
                always="edit_file on a.py",
            )
        )
    elif isinstance(op, Answer):
        engine.say(ApprovalAnswered(session=SESSION, id=op.id, choice="once"))
        engine.end()


def tell_files(engine: PlayedEngine, op: Op) -> None:
    """A turn hangs; one file can be undone."""
    hold(engine, op)
    if isinstance(op, Query) and op.kind == "undo":
        file = {"path": "shop.py", "choices": ["keep", "restore"], "default": "restore", "added": 1}
        data = {"files": [file], "turns": [{"n": 2, "turn": 1, "prompt": "a"}], "caps": []}
        engine.say(answer_event(session=SESSION, id=op.id, kind="undo", data=data))


def test_an_approval_shows_the_whole_diff_and_takes_a_key() -> None:
    engine = PlayedEngine(ask)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "yes, once" in text(app))
        assert "two [b]" in text(app)
        assert "three [/b]" in text(app)
        await asyncio.sleep(0.55)  # a key right behind others answers nothing
        await pilot.press("y")
        await asyncio.sleep(0.25)
        await pilot.press("enter")
        await until(lambda: "yes, once" not in text(app))

    play(engine, steps, (90, 30))
    assert Answer("ap1", "once") in engine.ops


def test_a_burst_of_typing_goes_to_the_prompt_and_never_answers() -> None:
    """However late the keys are handled: what counts is when they came."""
    engine = PlayedEngine(ask)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "yes, once" in text(app))
        assert app.model.dialog is not None
        shown = app.model.dialog.shown_at - time.time() + time.monotonic()
        for number, character in enumerate("yaya"):
            key = events.Key(character, character)
            key.time = shown + 0.1 * (number + 1)
            app.post_message(key)
        await until(lambda: app.regions.prompt.text == "yaya")
        assert app.model.dialog is not None

    play(engine, steps, (90, 30))
    assert not [op for op in engine.ops if isinstance(op, Answer)]


def test_live_output_and_its_markup_are_only_text() -> None:
    engine = PlayedEngine(hold)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        engine.say(
            ToolStarted(
                session=SESSION,
                turn=1,
                call_id="c",
                name="run_shell_command",
                label="$ [red]ls[/]\x1b[2J",
            ),
            ToolOutput(session=SESSION, turn=1, call_id="c", text="[bold]x[/bold"),
            ToolOutput(session=SESSION, turn=1, call_id="c", text="] \x1b]0;title\x07 [/]\n"),
        )
        await until(lambda: "[red]ls[/]" in text(app))
        assert "[bold]x[/bold]" in text(app)
        assert "\x1b" not in text(app)

    play(engine, steps)


def test_history_is_loaded_shared_and_remembered(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    PromptHistory(file).add("from before")

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("up")
        assert app.regions.prompt.text == "from before"
        await pilot.press("down")
        assert app.regions.prompt.text == ""
        await pilot.press(*"now", "enter")
        await until(lambda: "You said: now" in text(app))

    play(PlayedEngine(), steps, history=file)
    assert PromptHistory(file).load() == ("from before", "now")


def test_a_damaged_history_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('{"text": "good"}\nnot json\n')

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: "1 damaged line" in text(app))
        await pilot.press("up")
        assert app.regions.prompt.text == "good"

    play(PlayedEngine(), steps, (120, 24), history=file)


def test_the_caret_moves_before_history_does() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"old", "enter")
        await until(lambda: "You said: old" in text(app))
        await pilot.press("a", "ctrl+j", "b", "up", "c")
        assert app.regions.prompt.text == "ac\nb"
        await pilot.press("up")
        assert app.regions.prompt.text == "old"
        await pilot.press("down")
        assert app.regions.prompt.text == "ac\nb"

    play(engine, steps)


def test_the_prompt_grows_with_its_lines_and_no_further_than_eight() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        heights = []
        for _ in range(10):
            heights.append(app.regions.prompt.size.height)
            await pilot.press("ctrl+j")
            await pilot.pause()
        assert heights == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]

    play(PlayedEngine(), steps, (80, 30))


def test_shift_tab_asks_for_the_next_mode_and_shows_it() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await until(lambda: app.model.started)
        await pilot.press("shift+tab")
        await until(lambda: app.model.transcript.mode == "accept-edits")
        assert "accept-edits" in text(app).split("\n")[0]

    play(engine, steps)
    assert SetMode("accept-edits") in engine.ops


def test_help_takes_the_keys_and_gives_them_back() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("question_mark")
        assert "Keys and commands" in text(app)
        await pilot.press("x")
        assert app.regions.prompt.text == ""
        await pilot.press("escape", "x", "question_mark")
        assert "Keys and commands" not in text(app)
        assert app.regions.prompt.text == "x?"

    play(PlayedEngine(), steps)


def test_completion_is_above_the_prompt_and_moves_nothing() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        before = app.regions.transcript.region
        await pilot.press("slash", "h", "e")
        await pilot.pause()
        assert "/help" in text(app)
        assert app.regions.completion.region.bottom == app.regions.box.region.y
        assert app.regions.transcript.region == before
        await pilot.press("tab")
        assert app.regions.prompt.text.startswith("/help")

    play(PlayedEngine(), steps)


def test_a_selection_is_copied_by_control_c() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"copy me", "shift+home", "ctrl+c")
        assert app.clipboard == "copy me"
        assert app.regions.prompt.text == "copy me"

    play(PlayedEngine(), steps)


def test_quitting_by_key_returns_zero() -> None:
    async def steps(pilot: Pilot[int], _: AgentApp) -> None:
        await pilot.press("ctrl+d")

    assert play(PlayedEngine(), steps).return_value == 0


def test_the_wheel_moves_the_transcript_from_anywhere() -> None:
    engine = PlayedEngine()

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "You said" in text(app))
        engine.begin("long")
        engine.answer("\n\n".join(f"paragraph {n}" for n in range(60)))
        engine.end()
        await until(lambda: "paragraph 59" in text(app))
        await pilot._post_mouse_events([events.MouseScrollUp], widget=app.regions.footer)
        await pilot.pause()
        assert not app.regions.transcript.following
        assert not app.model.reading.following

    play(engine, steps)


def test_a_click_on_a_tool_line_opens_it() -> None:
    engine = PlayedEngine(hold)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        engine.answer("")
        shown = CommandDisplay(
            "seq 99", output="\n".join(f"line {n}" for n in range(99)), exit_code=0
        )
        engine.say(
            ToolStarted(session=SESSION, turn=1, call_id="c", name="x", label="seq 99"),
            ToolEnded(
                session=SESSION, call_id="c", name="x", label="seq 99", content="", display=shown
            ),
        )
        engine.end()
        await until(lambda: app.model.transcript.state == "idle" and "seq 99" in text(app))
        row = next(y for y, line in enumerate(text(app).split("\n")) if "seq 99" in line)
        await pilot.click(offset=(4, row))
        await pilot.pause()
        assert app.model.reading.exceptions

    play(engine, steps, (80, 50))


def test_a_click_on_a_file_of_the_undo_sheet_switches_it() -> None:
    engine = PlayedEngine(tell_files)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        engine.answer("")
        engine.end()
        await until(lambda: app.model.transcript.state == "idle")
        app.dispatch(msg.Submitted(at=time.time(), text="/undo"))
        await until(lambda: "[x] shop.py" in text(app))
        row, line = next(
            (y, line) for y, line in enumerate(text(app).split("\n")) if "[x] shop.py" in line
        )
        await asyncio.sleep(0.55)  # a click on what has just appeared takes nothing
        await pilot.click(offset=(line.index("shop.py"), row))
        await until(lambda: "[ ] shop.py" in text(app))

    play(engine, steps, (80, 30))


@pytest.mark.parametrize("size", [(100, 30), (60, 12)])
def test_a_click_on_an_answer_goes_to_it(size: tuple[int, int]) -> None:
    engine = PlayedEngine(ask)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "n/3" in text(app) or "n no" in text(app))
        await asyncio.sleep(1.1)  # a click on what has just appeared chooses nothing
        row, line = next(
            (y, line)
            for y, line in enumerate(text(app).split("\n"))
            if "n/3" in line or "n no" in line
        )
        at = line.index("n/3") if "n/3" in line else line.index("n no")
        await pilot.click(offset=(at, row))
        await until(lambda: "❯ n" in text(app))
        assert app.model.question is not None

    play(engine, steps, size)


def test_a_question_leaves_the_prompt_and_its_answers_on_any_screen() -> None:
    engine = PlayedEngine(ask)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a", "enter")
        await until(lambda: "yes, once" in text(app))
        for width, height in [(100, 40), (80, 24), (80, 19), (60, 14), (60, 10), (60, 8)]:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            shown = text(app)
            assert "yes, once" in shown, (width, height, shown)
            assert "Edit a.py" in shown
            assert app.regions.prompt.region.bottom <= height

    play(engine, steps, (90, 30))


def test_a_key_from_before_the_question_was_painted_does_not_answer_it() -> None:
    engine = PlayedEngine(ask)

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("a")
        await until(app._drawing.is_loaded)
        app.dispatch(msg.Submitted(at=time.time(), text="a"))
        app.look()  # the question is there
        assert app.regions.shown is not None and app.regions.shown.dialog is not None
        time.sleep(BURST_SECONDS + 0.05)  # a long diff is laid out
        app.post_message(events.Key("y", "y"))
        await until(lambda: app.regions.prompt.text == "y")
        await until(lambda: "yes, once" in text(app))
        assert not any(isinstance(op, Answer) for op in engine.asked())
        time.sleep(BURST_SECONDS + 0.05)  # now it was seen
        await pilot.press("alt+y")  # alone it is text now: the prompt holds words
        await pilot.pause(BURST_SECONDS)
        await pilot.press("enter")
        await until(lambda: any(isinstance(op, Answer) for op in engine.asked()))

    play(engine, steps)
