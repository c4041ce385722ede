"""Say something to the running turn."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import submit


def _label(now: Situation) -> str:
    return "steer" if now.running and now.draft else ""  # with an empty prompt Enter does


@command(keys=("alt+s",), slash=False, label=_label, rank=20)
def steer(model: Model, _: str) -> Step:
    """Steer: send the prompt, or the oldest queued one, into the running turn at its next step."""
    return submit.steer(model, model.composer.draft)
