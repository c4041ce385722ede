"""Show what a chip stands for."""

from __future__ import annotations

from agent_tui.structures import chips
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.sheets.control import open_sheet


def _label(now: Situation) -> str:
    return f"show {'image' if chips.is_image(now.chip) else 'paste'}" if now.chip else ""


@command(keys=("f4",), slash=False, label=_label, rank=25)
def paste(model: Model, args: str) -> Step:
    """Show the folded paste or image at the caret. Enter there expands it."""
    now = model.composer
    label = args or chips.at(now.draft, now.caret)  # or else the last one
    if not any(chip.label == label for chip in now.chips):
        return toast(model, "there is no pasted text in the prompt")
    return open_sheet(model, "paste", note=label)
