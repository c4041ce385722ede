"""Makes a new file. What is there is never overwritten silently."""

from __future__ import annotations

from pydantic import Field

from agent_tui.structures.readable import counted
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.diff import Change, diff, planned, run_planned
from agent_tui.tools.support.files import FileText, read_text, refuse_placeholders


class CreateFile(Arguments):
    path: str = Field(description="the new file, relative to the working directory")
    content: str = Field(description="its whole text")
    overwrite: bool = Field(default=False, description="replace the file if it exists")


def work_out(arguments: CreateFile, ctx: ToolContext) -> Change:
    """The new file, or why it cannot be made (ToolFailure)."""
    path = ctx.path(arguments.path)
    shown = ctx.shown(path)
    before: FileText | None = None
    if path.exists():
        if not arguments.overwrite:
            text = f"{shown} exists: change it with edit_file, or give overwrite=true to replace it all"
            raise ToolFailure("exists", text)
        before = read_text(path, ctx)
    refuse_placeholders(arguments.content, before.text if before else "", "content")
    display = diff(shown, before.text if before else "", arguments.content, created=before is None)
    data = arguments.content.encode("utf-8", "surrogatepass")
    size = counted(len(arguments.content.splitlines()), "line")
    done = f"{'Replaced' if before else 'Created'} {shown} ({size})."
    return Change(path, before.raw if before else None, data, display, done)


async def plan(arguments: CreateFile, ctx: ToolContext) -> Planned:
    return planned(await ctx.blocking(lambda _: work_out(arguments, ctx)), ctx)


TOOL = Tool(
    name="create_file",
    description="Create a new file with the given text, and its folders. Fails if it exists, unless overwrite.",
    arguments=CreateFile,
    effect="write",
    label=lambda a: f"{'Replace' if a.overwrite else 'Create'} {a.path}",
    run=run_planned(plan),
    paths=lambda a: (a.path,),
    plan=plan,
)
