"""What a person sets for the session in a word: the mode, how hard the model thinks."""

from __future__ import annotations

from agent_tui.agent.record import Record
from agent_tui.protocol.events import EffortChanged, ErrorRaised, ModeChanged, Notice
from agent_tui.protocol.ops import EFFORTS, MODES, SetEffort, SetMode
from agent_tui.providers._effort_told import heeds


def switch(record: Record, op: SetMode | SetEffort) -> None:
    wanted, known = (op.mode, MODES) if isinstance(op, SetMode) else (op.level, ("", *EFFORTS))
    if wanted not in known:
        what = "mode" if isinstance(op, SetMode) else "effort"
        hint = f"{what}s: {', '.join(name for name in known if name)}"
        record.emit(ErrorRaised(f"No {what} {wanted!r}.", "invalid_arguments", hint))
    else:
        record.emit(ModeChanged(wanted) if isinstance(op, SetMode) else EffortChanged(wanted))
        if isinstance(op, SetEffort) and wanted:
            _heeded(record)


def _heeded(record: Record) -> None:
    """Whoever asks a model to think harder that cannot be asked learns that nothing will come of it."""
    name = record.standing.model
    provider, _, model = name.partition("/")
    if model and not heeds(provider, model):
        record.emit(Notice(f"{name} has no effort setting: /effort changes nothing there.", "warning"))
