"""A hash of the model and of what is seen of it: equal on every machine that was told the same. And
a view as lines of text, of which that is made: the pure twin of the screen, also for `--frames` and
tests.

The lines say everything that a `View` decides, in the order of the screen and in lines of its
width. Where widgets decide by themselves (how far somebody has scrolled by wheel, where a list is
cut) they show the end, or the row with the mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final, TypeVar

from rich.cells import cell_len

from agent_tui.protocol.transcript import Block, Transcript
from agent_tui.structures.plain import to_plain
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import DialogView, OverlayView, Span, TranscriptView, View
from agent_tui.tui.markdown.lines import cut_text
from agent_tui.tui.recording import masked
from agent_tui.tui.transcript.blocks import block_lines, gap
from agent_tui.tui.transcript.displays import display_lines

_SELECTED: Final = ("  ", "❯ ")


def frame(shown: View, width: int, height: int, draft: str = "") -> list[str]:
    """What `shown` says, for a terminal of this size, while the prompt holds `draft`."""
    width, height = max(1, width), max(1, height)
    if shown.too_small:
        return ["too small"]
    below = [*_around(shown, width, draft)]
    above = [_spans(shown.header.left_spans, shown.header.right_spans)]
    rows = _page(shown.transcript, width, max(1, height - len(below) - len(above)))
    return [cut_text(line, width, cell_len) for line in (*above, *rows, *below)]


def _around(shown: View, width: int, draft: str) -> Iterable[str]:
    """All but the header and the transcript."""
    if shown.overlay is not None:
        yield from _overlay(shown.overlay)
    if shown.queue is not None:
        queue = shown.queue
        yield f"queue{' paused' * queue.paused} {queue.hint}"
        yield from (*(f"+ {text}" for text in queue.steers), *(f"- {text}" for text in queue.items))
    if shown.dialog is not None:
        yield from _dialog(shown.dialog, width)
    if shown.completion is not None:
        for number, option in enumerate(shown.completion.options):
            yield f"{_SELECTED[number == shown.completion.selected]}{option.label}  {option.detail}"
    if shown.toast is not None:
        yield f"[{shown.toast.tone}] {shown.toast.text}"
    if shown.status is not None:
        yield f"{shown.status.spinner} {_spans(shown.status.spans)}"
    prompt = shown.prompt
    yield from f"{prompt.label}> {draft or prompt.placeholder}".split("\n")
    yield "  ".join(f"{key} {does}" for key, does in shown.footer.keys) + shown.footer.note


def _page(shown: TranscriptView, width: int, room: int) -> list[str]:
    """The last rows that have room; with a mark, those that end with its row."""
    found: list[str] = []
    end = shown.mark + 1 if 0 <= shown.mark < len(shown.rows) else len(shown.rows)
    blocks: list[tuple[int, Block]] = (
        [] if end < len(shown.rows) else [(-1, block) for block in reversed(shown.live)]
    )
    for row in range(end - 1, -1, -1):
        if len(blocks) > room:
            break
        blocks.append((row, shown.rows[row]))
    for number, (row, block) in enumerate(blocks):
        before = blocks[number + 1][1] if number + 1 < len(blocks) else None
        if len(found) >= room:
            break
        open_ = shown.expanded != (row in shown.exceptions)
        lines = block_lines(block, width, open_, shown.now, cell_len, shown.look)
        found.extend("".join(part.text for part in line.segments) for line in reversed(lines))
        found.extend([""] * (gap(before, block, open_) if lines else 0))
    return found[:room][::-1]


def _dialog(dialog: DialogView, width: int) -> Iterable[str]:
    yield f"{dialog.title} {dialog.position} {dialog.reason}"
    if dialog.display is not None:
        for line in display_lines(dialog.display, width, True, cell_len, dialog.look):
            yield "".join(part.text for part in line.segments)
    for number, option in enumerate(dialog.options):
        yield f"{_SELECTED[number == dialog.selected]}{option.key} {option.label} {option.detail}"


def _overlay(sheet: OverlayView) -> Iterable[str]:
    yield f"== {sheet.title} =="
    lines = [*map(_spans, sheet.lines)]
    yield from [] if sheet.list_first else lines
    for number, option in enumerate(sheet.options):
        said = " ".join(filter(None, (option.label, option.value, option.detail)))
        yield f"{_SELECTED[number == sheet.selected]}{option.key} {said}"
        if sheet.asked and number == sheet.selected:
            yield _spans(sheet.asked)
    yield from lines if sheet.list_first else []
    if sheet.text:
        yield from sheet.text.split("\n")
    yield from map(_spans, sheet.below)
    yield sheet.note


def _spans(*parts: Sequence[Span]) -> str:
    return "  ".join("".join(span.text for span in part) for part in parts)


T = TypeVar("T")
Shown = Callable[[Model], View]

NEWEST: Final = 256
"""Rows and marks of a transcript that are hashed; of the others their number. So it costs the same
at any length."""

SHORT: Final = 6
"""Digits of a hash that are enough to see a difference: one in 16 million goes unseen, until the
next check."""
LONG: Final = 4_096
"""Characters from which a text is hashed by itself, once: a model names the same pasted megabytes
in several places."""


def digests(live: Model, view: Shown) -> tuple[str, str]:
    """The hash of `live` and the hash of its frame, 32 hexadecimal digits each."""
    known, long = masked.model(live), dict[str, str]()

    def said(text: str) -> str:
        if len(text) < LONG:
            return masked.mask_text(text)
        if text not in long:
            long[text] = f"{len(text)} characters {_hash(masked.mask_text(text))}"
        return long[text]

    counts = {name: len(session.rows) for name, session in known.sessions.items()}
    # counted only where they are cut, so that the hashes of recordings without so many stay as they
    # were
    counts |= {
        f"{name} marks": n for name, t in known.sessions.items() if (n := len(t.marks)) > NEWEST
    }
    short = replace(
        known, sessions={name: _short(session) for name, session in known.sessions.items()}
    )
    return _hash([counts, to_plain(short, said)]), _hash(_frame(known, view))


def frame_of(live: Model, view: Shown) -> list[str]:
    """What is seen of `live`, in lines of its width."""
    return _frame(masked.model(live), view)


def _frame(known: Model, view: Shown) -> list[str]:
    return frame(view(known), known.width, known.height, known.composer.draft)


def _short(t: Transcript) -> Transcript:
    return replace(t, rows=_newest(t.rows), marks=_newest(t.marks))


def _newest(values: Vec[T]) -> Vec[T]:
    return Vec(values[len(values) - NEWEST :]) if len(values) > NEWEST else values


def _hash(data: object) -> str:
    if not isinstance(data, str):
        data = json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return blake2b(data.encode(errors="surrogatepass"), digest_size=16).hexdigest()
