"""Pictures of the sheets on which a provider is set up."""

from __future__ import annotations

from typing import Any

from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.screen.setup_steps import state_of
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.setup_play import OFFERS
from tests.tui.story import NOW, Stories, Story, compare, pressed, told, typed

STORIES = Stories()
MODELS = [f"moonshot/kimi-{name}" for name in ("k2", "k2-turbo-preview", "latest", "thinking")]
REFUSED = "Moonshot at https://api.moonshot.ai/v1 refused the key (401): Invalid Authentication"


@STORIES.each()
def test_the_setup_looks_as_it_did(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)


def listed(**states: dict[str, Any]) -> Model:
    """The list of providers, as far as they have answered."""
    model = update(told(), msg.Submitted(at=NOW + 3, text="/setup"))[0]
    offers = [one | states.get(one["name"], {}) for one in OFFERS]
    data = {"offers": offers, "looking": not states, "keyring": True}
    return told(answer_event("setup", "setup", data), before=model, at=NOW + 3)


def calmly(model: Model, *keys: str) -> Model:
    """One key a second: an Enter that comes too soon after another one answers nothing."""
    for key in keys:
        model = update(model, msg.KeyPressed(at=max(NOW + 9, model.last_key + 1), key=key))[0]
    return model


def came(model: Model, state: str, **data: Any) -> Model:
    now = state_of(model)
    assert now is not None
    event = answer_event(now.waits, "setup_step", {"state": state, "key": True, **data})
    return told(event, before=model, at=NOW + 4)


def keyed() -> Model:
    """The key of Moonshot was sent."""
    model = calmly(
        listed(openai={"state": "ok", "models": 42}, ollama={"state": "down"}),
        *["down"] * 3,
        "enter",
    )
    model = update(typed(model, HIDDEN), msg.Submitted(at=model.last_key + 1, text=HIDDEN))[0]
    return came(model, "asking", provider="moonshot")


def answered() -> Model:
    return came(
        keyed(), "answered", provider="moonshot", label="Moonshot", models=MODELS, first=MODELS[2]
    )


@STORIES.add()
def the_providers_say_how_they_stand() -> Model:
    return listed(openai={"state": "ok", "models": 42}, ollama={"state": "down"})


@STORIES.add(size=(60, 20), theme="light")
def a_refused_key_is_typed_again() -> Model:
    return came(keyed(), "failed", provider="moonshot", label="Moonshot", kind="auth", said=REFUSED)


@STORIES.add(theme="light")
def the_models_of_a_server_are_found_by_typing() -> Model:
    model = answered()
    for letter in "k2":
        model = update(model, msg.KeyPressed(at=NOW + 9, key=letter, character=letter))[0]
    return model


@STORIES.add(size=(60, 20), theme="ansi")
def where_the_key_is_kept_is_asked() -> Model:
    return calmly(answered(), "enter")


@STORIES.add()
def the_last_step_says_what_will_be_kept() -> Model:
    return calmly(answered(), "enter", "enter")


@STORIES.add(size=(60, 20))
def ollama_is_offered_to_be_started() -> Model:
    model = pressed(listed(ollama={"state": "down"}), "down", "enter")
    said = "cannot reach Ollama at http://127.0.0.1:11434: no server answers there"
    return came(model, "down", provider="ollama", kind="unreachable", said=said)
