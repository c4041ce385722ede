"""What the running program is like, as name and value, for the debug console. Read when it is asked
for; nothing is counted for it while nobody looks, but what the runtime notes anyway."""

from __future__ import annotations

import gc
import os
import platform
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol

from rich.console import Console

from agent_tui.boot.frame import as_given
from agent_tui.present.wording import count, size
from agent_tui.protocol.transcript import Transcript
from agent_tui.structures.ascii import reason
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.words import tokens
from agent_tui.tui.runtime.engine_client import Link
from agent_tui.tui.widgets.theme import Theme

VARIABLES: Final = (
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TMUX",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "SSH_TTY",
    "ESCDELAY",
)
SECRET: Final = frozenset(("TMUX", "SSH_TTY"))
"""Of these it is told only that they are set."""


class Running(Protocol):
    """What is read of the running screen."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def console(self) -> Console: ...
    @property
    def palette(self) -> Theme: ...
    @property
    def model(self) -> Model: ...
    @property
    def link(self) -> Link: ...
    @property
    def times(self) -> Sequence[float]: ...
    @property
    def dispatched(self) -> int: ...


def facts(app: Running) -> tuple[tuple[str, str], ...]:
    """Everything; no content of prompts, no keys, no paths of files that were read."""
    return (*_program(), *_terminal(app), *_session(app.model), *_work(app))


def _program() -> tuple[tuple[str, str], ...]:
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("textual", "rich", "pydantic", "httpx")
    )
    return (
        ("agent-tui", version("agent-tui")),
        ("Python", f"{platform.python_version()}, {platform.python_implementation()}"),
        ("libraries", libraries),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("processors", str(os.cpu_count() or "unknown")),
    )


def _terminal(app: Running) -> tuple[tuple[str, str], ...]:
    width, height = app.size
    named = (
        f"{name}={'(set)' if name in SECRET else os.environ[name]}"
        for name in VARIABLES
        if name in os.environ
    )
    return (
        ("terminal", f"{width} x {height}; {app.console.color_system or 'no colours'}"),
        ("environment", "  ".join(named) or "none of the usual variables"),
        ("theme", _theme(app.palette.name, "dark" if app.palette.dark else "light")),
        ("glyphs", _glyphs(app.model.look.ascii)),
        ("mouse", "ours" if app.model.mouse else "the terminal's"),
    )


def _theme(name: str, ground: str) -> str:
    return name if ground in name.split("-") else f"{name}, {ground}"


def _glyphs(limited: bool) -> str:
    because = reason(as_given(os.environ))
    return f"ASCII, because of {because or 'display.ascii'}" if limited else "Unicode"


def _session(model: Model) -> tuple[tuple[str, str], ...]:
    t = model.transcript
    return (
        ("session", t.session or "none yet"),
        ("model", t.model or "none"),
        ("server", _server(t)),
        ("mode", t.mode),
        ("state", f"{t.state}{', the queue is paused' if t.paused else ''}"),
        ("context", _context(t)),
        (
            "waiting",
            f"{count(len(model.waiting_prompts), 'prompt')}, {count(len(t.questions), 'question')}",
        ),
        ("rows", f"{len(t.rows):,}, turn {t.turn}"),
        (
            "blocks",
            ", ".join(f"{many:,} {name}" for name, many in _kinds(t).most_common()) or "none",
        ),
    )


def _server(t: Transcript) -> str:
    known = t.answers.models
    found = (
        one.where for one in (known.offered if known is not None else ()) if one.name == t.model
    )
    return next(found, "") or "not known yet: /model asks"


def _context(t: Transcript) -> str:
    used = tokens(t.context_tokens, t.estimated)
    return f"{used} of {tokens(t.window, t.window_assumed)} tokens" if t.window else used


def _kinds(t: Transcript) -> Counter[str]:
    return Counter(type(row).__name__.removesuffix("Block").lower() for row in t.rows)


def _work(app: Running) -> tuple[tuple[str, str], ...]:
    times = app.times
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    newest = ", ".join(f"{seconds * 1000:.1f}" for seconds in list(times)[-5:])
    return (
        (
            "engine",
            f"{'running' if app.link.begun else 'not started'}, {app.link.engine.events.qsize():,} events wait",
        ),
        (
            "last updates",
            f"{newest} ms (longest of the last {len(times)}: {max(times, default=0.0) * 1000:.1f} ms)",
        ),
        ("messages", f"{app.dispatched:,} handled, {app.model.toasts:,} notes shown"),
        ("memory", f"{size(_resident() or peak)} now, {size(peak)} at most"),
        ("processor", f"{used.ru_utime + used.ru_stime:.1f} s"),
        ("objects", f"{count(gc.get_count()[0], 'new object')}, {gc.get_freeze_count():,} frozen"),
    )


def _resident() -> int:
    """Bytes that are in memory now; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0
