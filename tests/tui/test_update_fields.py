"""What is written in a field: the history has it when the field is left or emptied, whatever the
field is for; what stands there by itself, a search and a secret are in no history."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ApprovalAsked
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import Remember
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.prompt import composer
from tests.tui.play import Play

FIELDS = {
    "title": (Purpose("title", "Name"), "/rename my words"),
    "of another session": (Purpose("title", "Name", "other"), "my words"),
    "action": (Purpose("action", "/btw QUESTION", "btw"), "/btw my words"),
    "save": (Purpose("save", "Where"), "my words"),
    "sheet": (Purpose("sheet", "Address"), "my words"),
}
NEVER = {
    "secret": Purpose("sheet", "Key", secret=True),
    "search": Purpose("search", "Search"),
}


def field(purpose: Purpose, words: str = "my words") -> Play:
    play = Play()
    play.model = composer.prefill(composer.ask(play.model, purpose), "old")
    play.tick(0.0)
    play.text = ""
    play.type(words)
    play.effects.clear()
    return play


def history(play: Play) -> list[str]:
    return [effect.text for effect in play.effects if isinstance(effect, Remember)]


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_is_left_or_emptied_leaves_its_words_in_the_history(
    name: str, key: str
) -> None:
    purpose, kept = FIELDS[name]
    play = field(purpose)
    play.press(key)
    assert history(play) == [kept] and "in the history" in play.toast


@pytest.mark.parametrize("name", FIELDS)
def test_and_so_does_one_that_a_question_or_a_queued_prompt_takes_away(name: str) -> None:
    purpose, kept = FIELDS[name]
    play = field(purpose)
    asked = ApprovalAsked(id="a", call_id="c", tool="t", label="make", session="s")
    play.feed(asked)
    assert kept in (*history(play), play.model.composer.draft)
    play = field(purpose)
    play.model, effects = composer.edit(play.model, Queued("q", "later"))
    editing = play.model.composer.editing
    assert editing is not None
    assert editing.stash == kept or Remember(kept) in effects


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("name", NEVER)
def test_a_secret_and_a_search_are_in_no_history(name: str, key: str) -> None:
    play = field(NEVER[name])
    play.press(key)
    assert history(play) == []


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_nobody_changed_leaves_nothing(name: str) -> None:
    play = field(FIELDS[name][0], "old")
    play.press("escape")
    assert history(play) == [] and play.toast == ""
