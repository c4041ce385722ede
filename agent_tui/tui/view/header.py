"""The line at the top: the parts that the person wants there, in their order."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.transcript import Queued
from agent_tui.settings_kinds import DIVIDER
from agent_tui.structures.visible import visible
from agent_tui.tui.model import Model
from agent_tui.tui.regions import HeaderView, Span, Tone
from agent_tui.tui.view import words
from agent_tui.tui.view.lazy import lazy

CONTEXT_WARNING: Final = 80
"""Percent of the window from which the context use is said in a warning tone."""
MODE_TONES: Final[dict[str, Tone]] = {"plan": "accent", "accept-edits": "warning", "accept-all": "bad"}
DOT: Final = Span(" · ", "dim")
BRANCH_CHARS: Final = 40
TITLE_CHARS: Final = 48
OTR: Final = "off the record"
READING: Final = "reading along"


def header_view(model: Model) -> HeaderView:
    t = model.transcript
    return _header(
        t.model, t.mode, t.cwd, model.home, t.context_tokens, t.window, t.estimated, t.queue, model.taken, t.paused,
        "stopped" if model.gone else "" if model.started or t.model else "starting …",
        model.window.branch, model.look.status, t.title if t.titled_by else "", t.otr, t.reading,
    )  # fmt: skip


@lazy
def _header(
    name: str, mode: str, cwd: str, home: str, used: int, window: int, estimated: bool,
    queue: tuple[Queued, ...], taken: frozenset[str], paused: bool, instead: str, branch: str, wanted: tuple[str, ...],
    title: str, otr: bool, reading: bool,
) -> HeaderView:  # fmt: skip
    known = Span(instead, "dim") if instead else Span(name, "accent") if name else Span("no model", "warning")
    context = _context(used, window, estimated)
    waiting = sum(item.id not in taken for item in queue)
    pause = (Span(" paused", "warning"),) if paused else ()
    parts: dict[str, tuple[Span, ...]] = {
        "model": (known,),
        "cwd": (Span(words.folder(cwd, home), "dim"),) if cwd else (),
        "branch": (Span(words.one_line(branch, BRANCH_CHARS), "dim"),) if branch else (),
        "queue": (Span(f"queued ({waiting})", "accent"), *pause) if waiting else (),
        "mode": _mode(mode),
        "context": (context,) if context else (),
    }
    if "mode" not in wanted and MODE_TONES.get(mode) in ("warning", "bad"):
        wanted = (*wanted, *(() if DIVIDER in wanted else (DIVIDER,)), "mode")  # nobody may overlook it
    at = wanted.index(DIVIDER) if DIVIDER in wanted else len(wanted)
    # What nobody may overlook stands where nothing is cut, a name where the cutting begins.
    standing = [(Span(OTR, "warning"),)] if otr else [(Span(READING, "warning"),)] if reading else []
    named = [(Span(words.one_line(visible(title), TITLE_CHARS), "normal"),)] if title else []
    left, right = [parts[one] for one in wanted[:at]], [parts[one] for one in wanted[at + 1 :]]
    return HeaderView(_joined([*left, *named]), _joined([*standing, *right]))


def _joined(parts: list[tuple[Span, ...]]) -> tuple[Span, ...]:
    shown = [part for part in parts if part]
    return tuple(span for n, part in enumerate(shown) for span in ((DOT, *part) if n else part))


def _mode(mode: str) -> tuple[Span, ...]:
    said = Span(mode, MODE_TONES.get(mode, "normal"))
    return (said, Span(" no sandbox", "bad")) if mode == "accept-all" else (said,)


def _context(used: int, window: int, estimated: bool) -> Span | None:
    if not window:
        return Span(f"{words.tokens(used, estimated)} tokens", "dim") if used else None
    percent = round(100 * used / window)
    text = f"{words.tokens(used, estimated)}/{words.window(window)} {percent}%"
    return Span(text, "warning" if percent >= CONTEXT_WARNING else "dim")
