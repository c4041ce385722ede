"""The terminal around the screen: its ground, its focus, its title, and what lies outside of it.
The terminal is asked once the first frame stands; one that never answers costs nothing.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from textual.theme import Theme as TextualTheme

from agent_tui import registry
from agent_tui.boot.frame import ground_file, typed_folder
from agent_tui.paths import make_private
from agent_tui.structures import terminal_facts as facts
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.runtime.suspend import Outside
from agent_tui.tui.textual_port.key_parser import Ground
from agent_tui.tui.textual_port.terminal import Terminal
from agent_tui.tui.widgets.theme import Theme

ASK_GROUND: Final = "\x1b]11;?\x1b\\"
SAY_SCHEME: Final = "\x1b[?2031h"
"""Tell, from now on, when light and dark change."""
NOTIFY: Final = {
    "osc9": "\x1b]9;{}\x1b\\",
    "osc99": "\x1b]99;;{}\x1b\\",
    "osc777": "\x1b]777;notify;agent-tui;{}\x1b\\",
}

with registry.late():
    from agent_tui.tui.runtime import crash_draft


class Surroundings(Outside, inherit_bindings=False):
    """`notifier`: the sequence for the desktop, or `auto`."""

    notifier = "auto"
    model: Model
    palette: Theme
    _look: TextualTheme
    link: Link

    @property
    def recorded(self) -> bool:
        return bool(self.model.transcript.session)

    def give_back_typed(self) -> None:
        """What an earlier start here was ended over is in the prompt again, unless something else
        is there already."""
        files = crash_draft.waiting(os.environ) if Path(typed_folder(os.environ)).is_dir() else []
        if not files or self.model.composer.draft or self.model.composer.purpose is not None:
            return
        if words := crash_draft.text(files):
            self.dispatch(msg.Recovered(at=time.time(), text=words))
        self.link.unrecorded.take_over(files)

    def meet_terminal(self) -> None:
        """The first frame stands."""
        if isinstance(self._driver, Terminal) and facts.answers(os.environ):
            # an older tmux does not answer by itself
            around = facts.through(ASK_GROUND, os.environ) if os.environ.get("TMUX") else ""
            self._driver.ask(SAY_SCHEME, ASK_GROUND, around)

    def repaint(self) -> None:
        """The shell, or an editor, gave the terminal back; it may have another ground by now."""
        super().repaint()
        self.meet_terminal()
        if self.model.window.title:
            self.set_title(self.model.window.title)

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
            self._driver.write(facts.through(NOTIFY[known].format(said), os.environ))
        if bell:
            self._driver.write("\a")
        self._driver.flush()


def _remember(dark: bool) -> None:
    """For the boot frame of the next start. A folder that cannot be written to is no reason to say
    anything: it only means that the frame may have the other colours for the blink of an eye."""
    file, who = Path(ground_file(os.environ)), facts.identity(os.environ)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        before = file.read_text("utf-8") if file.is_file() else ""
        if facts.remembered(before, who) is not dark:
            make_private(file.parent)
            scratch = file.with_name(f"{file.name}.{os.getpid()}")
            scratch.write_text(facts.remember(before, who, dark), "utf-8")
            scratch.replace(file)
