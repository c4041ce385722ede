"""Show what a chip stands for."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.model import Model
from agent_tui.tui.update import pastes
from agent_tui.tui.update.step import Step


def _label(now: Situation) -> str:
    return "show what is folded" if now.chip else ""


@command(keys=("f4",), slash=False, label=_label, rank=25)
def paste(model: Model, _: str) -> Step:
    """Show the pasted text or image at the caret that is folded in the prompt; Enter there unfolds it."""
    return pastes.show(model)
