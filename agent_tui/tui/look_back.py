"""The running session, played back on its own terminal by a program of its own, while the engine goes on."""

from __future__ import annotations

import sys
import tempfile
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
    session, run = screen.model.transcript.session, screen.foreground
    if not session or run is None:
        return "there is no session to look back at yet"
    if not screen.taping.on:
        return "this session is not recorded (sessions.record)"
    screen.taping.flush()
    with tempfile.TemporaryDirectory(prefix="agent-tui-") as folder:  # nobody else may look into it
        chosen = Path(folder) / "session"
        chosen.touch(0o600)
        argv = [sys.executable, "-m", "agent_tui", "replay", session, "--speed", "0", "--at", END]
        try:
            with screen.suspend():
                code = run([*argv, "--chosen", str(chosen)], screen.ending)
        except (OSError, ValueError) as error:
            return f"the replay cannot be started: {error}"
        finally:
            screen.repaint()
        fork = chosen.read_text("utf-8").strip()
    if fork and screen.model.running:
        return f"a turn is running: open the fork with /resume {fork[:8]} once it is over"
    if fork:
        screen.link.send(Resume(fork))
    return f"the replay ended with exit code {code}" if code else ""
