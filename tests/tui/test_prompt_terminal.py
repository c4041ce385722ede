"""The prompt in a real terminal: each encoding of its keys, the cursor at the caret, the editor,
the shell, a kill."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

READY = "Enter send"
Start = Callable[..., Pty]

ENTER = (
    b"\r",
    b"\x1b[13u",
    b"\x1b[13;1u",
    b"\x1b[13;1:1u",
    b"\x1b[27;1;13~",
    b"\x1bOM",
    b"\x13",
    b"\x1b[115;5u",
)
NEWLINE = (
    b"\n", b"\x1b[106;5u", b"\x1b[27;5;106~",  # Ctrl+J
    b"\x1b[13;2u", b"\x1b[13;2:1u", b"\x1b[27;2;13~",  # Shift+Enter
    b"\x1b\r", b"\x1b\n", b"\x1b[13;3u", b"\x1b[27;3;13~",  # Alt+Enter
    b"\x1b[13;5u", b"\x1b[27;5;13~",  # Ctrl+Enter
    b"\x1b[13;4u", b"\x1b[27;4;13~", b"\x1b[13;6u", b"\x1b[27;6;13~", b"\\\r",
)  # fmt: skip
ESCAPE = (b"\x1b", b"\x1b[27u", b"\x1b[27;1u", b"\x1b[27;1:1u", b"\x1b[27;1;27~")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program with an engine that answers prompts with their own words."""
    running: list[Pty] = []

    def starter(size: tuple[int, int] = (80, 24), argv: tuple[str, ...] = (), **env: str) -> Pty:
        place = {
            "OPS": str(tmp_path / "ops"),
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "ESCDELAY": "60",
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "VISUAL": "",
            "EDITOR": "",
        }
        pty = Pty(argv or ("-m", "tests.tui.screen_program"), {**place, **env}, size)
        running.append(pty)
        return pty

    yield starter
    for pty in running:
        pty.close()


def submits(tmp_path: Path) -> list[str]:
    ops = (tmp_path / "ops").read_text() if (tmp_path / "ops").exists() else ""
    return [eval(found) for found in re.findall(r"Submit\(.*?text=('.*?'|\".*?\"), queue_id", ops)]


def test_every_encoding_of_enter_sends(start: Start, tmp_path: Path) -> None:
    pty = start()
    pty.until(READY)
    for number, encoded in enumerate(ENTER):
        pty.type(f"prompt {number}".encode() + encoded)
        pty.until(f"You said: prompt {number}")
    assert submits(tmp_path) == [f"prompt {number}" for number in range(len(ENTER))]


def test_every_encoding_of_a_new_line_breaks_the_line(start: Start, tmp_path: Path) -> None:
    pty = start()
    pty.until(READY)
    for number, encoded in enumerate(NEWLINE):
        pty.type(b"above" + encoded)
        pty.read(0.2)  # two line ends at once would be a paste
        pty.type(f"below {number}\r")
        pty.until(f"below {number}")
        pty.until("Ask, or type")
    assert submits(tmp_path) == [f"above\nbelow {number}" for number in range(len(NEWLINE))]


@pytest.mark.parametrize("encoded", ESCAPE)
def test_every_encoding_of_escape_interrupts(start: Start, tmp_path: Path, encoded: bytes) -> None:
    pty = start()
    pty.until(READY)
    pty.type("wait\r")
    pty.until("Esc stop")
    pty.type(encoded)
    pty.until(lambda text: "Esc stop" not in text)
    assert (tmp_path / "ops").read_text().count("Cancel(") == 1


@pytest.mark.parametrize(
    ("keys", "line", "column"),
    [
        ("abc", "❯ abc", 8),
        ("abc\x1b[D", "❯ abc", 7),
        ("漢字", "❯ 漢字", 9),
        ("漢字\x1b[D", "❯ 漢字", 7),
        ("a\x1b\rbc", "bc", 7),
        ("é" * 3, "❯ ééé", 8),
        ("한국어", "❯ 한국어", 11),
        ("x" * 50, "x" * 15, 20),
        ("a\n" * 12 + "end", "end", 8),
        ("a\n" * 12 + "\x1b[A\x1b[A", "a", 5),
    ],
)
def test_the_real_cursor_stands_at_the_caret(
    start: Start, keys: str, line: str, column: int
) -> None:
    pty = start(size=(44, 20))
    pty.until("Ask, or type")
    pty.type(keys)
    pty.until(lambda _: (_line(pty), pty.emulator.cursor.x) == (line, column), 6)
    pty.read(0.3)
    assert (_line(pty), pty.emulator.cursor.x) == (line, column)


def _line(pty: Pty) -> str:
    """The line of the real cursor, without border and scroll bar."""
    return pty.emulator.display[pty.emulator.cursor.y].strip(" │▁▂▃▄▅▆▇█")


def test_the_real_cursor_stands_at_the_caret_while_a_question_is_open(start: Start) -> None:
    pty = start(size=(60, 24))
    pty.until(READY)
    pty.type("ask\r")
    pty.until("it runs")
    pty.type("x")  # is no answer: it goes to the prompt
    pty.until(lambda text: "❯ x" in text)
    pty.read(0.3)
    assert (_line(pty), pty.emulator.cursor.x) == ("❯ x", 6)


def script(tmp_path: Path, lines: str) -> str:
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o700)
    return str(path)


def test_the_editor_changes_the_draft_on_a_screen_of_its_own(start: Start, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    lines = f'ls -l "$1" > {kept}; stty -a >> {kept}; echo IN THE EDITOR; read line'
    lines += '; printf "%s\\nadded\\n" "$line" >> "$1"'
    pty = start(EDITOR=script(tmp_path, lines))
    pty.until(READY)
    pty.type("my draft\x07")
    pty.until("IN THE EDITOR")
    assert pty.restored() == []
    pty.clear()
    pty.type("typed there\n")
    pty.until(
        lambda text: (
            "added" in text
            and READY in text
            and "fake/echo" in text
            and "IN THE EDITOR" not in text
        )
    )
    pty.type(" and here\r")
    pty.until("You said: my draft")
    assert submits(tmp_path) == ["my drafttyped there\nadded and here"]
    assert kept.read_text().startswith("-rw-------")
    assert re.search(r"\S+\.md\n", kept.read_text())
    assert " icanon" in kept.read_text()
    pty.until("Ask, or type")
    pty.type("\x04")
    assert pty.wait() == 0
    assert pty.restored() == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('echo lost > "$1"; exit 3', "editor ended with exit code 3"),
        ('rm "$1"', "editor saved no file"),
        (': > "$1"', "editor saved an empty file"),
        ("kill -9 $$", "editor was ended by signal 9"),
    ],
)
def test_an_editor_that_fails_leaves_the_draft(
    start: Start, tmp_path: Path, lines: str, said: str
) -> None:
    pty = start(VISUAL=script(tmp_path, lines))
    pty.until(READY)
    pty.type("my draft\x07")
    pty.until(
        lambda text: said in text and "your draft is unchanged" in text and "❯ my draft" in text
    )


@pytest.mark.parametrize("named", ["/nowhere/editor", "'unclosed"])
def test_an_editor_that_cannot_be_started_leaves_the_draft(start: Start, named: str) -> None:
    pty = start(EDITOR=named)
    pty.until(READY)
    pty.type("my draft\x07")
    pty.until(lambda text: "cannot be started" in text and "❯ my draft" in text)


def test_without_any_editor_that_is_said(start: Start, tmp_path: Path) -> None:
    pty = start(PATH=str(tmp_path))
    pty.until(READY)
    pty.type("my draft\x07")
    pty.until(lambda text: "set VISUAL or EDITOR" in text and "❯ my draft" in text)


def test_a_signal_while_the_editor_is_open_ends_both(start: Start, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    waits = f"trap 'echo yes > {ended}; exit' TERM; echo IN IT; while :; do read line; done"
    pty = start(EDITOR=script(tmp_path, waits))
    pty.until(READY)
    pty.type("my draft\x07")
    pty.until("IN IT")
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    assert ended.exists()
    assert pty.restored() == []


def test_without_a_shell_there_is_nothing_to_go_back_to(start: Start) -> None:
    pty = start()
    pty.until(READY)
    pty.type("\x1a")
    pty.until("no shell to return to")
    pty.type("on\r")
    pty.until("You said: on")


SHELL = """
import contextlib, os, signal, sys
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execv(sys.executable, [sys.executable, "-m", "tests.tui.screen_program"])
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
with contextlib.suppress(PermissionError):  # the child did it itself and runs its program by now
    os.setpgid(child, child)
os.tcsetpgrp(0, child)
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    os.tcsetpgrp(0, os.getpgrp())
    print("IN THE SHELL", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.killpg(child, signal.SIGCONT)
"""
"""A shell with one job: what is stopped goes on after a line."""


def test_the_shell_gets_the_terminal_and_gives_it_back(start: Start, tmp_path: Path) -> None:
    pty = start(argv=("-c", SHELL))
    pty.until(READY)
    for number in range(2):
        pty.type(f"draft {number}\x1a")
        pty.until("IN THE SHELL")
        assert pty.restored() == []
        pty.clear()
        pty.type("fg\n")
        pty.until(lambda text: READY in text and "fake/echo" in text and "IN THE SHELL" not in text)
        pty.type(" goes on\r")
        pty.until(f"You said: draft {number} goes on")
    assert submits(tmp_path) == ["draft 0 goes on", "draft 1 goes on"]


def test_a_stop_out_of_order_is_survived(start: Start) -> None:
    """`kill -STOP` gives nobody time to give the terminal back; after `kill -CONT` it is set anew."""
    pty = start(argv=("-c", SHELL))
    pty.until(READY)
    pty.type("half")
    pty.until("❯ half")
    child = int(Path(f"/proc/{pty.pid}/task/{pty.pid}/children").read_text())
    os.kill(child, signal.SIGSTOP)
    pty.until("IN THE SHELL")
    pty.clear()
    pty.type("fg\n")
    pty.until(lambda text: "❯ half" in text and READY in text and "IN THE SHELL" not in text)
    pty.type(" way\r")
    pty.until("You said: half way")


def test_a_draft_is_on_disk_before_the_shell_has_the_terminal(start: Start) -> None:
    """Ctrl+Z right behind the words, and what is stopped is killed."""
    argv = ("-m", "agent_tui", "--demo")
    pty = start(argv=("-c", SHELL.replace('"tests.tui.screen_program"', '"agent_tui", "--demo"')))
    pty.until("for a tour of the program")
    pty.read(1.0)  # the session has all there is, and nothing is kept beside it
    pty.type("the last words\x1a")
    pty.until("IN THE SHELL")
    child = int(Path(f"/proc/{pty.pid}/task/{pty.pid}/children").read_text())
    os.kill(child, signal.SIGKILL)
    pty.type("fg\n")
    pty.wait()
    start(argv=(*argv, "--continue")).until("❯ the last words")


def test_a_draft_survives_a_kill_while_somebody_types_without_a_rest(start: Start) -> None:
    argv = ("-m", "agent_tui", "--demo")
    pty = start(argv=argv)
    pty.until("for a tour of the program")
    for number in range(40):
        pty.type(f"{number} ")
        pty.read(0.1)
    pty.signal(signal.SIGKILL)
    assert pty.wait() == -signal.SIGKILL
    assert "❯ 0 1 2 3" in start(argv=(*argv, "--continue")).until("❯ 0 1 2 3")


@pytest.mark.parametrize("pasted", [False, True])
def test_a_draft_survives_a_kill_within_a_second_of_its_last_key(
    start: Start, pasted: bool
) -> None:
    argv = ("-m", "agent_tui", "--demo")
    pty = start(argv=argv)
    pty.until("for a tour of the program")  # the engine has started
    text = "pasted\rlines of it" if pasted else "half a thought"
    pty.type(f"\x1b[200~{text}\x1b[201~" if pasted else text)
    pty.until(text.rpartition("\r")[2])
    pty.read(0.9)
    pty.signal(signal.SIGKILL)
    assert pty.wait() == -signal.SIGKILL
    again = start(argv=(*argv, "--continue"))
    shown = again.until(text.rpartition("\r")[2])
    assert all(line in shown for line in text.split("\r"))
