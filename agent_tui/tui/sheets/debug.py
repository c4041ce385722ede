"""`/debug`: what the running program is like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import ReadFacts
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import copy_rows, open_sheet


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    for name, value in model.facts:
        yield Entry(name, name, value)


@command(argument="[search]", rank=59)
def debug(model: Model, args: str) -> Step:
    """Show facts about the running program: versions, terminal, model, context, times. Enter copies
    all of them."""
    return open_sheet(model, "debug", args)


SHEET: Final = Sheet(
    "Debug console",
    _rows,
    (Action("copy", TAKES, "copy all", copy_rows),),
    (debug,),
    reads=(ReadFacts(),),
    waits=lambda model, _: not model.facts,
    refreshes=True,
)
