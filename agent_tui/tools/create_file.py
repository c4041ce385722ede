"""Makes a new file. What is there is never overwritten silently, and keeps its BOM and line ends:
the difference that a person says yes to shows neither."""

from __future__ import annotations

from pydantic import Field

from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.changes import Change, plan_changes, refuse_stale, run_planned
from agent_tui.tools.support.diff import diff, lines
from agent_tui.tools.support.files import BOM, FileText, read_text, refuse_placeholders


class CreateFile(LenientArguments):
    path: str = Field(description="the new file, relative to the working directory")
    content: str = Field(description="its whole text")
    overwrite: bool = Field(default=False, description="replace the file if it exists")


def work_out(arguments: CreateFile, ctx: ToolContext) -> Change:
    """The new file, or why it cannot be made (ToolFailure)."""
    path = ctx.path(arguments.path)
    shown = ctx.display_path(path)
    before: FileText | None = None
    if path.exists():
        if not arguments.overwrite:
            text = f"{shown} exists: change it with edit_file, or give overwrite=true to replace it all"
            raise ToolFailure("exists", text)
        before = read_text(path, ctx)
        refuse_stale(path, before.raw, ctx)
    content, old = arguments.content, before.text if before else ""
    refuse_placeholders(content, old, "content")
    if before is not None and before.bom:
        content = content.removeprefix(BOM)
    if before is not None and before.crlf:
        content = content.replace("\r\n", "\n")  # as the difference shows it; it is put back below
    keeps = before is not None and (before.bom or before.crlf)
    data = before.encode(content) if before and keeps else content.encode("utf-8", "surrogatepass")
    display = diff(shown, old, content, created=before is None)
    size = count_noun(len(lines(content)), "line")
    done = f"{'Replaced' if before else 'Created'} {shown} ({size})."
    return Change(path, before.raw if before else None, data, display, done)


async def plan(arguments: CreateFile, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


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
