"""A change of one file, worked out once: the bytes whose difference was shown are the bytes that are written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_tui.protocol.display import DiffDisplay
from agent_tui.safety import paths
from agent_tui.tools._text import LARGEST, parted
from agent_tui.tools.base import A, Planned, Stale, ToolContext, ToolFailure, ToolResult, sha256


@dataclass(frozen=True, slots=True)
class Change:
    """`data` instead of `before` (None: there is no file) at a real path. `done` is the sentence for the model."""

    path: Path
    before: bytes | None
    data: bytes
    display: DiffDisplay
    done: str


def planned(change: Change, ctx: ToolContext) -> Planned:
    """`change` as what a person may be asked about."""

    async def is_current() -> bool:
        found: bool = await ctx.blocking(lambda _: _is_current(change))
        return found

    return Planned(change.display, lambda: _apply(change, ctx), is_current)


def run_planned(plan: Callable[[A, ToolContext], Awaitable[Planned]]) -> Callable[[A, ToolContext], Any]:
    """How a tool runs where nobody is asked: a call that became stale is worked out anew, once."""

    async def run(arguments: A, ctx: ToolContext) -> ToolResult:
        try:
            return await (await plan(arguments, ctx)).apply()
        except Stale:
            return await (await plan(arguments, ctx)).apply()

    return run


def _is_current(change: Change) -> bool:
    try:
        return paths.read_regular(change.path, LARGEST) == change.before
    except FileNotFoundError:
        return change.before is None
    except (OSError, ValueError):
        return False  # a folder, a link or no permission: working it out again says which


async def _apply(change: Change, ctx: ToolContext) -> ToolResult:
    """Write it, and tell of it, in one go: a cancel between the two would hide a change from undo."""
    path, before, shown = change.path, change.before, change.display.path
    saved = "" if before is None else ctx.checkpoint(before)
    apart = "" if before is None else parted(path, shown)
    folders = sum(not above.exists() for above in path.parents)
    try:
        paths.make_folders(path)
    except OSError as error:
        raise ToolFailure("write_failed", f"{shown}: its folder cannot be made: {error.strerror}") from None
    try:
        paths.atomic_write(path, change.data, follow=False, new=before is None, held=before)
    except (FileExistsError, paths.ChangedMeanwhile):
        text = f"{shown} was changed by another program at this moment, so nothing was written: read it again"
        raise Stale("changed", text) from None
    except (OSError, ValueError) as error:
        raise ToolFailure("write_failed", f"{shown}: {getattr(error, 'strerror', None) or error}") from None
    ctx.changed(path, change.display, saved, sha256(change.data), folders, apart)
    return ToolResult(f"{change.done} {apart}".rstrip(), change.display)
