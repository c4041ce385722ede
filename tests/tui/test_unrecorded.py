"""What was typed and sent is on disk at every moment: in the session, or in a file while there is
none yet."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.draft import DRAFT_SECONDS as ENGINE_SECONDS
from agent_tui.protocol.events import (
    DraftSaved,
    QueueChanged,
    SessionStarted,
    TextDelta,
    TurnStarted,
)
from agent_tui.protocol.ops import Op, QueueEdit, SaveDraft, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips
from agent_tui.tui.runtime import crash_draft
from agent_tui.tui.runtime import engine_client as linked
from agent_tui.tui.runtime.engine_client import BEGIN_SECONDS, LONGEST_UNSAVED, Link
from agent_tui.tui.runtime.unrecorded import Unrecorded
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.stage import PlayedEngine

KILLS = int(os.environ.get("AGENT_TUI_START_KILLS", "6"))
SEED = int(os.environ.get("AGENT_TUI_SEED", "11"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path))
    return tmp_path


def on_disk(home: Path) -> list[str]:
    """What the next start would give back if this program were gone."""
    files = sorted((home / "typed").glob("[!.]*")) if (home / "typed").is_dir() else []
    return [crash_draft.words_of(file.read_bytes().partition(b"\0")[2]) for file in files]


def test_prompts_and_the_draft_lie_in_one_file_until_a_session_has_them(home: Path) -> None:
    kept = Unrecorded()
    assert not kept.note(SaveDraft("one"))
    assert kept.note(Submit("one"))
    kept.keep()
    assert on_disk(home) == ["one"], "what was sent is no draft any more"
    assert crash_draft.waiting_drafts(os.environ) == [], "its program lives"
    assert kept.note(QueueEdit("add", text="two\nlines \x1b[201~"))
    chip = chips.paste_chip(1, "all of it")
    kept.note(SaveDraft(f"and {chip.label}", (chip,)))
    kept.keep()
    assert on_disk(home) == ["one\ntwo\nlines \nand all of it"]
    kept.hear(SessionStarted(session="s"))
    kept.hear(TurnStarted(prompt="one", turn=1))
    kept.hear(QueueChanged((Queued("1", "two\nlines \x1b[201~"),)))
    assert on_disk(home) and not kept.is_over, "the draft is not there yet"
    kept.hear(DraftSaved(f"and {chip.label}"))
    assert kept.is_over and not (home / "typed").exists()


def test_a_prompt_that_has_run_is_not_given_back_beside_what_was_typed_since(home: Path) -> None:
    kept = Unrecorded()
    kept.note(Submit("pay once"))
    kept.keep()
    kept.note(SaveDraft("and n"))
    kept.hear(SessionStarted(session="s"))
    kept.hear(TurnStarted(prompt="pay once", turn=1))
    assert on_disk(home) == ["and n"]
    kept.note(SaveDraft(""))
    kept.note(Submit("later"))
    kept.keep()
    kept.hear(QueueChanged((Queued("1", "later"),)))
    assert on_disk(home) == [] and kept.is_over


def test_what_the_engine_has_on_record_is_not_kept_until_it_can_be_shown(home: Path) -> None:
    engine = PlayedEngine()
    link = Link(engine, lambda: None)  # type: ignore[arg-type]
    link.send(Submit("pay once"))
    link.send(Submit("pay once"))
    began = (SessionStarted(session="s"), TurnStarted(prompt="pay once", turn=1))
    for event in (*began, TextDelta("paid")):
        engine.events.put(event)
    link.overhear()
    assert on_disk(home) == ["pay once"], "the second one has not run"
    taken = link.take()
    assert [type(event) for event in taken] == [SessionStarted, TurnStarted, TextDelta]
    assert on_disk(home) == ["pay once"], "no event counts twice"


def test_a_program_that_is_gone_leaves_them_to_the_next_start(home: Path) -> None:
    kept = Unrecorded()
    kept.note(Submit("lost?"))
    kept.keep()
    os.close(kept._fd)  # as a kill does
    files = crash_draft.waiting_drafts(os.environ)
    assert crash_draft.text(files) == "lost?"
    after = Unrecorded()
    after.note(SaveDraft("lost?"))
    after.take_over(files)
    assert on_disk(home) == ["lost?"]


def test_nothing_is_kept_off_the_record_and_an_emptied_draft_leaves_no_file(home: Path) -> None:
    hidden, kept = Unrecorded(on=False), Unrecorded()
    assert not hidden.note(Submit("secret"))
    hidden.keep()
    kept.note(SaveDraft("a"))
    kept.keep()
    assert on_disk(home) == ["a"]
    kept.note(SaveDraft(""))
    kept.keep()
    assert not (home / "typed").exists()


def test_a_folder_that_cannot_be_written_is_told_once(home: Path) -> None:
    (home / "typed").write_text("no folder")
    kept = Unrecorded()
    kept.note(Submit("one"))
    kept.keep()
    assert str(home) in kept.take_problem() and kept.take_problem() == ""


class Clock:
    """A loop whose time goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.due: list[tuple[float, int, Callable[..., Any], tuple[Any, ...]]] = []
        self.count = 0

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[..., Any], *given: Any) -> Clock:
        self.count += 1
        self.due.append((self.now + seconds, self.count, call, given))
        return self

    def cancel(self) -> None:
        """No timer of a draft is ever cancelled while it is typed."""

    def go_to(self, then: float) -> None:
        while self.due and min(self.due)[0] <= then:
            first = min(self.due)
            self.due.remove(first)
            self.now = max(self.now, first[0])
            first[2](*first[3])
        self.now = then


class Told:
    """The place of an engine: what it was told."""

    def __init__(self) -> None:
        self.resting = False
        self.ops: list[Op] = []
        self.began = 0

    def start(self, _: Callable[[], None]) -> None:
        self.began += 1

    def send(self, op: Op) -> None:
        self.ops.append(op)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("gap", [0.02, 0.1, 0.29, 0.31, 0.7])
def test_no_key_is_unsaved_for_a_second_however_fast_somebody_types(
    home: Path, monkeypatch: pytest.MonkeyPatch, gap: float, begun: bool
) -> None:
    """With a clock of its own. What the engine was told is on disk after its own rest; before there
    is an engine, the file has it."""
    clock, engine = Clock(), Told()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: clock)
    link = Link(engine, lambda: None)  # type: ignore[arg-type]
    link.open(begun)
    if begun:
        link.unrecorded.hear(SessionStarted(session="s"))
        assert link.unrecorded.is_over
    times, text, writes, last = list[float](), "", 0, ""
    start = clock.now
    while clock.now - start < 6.0:
        text += "x"
        times.append(clock.now)
        link.key_came()
        link.send(SaveDraft(text))
        clock.go_to(clock.now + gap)
        told = [op.text for op in engine.ops if isinstance(op, SaveDraft)]
        saved = max((told[-1:] if begun else on_disk(home)) or [""], key=len)
        writes, last = writes + (saved != last), saved
        unsaved = times[len(saved) :]
        assert not unsaved or clock.now - unsaved[0] <= LONGEST_UNSAVED + gap
    assert LONGEST_UNSAVED + ENGINE_SECONDS < 1.0
    assert writes <= 6.0 / min(LONGEST_UNSAVED, max(gap, 0.3)) + 1, "not a write a key"
    if gap < linked.DRAFT_SECONDS:
        assert engine.began == 1 and BEGIN_SECONDS < 6.0, (
            "an engine begins beside somebody who never rests"
        )
    clock.go_to(clock.now + 1.0)
    assert [op.text for op in engine.ops if isinstance(op, SaveDraft)][-1] == text


def program(home: Path) -> Pty:
    place = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }
    return Pty(["-m", "agent_tui", "--demo"], {**place, "LC_ALL": "C.UTF-8", "TMUX": "", "STY": ""})


def test_a_prompt_that_left_the_box_survives_a_kill_at_any_moment_of_the_start(home: Path) -> None:
    print(f"seed {SEED}, {KILLS} kills")
    moments, seen = random.Random(SEED), {"typed": 0, "sessions": 0}
    for number in range(KILLS):
        place = home / str(number)
        place.mkdir()
        pty = program(place)
        pty.until("starting")
        pty.type("mend the tests\r")
        pty.until(lambda text: "❯ mend the tests" not in text and "mend the tests" in text)
        pty.read(
            moments.uniform(0.0, 1.2) if number % 2 else moments.uniform(0.0, 0.3)
        )  # the moment of the kill
        pty.close()
        logs = [log.read_text("utf-8") for log in place.glob("sessions/*-????????????.jsonl")]
        where = "sessions" if any("mend the tests" in log for log in logs) else "typed"
        assert where == "sessions" or on_disk(place) == ["mend the tests"], f"kill {number} lost it"
        seen[where] += 1
        if where == "typed":
            again = program(place)
            again.until(lambda text: "❯ mend the tests" in text)
            again.close()
    print(seen)


SLOW = """
import os, sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        while name == "textual" and not os.path.exists(os.environ["GATE"]):
            time.sleep(0.01)
sys.meta_path.insert(0, Slow())
"""
"""A start that waits for a file before Textual is imported."""


def slow_program(home: Path, *flags: str) -> Pty:
    (home / "sitecustomize.py").write_text(SLOW)
    place = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": f"{home}:{ROOT}",
        "TERM": "xterm-256color",
    }
    more = {"LC_ALL": "C.UTF-8", "TMUX": "", "STY": "", "GATE": str(home / "gate")}
    return Pty(["-m", "agent_tui", "--demo", *flags], {**place, **more})


def until_on_disk(home: Path, words: list[str], pty: Pty) -> None:
    deadline = time.monotonic() + 20.0
    while on_disk(home) != words:
        assert time.monotonic() < deadline, on_disk(home)
        pty.read(0.05)


def test_what_is_typed_before_the_screen_reads_keys_survives_a_kill(home: Path) -> None:
    pty = slow_program(home)
    pty.until("starting")
    pty.type("mend ")
    until_on_disk(home, ["mend"], pty)
    pty.type("the tests")
    until_on_disk(home, ["mend the tests"], pty)
    pty.close()
    (home / "gate").touch()
    again = slow_program(home)
    again.until("❯ mend the tests")
    again.close()


def test_what_was_read_before_the_screen_is_in_the_prompt_once_and_in_order(home: Path) -> None:
    pty = slow_program(home)
    pty.until("starting")
    pty.type("one")
    until_on_disk(home, ["one"], pty)
    pty.type(" two")
    (home / "gate").touch()
    pty.until("❯ one two")
    pty.type(" three\r")
    pty.until("completed")
    assert pty.text.count("one two three") == 2, "the prompt, and the answer that repeats it"
    pty.type("\x04")
    assert pty.wait() == 0
    pty.close()
    assert not (home / "typed").exists(), "a session has all of it"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_at_a_slow_start_keeps_what_was_typed_once_or_not_at_all(
    home: Path, number: signal.Signals
) -> None:
    pty = slow_program(home)
    pty.until("starting")
    pty.type("mend the tests")
    until_on_disk(home, ["mend the tests"], pty)
    pty.signal(number)
    assert pty.wait() == 128 + number
    pty.close()
    assert on_disk(home) == ["mend the tests"] * (number == signal.SIGTERM), (
        "an interrupt is the person's own"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_private_line_of_a_slow_start_is_in_no_file(home: Path, number: signal.Signals) -> None:
    pty = slow_program(home)
    pty.until("starting")
    pty.type("mend it\r!")
    until_on_disk(home, ["mend it\n!"], pty)
    pty.type("!curl -H token:HUSH x")
    until_on_disk(home, ["mend it"], pty)
    pty.type("HUSH\rand that")
    until_on_disk(home, ["mend it\nand that"], pty)
    pty.type("\r!!echo HUSH")
    pty.until("echo HUSH")
    pty.signal(number)
    pty.wait()
    pty.close()
    assert on_disk(home) == ["mend it\nand that"]
    assert not [path for path in home.rglob("*") if path.is_file() and b"HUSH" in path.read_bytes()]


def test_the_interrupt_key_at_a_slow_start_keeps_what_was_typed_once(home: Path) -> None:
    pty = slow_program(home)
    pty.until("starting")
    pty.type("mend the tests")
    until_on_disk(home, ["mend the tests"], pty)
    pty.type("\x03")
    assert pty.wait() == 128 + signal.SIGINT
    pty.close()
    assert on_disk(home) == ["mend the tests"]


def test_off_the_record_nothing_typed_at_a_start_is_on_disk(home: Path) -> None:
    pty = slow_program(home, "--otr")
    pty.until("starting")
    pty.type("hush")
    pty.read(1.5)  # three times the time after which it would be
    assert not (home / "typed").exists()
    (home / "gate").touch()
    pty.until("❯ hush")
    pty.close()


def test_the_farewell_is_said_in_an_encoding_that_knows_less(home: Path) -> None:
    (home / "s.json").write_text('[[{"text": "\\u6f22 \\u2192 done"}]]')
    place = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }
    env = {**place, "LC_ALL": "C.UTF-8", "TMUX": "", "STY": "", "PYTHONIOENCODING": "latin-1"}
    pty = Pty(["-m", "agent_tui", "-m", f"scripted/{home / 's.json'}", "--cwd", str(home)], env)
    pty.until("Enter send")
    pty.type("go\r")
    pty.until("done")
    pty.until("Enter send")
    pty.type("/quit\r")
    assert pty.wait() == 0
    assert b"--resume" in pty.raw and b"Traceback" not in pty.raw
    pty.close()


def test_words_that_are_nowhere_are_told_at_the_very_end(home: Path) -> None:
    kept = Unrecorded()
    kept.note(Submit("one"))
    kept.note(SaveDraft("two"))
    (home / "typed").write_text("no folder")
    words, why = kept.lost()
    assert words == "one\ntwo" and str(home) in why
    (home / "typed").unlink()
    assert kept.lost() == ("", "") and on_disk(home) == ["one\ntwo"], "the next start has them"
    kept.hear(SessionStarted(session="s"))
    kept.hear(TurnStarted(prompt="one", turn=1))
    kept.hear(DraftSaved("two"))
    assert kept.lost() == ("", "")
