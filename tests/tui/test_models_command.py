"""`/models`: what each server really offers, of all, of one provider, or under a name of the person's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query, SetModel
from agent_tui.settings_kinds import Value
from agent_tui.tui.effects import WriteSetting
from agent_tui.tui.model import Configured
from tests.tui.lists import labels, sheet
from tests.tui.play import Play

OFFERED = [{"name": name, "window": 32_768, "tools": True} for name in ("openrouter/lla/ma", "ollama/q", "ollama/gpt")]
TRIED = [{"what": "openai", "result": "refused the key (401)"}, {"what": "OPENAI_API_KEY", "result": "not set"}]


def asked(line: str, aliases: Any = None, offered: Any = OFFERED) -> Play:
    play = Play()
    play.type(line)
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and overlay.kind == "models" and Query(overlay.query, "models") in play.take()
    data = {"model": "ollama/q", "offered": offered, "tried": TRIED, "aliases": aliases}
    play.feed(Answered(id=overlay.query, kind="models", data=data, session=play.model.active))
    return play


def test_without_words_all_are_listed_and_who_did_not_answer() -> None:
    listed = ["openrouter/lla/ma", "ollama/q", "ollama/gpt", "openai", "enter a server address"]
    assert labels(asked("/models")) == listed


def test_the_name_of_a_provider_lists_its_models_alone() -> None:
    assert labels(asked("/models ollama")) == ["ollama/q", "ollama/gpt"]
    assert labels(asked("/models openai"))[0] == "openai", "why there is none of it is said"
    assert "openai" not in labels(asked("/models openai", offered=[])), "then the sheet tells what was tried"


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


def test_no_aliases_of_another_shape() -> None:
    assert labels(asked("/models q", aliases=["x"]))[0] == "ollama/q"
