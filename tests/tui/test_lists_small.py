"""Lists in a narrow terminal: what is said of an entry is said in whole words, or left out for the
name."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.tui.core.msg import Resized
from agent_tui.tui.core.regions import CompletionView, Option
from agent_tui.tui.core.words import one_line
from agent_tui.tui.dialog.widget import options_lines
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.paint import LEAST_WORDS, shorten
from agent_tui.tui.widgets.popups import Completion
from tests.tui.play import Play
from tests.tui.stage import PlayedEngine, echo, play, text, until

DETAILS = ("Shift+Tab", "Choose another model", "open now", "3 min ago · 12 turns", "")
LIST = tuple(Option("", f"/name-{number}", detail) for number, detail in enumerate(DETAILS))
SHORT = tuple(
    Option("", f"/name-{number}", detail) for number, detail in enumerate(("on", "off", "5"))
)


def said(line: str, name: str) -> str:
    return line.partition(name)[2].strip()


def told(shown: str, detail: str) -> bool:
    """Whether it is all of `detail`, or as much as a part that a dot ends, or at least a word of
    it."""
    kept = shown.removesuffix("…")
    some = kept != shown and detail.startswith(kept) and len(kept) >= len(detail.partition(" ")[0])
    return some or shown == detail or detail.startswith(f"{shown} ·")


@pytest.mark.parametrize("width", range(12, 60))
def test_what_is_said_of_an_entry_is_whole_words_or_nothing(width: int) -> None:
    lines = ["".join(one.text for one in line) for line in options_lines(LIST, 1, width, True)]
    assert all(cell_len(line) == width for line in lines)
    shown = [said(line, option.label) for line, option in zip(lines, LIST, strict=True)]
    assert all(map(told, shown, DETAILS)) if any(shown) else width < 2 * LEAST_WORDS + 8, lines


def test_words_that_are_whole_stay_however_narrow() -> None:
    lines = ["".join(one.text for one in line) for line in options_lines(SHORT, 0, 16, True)]
    assert [line.split()[-1] for line in lines] == ["on", "off", "5"]


@pytest.mark.parametrize("width", range(16, 60))
def test_a_completion_says_whole_words_or_nothing(width: int) -> None:
    listed = Completion()
    listed.value, listed.below = CompletionView(LIST, 0), 20
    lines = ["".join(one.text for one in line) for line in listed.lines(width)]
    assert all(cell_len(line) == width for line in lines)
    shown = [said(line, option.label) for line, option in zip(lines, LIST, strict=True)]
    assert all(map(told, shown, DETAILS)) if any(shown) else width < 2 * LEAST_WORDS + 8, lines


@pytest.mark.parametrize("width", [24, 40, 60, 69])
def test_a_narrow_completion_leaves_out_what_may_follow_a_command(width: int) -> None:
    tiny = Play()
    tiny.say(Resized(width, 20))
    tiny.type("/mo")
    shown = tiny.view.completion
    assert shown is not None and [one.label for one in shown.options][:2] == ["/mode", "/model"]
    tiny.say(Resized(100, 20))
    wide = tiny.view.completion
    assert wide is not None and [one.label for one in wide.options][:2] == [
        "/mode [name]",
        "/model [name]",
    ]
    tiny.say(Resized(width, 20))
    tiny.type("de ")
    asked = tiny.view.completion
    assert asked is not None and "auto" in [one.label for one in asked.options]


def test_names_and_words_are_cut_behind_a_word() -> None:
    names = (
        Option("", "code and conversation", "files and messages"),
        Option("", "enter a server address", "Ollama"),
    )
    lines = ["".join(one.text for one in line) for line in options_lines(names, 0, 34, True)]
    assert "❯ code and…" in lines[0] and "enter a server…" in lines[1], lines
    assert shorten("manual, auto, accept-edits", 15) == "manual, auto…"
    assert shorten("it took 2337, or", 15) == "it took 2337,…", "the number is whole"
    assert shorten("x" * 40, 15) == f"{'x' * 14}…"
    assert (
        one_line("no sandbox: commands have your own rights", 32)
        == "no sandbox: commands have your…"
    )
    assert one_line("one\ntwo", 80) == "one ⏎ two"


@pytest.mark.parametrize("size", [(24, 8), (30, 10)], ids=str)
def test_the_palette_names_its_commands_there(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("ctrl+p")
        await until(lambda: "/help" in text(app))
        sheet = app.regions.overlay.region
        rows = [row.strip(" ❯") for row in text(app).split("\n")[sheet.y : sheet.bottom]]
        commands = [row for row in rows if row.startswith("/")]
        assert len(commands) >= 3 and not [row for row in commands if " " in row or "…" in row], (
            rows
        )

    play(PlayedEngine(echo), steps, size)


def test_what_is_under_the_cursor_is_told_in_whole_words() -> None:
    shown = Play()
    shown.say(Resized(40, 12))
    shown.press("ctrl+p")
    sheet = shown.view.overlay
    assert sheet is not None
    about = "".join(span.text for span in sheet.lines[1])
    assert about == "Show what this session changed …"
