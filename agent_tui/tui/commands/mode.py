"""What the agent may do without asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import MODES, SetMode
from agent_tui.structures.tone import Tone
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, send, then, toast

MEANING: Final = {
    "manual": "asks before everything",
    "auto": "asks before edits and most commands",
    "accept-edits": "edits files; asks before most commands",
    "accept-all": "runs all but the dangerous; only a sandbox holds commands",
    "plan": "only reads: no edits, no commands",
}
CYCLE: Final = ("auto", "accept-edits", "plan", "manual")
"""What the key goes through. What runs everything is not on the way to anything: it is asked for by
name."""


def _label(now: Situation) -> str:
    return "" if now.reading or (now.running and now.queued) else "mode"


@command(
    keys=("shift+tab",),
    argument="[name]",
    choices=lambda _: MODES,
    label=_label,
    has_list=True,
    rank=51,
)
def mode(model: Model, args: str) -> Step:
    """Set what may run without asking. The key goes from auto to accept-edits, plan and manual; the
    command without a name lists all, also accept-all."""
    if args and args not in MODES:
        return toast(model, f"no mode {args!r}; there are: {', '.join(MODES)}", "warning")
    now = model.mode_asked or model.transcript.mode
    wanted = args or CYCLE[(CYCLE.index(now) + 1) % len(CYCLE) if now in CYCLE else 0]
    model = replace(model, mode_asked=wanted)
    tone: Tone = "warning" if wanted == "accept-all" else "normal"
    return then(send(model, SetMode(wanted)), toast(model, f"{wanted}: {MEANING[wanted]}", tone))
