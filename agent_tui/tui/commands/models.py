"""What the servers offer."""

from __future__ import annotations

from agent_tui.protocol.transcript import Answers
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


def _groups(answers: Answers) -> tuple[str, ...]:
    providers = dict.fromkeys(name.partition("/")[0] for name in overlay.offered(answers))
    return (*providers, *(answers.models.aliases if answers.models is not None else ()))


@command(argument="[provider, alias or words]", choices=_groups, free=True, rank=52)
def models(model: Model, args: str) -> Step:
    """List the models that the servers offer. /models openrouter lists one provider, /models fast shows what
    your alias means."""
    return overlay.pick(model, "models", args)
