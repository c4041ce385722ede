"""What glob_files and grep_files share: pages, the time they may take, and what they say was left out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from agent_tui.safety.paths import NotRegular
from agent_tui.structures.plural import counted
from agent_tui.tools import _files
from agent_tui.tools._walk import Walk
from agent_tui.tools.base import ToolContext, ToolFailure

PER_PAGE: Final = 100
BUDGET: Final = 20.0
"""Seconds that a search may take; then it shows what it has and says so."""

Page = Annotated[int, Field(default=1, ge=1, le=1_000_000, description=f"Page of {PER_PAGE} results")]


@dataclass(slots=True)
class Halt:
    """Whether a search must end: it was cancelled, or its time is up (`late`)."""

    stopped: Callable[[], bool]
    deadline: float
    late: bool = False

    @classmethod
    def after(cls, stopped: Callable[[], bool], seconds: float) -> Halt:
        return cls(stopped, time.monotonic() + seconds)

    def __call__(self) -> bool:
        self.late = self.late or time.monotonic() > self.deadline
        return self.late or self.stopped()


def page_notes(page: int, shown: int, total: int, more_than: bool = False) -> list[str]:
    """Where the page stands among the results, and how to get the next one. Raises ToolFailure behind the last."""
    first = (page - 1) * PER_PAGE + 1
    if first > max(1, total):
        pages = max(1, -(-total // PER_PAGE))
        raise ToolFailure("invalid_arguments", f"page {page} is after the last one ({pages})")
    last = first + shown - 1
    if last >= total:
        return [f"[{first}-{last} of {total}.]"] if page > 1 else []
    return [f"[{first}-{last} of {'over ' if more_than else ''}{total}. The next: page={page + 1}.]"]


def walk_notes(walk: Walk | None, halt: Halt) -> list[str]:
    """What a walk left out against its will."""
    notes = [f"[Stopped after {BUDGET:.0f} s: not all was searched. Give a smaller folder.]"] if halt.late else []
    if walk is not None and walk.unreadable:
        notes.append(f"[{counted(walk.unreadable, 'folder')} could not be read.]")
    if walk is not None and walk.unread_rules:
        notes.append(f"[{counted(walk.unread_rules, 'line')} of .gitignore files could not be used.]")
    return notes


def folder_failure(real: Path, ctx: ToolContext, error: OSError | NotRegular) -> ToolFailure:
    """The failure for a start of a search that is no folder that can be opened."""
    if isinstance(error, NotADirectoryError) and real.exists():
        return ToolFailure("invalid_arguments", f"{ctx.shown(real)} is not a folder")
    return _files.failure(error, real, ctx)
