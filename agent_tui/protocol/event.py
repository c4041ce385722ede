"""The base of every event: whose it is, when, and the fold that it takes part in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from agent_tui.protocol.transcript import Transcript
from agent_tui.structures.frozen import frozen


@frozen(kw_only=True)
class Event:
    """`n`: sequence number in the log (0: not stored); `at`: seconds since the epoch; the rest says whose it is."""

    settled: ClassVar[bool] = True
    n: int = 0
    at: float = 0.0
    session: str = ""
    run: str = ""
    trace: str = ""
    turn: int = 0
    step: int = 0
    agent: str = "main"
    parent_call: str = ""
    newer: Mapping[str, Any] | None = field(default=None, repr=False)
    """Fields of this event that only a newer version knows: kept as they came, written back unchanged."""

    def apply(self, t: Transcript) -> Transcript:
        return t


@frozen
class Unknown(Event):
    """A record of a newer version: kept as it came, shown to nobody, written back unchanged."""

    raw: dict[str, Any]
    type: str = "unknown"


@frozen
class Restored:
    """Not an event: a transcript that the engine has folded already, in its own thread (resume), from the records up to
    number `n`."""

    transcript: Transcript
    n: int = 0

    def apply(self, _: Transcript) -> Transcript:
        return self.transcript
