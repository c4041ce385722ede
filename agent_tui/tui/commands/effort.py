"""How hard the model thinks."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.ops import EFFORTS, SetEffort
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, then, toast

AUTO: Final = "auto"
CYCLE: Final = ("", "low", "medium", "high")
"""What the key goes through; empty: as the model likes."""


@command(keys=("alt+t",), argument="[level]", choices=lambda _: (AUTO, *EFFORTS), rank=56)
def effort(model: Model, args: str) -> Step:
    """Set how hard the model thinks: auto, none, minimal, low, medium, high, xhigh or max. It holds from the next
    request on. The key goes from auto to low, medium and high. A model that does not think is not asked to."""
    if args and args not in (AUTO, *EFFORTS):
        return toast(model, f"no effort {args!r}; there are: {', '.join((AUTO, *EFFORTS))}", "warning")
    now = model.transcript.effort
    after = CYCLE[(CYCLE.index(now) + 1) % len(CYCLE)] if now in CYCLE else ""
    wanted = ("" if args == AUTO else args) if args else after
    return then(send(model, SetEffort(wanted)), toast(model, f"effort: {wanted or 'as the model likes'}"))
