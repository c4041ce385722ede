"""Setting up a provider is recorded and played like all else: the sheets are there, the key is not."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.events import SessionStarted
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, KeyPressed, Started, Submitted
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.recording.digest import digests
from agent_tui.tui.screen.setup_steps import state_of
from agent_tui.tui.view import view
from tests.answers import answer_event
from tests.tui.recording.live import Live
from tests.tui.setup_play import OFFERS


def told(live: Live, kind: str, id: str, data: dict[str, Any]) -> None:
    live.say(EventsArrived((answer_event(id, kind, data, session="s"),)))


def test_each_step_is_played_as_it_was() -> None:
    live = Live()
    live.say(Started(100, 30, home="/home/ada"))
    live.say(
        EventsArrived((SessionStarted(session="s", cwd="/home/ada/shop", model="ollama/small"),))
    )
    live.say(Submitted("/setup"))
    told(live, "setup", "setup", {"offers": OFFERS, "looking": False, "keyring": True})
    for key in ("down", "down", "enter"):
        live.say(KeyPressed(key), after=1.0)
    live.say(DraftChanged(HIDDEN, 1))
    live.say(Submitted(HIDDEN))
    state = state_of(live.model)
    assert state is not None
    id = state.waits
    told(live, "setup_step", id, {"state": "asking", "provider": "moonshot", "key": True})
    found = {
        "state": "answered",
        "provider": "moonshot",
        "label": "Moonshot",
        "key": True,
        "models": ["moonshot/a"],
    }
    told(live, "setup_step", id, {**found, "first": "moonshot/a"})
    for key in ("enter", "enter", "escape", "escape", "escape"):
        live.say(KeyPressed(key), after=1.0)
    player = live.replayed()
    assert player.problems == []
    for count, expected in enumerate(live.hashes, 2):
        assert digests(player.model(count), view) == expected, live.lines[count - 1]
