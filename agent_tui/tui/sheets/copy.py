"""`/copy`: answers and pieces of code, on the clipboard or in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import WriteFile
from agent_tui.structures.frozen import frozen
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.model import Model, Overlay, Source
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets.base import CLOSES, Action, Lines, Sheet
from agent_tui.tui.sheets.control import open_sheet
from agent_tui.tui.transcript.copy_sources import sources

LETTERS: Final = "abcdefghilmnop"
"""Keys of the pieces of code in the list; j, k, q and w mean something else there."""
PREVIEW: Final = 6
"""Lines of what would be copied."""
LOOKED_AT: Final = 4 * PREVIEW
"""Lines that are looked at for those; empty ones are not shown."""
WIDEST: Final = 76


@frozen
class Copies:
    """What there was to copy when the list was opened: nothing moves in it under the cursor."""

    sources: tuple[Source, ...] = ()


def _copies(overlay: Overlay) -> tuple[Source, ...]:
    return overlay.state.sources if isinstance(overlay.state, Copies) else ()


def _begin(model: Model) -> Copies:
    """Answers are taken by their number (up to 9), code by a letter."""
    letters = iter(LETTERS)
    return Copies(
        tuple(
            replace(
                one,
                key=next(letters, "")
                if one.kind == "code"
                else one.key
                if len(one.key) == 1
                else "",
            )
            for one in sources(model.transcript)
        )
    )


READ_FIRST: Final = 0.3
"""The clipboard holds something else afterwards: a key of a row of keys copies nothing."""


def _rows(_: Model, overlay: Overlay) -> Iterator[Entry]:
    found = _copies(overlay)
    sizes = [_counted(one.text.count("\n") + 1) for one in found]
    wide = max(map(len, sizes), default=0)
    for number, (one, size) in enumerate(zip(found, sizes, strict=True)):
        yield Entry(
            str(number), one.label, f"{size:<{wide}}  {one_line(one.text, 60)}", key=one.key
        )


def _source(overlay: Overlay, row: Entry) -> Source:
    return _copies(overlay)[int(row.id)]


def _preview(_: Model, overlay: Overlay, row: Entry, cells: int, __: int) -> Lines:
    """The first lines that hold something, and how many there are behind them."""
    text, widest = _source(overlay, row).text, min(WIDEST, cells)
    begun = enumerate(text.split("\n", LOOKED_AT)[:LOOKED_AT])
    head = [(number, line) for number, line in begun if line.strip()][:PREVIEW]
    shown = [(Span(line if len(line) <= widest else f"{line[: widest - 1]}…"),) for _, line in head]
    more = text.count("\n") - (head[-1][0] if head else -1)
    return (*shown, (Span(f"… {_counted(more, 'more line')}", "dim"),)) if more else tuple(shown)


def _counted(count: int, name: str = "line") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _copy(model: Model, overlay: Overlay, row: Entry) -> Step:
    return model, (Copy(_source(overlay, row).text),)


def _write(model: Model, overlay: Overlay, row: Entry) -> Step:
    found = _source(overlay, row)
    return send(model, WriteFile(found.file, found.text + "\n"))


@command(argument="[number]", rank=56)
def copy(model: Model, args: str) -> Step:
    """Copy an answer to the clipboard as Markdown: 1 is the last. Without a number: choose an
    answer or a piece of its code; w writes it to a file."""
    found, number = sources(model.transcript), args.strip()
    if not found:
        return toast(model, "there is no answer to copy yet", "warning")
    if number:
        chosen = next(
            (source for source in found if source.key and source.key == number.lstrip("0")), None
        )
        if chosen is None:
            count = sum(source.kind == "answer" for source in found)
            there = "there is one answer" if count == 1 else f"there are answers 1 to {count}"
            return toast(model, f"no answer {number!r}: {there}, 1 is the last", "warning")
        return model, (Copy(chosen.text),)
    return (model, (Copy(found[0].text),)) if len(found) == 1 else open_sheet(model, "copy")


SHEET: Final = Sheet(
    "Copy",
    _rows,
    (
        Action("copy", ("enter", "tab"), "copy", _copy, row_keys=True),
        Action("write", ("w",), "write to a file", _write, typed="w", needs_enter=True),
        replace(CLOSES, keys=("q",)),
    ),
    (copy,),
    typing="acts",
    begin=_begin,
    states=(Copies,),
    about=_preview,
    about_lines=PREVIEW + 1,
    always_about=True,
    list_first=True,
    read_first=READ_FIRST,
)
