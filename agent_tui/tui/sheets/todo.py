"""`/todo`: what the model has set out to do. The sheet follows the list while it is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from agent_tui.protocol.display import TODO_WORDS, TodoItem
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.regions import Span, sheet_room
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import CLOSES, Body, Sheet
from agent_tui.tui.sheets.opening import open_sheet

NONE: Final = "no todo list yet: the model keeps one for longer work"
EMPTY: Final = "The list is empty."
ABOVE: Final = 2
"""Items that stay in view above the active one."""
WORD: Final = 9
MARK_CELLS: Final = WORD + 2
"""Cells of the mark and the word in front of a text."""
STATES: Final[Mapping[str, tuple[str, Tone, Tone]]] = {
    "open": ("☐", "normal", "normal"),
    "active": ("▸", "accent", "accent"),
    "done": ("☑", "good", "dim"),
}
"""The mark of a state, the tone of mark and word, and that of the text."""


def _title(model: Model, _: Overlay) -> str:
    items = model.transcript.todos
    done = sum(item.state == "done" for item in items)
    return f"Todo: {done} of {len(items)} done" if items else "Todo"


def _body(model: Model, _: Overlay, __: int) -> Body:
    return _listed(model.transcript.todos)


@lazy
def _listed(items: tuple[TodoItem, ...]) -> Body:
    return Body(tuple(map(_line, items)) or ((Span(EMPTY, "dim"),),))


def _line(item: TodoItem) -> tuple[Span, ...]:
    mark, tone, text = STATES[item.state]
    state = f"{mark} {TODO_WORDS[item.state]}"
    return Span(f"{state:<{WORD}}  ", tone), Span(visible(one_line(item.text)), text)


@command(keys=("ctrl+t",), aliases=("todos",), rank=54)
def todo(model: Model, _: str) -> Step:
    """Show the model's todo list. The header counts it while something is open."""
    items = model.transcript.todos
    if not items:
        return toast(model, NONE)
    active = next((place for place, item in enumerate(items) if item.state == "active"), 0)
    room = max(1, sheet_room(model.width) - MARK_CELLS)
    above = sum(-(-len(item.text) // room) for item in items[: max(0, active - ABOVE)])
    shown, effects = open_sheet(model, "todo")
    return replace(shown, overlay=shown.overlay and replace(shown.overlay, scroll=above)), effects


SHEET: Final = Sheet(
    _title,
    actions=(CLOSES,),
    commands=(todo,),
    typing="prompt",
    body=_body,
    broad=False,
    shows=frozenset(("todo",)),
)
