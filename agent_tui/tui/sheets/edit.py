"""`/edit`: the files that the transcript names, for the person's own editor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.markdown.lines import named_file
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet
from agent_tui.tui.sheets.opening import open_sheet
from agent_tui.tui.transcript import named_files
from agent_tui.tui.transcript.blocks import block_lines
from agent_tui.tui.transcript.state import is_open, rows_in_view

NONE: Final = "nothing in view names a file"
WIDE: Final = 200
"""Columns for which rows are laid out to find the names in them."""
ROWS: Final = 100
"""Rows in which names are looked for, the last ones."""


@frozen
class Named:
    """What the rows in view named when the sheet was opened: paths, and lines (0: none is said)."""

    places: tuple[tuple[str, int], ...] = ()


def _begin(model: Model) -> Named:
    return Named(tuple(dict.fromkeys(_named(model))))


def _named(model: Model) -> Iterator[tuple[str, int]]:
    """The names of files, each with its line, that stand in the selected block, or in what is in
    view where none is selected there."""
    first, last = rows_in_view(model)
    mark, t = model.reading.mark, model.transcript
    rows = [mark] if first <= mark <= last else range(max(first, last - ROWS), last + 1)
    drawn = [(t.rows[row], is_open(model, row)) for row in rows if 0 <= row < len(t.rows)]
    if model.reading.following and mark < 0:
        drawn += [(block, False) for block in t.live()]
    for block, open in drawn:
        for line in block_lines(block, WIDE, open, model.now, len, model.look):
            named = (named_file(run.meta) for run in line.segments if run.meta)
            yield from (place for place in named if place is not None)


def _places(model: Model, overlay: Overlay) -> tuple[tuple[str, int], ...]:
    """Those that are files, as far as the engine has looked."""
    named = overlay.state.places if isinstance(overlay.state, Named) else ()
    return tuple(place for place in named if model.files.get(place[0]))


def _rows(model: Model, overlay: Overlay) -> Iterator[Entry]:
    for number, (path, line) in enumerate(_places(model, overlay)):
        yield Entry(str(number), path, f"line {line}" if line else "")


def _waits(model: Model, overlay: Overlay) -> bool:
    named = overlay.state.places if isinstance(overlay.state, Named) else ()
    return any(path not in model.files for path, _ in named)


def _none(model: Model, overlay: Overlay) -> Lines:
    if _waits(model, overlay) or _places(model, overlay):
        return ()
    return ((Span(f"{NONE.capitalize()} of this session.", "dim"),),)


def _edit(model: Model, overlay: Overlay, row: Entry) -> Step:
    return named_files.open_file(model, *_places(model, overlay)[int(row.id)])


@command(keys=("alt+e",), argument="[search]", rank=63)
def edit(model: Model, args: str) -> Step:
    """Edit a file that the selected block names, or what is in view, in your own editor. It opens
    at its line, where one is said; of several you choose one. A click on a name does the same, in
    the line of a tool call Ctrl+click."""
    named = _begin(model).places
    new = tuple(dict.fromkeys(path for path, _ in named if path not in model.files))
    found = [place for place in named if model.files.get(place[0])]
    if not new and not found:
        return toast(model, NONE)
    if not new and len(found) == 1:
        return named_files.open_file(model, *found[0])
    opened = open_sheet(model, "edit", args)
    return then(opened, named_files.ask(opened[0], new))


SHEET: Final = Sheet(
    "Files named here",
    _rows,
    (Action("edit", TAKES, "edit", _edit),),
    (edit,),
    begin=_begin,
    live=lambda model: (model.files,),
    waits=_waits,
    instead=_none,
    states=(Named,),
)
