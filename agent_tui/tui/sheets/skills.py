"""`/skills`: what skills there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry
from agent_tui.tui.sheets.base import TAKES, Action, Sheet
from agent_tui.tui.sheets.control import open_sheet
from agent_tui.tui.update import palette_actions
from agent_tui.tui.update.step import Step


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    return palette_actions.skill_rows(model)


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return palette_actions.run(model, f"{palette_actions.SKILL}{row.id}")


@command(argument="[search]", rank=55)
def skills(model: Model, args: str) -> Step:
    """List the skills. Enter runs one."""
    return open_sheet(model, "skills", args)


SHEET: Final = Sheet(
    "Skills", _rows, (Action("run", TAKES, "run", _run),), (skills,), query="skills", about_lines=2, again="look again",
)  # fmt: skip
