"""Running the screen from the first frame to the last words: what the command line calls."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from agent_tui.boot import terminal
from agent_tui.protocol import exit_codes
from agent_tui.protocol.engine import Engine
from agent_tui.protocol.transcript import BackgroundJob, TextBlock, Transcript, TurnBlock, UserBlock
from agent_tui.protocol.transcript import Transcript as Session
from agent_tui.registry import late
from agent_tui.settings.table import Settings
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.core.keymap import resolve
from agent_tui.tui.core.model import Model, Window
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.editor import Foreground
from agent_tui.tui.runtime.history import PromptHistory
from agent_tui.tui.runtime.live_settings import LiveSettings
from agent_tui.tui.transcript.displays import markdown_lines
from agent_tui.tui.widgets.paint import shorten

if TYPE_CHECKING:
    from agent_tui.settings.layers import Place
    from agent_tui.tui.runtime.foreground_run import Beside

with late():
    from agent_tui.present import jobs
    from agent_tui.tui.recording import recorder
with late(warm=False):
    import logging


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
    early: terminal.Early | None = None,
    at_once: bool = False,
    foreground: Foreground | None = None,
    beside: Beside | None = None,
    branch: Callable[[str], str] = lambda _: "",
    place: Place | None = None,
    record: bool = False,
) -> int:
    """Run the full screen until the person leaves; the exit code. `mode`: that of the session that
    begins (empty: not
    known yet), `starting`: the name of its model. `at_once`: the engine starts with the first
    frame;
    `record`: what the screen is told is kept beside the session."""
    early = early or terminal.take_terminal()
    if early is not None:
        early.off_record = history is None
    terminal.forget_size(os.environ)
    display, notify = settings.display, settings.notify
    live = LiveSettings(place, themes, (display.theme_dark, display.theme_light))
    app = AgentApp(
        engine,
        live.theme(display.theme),
        settings=live,
        history=PromptHistory(history, str(cwd)) if history is not None else None,
        prompt=prompt,
        early=early,
        at_once=at_once,
        model=Model(
            sessions={"": Session(cwd=str(cwd), mode=mode)},
            starting=starting,
            look=look,
            window=Window(
                on=notify.on,
                desktop=notify.desktop != "off",
                bell=notify.bell,
                titled=notify.title,
                after=notify.after,
            ),
            keys=resolve(settings.keys)[0],
            vim="insert" if settings.prompt.vim else "",
        ),
    )
    app.foreground, app.beside, app.notifier = foreground, beside, notify.desktop
    app.branch = branch
    if record:
        app.taping.record = lambda keep: recorder.Recorder(keep)
    code: int | None = None
    try:
        code = app.run()
    finally:
        heard = terminal.collect_signals()
        if early is not None:
            early.restore()
        app.taping.flush()
        app.link.close(
            STOP_SECONDS,
            -1 if app.model.reading.following else app.regions.transcript.rows_in_view[0],
        )
        code = 128 + heard[0] if heard else code
        ended = app.link.fold_rest(app.model.transcript)
        recorded = bool(ended.session)
        if early is not None and code is not None and code > 128 and not recorded:
            if app.link.unrecorded.has_taken_over:
                app.link.unrecorded.keep()
            else:
                early.keep_typed(code - 128)  # with keys that nobody has looked at yet
                app.link.unrecorded.give_up()
        if history is not None and ended.is_unsaved and (app.crash or (code or 0) > 128):
            app.link.unrecorded.keep_draft(ended.draft, ended.pasted)
    if code == 128 + signal.SIGHUP:
        return code  # the terminal is gone: there is nobody to tell
    if early is not None:
        sys.stdout.write("\r\x1b[J")  # what was typed before the screen began stands on this line
    if app.crash:
        if (
            log := logging.getLogger("agent_tui")
        ).handlers:  # it is still there when the terminal's window is gone
            log.error("the screen stopped because of an internal error\n%s", visible(app.crash))
        print(
            f"{visible(app.crash)}\nagent-tui stopped: an error in its own code (above).",
            file=sys.stderr,
        )
    if words := farewell(ended, shutil.get_terminal_size().columns, app.model.transcript.jobs):
        print(words)
    if ended.is_unsaved:
        print(f"agent-tui: {visible(ended.describe_loss())}", file=sys.stderr)
    if app.link.unrecorded.has_kept_draft:
        print(f"agent-tui: {DRAFT_KEPT}", file=sys.stderr)
    lost, why = app.link.unrecorded.lost()
    if lost:  # the terminal is the last place that has them
        print(f"agent-tui: not saved: {visible(why)}. {LOST}\n{visible(lost)}", file=sys.stderr)
    return 1 if app.crash else exit_codes.of_saving(code or 0, ended.is_unsaved or bool(lost))


LINES: Final = 12
WAY: Final = "Continue: "
KEPT: Final = "Not sent, but saved: "
DRAFT_KEPT: Final = "your draft is saved: the next start in this folder puts it in the prompt again"
LOST: Final = "These are your words:"
LOOK_BACK: Final = 400
"""Rows that are looked through for the last answer."""
MOST: Final = 20_000
"""Characters of it that are laid out."""


def farewell(
    transcript: Transcript, width: int = 80, running: tuple[BackgroundJob, ...] = ()
) -> str:
    """Plain lines, made harmless: the last paragraphs of the answer as they were read on the
    screen, the prompt that was not sent, what became of what was `running` in the background, and
    how to go on: both as far as they are on disk. Empty for a session without any of it, or that is
    off the record."""
    draft = "" if transcript.is_unsaved else transcript.draft
    kept = " ".join(visible(draft[:MOST]).split())
    left = jobs.job_lines(running, transcript)
    if not transcript.session or not (transcript.turn or kept or left) or transcript.otr:
        return ""
    width = max(20, width)
    shown = [] if _cancelled(transcript) else _end(last_answer(transcript), width)
    said = [shorten(f"{KEPT}{kept}", width)] if kept else []
    said += [shorten(visible(line), width) for line in left]
    if way := transcript.way_back("agent-tui"):
        said.append(f"{WAY}{way}")
    return "\n".join([*shown, *([""] if shown and said else []), *said])


def _cancelled(transcript: Transcript) -> bool:
    """Whether the last turn was, or was cut off: its words end in the middle."""
    for row in islice(reversed(transcript.rows), LOOK_BACK):
        if isinstance(row, TurnBlock):
            return row.state in ("cancelled", "interrupted")
    return False


def _end(answer: str, width: int) -> list[str]:
    """Its last paragraphs, whole; of a longer one the end."""
    source = answer.strip()[-MOST:]
    lines = (
        [line.text.rstrip() for line in markdown_lines(source, width, cell_len)] if source else []
    )
    if len(lines) <= LINES:
        return lines
    kept = lines[-LINES:]
    gap = next((number for number, line in enumerate(kept) if not line), -1)
    return ["…", *kept[gap + 1 :]]


def last_answer(transcript: Transcript) -> str:
    """The last text the model wrote, as Markdown source."""
    parts: list[str] = []
    for row in islice(reversed(transcript.rows), LOOK_BACK):
        if isinstance(row, TextBlock):
            parts.append(row.text)
            if row.head:
                break
        elif isinstance(row, UserBlock):
            break
    return "".join(reversed(parts))
