"""The list under a slash, and lines that begin with one."""

from __future__ import annotations

import re

import pytest

from agent_tui.protocol.events import SessionStarted
from agent_tui.protocol.ops import MODES, Clear, Query, QueueEdit, SetMode, SetModel, Submit
from agent_tui.safety import policy
from agent_tui.tui import commands
from agent_tui.tui.prompt.completion import USUAL
from agent_tui.tui.prompt.submit import INSTEAD
from tests.answers import answer_event
from tests.tui.play import SKILLS, Play


def _labels(play: Play) -> list[str]:
    shown = play.view.completion
    return [] if shown is None else [option.label for option in shown.options]


def test_a_slash_lists_commands_and_skills() -> None:
    play = Play()
    play.type("/")
    assert {"/help", "/model [name]", "/review <file>", "/tidy [text]", "/quit"} <= set(
        _labels(play)
    )
    assert not any("stop" in label for label in _labels(play))


def test_the_list_begins_with_what_is_used_most() -> None:
    play = Play()
    play.type("/")
    assert [label.split()[0] for label in _labels(play)[:5]] == [
        "/help",
        "/undo",
        "/clear",
        "/resume",
        "/mode",
    ]
    assert all(commands.find(name).slash for name in USUAL), "they are commands"
    play.type("e")
    assert [label.split()[0] for label in _labels(play)[:2]] == ["/export", "/edit"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("/mo", "/mode [name]"),
        ("/model", "/model [name]"),
        ("/rv", "/review <file>"),
        ("/exi", "/quit"),
    ],
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
    play.feed(answer_event("x", "models", {"offered": [{"name": "ollama/a"}]}, session="s"))
    play.type("/model o")
    play.press("enter")
    assert play.take() == [SetModel("ollama/a")]


def _offered(line: str) -> Play:
    play = Play()
    names = [{"name": "ollama/bench-model:latest"}, {"name": "openai/bench-model"}]
    play.feed(answer_event("x", "models", {"offered": names}, session="s"))
    play.type(line)
    return play


@pytest.mark.parametrize("typed", ["bench-modle", "openai/bench", "openai", "model"])
def test_a_name_that_was_typed_is_not_taken_for_another(typed: str) -> None:
    play = _offered(f"/model {typed}")
    assert _labels(play)[0] == typed
    marked = _labels(play)[1]
    play.press("enter")
    assert play.take() == [SetModel(typed)]
    play = _offered(f"/model {typed}")
    play.press("down", "enter")
    assert play.take() == [SetModel(marked)]
    play = _offered(f"/model {typed}")
    play.press("tab")
    assert play.text == f"/model {marked} "


@pytest.mark.parametrize(
    ("line", "listed"),
    [
        ("/models lama", ["lama", "ollama"]),
        ("/models ol", ["ollama"]),
        ("/export ml", ["ml", "html"]),
        ("/mode edits", ["accept-edits"]),
    ],
)
def test_only_where_it_may_be_something_else_it_is_taken_as_typed(
    line: str, listed: list[str]
) -> None:
    assert _labels(_offered(line)) == listed


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


def test_a_slash_word_waits_until_the_skills_are_known() -> None:
    play = Play(started=False)
    play.type("/tidy now")
    play.press("escape", "enter")
    assert play.text == "/tidy now" and "waits" in play.toast and play.take() == []
    play.feed(
        SessionStarted(session="s", model="fake/model"), answer_event("start", "skills", SKILLS)
    )
    assert play.take() == [Submit("/tidy now")] and play.text == "" and play.toast == ""


def test_a_slash_word_that_waited_and_is_nothing_never_reaches_the_model() -> None:
    play = Play(started=False)
    play.type("/approvals")
    play.press("enter")
    play.feed(
        SessionStarted(session="s", model="fake/model"), answer_event("start", "skills", SKILLS)
    )
    assert play.ops == [] and play.text == "/approvals" and "/mode" in play.toast


def test_a_line_that_waited_and_was_changed_is_not_sent_by_itself() -> None:
    play = Play(started=False)
    play.type("/tidy")
    play.press("escape", "enter")
    play.type(" more")
    play.feed(
        SessionStarted(session="s", model="fake/model"), answer_event("start", "skills", SKILLS)
    )
    assert play.take() == [] and play.text == "/tidy more"


@pytest.mark.parametrize("word", sorted({*INSTEAD} - {"review"}))  # that one is a skill here
def test_words_of_other_agents_get_an_answer_and_no_guess(word: str) -> None:
    play = Play()
    play.type(f"/{word}")
    play.press("escape", "enter")
    assert play.ops == [] and play.text == f"/{word}"
    assert play.toast == f"/{word}: {INSTEAD[word]}"
    for named in re.findall(r"(?:^|\s)/([a-z-]+)", INSTEAD[word]):
        assert commands.by_slash(named) is not None


def test_a_slip_in_such_a_word_names_no_skill() -> None:
    data = [
        *SKILLS,
        {"name": "usher", "description": "", "arguments": [], "free": True, "source": "user"},
    ]
    play = Play()
    play.feed(answer_event("start", "skills", data))
    play.type("/usege")
    play.press("escape", "enter")
    assert "/usher" not in play.toast and "/stats" in play.toast


def test_cost_shows_the_figures_of_the_session() -> None:
    assert commands.by_slash("cost") is commands.find("stats")


@pytest.mark.parametrize(
    "line", ["/usr/bin/x is broken", "/ what", "/1 thing", "a /help", "/tidy now", "// x"]
)
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


def test_the_list_says_where_a_skill_is_from_and_what_may_follow_it() -> None:
    skill = {"name": "sweep", "description": "Sweeps.", "free": True, "hint": "[room] [broom]"}
    play = Play()
    play.feed(answer_event("start", "skills", [{**skill, "arguments": [], "source": "~/.agents"}]))
    play.type("/swee")
    shown = play.view.completion
    assert shown is not None
    [option] = shown.options
    assert (option.label, option.detail) == ("/sweep [room] [broom]", "~/.agents: Sweeps.")
    play.type("p ")
    assert _labels(play) == ["/sweep [room] [broom]"]


def test_skills_can_be_asked_for() -> None:
    play = Play()
    play.type("/skills")
    play.press("enter")
    assert play.take() == [Query("skills-1", "skills")]
    assert play.view.overlay is not None
    assert "/review <file>" in [option.label for option in play.view.overlay.options]


def test_the_modes_are_those_of_the_policy() -> None:
    assert MODES == policy.MODES
