"""What a person sets for the session in a word: the mode, how hard the model thinks."""

from __future__ import annotations

from agent_tui.agent.record import Record
from agent_tui.protocol.events import EffortChanged, ErrorRaised, ModeChanged
from agent_tui.protocol.ops import EFFORTS, MODES, SetEffort, SetMode


def switch(record: Record, op: SetMode | SetEffort) -> None:
    wanted, known = (op.mode, MODES) if isinstance(op, SetMode) else (op.level, ("", *EFFORTS))
    if wanted not in known:
        what = "mode" if isinstance(op, SetMode) else "effort"
        hint = f"{what}s: {', '.join(name for name in known if name)}"
        record.emit(ErrorRaised(f"No {what} {wanted!r}.", "invalid_arguments", hint))
    else:
        record.emit(ModeChanged(wanted) if isinstance(op, SetMode) else EffortChanged(wanted))
