"""`/diff`: what this session changed in files, or all that differs from the last commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import AnswerData, Differences
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.ops import Query
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send
from agent_tui.tui.core.words import hunk_lines, one_line
from agent_tui.tui.sheets import NO_ROW, TAKES, Action, Body, Sheet, opening

HEAD: Final = "head"
LINES: Final = 4_000
"""Lines of a difference that can be scrolled to."""
DRAWN: Final = 1_500
"""Lines up to which they are drawn as in the transcript; more would keep keys waiting."""
NONE: Final = {
    "session": "This session has changed no file.",
    "head": "Nothing differs from the last commit.",
}


def _found(model: Model) -> Differences | None:
    return model.transcript.answers.differences


def _title(model: Model, overlay: Overlay) -> str:
    found = _found(model)
    of = "since the last commit" if overlay.note == HEAD else "of this session"
    if found is None or overlay.query:
        return f"Changes {of}"
    counts = (
        ("+", sum(one.added for one in found.files)),
        ("-", sum(one.removed for one in found.files)),
    )
    lines = " ".join(f"{sign}{number:,}" for sign, number in counts)
    return (
        f"Changes {of}: {count(len(found.files), 'file')} {lines}"
        if found.files
        else f"Changes {of}"
    )


def _rows(model: Model, overlay: Overlay) -> Iterator[Entry]:
    found = _found(model)
    if found is None or overlay.query:
        return
    for number, one in enumerate(found.files):
        signed = (("+", one.added), ("-", one.removed))
        counts = " ".join(f"{sign}{lines:,}" for sign, lines in signed if lines)
        said = " · ".join(filter(None, (counts, "new" if one.created else "")))
        yield Entry(str(number), one_line(visible(one.path), 80), said)


def _body(model: Model, overlay: Overlay, _: int) -> Body:
    found = _found(model)
    if found is None or overlay.query:
        return Body(((Span("looking …", "dim"),),))
    left = tuple((Span(visible(one), "warning"),) for one in found.left_out)
    if found.problem or not found.files:
        said = found.problem or NONE[found.against]
        return Body(((Span(f"{said[:1].upper()}{said[1:]}"),), *left))
    at = overlay.picker.at if overlay.picker is not None else 0
    shown = overlay.picker.shown if overlay.picker is not None else ()
    number = int(shown[at].id) if at < len(shown) else 0
    return _read(found.files[number], left)


@lazy
def _read(one: DiffDisplay, left: tuple[tuple[Span, ...], ...]) -> Body:
    lines = [*hunk_lines(one.hunks)]
    more = len(lines) - LINES
    shown = [*lines[:LINES], *([(Span(f"… {more:,} more lines", "dim"),)] if more > 0 else [])]
    below = ((), *left) if left else ()
    diffs = (one,) if len(lines) < DRAWN else ()
    return Body(tuple(shown), diffs=diffs, below=below)


def _open(model: Model, against: str) -> Step:
    shown, effects = opening.open_sheet(model, "diff")
    id = f"diff-{shown.queries}"
    overlay = shown.overlay and replace(shown.overlay, query=id, note=against)
    asked = send(replace(shown, overlay=overlay), Query(id, "diff", against))
    return asked[0], (*effects, *asked[1])


def _turn(model: Model, overlay: Overlay, _: Entry) -> Step:
    return _open(model, "" if overlay.note == HEAD else HEAD)


def _turn_label(_: Model, overlay: Overlay) -> str:
    return "this session" if overlay.note == HEAD else "last commit"


def _copy(model: Model, _: Overlay, row: Entry) -> Step:
    found = _found(model)
    if found is None or row is NO_ROW:
        return model, ()
    one = found.files[int(row.id)]
    lines = [f"--- a/{one.path}", f"+++ b/{one.path}"]
    for hunk in one.hunks:
        old, new = (sum(line[:1] in marks for line in hunk.lines) for marks in (" -", " +"))
        lines.append(f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@")
        lines += hunk.lines
    return model, (Copy("\n".join(lines) + "\n"),)


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    overlay = model.overlay
    if not isinstance(data, Differences) or overlay is None or overlay.query != id:
        return None
    filled = replace(overlay, query="", filled_at=model.at, scroll=0)
    return opening.refresh(replace(model, overlay=filled))


def _on_cursor(model: Model, overlay: Overlay, _: Entry) -> Step:
    return replace(model, overlay=replace(overlay, scroll=0)), ()


@command(argument="[head]", choices=lambda _: (HEAD,), rank=25)
def diff(model: Model, args: str) -> Step:
    """Show what this session changed in files; with head, all that differs from the last commit."""
    return _open(model, HEAD if args.strip().lower() == HEAD else "")


SHEET: Final = Sheet(
    _title,
    _rows,
    (
        Action("copy", TAKES, "copy", _copy),
        Action("turn", ("f2",), _turn_label, _turn, needs_row=False, closes=False),
    ),
    (diff,),
    typing="prompt",
    body=_body,
    hears=(Differences,),
    on_answer=_on_answer,
    on_cursor=_on_cursor,
    waits=lambda _, overlay: bool(overlay.query),
    list_first=True,
)
