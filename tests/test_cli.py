"""The command line as it is typed: in any order, with anything in it, and interrupted at any
moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.boot import terminal
from agent_tui.settings.schema import flag_keys
from tests.tui.pty_stage import ROOT, Pty

EVIL = "\x1b[2J\x1b]0;title\x07\x9b31mred\r\nsecond line"


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "agent_tui", *words]
    return subprocess.run(
        argv, env=environment(home), cwd=home, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--mode", EVIL],
        ["--cwd", EVIL],
        ["-r", EVIL],
        [f"--{EVIL}"],
        ["-m", EVIL, "--mode", EVIL],
        ["x", EVIL],
        ["run", "hi", "--mode", EVIL],
        ["run", "hi", "--cwd", EVIL],
        ["run", "hi", "-r", EVIL],
        ["run", "hi", EVIL],
        ["run", "hi", "--output", EVIL],
        ["run", "hi", "--max-steps", EVIL],
        ["run", "hi", f"--{EVIL}"],
        ["run", "hi", "-m", EVIL],
        ["chat", "--mode", EVIL],
        ["chat", "x", EVIL],
        ["config", EVIL],
        ["config", "get", EVIL],
        ["config", "set", EVIL, "x"],
        ["config", "set", "mode", EVIL],
        ["config", "show", "--cwd", EVIL],
        ["config", "unset", EVIL],
        ["config", "set", "keys." + EVIL, "x"],
    ],
)
def test_the_words_of_the_command_line_reach_the_terminal_as_text(
    tmp_path: Path, words: list[str]
) -> None:
    done = run(tmp_path, *words)
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2) and said.startswith("agent-tui")
    assert said.count("\n") == 1 and all(
        character.isprintable() or character == "\n" for character in said
    ), said


def test_what_the_screen_refuses_reaches_the_terminal_as_text(tmp_path: Path) -> None:
    for words in (["--mode", EVIL], ["--cwd", EVIL], [f"--{EVIL.split()[0]}"]):
        pty = Pty(["-m", "agent_tui", *words], environment(tmp_path))
        assert pty.wait() == 2
        after = pty.raw.rpartition(b"\x1b[?25h")[2].decode()
        assert "\x1b" not in after and "\x9b" not in after and "\x07" not in after
        assert "␛[2J␛]0;title␇" in after.replace("\r\n", "")
        assert pty.restored() == []
        pty.close()


@pytest.mark.parametrize(
    ("words", "name", "rest"),
    [
        ("-m x run hi", "run", "-m x hi"),
        ("--model x run hi", "run", "--model x hi"),
        ("-mx run hi", "run", "-mx hi"),
        ("--model=x run hi", "run", "--model=x hi"),
        ("--cwd d -m x chat", "chat", "--cwd d -m x"),
        ("-c run hi", "run", "-c hi"),
        ("-cm x run hi", "run", "-cm x hi"),
        ("-r run", "run", "-r"),
        ("-r f1b36 run hi", "run", "-r f1b36 hi"),
        ("-cr f1b36 run hi", "run", "-cr f1b36 hi"),
        ("--resume f1b36 run hi", "run", "--resume f1b36 hi"),
        ("--resume=f1b36 run hi", "run", "--resume=f1b36 hi"),
        ("--resume f1b36 -m x chat", "chat", "--resume f1b36 -m x"),
        ("-r f1b36 hi run", "", "-r f1b36 hi run"),
        ("-r -c run hi", "run", "-r -c hi"),
        ("--timeout 3 run hi -m x", "run", "--timeout 3 hi -m x"),
        ("run hi -m x", "run", "hi -m x"),
        ("-m run hi", "", "-m run hi"),
        ("hi run", "", "hi run"),
        ("-- run", "", "-- run"),
        ("", "", ""),
        ("--cwd d config", "config", "show --cwd d"),
        ("--cwd d config get mode", "config", "get mode --cwd d"),
        ("config", "config", ""),
        ("chat -m x", "chat", "-m x"),
        ("--demo chat", "chat", "--demo"),
    ],
)
def test_flags_may_come_before_the_command(words: str, name: str, rest: str) -> None:
    assert terminal.command(words.split()) == (name, rest.split())
    assert terminal.wants_screen(words.split()) is (name == "")


def test_every_flag_with_a_value_may_come_before_the_command() -> None:
    for flag in flag_keys().values():
        words = [flag.name, "1"] if flag.metavar else [flag.name]
        assert terminal.command([*words, "run", "hi"]) == ("run", [*words, "hi"])


def test_a_command_after_a_flag_runs(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps([[{"text": "Hello."}]]))
    assert run(tmp_path, "-m", "scripted/s.json", "run", "hi").stdout == "Hello.\n"
    assert run(tmp_path, "--cwd", str(tmp_path), "config", "get", "mode").stdout == "auto\n"
    assert run(tmp_path, "run", "two", "words").stderr.count("quotes") == 1


def interrupted(process: subprocess.Popen[str], pauses: tuple[float, ...]) -> int:
    """The exit code after Ctrl+C, again and again."""
    for pause in pauses:
        time.sleep(pause)  # the moments of the keys
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    return process.wait(30)


SIGNALS = [(0.0, 0.0, 0.0, 0.1, 0.1), (0.0, 0.05, 0.05, 0.05), (0.3, 0.01, 0.01, 0.3), (0.3,)]
"""Pauses before each. Signals that come at once may be delivered as one, and count as one key."""


@pytest.mark.parametrize("pauses", SIGNALS)
@pytest.mark.parametrize("command", ["run", "chat"])
def test_any_number_of_interrupts_ends_with_130(
    tmp_path: Path, command: str, pauses: tuple[float, ...]
) -> None:
    call = {
        "call": "run_shell_command",
        "arguments": {"command": "trap '' TERM; echo > on; sleep 99"},
    }
    (tmp_path / "s.json").write_text(json.dumps([[{"text": "a"}, call]]))
    argv = [
        sys.executable,
        "-m",
        "agent_tui",
        command,
        "go",
        "-m",
        "scripted/s.json",
        "--mode",
        "accept-all",
    ]
    process = subprocess.Popen(
        argv,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "on").exists() and process.poll() is None:
        time.sleep(0.01)
    assert process.stdin is not None and process.stderr is not None
    if len(pauses) == 1:
        process.stdin.close()
    code = interrupted(process, pauses)
    assert "Traceback" not in (said := process.stderr.read()), said
    assert code == 130
    process.stderr.close()
    process.stdin.close()


def test_an_interrupt_while_the_program_starts_ends_with_130(tmp_path: Path) -> None:
    for step in range(6):
        argv = [sys.executable, "-m", "agent_tui", "run", "go", "-m", "demo/tour"]
        process = subprocess.Popen(
            argv, cwd=tmp_path, env=environment(tmp_path), stdout=-3, stderr=-3, text=True
        )
        assert interrupted(process, (0.15 + 0.06 * step, 0.0, 0.0)) in (130, 0, -signal.SIGINT)


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.1, 0.3])
def test_interrupts_while_the_screen_closes_end_with_130(tmp_path: Path, gap: float) -> None:
    pty = Pty(["-m", "agent_tui", "--demo"], environment(tmp_path))
    pty.until("Enter send")
    pty.until(lambda text: "demo" in text)
    pty.type("\x03")
    pty.until("again")
    pty.type("\x03")
    for _ in range(3):
        pty.read(gap)
        if pty.poll() is None:
            pty.signal(signal.SIGINT)
    assert pty.wait() in (0, 130)
    assert pty.restored() == []
    assert b"Traceback" not in pty.raw
    pty.close()
