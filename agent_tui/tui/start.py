"""Running the screen from the first frame to the last words: what the command line calls."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_tui import boot
from agent_tui.protocol import exit_codes
from agent_tui.protocol.engine import Engine
from agent_tui.protocol.transcript import Transcript as Session
from agent_tui.registry import late
from agent_tui.settings.table import Settings
from agent_tui.structures.visible import visible
from agent_tui.tui.app import AgentApp
from agent_tui.tui.history import PromptHistory
from agent_tui.tui.keymap import resolve
from agent_tui.tui.live_settings import LiveSettings
from agent_tui.tui.look import DEFAULT, Look
from agent_tui.tui.model import Model
from agent_tui.tui.outside import Foreground
from agent_tui.tui.window import Window

if TYPE_CHECKING:
    from agent_tui.settings.layers import Place
    from agent_tui.tui.own_program import Beside

with late(warm=False):
    import logging

with late():
    from agent_tui.tui import farewell

STOP_SECONDS: Final = 3.0


def run(
    engine: Engine,
    settings: Settings,
    *,
    prompt: str = "",
    mode: str = "auto",
    starting: str = "",
    look: Look = DEFAULT,
    history: Path | None,
    cwd: Path,
    themes: Sequence[Path] = (),
    early: boot.Early | None = None,
    at_once: bool = False,
    foreground: Foreground | None = None,
    beside: Beside | None = None,
    place: Place | None = None,
    record: bool = False,
) -> int:
    """Run the full screen until the person leaves; the exit code. `mode`: that of the session that begins (empty: not
    known yet), `starting`: the name of its model. `at_once`: the engine starts with the first frame;
    `record`: what the screen is told is kept beside the session."""
    early = early or boot.take_terminal()
    boot.forget_size(os.environ)
    display, notify = settings.display, settings.notify
    live = LiveSettings(place, themes, (display.theme_dark, display.theme_light))
    app = AgentApp(
        engine, live.theme(display.theme), settings=live,
        history=PromptHistory(history, str(cwd)) if history is not None else None,
        prompt=prompt, early=early, at_once=at_once,
        model=Model(
            sessions={"": Session(cwd=str(cwd), mode=mode)}, starting=starting, look=look,
            window=Window(
                on=notify.on, desktop=notify.desktop != "off", bell=notify.bell, titled=notify.title, after=notify.after
            ),
            keys=resolve(settings.keys)[0], vim="insert" if settings.prompt.vim else "",
        ),
    )  # fmt: skip
    app.foreground, app.beside, app.notifier, app.taping.on = foreground, beside, notify.desktop, record
    code: int | None = None
    try:
        code = app.run()
    finally:
        heard = boot.noted()
        if early is not None:
            early.restore()
        app.taping.flush()
        app.link.close(STOP_SECONDS, -1 if app.model.reading.following else app.regions.transcript.seen[0])
        code = 128 + heard[0] if heard else code
        ended = app.link.fold_rest(app.model.transcript)
        recorded = bool(ended.session)
        if early is not None and code is not None and code > 128 and not recorded:
            if app.link.unrecorded.has_taken_over:
                app.link.unrecorded.keep()
            else:
                early.keep_typed(code - 128)  # with keys that nobody has looked at yet
                app.link.unrecorded.give_up()
    if code == 128 + signal.SIGHUP:
        return code  # the terminal is gone: there is nobody to tell
    if early is not None:
        sys.stdout.write("\r\x1b[J")  # what was typed before the screen began stands on this line
    if app.crash:
        if (log := logging.getLogger("agent_tui")).handlers:  # it is still there when the terminal's window is gone
            log.error("the screen stopped because of an internal error\n%s", visible(app.crash))
        print(f"{visible(app.crash)}\nagent-tui stopped: an error in its own code (above).", file=sys.stderr)
    if words := farewell.farewell(ended, shutil.get_terminal_size().columns):
        print(words)
    if ended.is_unsaved:
        print(f"agent-tui: {visible(ended.describe_loss())}", file=sys.stderr)
    return 1 if app.crash else exit_codes.of_saving(code or 0, ended.is_unsaved)
