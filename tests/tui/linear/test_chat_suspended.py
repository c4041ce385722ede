"""Ctrl+Z in line mode, then `fg`: what was begun is neither lost, nor the shell's, nor an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.agent.driving import Place
from tests.tui.linear.talk import CREATE, Terminal, command, environment, place
from tests.tui.pty_stage import Pty

__all__ = ["place"]
SHELL = """
import contextlib, os, signal, sys, termios
mode = termios.tcgetattr(0)
if "--noflsh" in sys.argv:
    mode[3] |= termios.NOFLSH
    termios.tcsetattr(0, termios.TCSANOW, mode)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execv(sys.executable, [sys.executable, *sys.argv[sys.argv.index("--") + 1:]])
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
with contextlib.suppress(PermissionError):  # the child did it itself and runs its program by now
    os.setpgid(child, child)
os.tcsetpgrp(0, child)
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    termios.tcsetattr(0, termios.TCSADRAIN, mode)
    print("IN THE SHELL", flush=True)
    print(f"SHELL READ {sys.stdin.readline()!r}", flush=True)
    os.tcsetpgrp(0, child)
    os.killpg(child, signal.SIGCONT)
"""
"""A shell with one job, which has the terminal in its own mode while that is stopped."""
WAIT = {
    "call": "run_shell_command",
    "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"},
}


class Shell(Terminal):
    """`chat` as the job of a shell."""

    def __init__(self, place: Place, noflsh: bool, *arguments: str) -> None:
        names = dict.fromkeys(("NO_COLOR", "COLORTERM"), "")
        flags = ["--noflsh"] * noflsh
        argv = ["-c", SHELL, *flags, "--", *command(place, *arguments)]
        Pty.__init__(self, argv, {**names, **environment(place)}, (60, 24))
        self.heard = 0

    def suspend(self) -> None:
        self.type("\x1a")
        self.hear("IN THE SHELL")
        self.say("fg")
        self.hear("SHELL READ 'fg\\n'")
        self.read(0.3)


@contextmanager
def shell(place: Place, noflsh: bool, *arguments: str) -> Iterator[Shell]:
    opened = Shell(place, noflsh, *arguments)
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.parametrize("noflsh", [False, True])
def test_a_line_that_is_begun_at_the_prompt_goes_on(place: Place, noflsh: bool) -> None:
    said = place.script([{"text": "first done"}], [{"text": "second done"}])
    with shell(place, noflsh, "-m", said, "--mode", "accept-all") as it:
        it.hear("> ")
        it.type("half")
        it.read(0.3)
        it.suspend()
        it.say(" way")
        it.hear("first done")
        it.hear("> ")
        it.say("/history")
        it.hear("1: half way")


@pytest.mark.parametrize("noflsh", [False, True])
def test_a_line_that_is_begun_beside_a_turn_goes_on_and_answers_nothing(
    place: Place, noflsh: bool
) -> None:
    said = place.script([WAIT], [CREATE], [{"text": "made"}], [{"text": "more"}])
    with shell(place, noflsh, "-m", said) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(1.5)
        it.say("y")
        it.hear("Tool: ")
        it.type("y")
        it.read(0.3)
        it.suspend()
        (place.cwd / "go").touch()
        it.hear("Type y, a, e, n or m")
        time.sleep(2.0)
        it.type("\r")
        it.hear("You typed that before you could read the question. Type it again.")
        assert not (place.cwd / "new.txt").exists()
        it.say("y")
        it.hear("Assistant: made")
