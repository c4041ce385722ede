"""The terminal around the screen: its ground, its focus, its title, its clipboard; and leaving the
screen for a while, for the person's own editor or for the shell. The terminal is asked once the
first frame stands; one that never answers costs nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from abc import abstractmethod
from binascii import b2a_base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import App
from textual.theme import Theme as TextualTheme

from agent_tui.boot.frame import ground_file, typed_folder
from agent_tui.boot.terminal import without_echo
from agent_tui.paths import make_private
from agent_tui.registry import late
from agent_tui.structures import terminal_facts as facts
from agent_tui.structures.visible import pasteable
from agent_tui.tui.core import msg
from agent_tui.tui.core.effects import LookBack, OpenFile, WriteBug
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.editor import (
    NO_EDITOR,
    Foreground,
    edit_text,
    editor,
    no_shell,
    show_file,
)
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.recording import Taping
from agent_tui.tui.textual_port.canvas import Canvas
from agent_tui.tui.textual_port.key_parser import Ground
from agent_tui.tui.textual_port.terminal import Terminal
from agent_tui.tui.widgets.theme import Theme

if TYPE_CHECKING:
    from agent_tui.tui.runtime.foreground_run import Beside, Chosen

with late():
    from agent_tui.tui.dialog import answer_keys
    from agent_tui.tui.runtime import crash_draft, foreground_run


ASK_GROUND: Final = "\x1b]11;?\x1b\\"
SAY_SCHEME: Final = "\x1b[?2031h"
"""Tell, from now on, when light and dark change."""
NOTIFY: Final = {
    "osc9": "\x1b]9;{}\x1b\\",
    "osc99": "\x1b]99;;{}\x1b\\",
    "osc777": "\x1b]777;notify;agent-tui;{}\x1b\\",
}
REPORT_SECONDS: Final = 0.2
"""So often it is looked whether a report is written."""
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
        return said + facts.past_tmux(said)
    if environment.get("STY") or term.startswith("screen."):
        return _through_screen(said)
    if term == "screen" or term.startswith(
        "screen-"
    ):  # from afar: GNU screen, or tmux, which drops what is for it
        return _through_screen(said) + said
    return said


def _through_screen(said: str) -> str:
    return "".join(f"\x1bP{said[at : at + _CHUNK]}\x1b\\" for at in range(0, len(said), _CHUNK))


class Surroundings(App[int], inherit_bindings=False):
    """`foreground`: how a program is run on the terminal; `notifier`: the sequence for the desktop,
    or `auto`; `branch`: what is checked out in a folder."""

    foreground: Foreground | None = None
    beside: Beside | None = None
    branch: Callable[[str], str] = staticmethod(lambda _: "")
    notifier = "auto"
    link: Link
    model: Model
    taping: Taping
    palette: Theme
    _look: TextualTheme

    def copy_to_clipboard(self, text: str) -> None:
        """All copies go this way, the prompt's own too: to the terminal, and to `copied`."""
        text = pasteable(text)
        if not text:
            return
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(osc52(text, os.environ))
        self.on_copied(text)

    @abstractmethod
    def on_copied(self, text: str) -> None:
        """The terminal was told."""

    def take_mouse(self, taken: bool) -> None:
        """Whether clicks come to us or to the terminal."""
        if isinstance(self._driver, Terminal):
            self._driver.take_mouse(taken)

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
            driver.attrs_before = without_echo(before)
        try:
            with self.suspend():
                yield
        finally:
            if driver is not None and before is not None:
                driver.attrs_before = before

    def edit_outside(self, text: str) -> None:
        """Give the terminal to the person's editor until it is left. The draft is on record
        before."""
        self.link.save_draft()
        argv, run = editor(os.environ), self.foreground
        if not argv or run is None:
            self.dispatch(msg.DraftEdited(at=time.time(), text=text, problem=NO_EDITOR))
            return
        with self.suspend():
            left, problem = edit_text(argv, text, run, self.ending, self._saved_outside)
        self.repaint()
        self._saved_outside(left)  # as it was given, where that is what holds again
        if problem:
            self.dispatch(msg.DraftEdited(at=time.time(), text=left, problem=problem))

    def _open_outside(self, path: str, line: int) -> str:
        """Give the terminal to the person's editor, which shows the file."""
        self.link.save_draft()
        argv, run = editor(os.environ), self.foreground
        if not argv or run is None:
            return NO_EDITOR
        with self.suspend():
            problem = show_file(argv, path, line, run, self.ending)
        self.repaint()
        return problem

    def _saved_outside(self, text: str) -> None:
        """What is saved in the editor is the draft at once: whatever ends the program then, it is
        there."""
        self.dispatch(msg.DraftEdited(at=time.time(), text=text))
        self.link.save_draft()

    def run_own(self, effect: LookBack | WriteBug | OpenFile) -> str:
        """Run a program of ours, on the terminal or beside the screen, or the person's editor for a
        file; why that could not be done, if so."""
        if isinstance(effect, OpenFile):
            return self._open_outside(effect.path, effect.line)
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
        """Stop this program, and those that were started with it, until the shell says go on. The
        draft is on disk before: a stopped program may be killed."""
        if problem := no_shell():
            self.dispatch(msg.EffectFailed(at=time.time(), text=problem))
            return
        if isinstance(self._driver, Terminal):
            self.link.once_saved(self._driver.stop_job)

    def ending(self) -> bool:
        """A signal has ended the program: what has the terminal must give it back."""
        return isinstance(self._driver, Terminal) and self._driver.ending

    @property
    def is_key_underway(self) -> bool:
        """Whether a part of a key, or an Esc that may begin one, has been read."""
        return isinstance(self._driver, Terminal) and self._driver.is_key_underway

    def on_driver_signal_resume(self) -> None:
        """The shell gave the terminal back."""
        self.repaint()

    @property
    def is_recorded(self) -> bool:
        return bool(self.model.transcript.session)

    @property
    def esc_stops(self) -> bool:
        return self.model.busy and answer_keys.esc_stops(self.model)

    def give_back_typed(self) -> None:
        """What an earlier start here was ended over is in the prompt again, unless something else
        is there already. Off the record they stay where they are: here they would be lost."""
        if self.link.unrecorded.is_over:
            return
        files = (
            crash_draft.waiting_drafts(os.environ)
            if Path(typed_folder(os.environ)).is_dir()
            else []
        )
        if not files or self.model.composer.draft or self.model.composer.purpose is not None:
            return
        if words := crash_draft.text(files):
            self.dispatch(msg.Recovered(at=time.time(), text=words))
        self.link.unrecorded.take_over(files)

    def meet_terminal(self) -> None:
        """The first frame stands."""
        if isinstance(self._driver, Terminal) and facts.answers(os.environ):
            # an older tmux does not answer by itself
            around = facts.pass_through(ASK_GROUND, os.environ) if os.environ.get("TMUX") else ""
            self._driver.ask(SAY_SCHEME, ASK_GROUND, around)

    def repaint(self) -> None:
        """The terminal shows nothing of ours any more: the shell, or an editor, gave it back; it
        may have another ground by now."""
        if isinstance(canvas := self.screen._compositor, Canvas):
            canvas.shown = [{} for _ in canvas.shown]
        self.screen.refresh(layout=True)
        self.meet_terminal()
        if self.model.window.title:
            self.set_title(self.model.window.title)
        self.dispatch(msg.TerminalReturned(at=time.time()))

    def on_ground(self, told: Ground) -> None:
        self.dispatch(msg.GroundTold(at=time.time(), dark=told.dark))
        _remember(told.dark)

    def on_app_focus(self) -> None:
        self.dispatch(msg.FocusChanged(at=time.time(), focused=True))

    def on_app_blur(self) -> None:
        self.dispatch(msg.FocusChanged(at=time.time(), focused=False))

    def set_title(self, text: str) -> None:
        if isinstance(self._driver, Terminal) and facts.answers(os.environ):
            self._driver.set_title(text)

    def notify_outside(self, text: str, bell: bool) -> None:
        """Ask the terminal for a notification, and to ring."""
        if self._driver is None:
            return
        changed = self.model.configured.values.get("notify.desktop")  # here, since the start
        wanted = str(changed.value) if changed else self.notifier
        known = facts.notifier(os.environ) if wanted == "auto" else wanted
        if text and known in NOTIFY:
            said = f"agent-tui {text}".replace(";", ",")
            self._driver.write(facts.pass_through(NOTIFY[known].format(said), os.environ))
        if bell:
            self._driver.write("\a")
        self._driver.flush()


def _remember(dark: bool) -> None:
    """For the boot frame of the next start. A folder that cannot be written to is no reason to say
    anything: it only means that the frame may have the other colours for the blink of an eye."""
    file, who = Path(ground_file(os.environ)), facts.identity(os.environ)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        before = file.read_text("utf-8") if file.is_file() else ""
        if facts.read_ground(before, who) is not dark:
            make_private(file.parent)
            scratch = file.with_name(f"{file.name}.{os.getpid()}")
            scratch.write_text(facts.remember(before, who, dark), "utf-8")
            scratch.replace(file)
