"""The sheet with the todo list: each item with its mark and its state in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent_tui.protocol.display import TODO_WORDS, TodoItem
from agent_tui.structures.visible import visible
from agent_tui.tui.regions import OverlayView, Span, Tone
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

_STATES: Final[Mapping[str, tuple[str, Tone, Tone]]] = {
    "open": ("☐", "normal", "normal"), "active": ("▸", "accent", "accent"), "done": ("☑", "good", "dim"),
}
"""The mark of a state, the tone of mark and word, and that of the text."""
WORD: Final = 9
EMPTY: Final = "The list is empty."


@lazy
def todo_view(items: tuple[TodoItem, ...], scroll: int) -> OverlayView:
    done = sum(item.state == "done" for item in items)
    title = f"Todo: {done} of {len(items)} done" if items else "Todo"
    lines = tuple(_line(item) for item in items) or ((Span(EMPTY, "dim"),),)
    return OverlayView(title, lines, scroll=scroll, footer="Esc closes")


def _line(item: TodoItem) -> tuple[Span, ...]:
    mark, tone, text = _STATES[item.state]
    state = f"{mark} {TODO_WORDS[item.state]}"
    return Span(f"{state:<{WORD}}  ", tone), Span(visible(one_line(item.text)), text)
