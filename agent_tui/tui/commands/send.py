"""Send the prompt."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import submit


def _label(now: Situation) -> str:
    if now.reading:
        return ""
    if now.draft:
        return "queue" if now.running else "send"
    if now.queued:
        return "steer" if now.running else "resume the queue" if now.paused else ""
    return "" if now.running else "send"


@command(keys=("enter", "ctrl+s"), slash=False, label=_label, rank=10)
def send(model: Model, _: str) -> Step:
    """Send the prompt, or queue it while the agent runs. With an empty prompt Enter steers with the
    oldest queued prompt, or resumes a paused queue."""
    return submit.submit(model, model.composer.draft)
