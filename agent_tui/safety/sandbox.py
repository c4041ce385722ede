"""The only place that starts processes: own process group, closed stdin, capped output, killed as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a process left: `output` is stdout and stderr in order, capped; `lost` counts what the cap left out."""

    output: str
    exit_code: int | None
    timed_out: bool = False
    lost: int = 0
    spool: Path | None = None
    """The file that holds the whole output, where the cap cut it."""
