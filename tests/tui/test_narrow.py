"""Little room: what is cut, and what never is."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.events import Notice
from agent_tui.settings.schema import entries
from agent_tui.settings.values import Value
from agent_tui.tui.core.model import Configured
from agent_tui.tui.core.msg import EffectFailed, Resized, SettingsRead
from agent_tui.tui.core.regions import QueueView, Span, StatusView
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.facts import _theme
from agent_tui.tui.widgets.paint import shorten
from agent_tui.tui.widgets.regions import Queue, Status
from tests.tui.play import Play, words
from tests.tui.stage import SESSION, PlayedEngine, echo, play, text, until


def line(region: Queue | Status, value: Any, width: int) -> str:
    region.value = value
    return "".join(segment.text for segment in region.lines(width)[0]).rstrip()


SPANS = (
    "Run python -m pytest tests/shop",
    " · ",
    "12 s",
    " · ",
    "380 tokens out",
    " · ",
    "Esc stop",
)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (80, "⠋ Run python -m pytest tests/shop · 12 s · 380 tokens out · Esc stop"),
        (60, "⠋ Run python -m pytest tests/shop · 12 s · Esc stop"),
        (48, "⠋ Run python -m pytest tests/shop · Esc stop"),
        (40, "⠋ Run python -m pytest… · Esc stop"),
        (30, "⠋ Run python -m… · Esc stop"),
    ],
)
def test_the_status_line_cuts_no_word(width: int, said: str) -> None:
    assert line(Status(), StatusView(0, tuple(map(Span, SPANS))), width) == said


@pytest.mark.parametrize(
    ("given", "room", "kept"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one…"),
        ("oneandonly", 6, "onean…"),
        ("中文字", 4, "中…"),
        ("one", 0, ""),
    ],
)
def test_a_text_is_cut_behind_a_word(given: str, room: int, kept: str) -> None:
    assert shorten(given, room) == kept


@pytest.mark.parametrize("width", range(20, 70))
def test_why_the_queue_waits_is_whole_or_not_there(width: int) -> None:
    hint = "sent once agent-tui has started"
    said = line(Queue(), QueueView(("one", "two"), False, hint), width).removeprefix("queued (2)")
    assert said.strip() == (hint if width >= len(f"queued (2)  {hint}") else "")


def test_a_narrow_sheet_says_where_the_value_is_from() -> None:
    shown = Play()
    shown.say(Resized(44, 16))
    shown.type("/settings max_steps")
    shown.press("enter")
    values = {one.key: Value(one.default) for one in entries()} | {
        "agent.max_steps": Value(9, "project")
    }
    shown.say(SettingsRead(Configured(values)))
    assert shown.view.overlay is not None
    assert "agent.max_steps: 9, from the project's config.toml" in words(
        shown.view.overlay.lines[1]
    )


def test_the_theme_is_named_once() -> None:
    assert [_theme("dark", "dark"), _theme("nord", "dark"), _theme("solarized-light", "light")] == [
        "dark",
        "nord, dark",
        "solarized-light",
    ]


LONG = "each ! starts in the project's folder: !cd tests && … in one line, " * 3


@pytest.mark.parametrize("width", [40, 50, 60, 80])
@pytest.mark.parametrize("said", ["it broke", LONG])
def test_a_toast_leaves_the_header_and_the_border_of_a_sheet(width: int, said: str) -> None:
    async def steps(pilot: Pilot[Any], app: AgentApp) -> None:
        await pilot.resize_terminal(width, 24)
        await until(
            lambda: (
                bool(words(app.regions.header.value.left_spans))
                if app.regions.header.value
                else False
            )
        )
        await until(lambda: len(text(app).split("\n")[0]) == width)  # drawn anew in the new size
        header = text(app).split("\n")[0]
        assert "fake/echo" in header and "auto" in header
        app.dispatch(EffectFailed(said))
        await until(lambda: said[:8] in text(app).split("\n")[1])
        assert text(app).split("\n")[0] == header
        await pilot.press("f1")
        await until(lambda: "Keys and commands" in text(app))
        app.dispatch(EffectFailed(said))
        await until(lambda: said[:8] in "".join(text(app).split("\n")[1:4]))
        rows = text(app).split("\n")
        edge = rows[app.regions.overlay.region.y]
        assert (
            rows[0] == header
            and edge.startswith(" ─ Keys and commands")
            and edge.rstrip().endswith("─")
        )

    play(PlayedEngine(echo), steps)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_toast_is_wrapped_and_ends_behind_a_word(width: int) -> None:
    async def steps(pilot: Pilot[Any], app: AgentApp) -> None:
        await pilot.resize_terminal(width, 24)
        app.dispatch(EffectFailed(LONG * 2))
        await until(lambda: "each !" in text(app).split("\n")[1])
        shown, said = (
            " ".join(row.strip() for row in text(app).split("\n")[1:4]),
            f"Error: {LONG * 2}",
        )
        assert said.startswith(shown.removesuffix("…"))
        assert shown.endswith("…") and said[len(shown) - 1] == " "

    play(PlayedEngine(echo), steps)


def test_the_completion_keeps_off_the_edge() -> None:
    async def steps(pilot: Pilot[Any], app: AgentApp) -> None:
        app.link.engine.events.put(Notice(text="here", session=SESSION))
        await pilot.press("slash")
        await until(lambda: "/undo" in text(app))
        found = [
            one for one in text(app).split("\n") if one.lstrip("❯ ").startswith("/") and "…" in one
        ]
        assert found and all(one.endswith("  ") for one in found)

    play(PlayedEngine(echo), steps)
