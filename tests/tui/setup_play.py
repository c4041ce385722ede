"""Plays the setup of a provider in the pure core: the engine's words, and where the person has
come."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.screen.setup_steps import state_of
from tests.answers import answer_event
from tests.tui.lists import chosen
from tests.tui.play import Play

OFFERS = [
    {
        "name": "openai",
        "label": "OpenAI",
        "group": "ready",
        "key": "OPENAI_API_KEY",
        "needs": "",
        "state": "looking",
    },
    {
        "name": "ollama",
        "label": "Ollama",
        "group": "nearby",
        "key": "",
        "needs": "",
        "state": "looking",
        "placed": True,
        "pulls": True,
    },
    {
        "name": "moonshot",
        "label": "Moonshot",
        "group": "service",
        "key": "",
        "needs": "key",
        "state": "",
    },
    {
        "name": "azure",
        "label": "Azure",
        "group": "service",
        "key": "",
        "needs": "address",
        "state": "",
    },
]
LEAVE = SetUp("setup", "leave")
STOP = SetUp("setup", "stop")


def told(
    play: Play, looking: bool = False, keyring: bool = False, **states: dict[str, Any]
) -> None:
    data = {
        "offers": [one | states.get(one["name"], {}) for one in OFFERS],
        "looking": looking,
        "keyring": keyring,
    }
    play.feed(answer_event("setup", "setup", data, session=play.model.active))


def came(play: Play, state: str, id: str = "", **data: Any) -> None:
    """The engine says what came of the step that waits."""
    play.feed(
        answer_event(
            id or wait(play), "setup_step", {"state": state, **data}, session=play.model.active
        )
    )


def opened(*, model: str = "fake/model", **facts: Any) -> Play:
    play = Play(model=model)
    play.type("/setup")
    play.press("escape", "enter")
    assert play.take() == [SetUp("setup", "look")]
    told(play, **facts)
    return play


def at(play: Play) -> str:
    now = state_of(play.model)
    return now.step if now is not None else ""


def wait(play: Play) -> str:
    now = state_of(play.model)
    assert now is not None
    return now.waits


def chooses(play: Play, label: str) -> None:
    while chosen(play) != label:
        play.press("down")
    play.press("enter")


def asked_moonshot(**facts: Any) -> Play:
    """The key step of Moonshot."""
    play = opened(**facts)
    chooses(play, "Moonshot")
    assert at(play) == "key" and play.take() == []
    return play


def answered_moonshot(**facts: Any) -> Play:
    """The key was right; its models are there to choose from."""
    play = asked_moonshot(**facts)
    play.type(HIDDEN)
    play.press("enter")
    came(play, "asking", provider="moonshot", key=True)
    models = ["moonshot/a", "moonshot/b"]
    came(
        play,
        "answered",
        provider="moonshot",
        label="Moonshot",
        key=True,
        models=models,
        first="moonshot/b",
    )
    assert at(play) == "model"
    play.effects.clear()
    return play
