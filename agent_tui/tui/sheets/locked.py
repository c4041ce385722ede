"""A session that another program has open: what can be done about it."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.ops import Resume
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, send
from agent_tui.tui.sheets import TAKES, Action, Sheet

READ: Final = Entry("read", "read only", "watch it", "Nothing is written; /fork makes a copy.")
FORK: Final = Entry(
    "fork", "fork", "your own copy, to work in", "The session in the other program stays as it is."
)
NEW: Final = Entry("new", "a new session", "start with an empty transcript")
STAY: Final = Entry("stay", "stay here", "cancel")


def _rows(model: Model, _: Overlay) -> tuple[Entry, ...]:
    """At a start a new session is open already: to stay there is to have a new one."""
    if len(model.transcript.marks):
        return READ, FORK, NEW, STAY
    return READ, FORK, Entry(STAY.id, NEW.label, NEW.detail)


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    found = model.transcript.answers.locked
    id = found.id if found is not None else ""
    match row.id:
        case "read" if id:
            return send(model, Resume(id, "read"))
        case "fork" if id:
            return send(model, Resume(id, "fork"))
        case "new":
            return send(model, Resume(""))
        case _:
            return model, ()


SHEET: Final = Sheet(
    "Another program has this session open",
    _rows,
    (Action("take", TAKES, "take", _take),),
    typing="below",
    broad=False,
    about_lines=2,
    opens_for="locked",
)
