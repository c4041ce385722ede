"""Which model answers."""

from __future__ import annotations

from agent_tui.protocol.ops import SetModel
from agent_tui.protocol.transcript import Answers
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, send
from agent_tui.tui.sheets.opening import open_sheet


def offered_models(answers: Answers) -> tuple[str, ...]:
    """The names of the models that the servers offered when they were asked last."""
    return tuple(one.name for one in answers.models.offered) if answers.models is not None else ()


def _label(now: Situation) -> str:
    return "" if now.running or now.reading else "model"


@command(
    keys=("ctrl+l",), argument="[name]", choices=offered_models, free=True, label=_label, rank=52
)
def model(model: Model, args: str) -> Step:
    """Choose the model: from the list of what the servers offer, or by name (provider/model)."""
    return send(model, SetModel(args)) if args else open_sheet(model, "model")
