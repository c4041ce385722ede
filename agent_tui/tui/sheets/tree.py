"""`/tree`: the forks of sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.screen import session_actions
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """A session and its forks, the forks below what they were made from."""
    found = model.transcript.answers.tree
    for branch in found.branches if found is not None else ():
        own = replace(branch.session, parent="")  # the lines say whose fork it is
        entry = session_actions.session_row(model, own)
        yield replace(entry, label=f"{branch.lines}{entry.label}")


@command(rank=57)
def tree(model: Model, _: str) -> Step:
    """Show the forks of sessions as a tree, and open one."""
    return open_sheet(model, "tree")


SHEET: Final = Sheet(
    "Forks",
    _rows,
    (Action("open", TAKES, "open", session_actions.open_row),),
    (tree,),
    query="tree",
    preview="session_preview",
    about_lines=6,
    always_about=True,
)
