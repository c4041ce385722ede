"""Another run of this program, which leaves a word about what came of it: the running session
played back, which has the terminal for a while, or written to a file for a report, beside the
screen. The engine goes on meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from agent_tui.temporary import PrivateFolder
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.editor import Foreground
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.recording import Taping


def bug_words(session: str, cwd: str) -> list[str]:
    """How the program for it is called: it writes to a new file in `cwd`."""
    names = (
        f"agent-tui-bug-{session[:8]}{more}.zip"
        for more in ("", *(f"-{number}" for number in range(2, 1000)))
    )
    path = next(
        (path for path in (Path(cwd) / name for name in names) if not path.exists()),
        Path(cwd) / "bug.zip",
    )
    return ["bug", session, "--output", str(path)]


_MAIN: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from agent_tui.__main__ import main; main()"
)


def _argv(words: Sequence[str]) -> list[str]:
    """This program with `words`. Never by `python -m`, which looks for every module in the current
    folder first: a project could bring one."""
    root = Path(__file__).resolve().parents[3]
    return [sys.executable, "-P", "-c", _MAIN, str(root), *words]


Beside = Callable[[Sequence[str]], Callable[[], int | None]]
"""How a program is started that needs no terminal; what comes back tells its exit code once there
is one."""


class Chosen:
    """Another run of this program beside this one, and the word that it leaves. Raises OSError."""

    def __init__(self, start: Beside, words: Sequence[str]) -> None:
        self._folder = PrivateFolder()  # nobody else may look into it
        self._chosen, self._name = self._folder.path / "chosen", words[0]
        self._chosen.touch(0o600)
        self._code = start(_argv([*words, "--chosen", str(self._chosen)]))

    def read(self) -> tuple[str, str] | None:
        """What was made and what went wrong, once it has ended."""
        if (code := self._code()) is None:
            return None
        said = self._chosen.read_text("utf-8").strip()
        self._folder.cleanup()
        return said, f"{self._name} ended with exit code {code}" if code else ""


def chosen_by(run: Callable[[list[str]], int], words: list[str]) -> tuple[str, str]:
    """Run this program with `words`; what it says was chosen or made there, and what went wrong, if
    something did."""
    with PrivateFolder() as folder:  # nobody else may look into it
        chosen = Path(folder) / "chosen"
        chosen.touch(0o600)
        try:
            code = run(_argv([*words, "--chosen", str(chosen)]))
        except (OSError, ValueError) as error:
            return "", f"{words[0]} cannot be started: {error}"
        said = chosen.read_text("utf-8").strip()
    return said, f"{words[0]} ended with exit code {code}" if code else ""


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
    def dispatch(self, *messages: msg.Msg) -> None: ...
    def repaint(self) -> None: ...
    def ending(self) -> bool: ...


def look_back(screen: Screen) -> str:
    """Show the recording of the session until the person leaves it; of a fork that was made there
    the core hears. Returns why that could not be done, if so."""
    session = screen.model.transcript.session
    if not session or screen.foreground is None:
        return "there is no session to replay yet"
    if screen.taping.record is None:
        return "this session is not recorded (sessions.record)"
    fork, problem = _on_terminal(screen, ["replay", session, "--speed", "0", "--at", END])
    if fork:
        screen.dispatch(msg.ForkMade(fork, at=time.time()))
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
