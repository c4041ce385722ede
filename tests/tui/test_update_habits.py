"""What hands do that come from other agents: nothing typed is lost, and nothing happens silently."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import (
    ApprovalAsked,
    Cleared,
    QueueChanged,
    SandboxFound,
    SessionStarted,
)
from agent_tui.protocol.ops import RunShell, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import Scrolled
from tests.answers import answer_event
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


@pytest.mark.parametrize(
    ("line", "told"), [("!cd src", True), ("!cd", True), ("!cd src && make", False), ("!ls", False)]
)
def test_a_folder_that_is_left_again_is_told(line: str, told: bool) -> None:
    play = Play()
    play.type(line)
    play.press("enter")
    assert play.ops == [RunShell(line[1:])]
    assert ("starts in the project's folder" in play.toast) is told


def test_a_prompt_beside_a_paused_queue_says_that_it_stays_so() -> None:
    play = Play()
    waiting = tuple(Queued(f"id-{number}", "later") for number in range(3))
    play.feed(QueueChanged(items=waiting, paused=True, session="s"))
    play.type("first this")
    play.press("enter")
    assert play.ops == [Submit("first this")]
    assert play.toast == "Enter on an empty prompt resumes the queue (3)"


def test_a_cleared_context_shows_the_end_and_says_what_stays() -> None:
    play = Play()
    play.begin()
    play.end()
    play.say(Scrolled(False))
    before = play.view.transcript.jump
    play.feed(Cleared(session="s"))
    assert play.view.transcript.jump == before + 1
    assert "context cleared; /new also empties the screen" in play.toast


def test_a_new_session_is_read_from_its_end() -> None:
    play = Play()
    play.begin()
    play.end()
    play.say(Scrolled(False))
    before = play.view.transcript.jump
    play.feed(SessionStarted(session="another", model="fake/model"))
    assert play.view.transcript.jump == before + 1 and play.model.reading.following


def test_the_mode_does_not_change_while_a_no_is_explained() -> None:
    play = Play()
    play.begin()
    play.feed(
        ApprovalAsked(
            id="a", call_id="c", tool="run_shell_command", label="Run make", turn=1, session="s"
        )
    )
    play.press("m", "enter", after=5.0)
    assert play.view.prompt.label == "Tell the model why not"
    play.press("shift+tab")
    assert play.ops == [] and play.toast.startswith("answer first")


def test_what_was_said_of_the_last_turn_ends_with_it() -> None:
    play = Play()
    play.press("ctrl+v")
    play.feed(
        answer_event("clipboard_image", "clipboard_image", {"path": "", "problem": "it hangs"})
    )
    assert play.toast == "it hangs"
    play.type("go on")
    play.press("enter")
    assert play.toast == ""
    play.begin()
    play.feed(
        answer_event("clipboard_image", "clipboard_image", {"path": "", "problem": "it hangs"})
    )
    play.type("and then")
    play.press("enter")
    assert play.toast == "it hangs", "the turn that it was said in still runs"
    play.end()
    play.feed(QueueChanged((Queued("q", "and then"),), session="s"))
    assert play.ops[-1] == Submit("and then", queue_id="q") and play.toast == ""


def test_a_turn_that_begins_by_itself_ends_what_was_said_before() -> None:
    play = Play()
    play.feed(
        answer_event("clipboard_image", "clipboard_image", {"path": "", "problem": "it hangs"})
    )
    play.begin()
    assert play.toast == ""


def test_what_is_said_of_the_prompt_that_goes_out_stays_when_its_turn_begins() -> None:
    play = Play()
    play.feed(QueueChanged((Queued("q", "later"),), paused=True, session="s"))
    play.type("first this")
    play.press("enter")
    play.begin()
    assert play.toast.endswith("the queue (1)")


def test_what_was_said_before_a_sheet_does_not_stand_over_it() -> None:
    play = Play()
    play.type("/nothing-like-it")
    play.press("escape", "enter")
    assert play.toast
    play.press("f1")
    assert play.toast == "" and play.model.overlay is not None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "only accept-all mode runs commands in a sandbox"),
        (SandboxFound("bwrap", session="s"), "(bwrap): no network"),
        (SandboxFound("", "none here", session="s"), "nothing holds them but the hard list"),
    ],
)
def test_what_is_said_of_the_sandbox_is_so(found: SandboxFound | None, words: str) -> None:
    play = Play()
    if found is not None:
        play.feed(found)
    play.type("/sandbox")
    play.press("enter")
    assert words in play.toast
