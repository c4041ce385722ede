"""`/context`: what the next request is made of, and how full the window is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.protocol.answers import Ledger, LedgerPart
from agent_tui.structures.readable import bar
from agent_tui.structures.tone import Tone
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step
from agent_tui.tui.core.words import one_line, tokens
from agent_tui.tui.sheets import Action, Body, Sheet
from agent_tui.tui.sheets.opening import copy_rows, open_sheet

SENT: Final = "In the next request"
GONE: Final = "Left out"
SYSTEM: Final = "system: "
BAR: Final = 40
"""Cells of the bar."""
COUNT: Final = 47
"""Cells of what is said behind it."""
MARGIN: Final = 8
"""Columns beside what is said of a row."""


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    found = model.transcript.answers.context
    if found is None:
        return
    for number, part in enumerate(found.parts):
        guessed = found.estimated or part.gone
        share = round(100 * part.tokens / max(1, found.tokens))
        said = f"{tokens(part.tokens, guessed)} · {'left out' if part.gone else f'{share}%'}"
        said = said if part.tokens or not part.gone else "left out"
        # one line of each, so that the rows stay where they are, on a screen without headings too
        about = f"{part.name.removeprefix(SYSTEM)}: {part.source or _kind(part)}"
        group = GONE if part.gone else SENT
        yield Entry(str(number), part.name, said, one_line(about, model.width - MARGIN), group)


def _kind(part: LedgerPart) -> str:
    """What is said of a part that is from nowhere."""
    if part.gone:
        return "the model reads less of it than before"
    return "Enter reads it" if part.text else "in the conversation"


def _body(model: Model, _: Overlay, width: int) -> Body:
    found = model.transcript.answers.context
    if found is None:
        return Body(((Span("counting …", "dim"),),))
    lines = [_bar(found, min(BAR, max(8, width - COUNT)))]
    if found.limit:
        said = f"compacted from {tokens(found.limit, True)} on · {tokens(found.reserve)} kept free for the answer"
        lines.append((Span(said, "dim"),))
    if found.cached:
        share = round(100 * found.cached / found.sent)
        broke = f" · changed since: {found.broke}" if found.broke else ""
        said = f"the server had {share}% of the last request in its cache{broke}"
        lines.append((Span(said, "dim"),))
    return Body(tuple(lines))


def _bar(found: Ledger, cells: int) -> tuple[Span, ...]:
    """How full the window is; the count alone where nobody knows how large that is."""
    counted = f"{tokens(found.tokens, found.estimated)} tokens"
    if not found.window:
        return (Span(f"{counted}; the window of {found.model} is not known"),)
    percent = round(100 * found.tokens / found.window)
    full, free = bar(percent, cells)
    window = tokens(found.window, found.window_assumed)
    near: Tone = "warning" if found.limit and found.tokens > found.limit else "accent"
    return (
        Span(full, "bad" if percent > 100 else near),
        Span(free, "dim"),
        Span(f"  {counted} of {window} · {percent}% of the window"),
    )


def _has_text(model: Model, _: Overlay, row: Entry) -> bool:
    found = model.transcript.answers.context
    return found is not None and bool(found.parts[int(row.id)].text)


def _read(model: Model, _: Overlay, row: Entry) -> Step:
    return open_sheet(model, "context_part", note=row.id)


@command(argument="[search]", rank=57)
def context(model: Model, args: str) -> Step:
    """Show what the next request is made of: each part with its tokens, how full the window is, and
    what is left out. Enter reads a part of the instructions."""
    return open_sheet(model, "context", args)


SHEET: Final = Sheet(
    "Context",
    _rows,
    (
        Action("read", ("enter",), "read", _read, _has_text),
        Action("copy", ("tab",), "copy", copy_rows),
    ),
    (context,),
    query="context",
    begin_on=lambda model: model.overlay.note if model.overlay is not None else "",
    body=_body,
    about_lines=1,
    says_groups=True,
)
