"""Where there is hardly any room: nothing ends in the middle of a word, and the most useful words
stay."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.protocol.display import CommandDisplay
from agent_tui.tui import view
from agent_tui.tui.core.msg import Resized
from agent_tui.tui.core.regions import DialogView, FooterView, Option, OverlayView, Span
from agent_tui.tui.dialog.layout import answers_row
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.paint import most_of
from agent_tui.tui.widgets.regions import Footer
from tests.answers import answer_event
from tests.tui.play import Play
from tests.tui.stage import PlayedEngine, echo, play, text, until
from tests.tui.test_dialog_mouse import asking

TINY = ((24, 8), (30, 10), (40, 12))
ANSWERS = (
    Option("y", "yes, once"), Option("a", "always allow make", short="always"), Option("n", "no"),
    Option("m", "no, and say why", short="no, and say"),
)  # fmt: skip


@pytest.mark.parametrize("width", range(1, 60))
def test_a_placeholder_is_whole_or_a_shorter_one(width: int) -> None:
    tiny = Play()
    room = width - (view.AROUND_FEW if width < view.MIN_WIDTH else view.AROUND)
    said = tiny.say(Resized(width, 24)).prompt.placeholder
    assert said in (view._SMALL if width < view.MIN_WIDTH else view.IDLE) or not said
    assert cell_len(said) <= max(0, room)
    tiny.press("ctrl+f")
    assert tiny.view.prompt.placeholder in ("words of the transcript", "words", "")
    assert cell_len(tiny.view.prompt.placeholder) <= max(0, room)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (60, "❯ y yes, once  a always allow make  n no  m no, and say why"),
        (50, "❯ y yes, once  a always  n no  m no, and say"),
        (38, "❯ y yes, once  a always  n no ↑↓"),
        (28, "❯ y yes, once  n no ↑↓"),
        (18, "❯ y yes, once ↑↓"),
        (15, "❯ y yes, once …"),
    ],
)
def test_the_answers_end_with_a_no_for_as_long_as_there_is_room(width: int, said: str) -> None:
    row = answers_row(DialogView("Allow this?", "", None, ANSWERS, 0), width)
    assert (
        "".join(segment.text for segment in row).replace("    ", "  ").replace("   ", "  ").strip()
        == said
    )


def test_the_chosen_answer_is_in_the_row() -> None:
    for chosen in range(4):
        row = answers_row(DialogView("Allow this?", "", None, ANSWERS, chosen), 28)
        words = "".join(segment.text for segment in row)
        assert f"❯ {ANSWERS[chosen].key} " in words and cell_len(words) <= 28


def test_a_footer_without_room_says_the_first_words() -> None:
    footer = Footer()
    footer.value = FooterView((("PgDn", "read to the end first"), ("Esc", "stop")))
    (line,) = footer.lines(20)
    assert "".join(segment.text for segment in line).rstrip() == "PgDn read to the…"


@pytest.mark.parametrize("size", TINY, ids=str)
def test_a_sheet_counts_no_lines_that_are_not_there(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("f1")
        await until(lambda: "Enter" in text(app) and app.regions.overlay.value is not None)
        await pilot.pause()
        assert "0 of" not in text(app).replace("10 of", "").replace("20 of", "")
        sheet = app.regions.overlay.region
        rows = text(app).split("\n")[sheet.y : sheet.bottom]
        assert any("❯" in row for row in rows) and (
            size[1] > 10 or not any("  Keys" in row for row in rows)
        )

    play(PlayedEngine(echo), steps, size)


@pytest.mark.parametrize("size", TINY, ids=str)
def test_the_prompt_keeps_its_line_below_a_label(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"!ls")
        await pilot.pause()
        assert "! shell command" in text(app) and "❯ !ls" in text(app)
        assert app.regions.label.region.height == 1
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert app.regions.label.region.height == 2

    play(PlayedEngine(echo), steps, size)


@pytest.mark.parametrize("size", TINY, ids=str)
def test_a_question_is_answered_there(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("x", "enter")
        await until(lambda: "yes, once" in text(app))
        await pilot.pause()
        shown = text(app)
        assert "n no" in shown and "PgDn" in shown, shown

    play(asking(CommandDisplay("echo " + "word " * 200)), steps, size)


@pytest.mark.parametrize(
    ("said", "room", "shown"),
    [
        (
            "asks before edits and most commands · in use",
            38,
            "asks before edits and most commands",
        ),
        ("open now · just now · 1 turn", 20, "open now · just now"),
        (
            "plays the same, however hard it is asked to think",
            40,
            "plays the same, however hard it is…",
        ),
        ("whole", 5, "whole"),
    ],
)
def test_what_is_said_of_an_entry_loses_its_last_parts_before_it_is_cut(
    said: str, room: int, shown: str
) -> None:
    assert most_of(said, room) == shown


def test_a_low_sheet_says_all_of_a_setting() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"/settings", "escape", "enter")
        await until(lambda: "Settings" in text(app))
        await pilot.pause()
        words = " ".join(text(app).replace("│", " ").split())
        assert "at the next start." in words and "❯ model" in words, text(app)

    play(PlayedEngine(echo), steps, (60, 20))


def test_an_empty_line_goes_before_a_word_does() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("f1")
        await until(lambda: app.regions.overlay.value is not None)
        options = tuple(Option("", name) for name in ("one", "two", "three"))
        for words in (1, 2, 3):
            lines = tuple((Span(f"words {number}"),) for number in range(1, words + 1))
            app.regions.overlay.show(OverlayView("Sheet", lines, options, 0))
            await pilot.pause()
            shown = text(app)
            assert [f"words {number}" in shown for number in (1, 2)] == [True, words == 2], shown
            assert ("1 of 3" in shown) is (words == 3)

    play(PlayedEngine(echo), steps, (40, 10))


def test_a_list_without_models_searches_nothing_and_says_why() -> None:
    tiny = Play()
    tiny.say(Resized(60, 20))
    tiny.press("ctrl+l")
    tried = [{"what": "Ollama at http://localhost:11434", "result": "no server answers there"}]
    asked = tiny.model.overlay
    assert asked is not None
    tiny.feed(
        answer_event(
            asked.query, "models", {"offered": [], "tried": tried, "variables": []}, session="s"
        )
    )

    def words() -> list[str]:
        sheet = tiny.view.overlay
        assert sheet is not None and sheet.title == "Models"
        return ["".join(span.text for span in line) for line in sheet.lines]

    assert any("no server answers there" in line for line in words()) and not any(
        "type to" in line for line in words()
    )
    tiny.press("o")
    assert any(line.startswith("search: o") for line in words())
