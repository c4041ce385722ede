"""Deletes a file, or a folder that is empty."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.protocol.display import DiffDisplay, TextDisplay
from agent_tui.safety import file_access
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.move_file import read_whole
from agent_tui.tools.support.changes import (
    Change,
    plan_changes,
    refuse_link,
    refuse_stale,
    run_planned,
)
from agent_tui.tools.support.diff import diff, noted
from agent_tui.tools.support.files import failure, is_binary, size_text

SHOWN_LINES: Final = 1_000
"""Lines of a file that are shown when it goes."""


class DeleteFile(Arguments):
    path: str


def work_out(arguments: DeleteFile, ctx: ToolContext) -> Change:
    data, path = read_whole(arguments.path, ctx), ctx.path(arguments.path)
    shown = ctx.display_path(path)
    refuse_stale(path, data, ctx)
    if is_binary(data):
        display = noted(diff(shown, "", ""), f"a binary file of {size_text(len(data))}")
    else:
        display = _shortened(diff(shown, data.decode("utf-8", "replace"), ""))
    return Change(path, data, None, display, f"Deleted {shown}.")


def _shortened(display: DiffDisplay) -> DiffDisplay:
    """The beginning of a long file that goes: who is asked need not read all of it."""
    if display.removed <= SHOWN_LINES:
        return display
    more = f"\\ … {display.removed - SHOWN_LINES:,} more lines"
    hunk = display.hunks[0]
    return replace(display, hunks=(replace(hunk, lines=(*hunk.lines[:SHOWN_LINES], more)),))


def _plan_folder(path: Path, ctx: ToolContext) -> Planned:
    shown = ctx.display_path(path)
    try:
        is_empty = not any(path.iterdir())
    except OSError as error:
        raise failure(error, path, ctx) from None
    if path in ctx.roots or not is_empty:
        raise ToolFailure(
            "blocked", f"{shown} is a folder that is not empty: delete its files first"
        )

    async def apply() -> ToolResult:
        try:
            await ctx.run_blocking(lambda _: file_access.remove_folder(path))
        except OSError as error:
            raise ToolFailure("write_failed", f"{shown}: {error.strerror}") from None
        said = f"Deleted the empty folder {shown}."
        return ToolResult(said, TextDisplay(said))

    return Planned(
        TextDisplay(f"Delete the empty folder {shown}; /undo does not make it again."), apply
    )


async def plan(arguments: DeleteFile, ctx: ToolContext) -> Planned:
    def find_folder(_: object) -> Planned | None:
        refuse_link(arguments.path, ctx)
        path = ctx.path(arguments.path)
        return _plan_folder(path, ctx) if path.is_dir() else None

    folder: Planned | None = await ctx.run_blocking(find_folder)
    return folder or await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="delete_file",
    description="Delete a file or an empty folder.",
    arguments=DeleteFile,
    effect="write",
    label=lambda a: f"Delete {a.path}",
    run=run_planned(plan),
    paths=lambda a: (a.path,),
    plan=plan,
    group="files",
)
