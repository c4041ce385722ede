"""Sheets over the transcript: help, models, sessions, the first run."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ApprovalAsked, ModelChanged
from agent_tui.protocol.ops import Query, Resume, SetModel, Submit
from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.effects import Quit
from agent_tui.tui.core.msg import KeyPressed
from tests.answers import answer_event, session
from tests.tui.play import Play, words
from tests.tui.setup_play import came, chooses, wait

TRIED = {
    "tried": [{"what": "Ollama at localhost:11434", "result": "nothing answers"}],
    "variables": ["OPENAI_API_KEY"], "offered": [],
}  # fmt: skip
OFFERED = {
    "model": "ollama/b",
    "offered": [
        {"name": "ollama/a", "window": 32_768, "tools": True},
        {"name": "ollama/b", "tools": False},
    ],
}


def _first_run() -> Play:
    play = Play(model="")
    play.feed(answer_event("start", "models", TRIED, session="s"))
    return play


def _lines(play: Play) -> str:
    overlay = play.view.overlay
    assert overlay is not None
    return "\n".join(words(line) for line in overlay.lines)


def test_the_first_run_says_what_was_tried_and_offers_a_way() -> None:
    play = _first_run()
    assert "Ollama at localhost:11434: nothing answers" in _lines(play)
    assert "OPENAI_API_KEY" in _lines(play)
    assert play.view.overlay is not None
    assert [option.key for option in play.view.overlay.options] == ["k", "a", "r", "d", "q"]


def test_the_variables_of_keys_are_named_once() -> None:
    play = Play(model="")
    names = ["OPENAI_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY"]
    tried = {"what": "OPENAI_API_KEY, GEMINI_API_KEY and others", "result": "not set"}
    refused = {"what": "openai", "result": "refused the key (401)"}
    for one, counts in ((tried, [1, 1, 0]), (refused, [1, 1, 1])):
        play.feed(
            answer_event(
                "start", "models", {"tried": [one], "variables": names, "offered": []}, session="s"
            )
        )
        assert [_lines(play).count(name) for name in names] == counts
        assert "API keys are read when the program starts" in _lines(play)


def test_who_has_no_model_yet_sets_up_a_provider_first() -> None:
    play = _first_run()
    play.press("enter")
    assert play.take() == [SetUp("setup", "look")]
    assert play.model.overlay is not None and play.model.overlay.kind == "setup"


def test_looking_again_in_vain_is_said() -> None:
    play = _first_run()
    assert "Still no model." not in _lines(play)
    play.press("r")
    play.feed(answer_event("start", "models", TRIED, session="s"))
    assert "Still no model." in _lines(play)


def test_ctrl_d_leaves_the_first_run_too() -> None:
    play = _first_run()
    play.press("ctrl+d")
    assert play.takes(Quit) == [Quit()]


def test_moving_in_a_list_is_no_typing() -> None:
    play = _first_run()
    play.press("down")
    play.press("enter", after=0.12)
    assert play.view.prompt.label == "", "the row was not read yet"
    play.press("enter", after=0.51)
    assert "Address" in play.view.prompt.label


@pytest.mark.parametrize(("key", "model"), [("r", ""), ("d", "demo/tour")])
def test_looking_again_and_the_demo(key: str, model: str) -> None:
    play = _first_run()
    play.press(key)
    assert play.take() == [SetModel(model)]
    play.feed(ModelChanged("demo/tour", session="s"))
    assert play.view.overlay is None


def test_an_address_is_typed_in_the_prompt_and_the_draft_is_kept() -> None:
    play = Play(model="")
    play.type("my prompt")
    play.press("enter")
    assert play.text == "my prompt"
    assert play.take() == []
    assert play.view.overlay is not None
    assert [option.key for option in play.view.overlay.options] == [
        "Alt+K",
        "Alt+A",
        "Alt+R",
        "Alt+D",
        "Alt+Q",
    ]
    play.press("alt+a")
    assert "Address" in play.view.prompt.label
    assert play.text == ""
    play.type("http://box:11434")
    play.press("enter")
    assert play.take()[-1] == SetUp(wait(play), "ask", "", "http://box:11434")
    assert play.text == "my prompt"
    came(play, "answered", provider="ollama", models=["ollama/a"], address="http://box:11434")
    play.press("enter")
    chooses(play, "in every project")
    assert play.take() == [SetUp(wait(play), "keep", "ollama", model="ollama/a", scope="user")], (
        "the model is the default of the next start, and with it its address is saved"
    )
    play.feed(ModelChanged("ollama/a", session="s"))
    came(play, "kept", model="ollama/a")
    assert play.toast == "not sent yet: press Enter to send"
    play.press("enter")
    assert play.take() == [Submit("my prompt")]


def test_a_wrong_address_can_be_corrected_and_the_way_back_is_the_first_run() -> None:
    play = _first_run()
    play.press("a")
    play.type("http://box:1143")
    play.press("enter")
    came(play, "failed", provider="", kind="unreachable", said="no server answers there")
    assert "no server answers there" in _lines(play)
    chooses(play, "type its address")
    assert play.text == "http://box:1143" and play.view.prompt.selected, "typing replaces it"
    assert play.model.composer.place < 0, "the cursor is at its end"
    play.press("escape")
    assert play.model.overlay is not None and play.model.overlay.kind == "first_run"


def test_of_no_prompt_nothing_is_said_to_be_kept() -> None:
    play = _first_run()
    assert "kept" not in _lines(play)
    play.feed(ModelChanged("ollama/a", session="s"))
    assert play.toast == ""


def test_leaving_the_address_goes_back_to_the_list() -> None:
    play = _first_run()
    play.press("a", "escape")
    assert play.model.overlay is not None and play.model.overlay.kind == "first_run"
    assert play.view.prompt.label == ""


def test_typing_when_the_first_run_appears_is_typing() -> None:
    play = Play(model="")
    play.type("please ")
    play.feed(answer_event("start", "models", TRIED, session="s"))
    play.press(*"read", after=0.1)
    assert play.text == "please read"
    play.press("enter", after=0.1)
    assert play.take() == []
    play.press("x")
    assert play.text == "please readx"


def test_a_question_goes_before_a_list_that_comes_unasked() -> None:
    play = Play()
    play.begin()
    play.feed(ApprovalAsked(id="a", call_id="c", tool="t", label="t", session="s"))
    play.feed(answer_event("start", "sessions", SESSIONS))
    assert play.view.overlay is None and play.view.dialog is not None


def test_a_key_that_came_too_early_is_said_to_be_in_the_prompt_and_chooses_when_it_is_pressed_again() -> (
    None
):
    play = _first_run()
    play.press("d", after=0.1)
    assert play.text == "d" and "press it again" in play.toast and play.take() == []
    play.press("d")
    assert play.take() == [SetModel("demo/tour")] and play.text == ""


def test_quit_from_the_first_run() -> None:
    play = _first_run()
    play.press("q", after=5.0)
    assert play.toast == "press Enter to quit" and play.takes(Quit) == []
    play.press("enter", after=0.1)
    assert play.takes(Quit) == [Quit()] and play.text == ""


def test_a_found_model_at_the_start_shows_no_overlay() -> None:
    play = Play()
    play.feed(answer_event("start", "models", TRIED, session="s"))
    assert play.view.overlay is None


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (("enter",), "ollama/b"),
        (("up", "enter"), "ollama/a"),
        (("a", "/", "a", "enter"), "ollama/a"),
    ],
)
def test_models_are_listed_and_chosen(keys: tuple[str, ...], name: str) -> None:
    play = Play()
    play.press("ctrl+l")
    assert play.take() == [Query("model-1", "models")]
    assert "looking" in _lines(play), "the list is there at once"
    play.feed(answer_event("model-1", "models", OFFERED, session="s"))
    assert play.view.overlay is not None
    shown = [(option.label, option.detail) for option in play.view.overlay.options]
    assert shown[:-1] == [("ollama/a", "32k window"), ("ollama/b", "no tools · in use")]
    play.press(*keys)
    assert play.take() == [SetModel(name)]
    assert play.view.overlay is None


def test_no_models_is_said() -> None:
    play = Play()
    play.press("ctrl+l")
    play.feed(answer_event("model-1", "models", TRIED, session="s"))
    assert "No configured server offers a model" in _lines(play)
    assert "nothing answers" in _lines(play)


def test_an_address_can_be_entered_with_a_model_in_use() -> None:
    play = Play()
    play.press("ctrl+l", *"address", "enter")
    play.type("box:11434")
    play.press("enter")
    assert play.take() == [Query("model-1", "models"), SetModel("", base_url="box:11434")]
    assert (
        play.view.overlay is None
        and play.view.toast is not None
        and "box:11434" in play.view.toast.text
    )


def test_the_first_run_screen_is_not_replaced_by_an_older_answer() -> None:
    play = Play()
    play.press("ctrl+l", "escape", "ctrl+l")
    play.feed(answer_event("model-1", "models", OFFERED, session="s"))
    assert play.model.overlay is not None and play.model.overlay.query == "model-2"


@pytest.mark.parametrize("key", ["f1", "question_mark"])
def test_help_opens_scrolls_and_closes(key: str) -> None:
    play = Play()
    sheet = play.press(key).overlay
    assert sheet is not None and sheet.options[0].label == "Enter Ctrl+S"
    moved = play.press("down", "pagedown", "up").overlay
    assert moved is not None and moved.selected == 10
    assert play.press(key).overlay is None
    assert play.press(key, "escape").overlay is None


def test_a_question_mark_in_a_prompt_is_a_question_mark() -> None:
    play = Play()
    play.type("why")
    play.press("question_mark")
    assert play.text == "why?"
    assert play.view.overlay is None


SESSIONS = [
    session("one", "Fix it"),
    session("two", turns=2),
]


def test_the_list_of_the_start_shows_a_session_at_once_and_takes_no_key_before_it_is_seen() -> None:
    play = Play(started=False)
    play.feed(answer_event("start", "sessions", SESSIONS))
    assert play.take() == [Query("preview", "session_preview", "one")]
    play.say(KeyPressed("t", "t", blind=True), after=1.0)
    assert play.text == "t", "it was meant for the prompt"
    play.say(KeyPressed("t", "t", play.text), after=1.0)
    play.say(KeyPressed("w", "w", play.text, blind=True), after=0.01)
    assert play.text == "t" and "search: tw" in _lines(play)
    play.press("enter")
    assert Resume("two") in play.take()


@pytest.mark.parametrize(
    ("keys", "id"),
    [
        (("enter",), "one"),
        ((*"2 tu", "enter"), "two"),
        ((*"new s", "enter"), ""),
        (("escape",), ""),
    ],
)
def test_sessions_are_chosen_from_a_list(keys: tuple[str, ...], id: str) -> None:
    play = Play(started=False)
    play.feed(answer_event("start", "sessions", SESSIONS))
    assert play.view.overlay is not None
    shown = [(option.label, option.detail) for option in play.view.overlay.options]
    assert shown[:2] == [("Fix it", "16 min ago · 1 turn"), ("two", "16 min ago · 2 turns")]
    play.take()
    play.press(*keys)
    assert [op for op in play.take() if not isinstance(op, Query)] == [Resume(id)]
    assert play.view.overlay is None


def test_the_first_run_names_only_what_works_beside_the_words_in_the_prompt() -> None:
    play = _first_run()
    assert "/models lists what is there" in _lines(play)
    play.type("fix the build")
    assert "/models lists" not in _lines(play)
    assert "\nFor /models, empty the prompt first.\n" in _lines(play)
