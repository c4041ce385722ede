"""What the servers offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


def _groups(answers: Mapping[str, Any]) -> tuple[str, ...]:
    data = answers.get("models")
    aliases = data.get("aliases") if isinstance(data, Mapping) else None
    providers = dict.fromkeys(name.partition("/")[0] for name in overlay.offered(answers))
    return (*providers, *(map(str, aliases) if isinstance(aliases, Mapping) else ()))


@command(argument="[provider, alias or words]", choices=_groups, free=True, rank=52)
def models(model: Model, args: str) -> Step:
    """List the models that each server really offers: /models openrouter those of one provider, /models fast what
    your alias means."""
    return overlay.pick(model, "models", args)
