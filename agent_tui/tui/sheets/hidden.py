"""`/hidden`: values that were hidden from the model, which a person can let it see for a turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.protocol.ops import ShowHidden
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

CLOSED: Final = "closed:"
"""How the ids of rows begin with which nothing can be done."""
MEANS: Final = (
    "The model sees the value in each request until the turn ends. The server that runs the model "
    "gets it; the log and exports keep the placeholder."
)


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    known = model.transcript.answers.hidden
    for one in known.values if known is not None else ():
        where = f"in a result of {one.tool}" if one.tool else "in what you sent"
        if one.shown:
            yield Entry(f"{CLOSED}{one.placeholder}", one.placeholder, "shown", MEANS)
        elif one.problem:
            about = f"It cannot be shown: {one.problem}."
            yield Entry(f"{CLOSED}{one.placeholder}", one.placeholder, where, about)
        else:
            yield Entry(one.placeholder, one.placeholder, where, MEANS)


def _may_show(_: Model, __: Overlay, row: Entry) -> bool:
    return not row.id.startswith(CLOSED)


def _sure(row: Entry) -> str:
    return f"send {row.label} to the model's server in this turn?"


def _show(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, ShowHidden(row.id))


def _explain(model: Model, _: Overlay, __: Entry) -> Step:
    return toast(model, "it stays as it is")


@command(argument="[search]", rank=53)
def hidden(model: Model, args: str) -> Step:
    """List the secrets that were hidden from the model. Enter, pressed twice, lets it see one until
    the turn ends."""
    return open_sheet(model, "hidden", args)


SHEET: Final = Sheet(
    "Hidden values",
    _rows,
    (
        Action("show", TAKES, "reveal", _show, _may_show, careful=True, confirm=_sure),
        Action(
            "explain",
            TAKES,
            "explain",
            _explain,
            lambda model, overlay, row: not _may_show(model, overlay, row),
            hidden=True,
            closes=False,
        ),
    ),
    (hidden,),
    query="hidden",
    about_lines=2,
)
