"""`/skills`: what skills there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets import TAKES, Action, Sheet, palette
from agent_tui.tui.sheets.opening import open_sheet

SOURCES: Final = {"project": 1, "user": 2, "~/.agents": 3, "~/.claude": 4, "shipped": 5}
"""Whose a skill is: the nearest first."""


def _rows(model: Model, _: Overlay) -> Iterable[Entry]:
    return sorted(palette.skill_rows(model), key=lambda row: SOURCES.get(row.group, 0))


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return palette.run(model, f"{palette.SKILL}{row.id}")


@command(argument="[search]", rank=55)
def skills(model: Model, args: str) -> Step:
    """List the skills. Enter runs one."""
    return open_sheet(model, "skills", args)


SHEET: Final = Sheet(
    "Skills",
    _rows,
    (Action("run", TAKES, "run", _run),),
    (skills,),
    query="skills",
    about_lines=2,
    refreshes=True,
)
