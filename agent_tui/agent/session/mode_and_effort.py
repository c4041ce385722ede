"""What `/mode` and `/effort` say, as it holds for a session."""

from __future__ import annotations

from agent_tui.agent.session.record import Record
from agent_tui.protocol.events import EffortChanged, ErrorRaised, ModeChanged, Notice
from agent_tui.protocol.ops import EFFORTS, MODES, SetEffort, SetMode
from agent_tui.providers.facts.effort import heeds
from agent_tui.safety.limits import Limits


def switch(record: Record, op: SetMode | SetEffort, limits: Limits = Limits()) -> None:  # noqa: B008
    wanted, known = (op.mode, MODES) if isinstance(op, SetMode) else (op.level, ("", *EFFORTS))
    if wanted not in known:
        what = "mode" if isinstance(op, SetMode) else "effort"
        hint = f"{what}s: {', '.join(name for name in known if name)}"
        record.emit(ErrorRaised(f"No {what} {wanted!r}.", "invalid_arguments", hint))
    elif isinstance(op, SetMode):
        if (bound := limits.bound_mode(wanted)) != wanted:
            said = f"permissions.autonomy is {limits.autonomy}: instead of {wanted}, {bound} holds."
            record.emit(Notice(said, "warning"))
        record.emit(ModeChanged(bound))
    else:
        record.emit(EffortChanged(wanted))
        if wanted:
            _heeded(record)


def _heeded(record: Record) -> None:
    """Whoever asks a model to think harder that cannot be asked learns that nothing will come of
    it."""
    name = record.standing.model
    provider, _, model = name.partition("/")
    if model and not heeds(provider, model):
        record.emit(
            Notice(f"{name} has no effort setting: /effort changes nothing there.", "warning")
        )
