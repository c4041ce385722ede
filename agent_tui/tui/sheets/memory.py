"""`/memory`: what is remembered from session to session, and what is proposed for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.protocol.answers import MemoryRow
from agent_tui.protocol.ops import ChangeMemory
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import OpenFile
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet
from agent_tui.tui.sheets.opening import look_again, open_sheet

GROUPS: Final = {
    "proposed": "Proposed: kept once you accept it",
    "user": "About you",
    "project": "About this project",
}
SCOPES: Final = {"proposed": "proposed", "user": "you", "project": "this project"}
"""The same in a row: a low screen has no room for headings."""
ABOUT: Final = "Proposed by the model: Enter keeps it, Delete declines it."
EMPTY: Final = (
    "Nothing is remembered yet. Ask the agent to remember something, or write a Markdown file with "
    "one fact into the folder memory beside your settings."
)
OFF: Final = "Nothing of this is told to the model: agent.memory is off (/settings)"


def _known(model: Model) -> dict[str, MemoryRow]:
    told = model.transcript.answers.memory
    return {row.id: row for row in told.rows} if told is not None else {}


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    for row in _known(model).values():
        label = one_line(" ".join(row.text.split()))
        # a fact that its row says whole is not said again, but where it is from
        proposed = f"{ABOUT} Found on {row.day}."
        about = row.path or proposed if label == row.text else row.text
        yield Entry(row.id, label, SCOPES[row.scope], about, GROUPS[row.scope], path=row.path)


def _none(model: Model, _: Overlay) -> Lines:
    told = model.transcript.answers.memory
    return ((Span(EMPTY, "dim"),),) if told is not None and not told.rows else ()


def _note(model: Model, _: Overlay) -> str:
    told = model.transcript.answers.memory
    if told is None or not told.on:
        return OFF if told is not None else ""
    left = f"{told.left:,} more: only the first are listed" if told.left else ""
    return " · ".join(filter(None, (left, told.meaning)))


def _is_proposed(model: Model, _: Overlay, row: Entry) -> bool:
    known = _known(model).get(row.id)
    return known is not None and known.scope == "proposed"


def _is_kept(model: Model, _: Overlay, row: Entry) -> bool:
    known = _known(model).get(row.id)
    return known is not None and known.scope != "proposed"


def _edit(model: Model, overlay: Overlay, row: Entry) -> Step:
    """The editor has the terminal until it is left: what is asked behind it finds the new text."""
    asked = look_again(model, overlay)
    return asked[0], (OpenFile(_known(model)[row.id].path), *asked[1])


def _accept(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, ChangeMemory("accept", row.id))


def _decline(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, ChangeMemory("decline", row.id))


def _forget(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, ChangeMemory("forget", row.id))


def _sure(row: Entry) -> str:
    return f"forget “{one_line(row.label, 40)}”? It deletes {one_line(row.path)}"


def _restore(model: Model, _: Overlay, __: Entry) -> Step:
    return send(model, ChangeMemory("restore"))


def _has_forgotten(model: Model, _: Overlay, __: Entry) -> bool:
    told = model.transcript.answers.memory
    return told is not None and bool(told.forgotten)


@command(argument="[search]", rank=57)
def memory(model: Model, args: str) -> Step:
    """List what is remembered from session to session. Enter edits a fact in your own editor, or
    accepts one that is proposed. Delete forgets it."""
    return open_sheet(model, "memory", args)


SHEET: Final = Sheet(
    "Memory",
    _rows,
    (
        Action("edit", TAKES, "edit", _edit, _is_kept, closes=False),
        Action("accept", TAKES, "keep", _accept, _is_proposed, closes=False, careful=True),
        Action(
            "forget",
            ("delete",),
            "forget",
            _forget,
            _is_kept,
            closes=False,
            confirm=_sure,
            typed="d",
        ),
        Action(
            "decline", ("delete",), "decline", _decline, _is_proposed, closes=False, typed="decline"
        ),
        Action(
            "restore",
            ("f2",),
            "bring back",
            _restore,
            _has_forgotten,
            needs_row=False,
            closes=False,
            typed="undo",
        ),
    ),
    (memory,),
    query="memory",
    about_lines=4,
    note=_note,
    instead=_none,
    refreshes=True,
    live=lambda model: (model.transcript.answers.memory,),
    says_groups=True,
)
