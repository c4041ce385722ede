"""Commands under "No model yet": they complete and run as they do in the prompt elsewhere."""

from __future__ import annotations

import pytest

from agent_tui.protocol.ops import SetModel
from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.effects import Quit
from tests.answers import answer_event
from tests.tui.play import Play

TRIED = {
    "tried": [{"what": "Ollama", "result": "no server answers"}],
    "variables": ["OPENAI_API_KEY"],
}


def first() -> Play:
    play = Play(model="")
    play.feed(answer_event("start", "models", TRIED, session="s"))
    assert kind(play) == "first_run"
    play.effects.clear()
    return play


def kind(play: Play) -> str:
    return play.model.overlay.kind if play.model.overlay is not None else ""


def typed(play: Play, words: str, after: float = 1.0) -> None:
    """As the screen sends it while a sheet has the keys."""
    for letter in words:
        play.press(letter, after=after)


@pytest.mark.parametrize("after", [0.05, 1.0])
@pytest.mark.parametrize(
    ("line", "shown"),
    [("/models", "model"), ("/model", "model"), ("/help", "help"), ("/setup", "setup")],
)
def test_what_is_named_on_the_sheet_runs(line: str, shown: str, after: float) -> None:
    play = first()
    typed(play, line, after)
    assert play.text == line and kind(play) == "first_run" and play.model.held is None
    play.press("enter", after=after)
    assert kind(play) == shown and play.text == ""
    assert (play.take() == [SetUp("setup", "look")]) is (shown == "setup")


def test_quit_quits() -> None:
    play = first()
    typed(play, "/quit")
    play.press("enter")
    assert play.takes(Quit) == [Quit()]


def test_a_command_is_completed_above_the_sheet() -> None:
    play = first()
    typed(play, "/mod")
    shown = play.view
    assert (
        shown.overlay is not None
        and shown.completion is not None
        and shown.completion.selected == 0
    )
    assert ("Tab", "complete") in shown.footer.keys
    assert shown.overlay.selected < 0, "there is one cursor"
    assert not any("kept" in span.text for line in shown.overlay.lines for span in line)
    labels = [option.label for option in shown.completion.options]
    play.press("down")
    assert play.view.completion is not None and play.view.completion.selected == 1
    assert play.model.overlay is not None and play.model.overlay.picker.at == 0, (
        "the sheet's cursor has not moved"
    )
    play.press("tab")
    assert play.text.split()[0] == labels[1].split()[0]


def test_escape_closes_the_list_and_then_the_sheet() -> None:
    play = first()
    typed(play, "/mod")
    play.press("escape")
    assert play.view.completion is None and kind(play) == "first_run" and play.text == "/mod"
    play.press("escape")
    assert kind(play) == "" and play.text == "/mod"


@pytest.mark.parametrize("line", ["/review file", "/nothing such"])
def test_what_cannot_run_without_a_model_stays_and_says_why(line: str) -> None:
    play = first()
    typed(play, line)
    play.press("enter")
    assert play.text == line and kind(play) == "first_run"
    assert ("until there is a model" if "review" in line else "nothing") in play.toast


@pytest.mark.parametrize("words", ["look", "/etc/hosts is wrong"])
def test_any_other_draft_leaves_the_sheet_its_keys(words: str) -> None:
    play = first()
    typed(play, words, after=0.1)
    assert play.text == words and play.view.completion is None
    play.press("down", "enter")
    assert "Address" in play.view.prompt.label, "Enter took the row under the cursor"
    assert [op.step for op in play.take() if isinstance(op, SetUp)] == ["look"]


def test_a_model_that_is_named_is_asked_for() -> None:
    play = first()
    typed(play, "/model demo/tour")
    play.press("enter")
    assert play.take() == [SetModel("demo/tour")]
