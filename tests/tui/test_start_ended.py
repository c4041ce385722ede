"""A start that a signal ends: what was typed until then is on record, or in the prompt of the next
start here."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import termios
import time
import tty
from pathlib import Path

import pytest

from agent_tui.boot.private_lines import public_keys
from agent_tui.boot.terminal import Early
from agent_tui.settings.table import Settings
from agent_tui.tui.runtime import crash_draft, start
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.stage import PlayedEngine


def program(home: Path, *words: str) -> Pty:
    place = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }
    return Pty(
        ["-m", "agent_tui", "--demo", *words], {**place, "LC_ALL": "C.UTF-8", "TMUX": "", "STY": ""}
    )


def kept(home: Path, words: str) -> list[str]:
    """Where `words` are on the disk."""
    files = [
        *home.glob("sessions/*-????????????.jsonl"),
        *home.glob("typed/*"),
        *home.glob("history.jsonl"),
    ]
    return [file.parent.name for file in files if words in file.read_text("utf-8")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_prompt_sent_on_the_first_frame_survives_a_signal_at_any_moment(
    tmp_path: Path, number: signal.Signals
) -> None:
    for step in range(7):
        home = tmp_path / str(step)
        home.mkdir()
        pty = program(home)
        pty.until("starting")
        pty.type("mend the tests\r")
        pty.read(0.12 * step)  # not a wait for something: the moment of the signal
        pty.signal(number)
        assert pty.wait() == 128 + number
        assert kept(home, "mend the tests"), f"lost after {0.12 * step} s"
        assert pty.restored() == []
        pty.close()


def test_what_was_typed_at_an_ended_start_is_in_the_prompt_of_the_next_one_here(
    tmp_path: Path,
) -> None:
    (tmp_path / "first").mkdir()
    pty = program(tmp_path / "first")
    pty.until("starting")
    pty.type("mend teh\x17the tests\r\x1b[200~and\rthis\x1b[201~")
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    assert kept(tmp_path / "first", "tests") == ["typed"]
    assert (tmp_path / "first" / "typed").stat().st_mode & 0o777 == 0o700
    pty.close()

    for step in range(8):
        home = tmp_path / str(step)
        shutil.copytree(tmp_path / "first", home)
        pty = program(home)
        pty.until(lambda text: "❯ mend the tests" in text and "not sent" in text)
        pty.until("this")
        pty.read(0.1 * step)  # not a wait for something: the moment of the signal
        pty.signal(signal.SIGTERM)  # again, now with a session, or with one that begins
        pty.wait()
        pty.close()
        assert kept(home, "the tests") in (["sessions"], ["typed"]), (
            f"{0.1 * step} s"
        )  # once, wherever


def test_where_there_is_no_session_to_continue_it_is_said_how_the_words_come_back(
    tmp_path: Path,
) -> None:
    pty = program(tmp_path)
    pty.until("starting")
    pty.type("mend the tests")
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    assert kept(tmp_path, "mend") == ["typed"]
    pty.close()

    pty = program(tmp_path, "-c")
    assert pty.wait() == 2
    assert b"your words are kept: `agent-tui` brings them back" in pty.raw
    pty.close()
    assert kept(tmp_path, "mend") == ["typed"]

    pty = program(tmp_path)
    pty.until(lambda text: "❯ mend the tests" in text and "not sent" in text)
    pty.close()


def test_an_interrupt_by_key_keeps_the_words_for_the_next_start(tmp_path: Path) -> None:
    pty = program(tmp_path)
    pty.until("starting")
    pty.type("my words\x03")
    assert pty.wait() == 128 + signal.SIGINT
    pty.close()
    assert kept(tmp_path, "my words") == ["typed"]
    again = program(tmp_path)
    again.until("❯ my words")
    again.close()


def test_an_interrupt_by_key_without_words_keeps_nothing(tmp_path: Path) -> None:
    pty = program(tmp_path)
    pty.until("starting")
    pty.type("\r\x03")
    assert pty.wait() == 128 + signal.SIGINT
    assert not (tmp_path / "typed").exists()
    pty.close()


@pytest.mark.parametrize("cut", [0, 3, 9, 10])
def test_an_interrupt_in_what_is_pasted_at_the_start_is_text(tmp_path: Path, cut: int) -> None:
    pty, paste = program(tmp_path), "\x1b[200~one\x03 two\x1b[201~"
    pty.until("starting")
    pty.type(paste[:cut])
    pty.read(0.2 if cut else 0.0)
    pty.type(paste[cut:])
    pty.until(lambda text: "❯ one" in text and "two" in text and "starting" not in text)
    pty.type("x")
    pty.until("twox")
    pty.close()


def test_an_interrupt_by_key_ends_a_start_that_nothing_is_kept_of(tmp_path: Path) -> None:
    pty = program(tmp_path, "--otr")
    pty.until("starting")
    pty.type("\x1b[200~pasted\x1b[201~no\x03")
    assert pty.wait() == 128 + signal.SIGINT
    assert not (tmp_path / "typed").exists()
    pty.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("flag", ["--otr", "--o"])
def test_a_signal_at_a_start_off_the_record_leaves_nothing_on_the_disk(
    tmp_path: Path, flag: str, number: signal.Signals
) -> None:
    for step in range(4):
        home = tmp_path / str(step)
        home.mkdir()
        pty = program(home, flag)
        pty.until("starting")
        pty.type("my secret")
        pty.read(0.15 * step)  # not a wait for something: the moment of the signal
        pty.signal(number)
        assert pty.wait() == 128 + number
        assert not (home / "typed").exists() and kept(home, "my secret") == []
        pty.close()


def test_words_that_an_earlier_start_kept_stay_there_off_the_record(tmp_path: Path) -> None:
    pty = program(tmp_path)
    pty.until("starting")
    pty.type("mend the tests\r")
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    pty.close()
    pty = program(tmp_path, "--otr")
    pty.until("off the record")
    pty.type("hidden")
    pty.until("hidden")
    pty.signal(signal.SIGTERM)
    pty.wait()
    assert kept(tmp_path, "mend the tests") == ["typed"] and kept(tmp_path, "hidden") == []
    pty.close()


def test_a_screen_that_prepares_the_terminal_itself_writes_nothing_off_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start in the background of the shell, to which the terminal came only later."""
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path))
    early = Early(0, [])
    early.typed = b"my secret"

    def ended(*_: object, **__: object) -> None:
        early.keep_typed(signal.SIGTERM)
        raise SystemExit

    monkeypatch.setattr("agent_tui.boot.terminal.take_terminal", lambda: early)
    monkeypatch.setattr(start, "AgentApp", ended)
    with pytest.raises(SystemExit):
        start.run(PlayedEngine(), Settings(), history=None, cwd=tmp_path)
    assert not (tmp_path / "typed").exists()


def test_what_was_typed_elsewhere_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    environment = {"AGENT_TUI_HOME": str(tmp_path)}
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path))
    for folder, keys in ((here, b"one\r"), (there, b"two\r"), (here, b"three\r")):
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        early = Early(0, [])
        early.typed = keys
        early.keep_typed(signal.SIGTERM)
    found = crash_draft.waiting_drafts(environment)
    assert crash_draft.text(found) == "one\nthree"
    crash_draft.forget(found)
    monkeypatch.chdir(there)
    assert crash_draft.text(crash_draft.waiting_drafts(environment)) == "two"
    crash_draft.forget(crash_draft.waiting_drafts(environment))
    assert not (tmp_path / "typed").exists()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (b"a\rb\n", "a\nb"),
        (b"\x1b[200~cut off", "cut off"),
        (b"abc\x7f\x7fd", "ad"),
        (b"a b\x17c", "a c"),
        (b"ab\x15c", "c"),
        (b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?2026;2$yx\x1b[A", "x"),
        ("h\u00e9\u6f22".encode(), "h\u00e9\u6f22"),
        (b"\x1b[200~p\x1b[Aq\x1b[201~", "p\x1b[Aq"),
        (b"\xff", "\ufffd"),
        (b"\x1b[13u", ""),
    ],
)
def test_keys_come_to_the_text_that_they_make(keys: bytes, words: str) -> None:
    assert crash_draft.words_of(keys) == words


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("paste", ["\x1b[200~wordzero\rand more", "wordzero\rand more\rof it"])
def test_a_paste_whose_end_has_not_come_is_in_the_draft_of_a_session_that_a_signal_ends(
    tmp_path: Path, number: signal.Signals, paste: str
) -> None:
    pty = program(tmp_path)
    pty.until("for a tour of the program")
    pty.type("hello\r")
    pty.until("completed")
    pty.type("before ")
    pty.until("before")
    pty.type(paste)
    pty.signal(number)
    assert pty.wait() == 128 + number
    pty.close()
    assert kept(tmp_path, "before wordzero") == ["sessions"]
    assert kept(tmp_path, "and more") == ["sessions"]


def test_a_line_that_drops_in_a_paste_keeps_what_has_come(tmp_path: Path) -> None:
    pty = program(tmp_path)
    pty.until("for a tour of the program")
    pty.type("hello\r")
    pty.until("completed")
    pty.type("\x1b[200~wordzero")
    pty.read(0.2)  # it has arrived: what the kernel holds goes with the terminal
    pty.hang_up()
    end = time.monotonic() + 15
    while pty.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert pty.code == 128 + signal.SIGHUP
    assert kept(tmp_path, "wordzero") == ["sessions"]


@pytest.mark.parametrize(
    ("reads", "typed"),
    [
        ((b"\x1b", b"!!pw"), b"\x1b[27u!!pw"),
        ((b"ab\x1b", b"/undo"), b"ab\x1b[27u/undo"),
        ((b"\x1b", b"[A"), b"\x1b[A"),
        ((b"\x1b[A", b"x"), b"\x1b[Ax"),
        ((b"\x1bx",), b"\x1bx"),
    ],
)
def test_an_esc_that_nothing_followed_for_a_while_is_no_alt(
    reads: tuple[bytes, ...], typed: bytes
) -> None:
    """What was typed before the screen reads keys is fed at once, without its pauses."""
    ours, theirs = pty.openpty()
    try:
        tty.setraw(theirs)
        early = Early(theirs, termios.tcgetattr(theirs))
        for data in reads:
            os.write(ours, data)
            early.take_waiting(1.0)
        assert early.unread == early.typed == typed
        private = b"!!" in typed
        assert (public_keys(typed) == b"") is private
    finally:
        os.close(ours)
        os.close(theirs)
