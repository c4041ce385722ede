"""Ctrl+G."""

from __future__ import annotations

from agent_tui.structures import chips
from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import EditDraft
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+g",), slash=False, rank=53)
def editor(model: Model, _: str) -> Step:
    """Edit the prompt in your own editor: $VISUAL or $EDITOR if it is set, or nano, vim, vi or emacs. When you
    close it, its text is the prompt."""
    return model, (EditDraft(chips.expand(model.composer.draft, model.composer.chips)),)
