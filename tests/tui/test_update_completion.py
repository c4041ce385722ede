"""The list under a slash, and lines that begin with one."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import MODES, Clear, Query, QueueEdit, SetMode, SetModel, Submit
from agent_tui.safety import policy
from tests.tui.play import Play


def _labels(play: Play) -> list[str]:
    shown = play.view.completion
    return [] if shown is None else [option.label for option in shown.options]


def test_a_slash_lists_commands_and_skills() -> None:
    play = Play()
    play.type("/")
    assert {"/help", "/model [name]", "/review <file>", "/tidy [text]", "/quit"} <= set(_labels(play))
    assert not any("stop" in label for label in _labels(play))


@pytest.mark.parametrize(
    ("typed", "first"),
    [("/mo", "/mode [name]"), ("/model", "/model [name]"), ("/rv", "/review <file>"), ("/exi", "/quit")],
)
def test_the_best_match_is_first(typed: str, first: str) -> None:
    play = Play()
    play.type(typed)
    assert _labels(play)[0] == first


def test_tab_completes_and_leaves_room_for_the_argument() -> None:
    play = Play()
    play.type("/rev")
    play.press("tab")
    assert play.text == "/review "
    assert _labels(play) == ["/review <file>"]
    assert play.view.completion is not None and play.view.completion.selected == -1
    assert play.take() == []


def test_enter_takes_and_runs_what_needs_no_argument() -> None:
    play = Play()
    play.type("/cle")
    play.press("enter")
    assert play.take() == [Clear()]
    assert play.text == ""


def test_enter_completes_what_needs_an_argument() -> None:
    play = Play()
    play.type("/rev")
    play.press("enter")
    assert play.text == "/review "
    play.type("a.py")
    play.press("enter")
    assert play.take() == [Submit("/review a.py")]


def test_arrows_choose_and_escape_closes_for_this_text_only() -> None:
    play = Play()
    play.type("/q")
    labels = _labels(play)
    play.press("down")
    assert play.view.completion is not None and play.view.completion.selected == 1
    play.press("escape")
    assert _labels(play) == []
    play.type("u")
    assert _labels(play) and set(_labels(play)) <= set(labels)


def test_arguments_complete_too() -> None:
    play = Play()
    play.type("/mode ")
    assert _labels(play) == list(MODES)
    play.type("pl")
    play.press("enter")
    assert play.take() == [SetMode("plan")]
    play.type("/queue c")
    assert _labels(play) == ["clear"]


def test_models_that_were_offered_complete() -> None:
    play = Play()
    play.feed(Answered(id="x", kind="models", data={"offered": [{"name": "ollama/a"}]}, session="s"))
    play.type("/model o")
    play.press("enter")
    assert play.take() == [SetModel("ollama/a")]


def test_no_list_while_the_history_is_browsed() -> None:
    play = Play()
    play.type("/tidy")
    play.press("escape", "enter")
    play.end()
    play.take()
    play.press("up")
    assert play.text == "/tidy"
    assert play.view.completion is None


def test_an_unknown_name_keeps_the_line_and_names_the_closest() -> None:
    play = Play()
    play.type("/reviw a.py")
    play.press("enter")
    assert play.ops == []
    assert play.text == "/reviw a.py"
    assert "did you mean /review?" in play.toast


def test_while_skills_are_unknown_the_engine_decides() -> None:
    play = Play(started=False)
    play.type("/reviw a.py")
    play.press("enter")
    assert play.take() == [Submit("/reviw a.py")]


@pytest.mark.parametrize("line", ["/usr/bin/x is broken", "/ what", "/1 thing", "a /help", "/tidy now", "// x"])
def test_what_is_no_command_is_a_prompt(line: str) -> None:
    play = Play()
    play.type(line)
    play.press("enter")
    assert play.take() == [Submit(line)]


def test_commands_run_while_a_turn_runs_and_skills_queue() -> None:
    play = Play()
    play.begin()
    play.type("/mode plan")
    play.press("escape", "enter")
    play.type("/tidy now")
    play.press("enter")
    play.type("/clear")
    play.press("escape", "enter")
    assert "stop it first" in play.toast
    assert play.take() == [SetMode("plan"), QueueEdit("add", text="/tidy now")]


def test_skills_can_be_asked_for() -> None:
    play = Play()
    play.type("/skills")
    play.press("enter")
    assert play.take() == [Query("skills-1", "skills")]
    assert play.view.overlay is not None
    assert "/review <file>" in [option.label for option in play.view.overlay.options]


def test_the_modes_are_those_of_the_policy() -> None:
    assert MODES == policy.MODES
