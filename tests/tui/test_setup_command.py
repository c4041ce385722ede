"""`/setup`: a provider is set up whenever a person likes, not only at the first start."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.effects import Quit, SendKey
from agent_tui.tui.core.msg import CommandCalled, Pasted
from agent_tui.tui.core.regions import HIDDEN
from tests.tui.play import Play
from tests.tui.setup_play import at, told

LOOKS = SetUp("setup", "look")


def test_it_is_there_by_its_name_and_in_the_palette() -> None:
    play = Play()
    play.type("/setup")
    play.press("escape", "enter")
    assert play.take() == [LOOKS]
    play.press("escape")
    assert play.take() == [SetUp("setup", "leave")] and play.model.overlay is None
    play.press("ctrl+p", *"/setup", "enter")
    assert play.take() == [LOOKS]


def test_in_the_midst_of_a_turn_a_key_is_hidden_as_well() -> None:
    play = Play(model="fake/model")
    play.begin()
    play.type("/setup moonshot")
    play.press("escape", "enter")
    assert LOOKS in play.ops and play.view.prompt.secret


def test_a_paste_on_the_list_is_not_taken() -> None:
    play = Play(model="fake/model")
    play.type("/setup")
    play.press("escape", "enter")
    told(play)
    assert play.view.prompt.no_pastes
    play.say(Pasted("", at=1.0))
    assert "choose a provider first" in play.toast and play.text == ""
    play.press("escape")
    assert not play.view.prompt.no_pastes


@pytest.mark.parametrize("named", ["moonshot", "Moonshot"])
def test_a_provider_that_is_named_is_gone_on_with(named: str) -> None:
    play = Play(model="fake/model")
    play.type(f"/setup {named}")
    play.press("escape", "enter")
    told(play)
    assert at(play) == "key"
    play.press("escape")
    assert at(play) == "provider", "Esc has all others"
    told(play)
    assert at(play) == "provider", "it is gone on with once"


def test_what_is_just_asked_is_waited_for() -> None:
    play = Play(model="fake/model")
    play.type("/setup openai")
    play.press("escape", "enter")
    told(play)
    assert at(play) == "provider"
    told(play, openai={"state": "failed", "kind": "auth", "needs": "key", "key": ""})
    assert at(play) == "key"


def test_what_is_typed_before_a_key_is_asked_for_is_hidden_and_stays() -> None:
    play = Play(model="fake/model")
    play.type("/setup moonshot")
    play.press("escape", "enter")
    assert at(play) == "provider" and play.view.prompt.secret
    play.type(HIDDEN)  # all that the prompt tells
    rev = play.view.prompt.rev
    play.press("enter")
    assert not play.takes(SendKey) and play.view.prompt.secret, "nobody knows yet where it goes"
    told(play)
    assert at(play) == "key" and play.view.prompt.secret
    assert play.view.prompt.rev == rev, "the prompt keeps what it holds"
    play.press("enter")
    assert play.takes(SendKey)


@pytest.mark.parametrize("named", ["ollama", "azure", "nobody"])
def test_where_no_key_is_asked_for_first_the_prompt_is_no_secret_any_more(named: str) -> None:
    play = Play(model="fake/model")
    play.type(f"/setup {named}")
    play.press("escape", "enter")
    play.type(HIDDEN)
    told(play, ollama={"state": "ok", "models": 3})
    assert not play.view.prompt.secret and play.text != HIDDEN
    play = Play(model="fake/model")
    play.type(f"/setup {named}")
    play.press("escape", "enter")
    play.press("escape")
    assert not play.view.prompt.secret and play.model.overlay is None


def test_where_it_is_all_that_there_is_the_program_ends_with_it() -> None:
    play = Play()
    play.model = replace(play.model, alone=True)
    play.say(CommandCalled("send", "/setup", at=1.0))
    told(play)
    assert Quit() not in play.effects
    play.press("escape")
    assert Quit() in play.effects
