"""Leaving while not all of the session is on disk: what can be done about it."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.screen import session_actions
from agent_tui.tui.sheets import TAKES, Action, Sheet


def _rows(model: Model, _: Overlay) -> tuple[Entry, ...]:
    about = model.transcript.describe_loss()
    about = f"{about[:1].upper()}{about[1:]}."
    return (
        Entry("again", "Try again", "after you made room", about),
        Entry("elsewhere", "Write it elsewhere", "asks where to", about),
        Entry("leave", "Leave", "and lose it", about),
    )


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    return session_actions.choose_saving(model, row.id)


def _keeps(_: Model, __: Overlay, row: Entry) -> bool:
    return row.id != "leave"


def _loses(_: Model, __: Overlay, row: Entry) -> bool:
    return row.id == "leave"


def _sure(_: Entry) -> str:
    return "Leave and lose what is not saved?"


SHEET: Final = Sheet(
    "Not all of this session is saved",
    _rows,
    (
        Action("take", TAKES, "take", _take, _keeps),
        Action("leave", TAKES, "leave", _take, _loses, careful=True, confirm=_sure),
    ),
    broad=False,
    about_lines=3,
    opens_for="unsaved",
    live=lambda model: (model.transcript,),
)
