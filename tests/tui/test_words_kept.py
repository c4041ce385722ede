"""Words that somebody typed are found again, whatever takes them away."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    ApprovalAsked,
    QuestionAsked,
    QueueChanged,
    SessionStarted,
    SteerSeen,
)
from agent_tui.protocol.ops import Answer, SaveDraft
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import EditDraft, Effect, Remember, Send
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.prompt import composer
from tests.tui.play import Play
from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]


def _asked_why() -> Play:
    """Somebody writes why something must not run."""
    play = Play()
    play.begin()
    play.feed(
        ApprovalAsked(
            id="a1",
            call_id="c1",
            tool="run_shell_command",
            label="$ make",
            reason="auto mode asks",
            display=CommandDisplay("make"),
            session="s",
        )
    )
    play.press("m")
    play.type("use ninja")
    play.effects.clear()
    return play


def test_ctrl_c_keeps_the_reason_of_a_no_in_the_history() -> None:
    play = _asked_why()
    play.press("ctrl+c")
    assert (play.text, play.toast) == ("", "cleared: it is in the history; Ctrl+C again stops")
    assert Remember("use ninja") in play.effects and play.model.composer.history == ("use ninja",)


def test_escape_keeps_what_was_written_as_an_argument() -> None:
    play = Play()
    play.feed(QuestionAsked(id="q", kind="skill_argument", text="/x needs <y>", session="s"))
    play.type("the argument")
    play.effects.clear()
    play.press("escape")
    assert Remember("the argument") in play.effects and play.take() == [Answer("q", "no")]


def _queued(*texts: str) -> QueueChanged:
    return QueueChanged(items=tuple(Queued(text, text) for text in texts), session="s")


@pytest.mark.parametrize("draft", ["", "mine"])
def test_words_for_a_question_come_back_after_a_queued_prompt_was_edited(draft: str) -> None:
    play = Play()
    play.begin()
    play.feed(_queued("one"))
    play.type(draft)
    play.model = composer.ask(play.model, Purpose("deny", "why?", "q"))
    play.text = ""
    play.type("because")
    play.model, effects = composer.edit(play.model, play.model.queue[0])
    assert play.view.prompt.text == "one"
    play.effects += effects
    play.text = "one"
    play.press("escape")
    assert play.text == (draft or "because")
    assert (Remember("because") in play.effects) is bool(draft)


def test_new_words_of_a_queued_prompt_are_kept_when_another_is_edited() -> None:
    play = Play()
    play.begin()
    play.feed(_queued("one", "two"))
    play.type("mine")
    play.press("alt+q", "enter")
    play.type(" more")
    play.press("alt+q", "home", "enter")
    assert play.text == "one more", "it is being edited already"
    play.press("alt+q", "down", "enter")
    assert play.text == "two" and Remember("one more") in play.effects
    play.press("escape")
    assert play.text == "mine"


@pytest.mark.parametrize("opened", ["queue", "rename"])
def test_a_draft_comes_back_that_stood_below_an_old_prompt(opened: str) -> None:
    play = Play()
    play.type("old")
    play.press("enter")
    play.begin()
    play.feed(_queued("one"))
    play.type("mine")
    play.press("up")
    assert play.text == "old"
    if opened == "queue":
        play.press("alt+q", "enter", "escape")
    else:
        play.model = composer.leave(composer.ask(play.model, Purpose("title", "name?", "s")))
    assert play.view.prompt.text == "mine"


def test_what_was_typed_in_a_field_is_kept_when_it_is_cleared() -> None:
    play = Play()
    play.type("/rename")
    play.press("enter")
    play.type("a name")
    play.effects.clear()
    play.press("ctrl+c")
    assert (play.text, play.toast) == ("", "cleared: it is in the history")
    assert play.takes(Remember)


def test_the_draft_is_saved_before_the_editor_begins() -> None:
    play = Play()
    play.say(KeyPressed("ctrl+g", draft="all at once"))
    done: list[type[Effect]] = [Send, EditDraft]
    assert [type(effect) for effect in play.effects if type(effect) in done] == done
    assert Send(SaveDraft("all at once")) in play.effects


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program, with an editor of these lines."""
    running: list[Pty] = []
    (tmp_path / "s.json").write_text(json.dumps([[{"text": "ok"}]] * 3))

    def starter(*flags: str, editor: str = ":") -> Pty:
        (tmp_path / "editor").write_text(f"#!/bin/sh\n{editor}\n")
        (tmp_path / "editor").chmod(0o700)
        place = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "VISUAL": str(tmp_path / "editor"),
            "TERM": "xterm-256color",
            "TMUX": "",
            "STY": "",
        }
        model = f"scripted/{tmp_path / 's.json'}"
        argv = ["-m", "agent_tui", "-m", model, "--cwd", str(tmp_path), *flags]
        running.append(Pty(argv, place))
        return running[-1]

    yield starter
    for pty in running:
        pty.close()


def begun(pty: Pty) -> Pty:
    """A session with a turn."""
    pty.until("Enter send")
    pty.type("go\r")
    pty.until("ok")
    pty.until("Enter send")
    return pty


def drafts(home: Path) -> list[str]:
    """The drafts on record, oldest first."""
    found = list[str]()
    for log in (home / "sessions").glob("*.jsonl"):
        lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        found += [line["text"] for line in lines if line.get("type") == "draft_saved"]
    return found


T = TypeVar("T")


def until(pty: Pty, found: Callable[[], T], wanted: T) -> None:
    """Wait for something beside the screen."""
    for _ in range(200):
        if found() == wanted:
            return
        pty.read(0.05)
    assert found() == wanted


def test_a_kill_while_the_editor_is_open_leaves_the_draft(start: Start, tmp_path: Path) -> None:
    pty = begun(start(editor="echo IN IT; read line"))
    pty.type("my draft\x07")
    pty.until("IN IT")
    until(pty, lambda: drafts(tmp_path)[-1:], ["my draft"])
    pty.signal(signal.SIGKILL)
    assert pty.wait() == -signal.SIGKILL
    start("-c").until("❯ my draft")


@pytest.mark.parametrize("told", ["queued", "sent"])
def test_what_is_steered_before_the_engine_is_up_is_shown_until_it_tells_of_it(told: str) -> None:
    play = Play(started=False)
    for words, key in (("first", "enter"), ("and this", "alt+s")):
        play.type(words)
        play.press(key)
    assert play.view.queue is not None and play.view.queue.items == ("first", "and this")
    play.feed(SessionStarted(session="s", cwd="/home/ada/work", model="fake/model"))
    play.begin("first")
    if told == "queued":
        play.feed(QueueChanged((Queued("1", "and this", steer=True),), session="s"))
    else:
        play.feed(SteerSeen("and this", session="s"))
    assert play.model.early == ()


WRITES = 'echo IN IT; read line; echo "saved there" > "$1"; echo SAVED; read line'


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_is_saved_in_an_editor_that_stays_open_is_the_draft(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    pty = begun(start(editor=WRITES))
    pty.type("my draft\x07")
    pty.until("IN IT")
    pty.type("\n")
    pty.until("SAVED")
    if number == signal.SIGKILL:
        until(pty, lambda: drafts(tmp_path)[-1:], ["saved there"])
    pty.signal(number)
    pty.wait()
    assert drafts(tmp_path)[-1:] == ["saved there"]
    start("-c").until("❯ saved there")


def test_an_editor_that_is_left_without_its_words_gives_the_draft_back(
    start: Start, tmp_path: Path
) -> None:
    pty = begun(start(editor=f"{WRITES}; exit 1"))
    pty.type("my draft\x07")
    pty.until("IN IT")
    pty.type("\n")
    until(pty, lambda: drafts(tmp_path)[-1:], ["saved there"])
    pty.type("\n")
    pty.until(lambda text: "your draft is unchanged" in text and "❯ my draft" in text)
    until(pty, lambda: drafts(tmp_path)[-1:], ["my draft"])
