"""What hands do that come from other agents: nothing typed is lost, and nothing happens silently."""

from __future__ import annotations

from tests.tui.play import Play


def test_escape_twice_clears_the_prompt_and_says_how_it_comes_back() -> None:
    play = Play()
    play.type("a long thought")
    play.press("escape", after=0.3)
    assert play.text == "a long thought"
    play.press("escape", after=0.3)
    assert play.text == "" and "↑ brings it back" in play.toast
    play.press("up")
    assert play.text == "a long thought"


def test_escape_twice_slowly_or_in_vim_clears_nothing() -> None:
    play = Play()
    play.type("a thought")
    play.press("escape", "escape", after=2.0)
    assert play.text == "a thought"
    play.type("", after=2.0)
    play.press("ctrl+c")
    play.type("/vim")
    play.press("escape", "enter")
    play.type("another")
    play.press("escape", "escape", after=0.3)
    assert play.text == "another"
