"""A draft that is put aside while an old prompt is looked at: whatever follows, it is there again,
or in the history, and on record all the while."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.ops import QueueEdit, RunShell, SaveDraft, Steer, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips
from agent_tui.tui.core.effects import Effect, Remember, Send
from agent_tui.tui.core.msg import HistoryLoaded, Pasted
from agent_tui.tui.prompt import composer
from tests.tui.play import Play

LONG = "a pasted line\n" * 40


def _looking(*history: str, running: bool = False, draft: str = "my draft") -> Play:
    """An old prompt is looked at, above a draft."""
    play = Play()
    play.say(HistoryLoaded(history or ("old",)))
    if running:
        play.begin()
    if draft is LONG:
        play.say(Pasted(LONG))
    else:
        play.type(draft)
    play.press("up")
    assert play.text == (history or ("old",))[-1]
    return play


def _saved(effects: list[Effect]) -> list[str]:
    ops = [effect.op for effect in effects if isinstance(effect, Send)]
    return [op.text for op in ops if isinstance(op, SaveDraft)]


@pytest.mark.parametrize("draft", ["my draft", LONG], ids=["words", "chip"])
def test_the_draft_returns_after_an_old_prompt_was_sent(draft: str) -> None:
    play = _looking(draft=draft)
    play.press("enter")
    assert play.ops == [Submit("old")]
    assert chips.expand(play.text, play.model.composer.chips) == draft
    play.press("up")
    assert play.text == "old", "the history goes on from its end"
    play.press("down")
    assert chips.expand(play.text, play.model.composer.chips) == draft


def test_it_returns_after_an_old_command_was_run() -> None:
    play = _looking("!make test")
    play.press("enter")
    assert play.ops == [RunShell("make test", False)]
    assert play.text == "my draft"
    play = _looking("/vim")
    play.press("enter")
    assert play.model.vim and play.text == "my draft"


def test_it_returns_after_an_old_prompt_was_steered_or_queued() -> None:
    play = _looking(running=True)
    play.press("alt+s")
    assert play.ops == [Steer("old")] and play.text == "my draft"
    play = _looking(running=True)
    play.press("enter")
    assert play.ops == [QueueEdit("add", text="old")] and play.text == "my draft"


def test_an_enter_that_comes_twice_does_not_send_the_draft_too() -> None:
    play = _looking()
    play.press("enter")
    play.press("enter", after=0.2)
    assert play.ops == [Submit("old")] and play.text == "my draft"
    play.press("enter")
    assert play.ops == [Submit("old"), QueueEdit("add", text="my draft")]


def test_a_draft_that_is_the_old_prompt_itself_does_not_return() -> None:
    play = _looking("old", draft="old")
    play.press("enter")
    assert play.ops == [Submit("old")] and play.text == ""


@pytest.mark.parametrize("way", ["typed", "pasted", "ctrl+c", "escape"])
def test_it_is_in_the_history_where_other_words_take_its_place(way: str) -> None:
    play = _looking()
    if way == "typed":
        play.type("!")
    elif way == "pasted":
        play.say(Pasted(LONG))
    elif way == "ctrl+c":
        play.press("ctrl+c")
    else:
        play.press("escape", after=3.0)
        play.press("escape", after=0.3)
    assert Remember("my draft") in play.effects
    assert "↑ brings it back" in play.toast
    play.press("up")
    assert play.text == "my draft"


def test_a_chip_in_it_is_in_the_history_with_what_it_stands_for() -> None:
    play = _looking(draft=LONG)
    play.type("!")
    assert Remember(LONG) in play.effects
    play.press("up")
    assert chips.expand(play.text, play.model.composer.chips) == LONG


def test_a_private_draft_is_kept_but_never_written() -> None:
    play = _looking(draft="!!curl -H token")
    play.type("x")
    play.press("up")
    assert play.text == "!!curl -H token"
    assert Remember("!!curl -H token") not in play.effects
    assert not any("curl" in text for text in _saved(play.effects))


def test_an_old_prompt_that_is_only_looked_at_is_not_put_into_the_history() -> None:
    play = _looking("first", "second")
    play.press("up", "down", "down")
    assert play.text == "my draft"
    assert not play.takes(Remember)


@pytest.mark.parametrize("opened", ["", "ctrl+f", "ctrl+r"])
def test_what_is_on_record_is_the_draft_and_not_the_old_prompt(opened: str) -> None:
    play = _looking()
    if opened:
        play.press(opened)
        play.type("ol")
    assert _saved(play.effects)[-1] == "my draft"
    assert composer.own_draft(play.model) == "my draft"


def _editing() -> Play:
    """New words of a queued prompt, below which there is a draft, and an old prompt above them."""
    play = Play()
    play.say(HistoryLoaded(("old",)))
    play.begin()
    play.feed(QueueChanged(items=(Queued(id="1", text="queued"),)))
    play.type("my draft")
    play.press("alt+q", "enter")
    assert play.text == "queued"
    play.type(" anew")
    play.press("up")
    assert play.text == "old"
    return play


@pytest.mark.parametrize("way", ["escape", "ctrl+c", "enter", "typed"])
def test_new_words_of_a_queued_prompt_are_no_less_safe(way: str) -> None:
    play = _editing()
    assert _saved(play.effects)[-1] == "queued anew\n\nmy draft"
    if way == "typed":
        play.type("er")
    else:
        play.press(way)
        assert play.text == "my draft"
    assert play.takes(Remember) == [Remember("queued anew")]


def test_they_come_back_below_the_old_prompt_and_are_sent() -> None:
    play = _editing()
    play.press("down")
    assert play.text == "queued anew"
    play.press("enter")
    assert play.ops == [QueueEdit("edit", "1", "queued anew")] and play.text == "my draft"
    assert not play.takes(Remember)


def test_a_queued_prompt_that_is_as_it_was_is_not_in_the_history_too() -> None:
    play = Play()
    play.say(HistoryLoaded(("old",)))
    play.begin()
    play.feed(QueueChanged(items=(Queued(id="1", text="queued"),)))
    play.press("up", "up")
    assert play.text == "old"
    play.press("escape")
    assert play.text == "" and not play.takes(Remember)
