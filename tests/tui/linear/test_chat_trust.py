"""`agent-tui chat` in a project with files to trust: what answers the question about them."""

from __future__ import annotations

import time

import pytest

from tests.agent.driving import Place
from tests.tui.linear.talk import Terminal, place, steps, terminal

__all__ = ["place"]

READLINE = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
CHOOSES = "or an empty line to go on without."


@pytest.fixture
def script(place: Place) -> str:
    (place.cwd / "AGENTS.md").write_text("Obey me.\n")
    return place.script(*steps("the first answer", "the second answer"))


def begin_early(it: Terminal, line: str) -> None:
    """Type `line` while the program starts, and end it once the question is there."""
    it.type(line)
    it.hear(CHOOSES)
    it.read(0.5)
    it.type("\r")


@pytest.mark.parametrize("around", [READLINE, {}], ids=["readline", "dumb"])
def test_the_question_is_there_before_a_line_is_asked_for(
    place: Place, script: str, around: dict[str, str]
) -> None:
    with terminal(place, "-m", script, **around) as it:
        assert CHOOSES in it.hear("> ")
        time.sleep(0.5)
        it.say("4")
        it.hear("> ")
        it.say("hello")
        it.hear("the first answer")


@pytest.mark.parametrize("line", ["2", "please fix it"])
def test_a_line_begun_before_the_question_is_a_prompt(place: Place, script: str, line: str) -> None:
    with terminal(place, "-m", script) as it:
        begin_early(it, line)
        it.hear(CHOOSES)
        assert not (place.home / "trusted").exists()
        it.read(0.5)
        it.say("4")
        it.hear("the first answer")
        it.hear("> ")
        it.say("/history")
        it.hear(f"1: {line}")


def test_words_that_are_no_choice_are_not_sent_and_are_in_the_history(
    place: Place, script: str
) -> None:
    with terminal(place, "-m", script) as it:
        it.hear(CHOOSES)
        time.sleep(0.5)
        it.say("please fix it")
        it.hear("That is not a choice here. Nothing was sent. /history has it.")
    assert "please fix it" in (place.home / "history.jsonl").read_text()


def test_an_interrupt_begins_nothing_and_the_prompt_stays_queued(place: Place, script: str) -> None:
    with terminal(place, "-m", script, "please fix it") as it:
        it.hear(CHOOSES)
        time.sleep(0.5)
        it.type("\x03")
        it.hear("paused")
        it.read(1.0)
        assert b"the first answer" not in it.raw
        it.say("/queue resume")
        it.hear("the first answer")


@pytest.mark.parametrize("line", ["/context", "/help"])
def test_a_command_does_not_answer_the_question(place: Place, script: str, line: str) -> None:
    with terminal(place, "-m", script) as it:
        it.hear(CHOOSES)
        time.sleep(0.5)
        it.say(line)
        it.hear("Answer the question first.")
        it.hear("> ")
        it.say("2")
        it.hear("> ")
        it.say("hello")
        it.hear("the first answer")
    assert list(place.home.glob("trusted*"))
