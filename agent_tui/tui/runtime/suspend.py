"""Leaving the screen for a while: for the person's own editor, or for the shell."""

from __future__ import annotations

import asyncio
import os
import time
from abc import abstractmethod
from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from textual.app import App

from agent_tui.boot.terminal import unechoed
from agent_tui.registry import late
from agent_tui.structures.terminal_facts import past_tmux
from agent_tui.structures.visible import pasteable
from agent_tui.tui.core import msg
from agent_tui.tui.core.effects import LookBack, WriteBug
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.editor import NO_EDITOR, no_shell
from agent_tui.tui.runtime.editor import Foreground as Foreground
from agent_tui.tui.runtime.editor import edited as edited
from agent_tui.tui.runtime.editor import editor as editor
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.recording import Taping
from agent_tui.tui.textual_port.canvas import Canvas
from agent_tui.tui.textual_port.terminal import Terminal

if TYPE_CHECKING:
    from agent_tui.tui.runtime.foreground_run import Beside, Chosen

_CHUNK: Final = 240
"""Bytes that are handed to GNU screen at a time: its buffer for one string was 256 for long, and is
768 now."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """What makes a terminal take `text` as its clipboard. Inside of tmux it is said twice: to tmux,
    and past it. GNU screen passes it on in pieces; to itself nothing is said, as it would show the
    rest of what is too long for it."""
    said = f"\x1b]52;c;{b2a_base64(text.encode('utf-8', 'replace'), newline=False).decode()}\a"
    term = environment.get("TERM", "")
    if environment.get("TMUX"):
        return said + past_tmux(said)
    if environment.get("STY") or term.startswith("screen."):
        return _through_screen(said)
    if term == "screen" or term.startswith(
        "screen-"
    ):  # from afar: GNU screen, or tmux, which drops what is for it
        return _through_screen(said) + said
    return said


def _through_screen(said: str) -> str:
    return "".join(f"\x1bP{said[at : at + _CHUNK]}\x1b\\" for at in range(0, len(said), _CHUNK))


class CopyingApp(App[int], inherit_bindings=False):
    """All copies go one way, the prompt's own too: to the terminal, and to `copied`."""

    def copy_to_clipboard(self, text: str) -> None:
        text = pasteable(text)
        if not text:
            return
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(osc52(text, os.environ))
        self.copied(text)

    @abstractmethod
    def copied(self, text: str) -> None:
        """The terminal was told."""

    def take_mouse(self, taken: bool) -> None:
        """Whether clicks come to us or to the terminal."""
        if isinstance(self._driver, Terminal):
            self._driver.take_mouse(taken)


with late():
    from agent_tui.tui.runtime import foreground_run


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
        """Like `suspend`, for a program of ours that brings its own screen: until that is there,
        and from its end to ours, what is typed waits and is not shown."""
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
        """Give the terminal to the person's editor until it is left. The draft is on record before."""
        self.link.save_draft()
        argv, run = editor(os.environ), self.foreground
        if not argv or run is None:
            self.dispatch(msg.DraftEdited(at=time.time(), text=text, problem=NO_EDITOR))
            return
        with self.suspend():
            left, problem = edited(argv, text, run, self.ending, self._saved_outside)
        self.repaint()
        self._saved_outside(left)  # as it was given, where that is what holds again
        if problem:
            self.dispatch(msg.DraftEdited(at=time.time(), text=left, problem=problem))

    def _saved_outside(self, text: str) -> None:
        """What is saved in the editor is the draft at once: whatever ends the program then, it is
        there."""
        self.dispatch(msg.DraftEdited(at=time.time(), text=text))
        self.link.save_draft()

    def run_own(self, effect: LookBack | WriteBug) -> str:
        """Run a program of ours, on the terminal or beside the screen; why that could not be done,
        if so."""
        if isinstance(effect, LookBack):
            return foreground_run.look_back(self)
        if (report := foreground_run.begin_report(self)) is None:
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
        self.link.save_draft()
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
