"""A secret that is typed: it is seen as dots, it is written, and nothing else ever has it."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from agent_tui.paths import shipped_folder
from agent_tui.settings.store import Store
from agent_tui.settings.values import Value
from agent_tui.tui.core.effects import ReadSettings, WriteSecret
from agent_tui.tui.core.msg import Msg, SettingsRead
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.runtime import app as runtime
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.live_settings import LiveSettings
from agent_tui.tui.update import update
from agent_tui.tui.widgets.theme import load_theme
from tests.places import place_in
from tests.tui.stage import Play, PlayedEngine, echo, text, until
from tests.tui.test_update_settings import opened, shown

KEY = "sk-Abc?123"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All Msgs and effects of the screen, and the models between them, as text."""
    seen: list[str] = []

    def watched(model: object, msg: Msg) -> object:
        after, effects = update(model, msg)  # type: ignore[arg-type]
        seen.append(f"{msg!r} {effects!r} {after!r}")
        return after, effects

    monkeypatch.setattr(runtime, "update", watched)
    return seen


async def _sheet(pilot: Pilot[int], app: AgentApp) -> None:
    await pilot.press(*"/settings", "space", *"openai.api_key", "enter")
    await until(lambda: "search: openai.api_key" in text(app))
    await asyncio.sleep(0.55)  # Enter right behind words takes nothing
    await pilot.press("enter")
    await until(lambda: "hidden as you type" in text(app))


def _run(tmp_path: Path, steps: Play) -> PlayedEngine:
    engine = PlayedEngine(echo)
    store = Store(place_in(tmp_path, tmp_path))
    theme = load_theme("dark", (shipped_folder("themes"),))
    app = AgentApp(engine, theme, at_once=True, settings=LiveSettings(store.place))

    async def run() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            await steps(pilot, app)

    asyncio.run(run())
    return engine


def test_it_is_written_and_nobody_is_told(tmp_path: Path, told: list[str]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await _sheet(pilot, app)
        await asyncio.sleep(0.55)
        await pilot.press("enter")
        await until(lambda: "type the key, or press Esc" in text(app))
        await pilot.press(*"sk-Abc", "question_mark")
        app.regions.prompt.post_message(events.Paste("123\n"))
        await until(lambda: len(app.regions.prompt.text) == len(KEY))
        assert "•" * len(KEY) in text(app) and "sk-" not in text(app)
        await pilot.press("f7", "super+c", "ctrl+j")
        await asyncio.sleep(0.55)
        await pilot.press("enter")
        await until(lambda: "saved: providers.openai.api_key is set" in text(app))
        assert app.regions.prompt.text == ""
        await pilot.press("escape", "escape", "ctrl+y", "ctrl+underscore")
        assert KEY not in app.regions.prompt.text

    engine = _run(tmp_path, steps)
    found = tomllib.loads((tmp_path / "config.toml").read_text())
    assert found == {"providers": {"openai": {"api_key": KEY}}}
    assert told and not [one for one in told if "sk-A" in one or "Abc" in one]
    assert "sk-A" not in repr(engine.asked(drafts=True))


def test_what_was_cut_or_left_does_not_come_back(tmp_path: Path, told: list[str]) -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press(*"mine", "ctrl+u")
        await _sheet(pilot, app)
        await pilot.press(*"sk-Abc", "ctrl+u", *"sk-Abc", "ctrl+c")
        assert app.regions.prompt.text == ""
        await pilot.press(*"sk-Abc", "escape", "escape", "escape")
        await pilot.press("ctrl+underscore", "ctrl+underscore")
        assert app.regions.prompt.text == ""
        await pilot.press("ctrl+y")
        assert app.regions.prompt.text == "mine"

    _run(tmp_path, steps)
    assert not (tmp_path / "config.toml").exists()
    assert not [one for one in told if "sk-A" in one or "Abc" in one]


def test_a_secret_is_never_shown() -> None:
    play, files = opened("openai.api_key")
    files.values["providers.openai.api_key"] = Value("sk-secret", "user")
    play.effects.append(ReadSettings())
    files.answer()
    assert (shown(play).options[0].value, shown(play).options[0].detail) == ("set", "user")
    play.press("enter")
    assert play.text == ""
    play.press("enter")
    assert files.answer() == [] and "Del in the list removes it" in play.model.toast.text  # type: ignore[union-attr]
    assert "hidden as you type" in play.view.prompt.label
    play.type(HIDDEN)
    play.press("enter")
    assert play.takes(WriteSecret) == [WriteSecret("providers.openai.api_key")]
    assert play.view.prompt.secret, "the prompt alone has it until it is written"
    play.say(SettingsRead(play.model.configured, "providers.openai.api_key"))
    assert (play.view.prompt.label, play.text) == ("", "")
    assert "sk-secret" not in repr(play.view)
