"""Leaving the screen for a while: for the person's own editor, or for the shell."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.tui import msg
from agent_tui.tui.canvas import Canvas
from agent_tui.tui.clipboard import CopyingApp
from agent_tui.tui.terminal import Terminal

Foreground = Callable[[Sequence[str], Callable[[], bool]], int]
"""Runs a program on the terminal and returns its exit code; ends it once the second is true. Raises OSError."""
EDITORS: Final = ("nano", "vim", "vi", "emacs")
"""What is looked for where no editor is named."""


def editor(environment: Mapping[str, str]) -> list[str]:
    """The person's editor as words of a command; empty if there is none."""
    for name in ("VISUAL", "EDITOR"):
        if named := environment.get(name, "").strip():
            try:
                return shlex.split(named)
            except ValueError:  # a quote that does not end
                return named.split()
    found = (shutil.which(name, path=environment.get("PATH")) for name in EDITORS)
    return next(([path] for path in found if path), [])


def edited(argv: Sequence[str], text: str, run: Callable[[Sequence[str]], int]) -> tuple[str, str]:
    """`text` as the editor `argv` left it, or why it was not changed."""
    name = Path(argv[0]).name
    with tempfile.TemporaryDirectory(prefix="agent-tui-") as folder:  # nobody else may look into it
        file = Path(folder) / "prompt.md"
        file.touch(0o600)
        file.write_text(text, "utf-8", errors="replace")
        try:
            code = run([*argv, str(file)])
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return text, f"{name} cannot be started ({reason})"
        if code:
            return text, f"{name} ended with exit code {code}" if code > 0 else f"{name} was ended by signal {-code}"
        try:
            left = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:
            return text, f"{name} left no file"
    left = left if text.endswith("\n") else left.removesuffix("\n")  # most editors end a file with a line end
    return (left, "") if left.strip() or not text.strip() else (text, f"{name} left nothing")


class Outside(CopyingApp, inherit_bindings=False):
    """What the app does outside of its screen. `foreground`: how a program is run on the terminal."""

    foreground: Foreground | None = None

    def dispatch(self, *messages: msg.Msg) -> None:
        raise NotImplementedError

    def edit_outside(self, text: str) -> None:
        """Give the terminal to the person's editor until it is left."""
        argv, run = editor(os.environ), self.foreground
        if not argv or run is None:
            problem = "no editor was found: set VISUAL or EDITOR to one"
            self.dispatch(msg.DraftEdited(at=time.time(), text=text, problem=problem))
            return
        with self.suspend():
            left, problem = edited(argv, text, lambda words: run(words, self._ending))
        self.repaint()
        self.dispatch(msg.DraftEdited(at=time.time(), text=left, problem=problem))

    def suspend_to_shell(self) -> None:
        """Stop this program, and those that were started with it, until the shell says go on."""
        if os.getpgrp() == os.getsid(0):
            problem = "there is no shell to go back to: this terminal runs agent-tui alone"
            self.dispatch(msg.EffectFailed(at=time.time(), text=problem))
            return
        if isinstance(self._driver, Terminal):
            self._driver.stop_job()

    def _ending(self) -> bool:
        return isinstance(self._driver, Terminal) and self._driver.ending

    def on_driver_signal_resume(self) -> None:
        """The shell gave the terminal back."""
        self.repaint()

    def repaint(self) -> None:
        """The terminal shows nothing of ours any more."""
        if isinstance(canvas := self.screen._compositor, Canvas):
            canvas.shown = [{} for _ in canvas.shown]
        self.screen.refresh(layout=True)
