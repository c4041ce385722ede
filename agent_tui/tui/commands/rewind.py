"""Back to an earlier turn."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step, toast


@command(argument="[search]", rank=56)
def rewind(model: Model, args: str) -> Step:
    """Rewind to before an earlier turn: files, messages or both. First you see each file with its diff. The log
    keeps everything. Esc Esc on an empty prompt does the same."""
    if refused := overlay.unable(model):
        return toast(model, refused, "warning")
    if not len(model.transcript.marks):
        return toast(model, "there is no turn to rewind yet")
    return overlay.pick(model, "rewind", args)
