"""Programs of ours: the running session played back, which has the terminal for a while, or written
to a file for a report, beside the screen. The engine goes on meanwhile."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final, Protocol

from agent_tui.protocol.ops import Resume
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.editor import Foreground
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.foreground_run import Beside, Chosen, bug_words, chosen_by
from agent_tui.tui.runtime.recording import Taping

END: Final = "1e9"
"""Seconds: behind the last moment."""


class Screen(Protocol):
    """What it needs of the app."""

    foreground: Foreground | None
    beside: Beside | None
    taping: Taping
    link: Link
    model: Model

    def hand_over(self) -> AbstractContextManager[None]: ...
    def repaint(self) -> None: ...
    def ending(self) -> bool: ...


def look_back(screen: Screen) -> str:
    """Show the recording of the session until the person leaves it; a fork that was made there is
    opened. Returns why that could not be done, if so."""
    session = screen.model.transcript.session
    if not session or screen.foreground is None:
        return "there is no session to replay yet"
    if screen.taping.record is None:
        return "this session is not recorded (sessions.record)"
    fork, problem = _on_terminal(screen, ["replay", session, "--speed", "0", "--at", END])
    if fork and screen.model.busy:
        return f"a turn is running: open the fork with /resume {fork[:8]} once it is over"
    if fork:
        screen.link.send(Resume(fork))
    return problem


def begin_report(screen: Screen) -> Chosen | None:
    """Begin to write the session to a file in its folder, beside the screen. None: there is nothing
    in it yet."""
    transcript = screen.model.transcript
    if not transcript.session or not transcript.turn or screen.beside is None:
        return None
    screen.taping.flush()
    screen.link.flush_draft()
    return Chosen(screen.beside, bug_words(transcript.session, transcript.cwd))


def _on_terminal(screen: Screen, words: list[str]) -> tuple[str, str]:
    assert screen.foreground is not None
    screen.taping.flush()
    # this loop stands still meanwhile; a copy of the log has the prompt as it is now
    screen.link.save_draft()
    run = screen.foreground

    def suspended(argv: list[str]) -> int:
        with screen.hand_over():
            return run(argv, screen.ending)

    try:
        return chosen_by(suspended, words)
    finally:
        screen.repaint()
