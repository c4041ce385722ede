"""`/models`: what each server really offers, of all, of one provider, or under a name of the person's
own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.ops import Query, SetModel
from agent_tui.protocol.setup_op import SetUp
from agent_tui.settings.values import Value
from agent_tui.tui.core.effects import WriteSetting
from agent_tui.tui.core.model import Configured
from agent_tui.tui.screen.setup_steps import state_of
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, sheet
from tests.tui.play import Play

OFFERED = [
    {"name": name, "window": 32_768, "tools": True}
    for name in ("openrouter/lla/ma", "ollama/q", "ollama/gpt")
]
TRIED = [
    {"what": "openai", "result": "refused the key (401)"},
    {"what": "OPENAI_API_KEY and others", "result": "not set"},
]


UNSET = [
    {"name": "openai", "label": "OpenAI", "needs": "key", "said": "OpenAI needs a key: …"},
    {"name": "azure", "label": "Azure", "needs": "address", "said": "Azure needs a key: …"},
]


def asked(
    line: str,
    aliases: Any = None,
    offered: Any = OFFERED,
    unset: Any = None,
    model: str = "fake/model",
) -> Play:
    play = Play(model=model)
    play.type(line)
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert (
        overlay is not None
        and overlay.kind == "model"
        and Query(overlay.query, "models") in play.take()
    )
    data = {
        "model": "ollama/q",
        "offered": offered,
        "tried": TRIED,
        "aliases": aliases or {},
        "unset": unset,
    }
    play.feed(answer_event(overlay.query, "models", data, session=play.model.active))
    return play


def test_without_words_all_are_listed_and_who_did_not_answer() -> None:
    listed = ["openrouter/lla/ma", "ollama/q", "ollama/gpt", "openai", "enter a server address"]
    assert labels(asked("/models")) == listed


def test_the_name_of_a_provider_lists_its_models_alone() -> None:
    assert (
        labels(asked("/models ollama"))
        == labels(asked("/models Ollama"))
        == ["ollama/q", "ollama/gpt"]
    )
    assert labels(asked("/models openai"))[0] == "openai", "why there is none of it is said"
    assert "openai" not in labels(asked("/models openai", offered=[])), (
        "then the sheet tells what was tried"
    )


@pytest.mark.parametrize("name", ["openai", "OpenAI", "OPENAI/gpt-5"])
@pytest.mark.parametrize("key", ["enter", "f2"])
@pytest.mark.parametrize("offered", [OFFERED, []])
def test_of_a_provider_without_a_key_the_key_is_asked_for(
    name: str, key: str, offered: Any
) -> None:
    play = asked(f"/models {name}", offered=offered, unset=UNSET)
    row = sheet(play).options[sheet(play).selected]
    assert (row.label, row.detail) == ("OpenAI", "needs a key: press Enter")
    play.press(key)
    state = state_of(play.model)
    assert state is not None and (state.step, state.provider) == ("key", "openai")
    assert (
        play.take() == [SetUp("setup", "look")]
        and play.view.prompt.label == "Key for OpenAI: hidden as you type"
    )


def test_of_a_provider_without_an_address_that_is_asked_for() -> None:
    play = asked("/models azure", unset=UNSET)
    play.press("enter")
    state = state_of(play.model)
    assert state is not None and state.step == "address"


def test_the_address_of_the_first_model_is_asked_for_by_the_setup_that_saves_both() -> None:
    play = asked("/models", model="")
    while chosen(play) != "enter a server address":
        play.press("down")
    play.press("enter")
    state = state_of(play.model)
    assert state is not None and (state.step, state.provider) == ("address", "")


def test_a_server_with_more_models_than_the_one_that_was_taken_shows_them() -> None:
    play = Play(model="compatible/a")
    offered = [{"name": f"compatible/{name}", "window": 0, "tools": True} for name in "ab"]
    data = {
        "model": "compatible/a",
        "offered": offered,
        "tried": [],
        "variables": [],
        "aliases": {},
    }
    play.feed(answer_event("others", "models", data, session="s"))
    assert play.model.overlay is not None and play.model.overlay.kind == "model"


def test_while_a_turn_runs_a_key_is_asked_for_and_hidden() -> None:
    play = asked("/models openai", unset=UNSET)
    play.begin()
    play.press("enter")
    assert play.view.prompt.secret and play.take() == [SetUp("setup", "look")]


def test_an_alias_is_found_first_and_chosen_by_its_name() -> None:
    play = asked("/models gpt", {"gpt": "openrouter/lla/ma", "gone": "a/b"})
    assert labels(play) == ["gpt", "ollama/gpt"]
    assert sheet(play).options[0].detail == "openrouter/lla/ma · 32k window"
    play.model = replace(play.model, configured=Configured({"favourites": Value(("a/b",), "user")}))
    play.press("f2")
    assert WriteSetting("favourites", ("a/b", "openrouter/lla/ma")) in play.effects
    play.press("enter")
    assert SetModel("gpt") in play.take()


def test_an_alias_of_what_is_not_listed_says_so() -> None:
    assert sheet(asked("/models gone", {"gone": "a/b"})).options[0].detail == "a/b · not listed now"


def test_a_server_without_an_answer_is_asked_again() -> None:
    play = asked("/models openai")
    play.press("enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "models")]
