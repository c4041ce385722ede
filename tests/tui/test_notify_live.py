"""`[notify]` holds as soon as it is set."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from agent_tui.settings.schema import entry
from agent_tui.settings.values import Value
from agent_tui.structures import terminal_facts
from agent_tui.tui.core.effects import Notify, SetTitle
from agent_tui.tui.core.model import Configured
from agent_tui.tui.core.msg import FocusChanged, SettingsRead
from agent_tui.tui.runtime.app import AgentApp
from tests.tui.play import Play
from tests.tui.stage import PlayedEngine, echo
from tests.tui.stage import play as staged


def saved(key: str, value: Any) -> SettingsRead:
    return SettingsRead(Configured({key: Value(value, "user")}), key)


def away(key: str, value: Any) -> Play:
    """The setting is written while the program runs; then nobody looks, and a turn ends."""
    play = Play()
    play.say(saved(key, value))
    assert play.toast.startswith("saved: ") and "next start" not in play.toast
    play.say(FocusChanged(False))
    play.begin("work")
    play.effects.clear()
    play.end()
    return play


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("notify.bell", True, [Notify("is done", True)]),
        ("notify.on", ("question",), []),
        ("notify.desktop", "off", []),
        ("notify.desktop", "osc9", [Notify("is done", False)]),
        ("notify.after", 3.0, [Notify("is done", False)]),
    ],
)
def test_it_holds_at_once(key: str, value: Any, told: list[Notify]) -> None:
    known = entry(key)
    assert known is not None and known.live
    assert away(key, value).takes(Notify) == told


def test_the_title_comes_and_goes() -> None:
    play = Play()
    play.say(saved("notify.title", True))
    assert play.takes(SetTitle) == [SetTitle("work - agent-tui")]
    play.say(saved("notify.title", False))
    assert play.takes(SetTitle) == [SetTitle("")]
    play.begin("go")
    assert play.takes(SetTitle) == []


def test_the_way_to_the_desktop_is_the_one_that_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def kept(text: str, _: object) -> str:
        sent.append(text)
        return ""

    monkeypatch.setattr(terminal_facts, "pass_through", kept)

    async def steps(_: Pilot[Any], app: AgentApp) -> None:
        for way in ("osc777", "off", "osc9"):
            app.dispatch(saved("notify.desktop", way))
            app.notify_outside("is done", bell=False)

    staged(PlayedEngine(echo), steps)
    assert ["777" in sent[0], len(sent), "]9;" in sent[1]] == [True, 2, True]
