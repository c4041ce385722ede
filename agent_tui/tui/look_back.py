"""Programs of ours that have the terminal for a while: the running session played back, or written to a file for a
report. The engine goes on meanwhile."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from agent_tui.protocol.ops import Resume
from agent_tui.tui.link import Link
from agent_tui.tui.model import Model
from agent_tui.tui.own_editor import Foreground
from agent_tui.tui.taping import Taping

END: Final = "1e9"
"""Seconds: behind the last moment."""


class Screen(Protocol):
    """What it needs of the app."""

    foreground: Foreground | None
    taping: Taping
    link: Link
    model: Model

    def suspend(self) -> AbstractContextManager[None]: ...
    def repaint(self) -> None: ...
    def ending(self) -> bool: ...


def look_back(screen: Screen) -> str:
    """Show the recording of the session until the person leaves it; a fork that was made there is opened. Returns why
    that could not be done, if so."""
    session = screen.model.transcript.session
    if not session or screen.foreground is None:
        return "there is no session to look back at yet"
    if not screen.taping.on:
        return "this session is not recorded (sessions.record)"
    fork, problem = _on_terminal(screen, ["replay", session, "--speed", "0", "--at", END])
    if fork and screen.model.running:
        return f"a turn is running: open the fork with /resume {fork[:8]} once it is over"
    if fork:
        screen.link.send(Resume(fork))
    return problem


def report(screen: Screen) -> tuple[str, str]:
    """Write the session to a file in its folder; returns where it is, or why it is not there."""
    transcript = screen.model.transcript
    if not transcript.session or not transcript.turn or screen.foreground is None:
        return "", "nothing was asked in this session yet"
    return _on_terminal(screen, bug_words(transcript.session, transcript.cwd))


def bug_words(session: str, cwd: str) -> list[str]:
    """How the program for it is called: it writes to a new file in `cwd`."""
    names = (f"agent-tui-bug-{session[:8]}{more}.zip" for more in ("", *(f"-{number}" for number in range(2, 1000))))
    path = next((path for path in (Path(cwd) / name for name in names) if not path.exists()), Path(cwd) / "bug.zip")
    return ["bug", session, "--output", str(path)]


def _on_terminal(screen: Screen, words: list[str]) -> tuple[str, str]:
    assert screen.foreground is not None
    screen.taping.flush()
    run = screen.foreground

    def suspended(argv: list[str]) -> int:
        with screen.suspend():
            return run(argv, screen.ending)

    try:
        return chosen_by(suspended, words)
    finally:
        screen.repaint()


def chosen_by(run: Callable[[list[str]], int], words: list[str]) -> tuple[str, str]:
    """Run this program with `words`; what it says was chosen or made there, and what went wrong, if something did."""
    with tempfile.TemporaryDirectory(prefix="agent-tui-") as folder:  # nobody else may look into it
        chosen = Path(folder) / "chosen"
        chosen.touch(0o600)
        try:
            code = run([sys.executable, "-m", "agent_tui", *words, "--chosen", str(chosen)])
        except (OSError, ValueError) as error:
            return "", f"{words[0]} cannot be started: {error}"
        said = chosen.read_text("utf-8").strip()
    return said, f"{words[0]} ended with exit code {code}" if code else ""
