"""Leaving the screen for a while: for the person's own editor, or for the shell."""

from __future__ import annotations

import asyncio
import os
import time
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from agent_tui.boot import unechoed
from agent_tui.registry import late
from agent_tui.tui import msg
from agent_tui.tui.canvas import Canvas
from agent_tui.tui.clipboard import CopyingApp
from agent_tui.tui.effects import LookBack, WriteBug
from agent_tui.tui.link import Link
from agent_tui.tui.model import Model
from agent_tui.tui.own_editor import NO_EDITOR, no_shell
from agent_tui.tui.own_editor import Foreground as Foreground
from agent_tui.tui.own_editor import edited as edited
from agent_tui.tui.own_editor import editor as editor
from agent_tui.tui.taping import Taping
from agent_tui.tui.terminal import Terminal

if TYPE_CHECKING:
    from agent_tui.tui.own_program import Beside, Chosen

with late():
    from agent_tui.tui import look_back as past


REPORT_SECONDS: Final = 0.2
"""So often it is looked whether a report is written."""


class Outside(CopyingApp, inherit_bindings=False):
    """What the app does outside of its screen. `foreground`: how a program is run on the terminal."""

    foreground: Foreground | None = None
    beside: Beside | None = None
    link: Link
    model: Model
    taping: Taping

    @abstractmethod
    def dispatch(self, *messages: msg.Msg) -> None:
        """Hand these to the core."""

    @contextmanager
    def hand_over(self) -> Iterator[None]:
        """Like `suspend`, for a program of ours that brings its own screen: until that is there, and from its end to
        ours, what is typed waits and is not shown."""
        driver = self._driver if isinstance(self._driver, Terminal) else None
        before = driver.attrs_before if driver is not None else None
        if driver is not None and before is not None:
            driver.attrs_before = unechoed(before)
        try:
            with self.suspend():
                yield
        finally:
            if driver is not None and before is not None:
                driver.attrs_before = before

    def edit_outside(self, text: str) -> None:
        """Give the terminal to the person's editor until it is left."""
        argv, run = editor(os.environ), self.foreground
        if not argv or run is None:
            self.dispatch(msg.DraftEdited(at=time.time(), text=text, problem=NO_EDITOR))
            return
        with self.suspend():
            left, problem = edited(argv, text, lambda words: run(words, self.ending))
        self.repaint()
        self.dispatch(msg.DraftEdited(at=time.time(), text=left, problem=problem))

    def run_own(self, effect: LookBack | WriteBug) -> str:
        """Run a program of ours, on the terminal or beside the screen; why that could not be done, if so."""
        if isinstance(effect, LookBack):
            return past.look_back(self)
        if (report := past.begin_report(self)) is None:
            return "this session has no prompt yet"
        self._await_report(report)
        return ""

    def _await_report(self, report: Chosen) -> None:
        if (ended := report.read()) is None:
            asyncio.get_running_loop().call_later(REPORT_SECONDS, self._await_report, report)
            return
        path, problem = ended
        self.dispatch(msg.BugWritten(at=time.time(), path=path, problem=problem))

    def suspend_to_shell(self) -> None:
        """Stop this program, and those that were started with it, until the shell says go on."""
        if problem := no_shell():
            self.dispatch(msg.EffectFailed(at=time.time(), text=problem))
            return
        if isinstance(self._driver, Terminal):
            self._driver.stop_job()

    def ending(self) -> bool:
        """A signal has ended the program: what has the terminal must give it back."""
        return isinstance(self._driver, Terminal) and self._driver.ending

    def on_driver_signal_resume(self) -> None:
        """The shell gave the terminal back."""
        self.repaint()

    def repaint(self) -> None:
        """The terminal shows nothing of ours any more."""
        if isinstance(canvas := self.screen._compositor, Canvas):
            canvas.shown = [{} for _ in canvas.shown]
        self.screen.refresh(layout=True)
