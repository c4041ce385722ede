"""Paste the image that the clipboard holds."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import pastes
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+v", "alt+v"), slash=False, rank=67)
def paste_image(model: Model, _: str) -> Step:
    """Paste the image from the clipboard. If there is none: paste the text that was cut here."""
    return pastes.paste_clipboard(model)
