"""Offers tools that are not in every request: their names stand in the system prompt, their schemas
come when they are needed."""

from __future__ import annotations

from pydantic import Field

from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult


class LoadTools(LenientArguments):
    group: str = Field(description="as the system prompt lists it")


async def run(arguments: LoadTools, ctx: ToolContext) -> ToolResult:
    names = ctx.load_tools(arguments.group.strip().lower())
    return ToolResult(f"From now on you have: {', '.join(names)}.")


TOOL = Tool(
    name="load_tools",
    description="Get a group of tools for your next answer.",
    arguments=LoadTools,
    effect="read",
    label=lambda a: f"Load the tools of {a.group}",
    run=run,
)
