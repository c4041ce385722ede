"""Moves or renames a file, never over another."""

from __future__ import annotations

from pydantic import Field

from agent_tui.safety import file_access
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.changes import Change, plan_changes, refuse_link, run_planned
from agent_tui.tools.support.diff import diff, noted
from agent_tui.tools.support.files import LARGEST, failure


class MoveFile(Arguments):
    path: str
    to: str = Field(description="its new path, with the name")


def read_whole(text: str, ctx: ToolContext) -> bytes:
    """What a file holds, so that it can be brought back. Raises ToolFailure."""
    refuse_link(text, ctx)
    path = ctx.path(text)
    try:
        data = file_access.read_regular(path, LARGEST)
    except (OSError, file_access.NotRegular) as error:
        raise failure(error, path, ctx) from None
    if len(data) > LARGEST:
        said = f"{ctx.display_path(path)} is larger than {LARGEST // 1_000_000} MB: use a command instead"
        raise ToolFailure("too_large", said)
    return data


def work_out(arguments: MoveFile, ctx: ToolContext) -> Change:
    data = read_whole(arguments.path, ctx)
    refuse_link(arguments.to, ctx)
    path, to = ctx.path(arguments.path), ctx.path(arguments.to)
    shown, new = ctx.display_path(path), ctx.display_path(to)
    if to.is_dir():
        raise ToolFailure("exists", f"{new} is a folder: give the new name, as {new}/{path.name}")
    if to.exists():
        raise ToolFailure("exists", f"{new} exists: it is not replaced")
    display = noted(diff(new, "", ""), f"moved from {shown}")
    return Change(to, data, data, display, f"Moved {shown} to {new}.", path)


async def plan(arguments: MoveFile, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="move_file",
    description="Move or rename a file. What is at the new path is never replaced.",
    arguments=MoveFile,
    effect="write",
    label=lambda a: f"Move {a.path} to {a.to}",
    run=run_planned(plan),
    paths=lambda a: (a.path, a.to),
    plan=plan,
    group="files",
)
