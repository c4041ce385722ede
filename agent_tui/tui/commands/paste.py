"""Show what a chip stands for."""

from __future__ import annotations

from agent_tui.structures import chips
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.model import Model
from agent_tui.tui.update import pastes
from agent_tui.tui.update.step import Step


def _label(now: Situation) -> str:
    return f"show {'image' if chips.is_image(now.chip) else 'paste'}" if now.chip else ""


@command(keys=("f4",), slash=False, label=_label, rank=25)
def paste(model: Model, _: str) -> Step:
    """Show the folded paste or image at the caret. Enter there expands it."""
    return pastes.show(model)
