"""Another theme while the program runs: everything is drawn in it, nothing is laid out again,
nothing moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from agent_tui.paths import shipped_folder
from agent_tui.protocol.events import SessionStarted
from agent_tui.protocol.transcript import TextBlock, Transcript, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core import effects as do
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.live_settings import LiveSettings
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from agent_tui.tui.widgets.theme import load_theme
from tests.tui.stage import PlayedEngine, play, until
from tests.tui.story import Unheard

THEMES = (shipped_folder("themes"),)


def long(rows: int = 2_000) -> Model:
    kinds = (
        UserBlock(text="Why is the **sum** wrong?"),
        TextBlock(text="It is *rounded* twice.\n\n`x = 1`\n"),
    )
    told = Transcript(
        session="s", model="fake/m", cwd="/w", rows=Vec(kinds[n % 2] for n in range(rows))
    )
    return Model(sessions={"s": told}, active="s", started=True)


def colours(app: AgentApp) -> set[str]:
    """The grounds of all that is on the screen."""
    drawn = (segment.style for strip in app.screen._compositor.render_strips() for segment in strip)
    return {
        style.bgcolor.name for style in drawn if style is not None and style.bgcolor is not None
    }


@pytest.fixture(autouse=True)
def all_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)


def test_all_is_drawn_anew_and_nothing_moves() -> None:
    async def steps(pilot: Pilot[Any], app: AgentApp) -> None:
        app._settings = LiveSettings(None, THEMES)
        view_of = app.regions.transcript
        view_of.scroll_view("page_up")
        await pilot.pause()
        before, height = view_of.scroll_offset, view_of.virtual_size
        for name in ("gruvbox-light", "nord", "solarized-light"):
            theme = load_theme(name, THEMES)
            app._perform(do.UseTheme(name))
            await until(lambda wanted=theme: wanted.colours["background"] in colours(app))  # type: ignore[misc]
            await pilot.pause()
            others = {
                load_theme(other, THEMES).colours["background"]
                for other in ("dark", "nord", "gruvbox-light")
            }
            assert colours(app) & (others - {theme.colours["background"]}) == set()
            assert (view_of.scroll_offset, view_of.virtual_size) == (before, height)

    play(Unheard(), steps, model=long())


def test_the_ground_changes_the_theme_only_where_that_is_left_to_it(tmp_path: Path) -> None:
    own = LiveSettings(None, THEMES, ("nord", "gruvbox-light"))
    assert own.theme("").name == own.theme("auto").name == "nord"
    light = own.theme_for_ground(False)
    assert light is not None and light.name == "gruvbox-light"
    assert own.theme_for_ground(False) is None and own.theme("auto").name == "gruvbox-light"
    assert own.theme("dracula").name == "dracula" and own.theme_for_ground(True) is None
    assert own.theme("auto").name == "nord"
    assert LiveSettings(None, (*THEMES, tmp_path), ("nosuch", "light")).theme("").name == "dark"


def test_no_color_wins_over_the_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    own = LiveSettings(None, THEMES)
    assert own.theme("").name == "no-colour"
    changed = own.theme_for_ground(False)
    assert changed is None or changed.name == "no-colour"


def test_a_theme_with_mistakes_is_used_and_says_so_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'extends = "nord"\n[colours]\ntext = "reddish"\naccent = "blue-ish"\n'
    )

    async def steps(pilot: Pilot[Any], app: AgentApp) -> None:
        app._settings = LiveSettings(None, (*THEMES, tmp_path))
        app._perform(do.UseTheme("mine"))
        await pilot.pause()
        nord = load_theme("nord", THEMES)
        assert app.palette.colours == nord.colours
        toast = app.model.toast
        assert toast is not None and "\n" not in toast.text
        assert toast.text == (
            "theme mine: colours.text: not a colour (#rrggbb or ansi_red): 'reddish' (and 1 more)"
        )

    play(PlayedEngine(), steps)


def test_what_is_to_be_seen_does_not_depend_on_the_ground() -> None:
    model, _ = update(
        Model(),
        msg.EventsArrived(at=1.0, events=(SessionStarted(session="s", cwd="/w", model="m"),)),
    )
    before = view(model)
    after = view(update(model, msg.GroundTold(at=2.0, dark=False))[0])
    assert (after.header, after.transcript, after.prompt) == (
        before.header,
        before.transcript,
        before.prompt,
    )
    assert view(replace(model, window=replace(model.window, focused=False))).header is after.header
