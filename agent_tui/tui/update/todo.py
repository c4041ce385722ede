"""The sheet with the todo list: it follows the list while it is open. What is typed is for the prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.display import TodoItem
from agent_tui.tui import commands
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.regions import sheet_room
from agent_tui.tui.update import holding
from agent_tui.tui.update.step import Step, toast

MARK_CELLS: Final = 11
"""Cells of the mark and the word in front of a text."""
ABOVE: Final = 2
"""Items that stay in view above the active one."""
AROUND: Final = 7
"""Lines of the screen that the texts of a sheet do not get."""
NONE: Final = "no todo list yet: the model keeps one for longer work"


def show(model: Model) -> Step:
    """Open the sheet, where the list is long at the item in work."""
    items = model.transcript.todos
    if not items:
        return toast(model, NONE)
    active = next((place for place, item in enumerate(items) if item.state == "active"), 0)
    scroll = min(_lines(model, items[: max(0, active - ABOVE)]), _last(model))
    return replace(model, overlay=Overlay("todo", scroll=scroll)), ()


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. None: not a key for it."""
    if msg.key in ("escape", "enter") or commands.bindings(model.keys).get(msg.key) == "todo":
        return replace(model, overlay=None), ()
    page = max(1, model.height - AROUND)
    moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
    if msg.key in moves:
        scroll = max(0, min(overlay.scroll + moves[msg.key], _last(model)))
        return replace(model, overlay=replace(overlay, scroll=scroll)), ()
    return holding.type_or_hold(model, msg, "")


def _lines(model: Model, items: tuple[TodoItem, ...]) -> int:
    """About how many lines they take."""
    room = max(1, sheet_room(model.width) - MARK_CELLS)
    return sum(-(-len(item.text) // room) for item in items)


def _last(model: Model) -> int:
    """Where scrolling ends."""
    return max(0, _lines(model, model.transcript.todos) - max(1, model.height - AROUND))
