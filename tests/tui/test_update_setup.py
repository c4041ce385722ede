"""Setting up a provider as the core knows it: each step, the way back, and what is never in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.effects import SendKey
from agent_tui.tui.core.msg import Resized
from agent_tui.tui.core.regions import HIDDEN, OverlayView
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.view import view
from tests.answers import answer_event
from tests.tui import stage
from tests.tui.lists import chosen, labels, sheet, text
from tests.tui.play import Play
from tests.tui.setup_play import (
    LEAVE,
    STOP,
    answered_moonshot,
    asked_moonshot,
    at,
    came,
    chooses,
    opened,
    told,
    wait,
)


def test_the_list_says_what_is_there_and_what_answers() -> None:
    play = opened(looking=True)
    assert labels(play) == ["OpenAI", "Ollama", "another server", "Moonshot", "Azure"]
    assert "checking which of them answer" in text(play)
    details = {option.label: option.detail for option in sheet(play).options}
    assert details["OpenAI"] == "looking … · key from OPENAI_API_KEY" and details["Moonshot"] == ""
    told(play, openai={"state": "ok", "models": 42}, ollama={"state": "down"})
    details = {option.label: option.detail for option in sheet(play).options}
    assert details["OpenAI"] == "42 models · key from OPENAI_API_KEY"
    assert details["Ollama"] == "not running, can be started" and "Nothing is saved" in text(play)
    headings = [option.label for option in sheet(play).options if option.heading and option.label]
    assert headings == ["Configured", "On this machine", "Elsewhere", "With your API key"]


def test_the_key_is_in_no_message_no_model_and_no_effect() -> None:
    play = asked_moonshot()
    assert play.view.prompt.secret and "Key for Moonshot" in play.view.prompt.label
    play.type(HIDDEN)  # all that the prompt tells
    play.press("enter")
    assert play.takes(SendKey) == [SendKey(SetUp(wait(play), "ask", "moonshot"))]
    assert play.model.composer.asks("sheet"), "the prompt alone has it, until the engine took it"
    came(play, "asking", provider="moonshot", key=True)
    assert at(play) == "asking" and not play.model.composer.asks("sheet") and play.text == ""
    key = SetUp("1", "ask", "moonshot", key="sk-secret")
    assert "sk-secret" not in repr(key) and "sk-secret" not in repr(
        SendKey(key).fill_op("sk-secret")
    )


def test_a_refused_key_is_typed_again_and_why_is_said() -> None:
    play = asked_moonshot()
    play.type(HIDDEN)
    play.press("enter")
    came(play, "asking", provider="moonshot", key=True)
    came(
        play,
        "failed",
        provider="moonshot",
        label="Moonshot",
        key=True,
        kind="auth",
        said="refused the key (401)",
    )
    assert at(play) == "key" and "refused the key (401)" in text(play) and play.view.prompt.secret
    play.press("escape")
    assert at(play) == "provider"


def test_what_is_no_key_is_said_without_asking_anybody() -> None:
    play = asked_moonshot()
    play.press("enter")
    assert "type it" in play.toast and wait(play) == ""
    play.type(HIDDEN)
    play.press("enter")
    came(play, "no_key", said="that is no key")
    assert at(play) == "key" and "that is no key" in text(play) and play.text == ""


def test_from_the_models_to_the_end() -> None:
    play = answered_moonshot()
    assert (
        labels(play) == ["b", "a"]
        and chosen(play) == "b"
        and "Moonshot offers 2 models" in text(play)
    )
    chooses(play, "a")
    assert at(play) == "scope" and "moonshot/a" in text(play) and "credentials.toml" in text(play)
    assert labels(play) == ["in every project", "in this project", "in this session only"]
    assert sheet(play).options[2].detail == "the server is saved"
    chooses(play, "in this project")
    assert play.take() == [
        SetUp(wait(play), "keep", "moonshot", model="moonshot/a", scope="project")
    ]
    play.type("and then")
    came(play, "kept", model="moonshot/a")
    assert play.model.overlay is None and play.text == "and then" and "not sent yet" in play.toast


def test_while_a_turn_runs_nothing_is_kept() -> None:
    play = answered_moonshot()
    chooses(play, "a")
    play.begin()
    play.take()
    chooses(play, "in this project")
    assert "interrupts the running turn" in play.toast and play.take() == []
    assert at(play) == "scope", "it can be chosen again"


def test_with_a_keyring_the_person_says_where_the_key_is_kept() -> None:
    play = answered_moonshot(keyring=True)
    play.press("enter")
    assert at(play) == "place" and labels(play) == ["in the keyring", "in a file"]
    chooses(play, "in a file")
    assert "credentials.toml" in text(play)
    play.press("enter")
    assert play.take() == [
        SetUp(wait(play), "keep", "moonshot", model="moonshot/b", place="file", scope="user")
    ]


def test_models_are_found_by_typing_and_others_can_be_named() -> None:
    play = answered_moonshot()
    play.press("a")
    assert labels(play) == ["a"]
    play.press("x", "y")
    assert labels(play) == ["use “axy”"] and "search: axy" in text(play)
    play.press("enter")
    assert at(play) == "scope" and "moonshot/axy" in text(play)
    play.press("escape")
    play.press("ctrl+u")
    assert labels(play) == ["b", "a"]


def test_an_address_is_asked_for_where_one_is_needed() -> None:
    play = opened()
    chooses(play, "another server")
    assert at(play) == "address" and not play.view.prompt.secret
    play.type("localhost:8000")
    play.press("enter")
    assert play.take() == [SetUp(wait(play), "ask", "", "localhost:8000")]
    came(
        play,
        "failed",
        provider="compatible",
        address="http://localhost:8000/v1",
        kind="auth",
        said="wants one",
    )
    assert at(play) == "key" and "wants one" in text(play), "whose key nobody typed yet"
    play.press("escape")
    assert at(play) == "address" and play.text == "localhost:8000"


def test_azure_needs_an_address_and_then_a_key() -> None:
    play = opened()
    chooses(play, "Azure")
    play.type("https://mine.example")
    play.press("enter")
    assert at(play) == "key" and play.take() == []
    play.type(HIDDEN)
    play.press("enter")
    assert play.takes(SendKey) == [
        SendKey(SetUp(wait(play), "ask", "azure", "https://mine.example"))
    ]


def test_esc_goes_back_through_every_step_and_leaves_nothing() -> None:
    play = answered_moonshot(keyring=True)
    play.press("enter", "enter")
    seen = []
    for _ in range(4):
        seen.append(at(play))
        play.press("escape")
    assert seen == ["scope", "place", "model", "key"] and at(play) == "provider" and play.ops == []
    play.press("escape")
    assert play.take() == [LEAVE] and play.model.overlay is None and play.text == ""


def test_esc_stops_a_test_and_what_comes_of_it_is_nothing_any_more() -> None:
    play = asked_moonshot()
    play.type(HIDDEN)
    play.press("enter")
    id = wait(play)
    came(play, "asking", provider="moonshot", key=True)
    play.effects.clear()
    play.press("escape")
    assert play.take() == [STOP] and at(play) == "key"
    came(play, "answered", id=id, provider="moonshot", models=["moonshot/a"])
    assert at(play) == "key"


def test_esc_while_it_is_written_only_closes_the_sheet() -> None:
    play = answered_moonshot()
    play.press("enter", "enter")
    play.effects.clear()
    play.press("escape")
    assert play.ops == [] and play.model.overlay is None and "is still being saved" in play.toast


def test_without_a_model_it_leads_back_to_the_first_screen() -> None:
    play = opened(model="")
    play.feed(answer_event("start", "models", {"tried": []}, session="s"))
    assert at(play) == "provider", "what the engine says of a start does not take the sheet away"
    play.press("escape")
    assert play.model.overlay is not None and play.model.overlay.kind == "first_run"


KEYED = ("F2", "type a key")


def test_a_key_is_offered_where_one_is_of_use() -> None:
    play = opened()
    offered = {}
    for _ in labels(play):
        offered[chosen(play)] = KEYED in play.view.footer.keys
        play.press("down")
    assert offered == {
        "OpenAI": True,
        "Ollama": False,
        "Moonshot": True,
        "Azure": False,
        "another server": False,
    }
    play.press("home", "down")
    told(play, ollama={"state": "failed", "kind": "auth"})
    assert chosen(play) == "Ollama" and KEYED in play.view.footer.keys, (
        "this one stands behind a gateway"
    )


def test_another_key_is_offered_where_there_was_one() -> None:
    play = answered_moonshot()
    assert ("F2", "type another key") in play.view.footer.keys
    play.press("f2")
    assert at(play) == "key"
    play = opened()
    chooses(play, "Ollama")
    came(play, "answered", provider="ollama", label="Ollama", models=["ollama/a"], first="ollama/a")
    assert at(play) == "model" and all(key != "F2" for key, _ in play.view.footer.keys)


@pytest.mark.parametrize("size", [(100, 30), (60, 20)])
def test_the_short_sheets_are_as_high_as_each_other(size: tuple[int, int]) -> None:
    steps: dict[str, OverlayView] = {}

    def look(play: Play) -> Play:
        play.say(Resized(*size))
        steps[at(play)] = sheet(play)
        return play

    look(opened())
    look(asked_moonshot())
    play = look(answered_moonshot())
    play.press("b")
    steps["found"] = sheet(play)
    play.press("enter")
    look(play)
    assert list(steps) == ["provider", "key", "model", "found", "scope"]
    high: dict[str, tuple[int, int]] = {}

    async def measure(pilot: Pilot[int], app: AgentApp) -> None:
        for name, shown in steps.items():
            app.regions.show(replace(view(app.model), overlay=shown))
            await pilot.pause()
            high[name] = app.regions.overlay.region.y, app.regions.overlay.region.height
            assert shown.title in stage.text(app)

    stage.play(stage.PlayedEngine(), measure, size)
    assert len(set(high.values())) == 1, high
