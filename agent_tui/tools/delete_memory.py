"""Forgets a fact that was kept for later sessions, when the person says yes."""

from __future__ import annotations

from pydantic import Field

from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext
from agent_tui.tools.support.changes import Change, plan_changes, run_planned
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import read_text
from agent_tui.tools.support.memory import GROUP, find_fact, named


class DeleteMemory(Arguments):
    name: str = Field(description="as list_memory says it")


def work_out(arguments: DeleteMemory, ctx: ToolContext) -> Change:
    path, fact = find_fact(arguments.name, ctx.memory.facts())
    held = read_text(path, ctx)
    display = diff(ctx.display_path(path), held.text, "")
    return Change(path, held.raw, None, display, f"Forgot {named(fact)}.")


async def plan(arguments: DeleteMemory, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="delete_memory",
    description="Forget a fact that is wrong now, or that the person wants gone.",
    arguments=DeleteMemory,
    effect="write",
    label=lambda a: f"Forget {a.name}",
    run=run_planned(plan),
    plan=plan,
    group=GROUP,
    persists=True,
)
