"""Scroll the transcript up by a page."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.transcript import state


@command(keys=("pageup",), slash=False, rank=70)
def page_up(model: Model, _: str) -> Step:
    """Scroll the transcript up by a page."""
    return state.scroll(model, "page_up")


@command(keys=("pagedown",), slash=False, rank=71)
def page_down(model: Model, _: str) -> Step:
    """Scroll the transcript down by a page."""
    return state.scroll(model, "page_down")


@command(keys=("ctrl+home",), empty=("home",), slash=False, rank=70)
def to_top(model: Model, _: str) -> Step:
    """Go to the beginning of the transcript."""
    return state.scroll(model, "top")


@command(keys=("ctrl+end",), empty=("end",), slash=False, rank=70)
def to_end(model: Model, _: str) -> Step:
    """Go to the end of the transcript and follow it. Nothing stays selected. Away from the end, 12
    new ↓ above the prompt counts the blocks that came since; a click on it goes there too."""
    return state.scroll(state.unmark(model), "end")


@command(keys=("ctrl+up",), empty=("shift+up",), slash=False, rank=66)
def message_up(model: Model, _: str) -> Step:
    """Select the previous message: a prompt or the beginning of an answer."""
    return state.step(model, -1, state.is_message)


@command(keys=("ctrl+down",), empty=("shift+down",), slash=False, rank=66)
def message_down(model: Model, _: str) -> Step:
    """Select the next message. After the last one: go to the end of the transcript."""
    return state.step(model, 1, state.is_message)


@command(keys=("alt+up",), slash=False, rank=64)
def fold_up(model: Model, _: str) -> Step:
    """Select the previous block that expands: a tool call, a thought, an expanded skill."""
    return state.step(model, -1, state.foldable)


@command(keys=("alt+down",), slash=False, rank=64)
def fold_down(model: Model, _: str) -> Step:
    """Select the next block that expands. After the last one: go to the end of the transcript."""
    return state.step(model, 1, state.foldable, stays=True)


@command(keys=("ctrl+o",), slash=False, rank=60)
def expand(model: Model, _: str) -> Step:
    """Expand or collapse all tool calls."""
    return state.expand_all(model), ()
