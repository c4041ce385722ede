"""The tool `read_result`: gives back the result of an earlier call, of which the model reads one
line now."""

from __future__ import annotations

from pydantic import Field

from agent_tui.protocol.tool_events import READ_RESULT
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult

GROUP = "results"
"""Offered once there are any."""


class ReadResult(LenientArguments):
    id: str = Field(description="As the line says that stands for the result")


async def run(args: ReadResult, ctx: ToolContext) -> ToolResult:
    content = ctx.past_result(args.id.strip())
    if content is None:
        raise ToolFailure("not_found", f"no earlier result {args.id!r}: call the tool again")
    return ToolResult(content)


TOOL = Tool(
    name=READ_RESULT,
    description="Give back an earlier result that is not shown any more.",
    arguments=ReadResult,
    effect="read",
    group=GROUP,
    label=lambda a: f"Read the result of {a.id} again",
    run=run,
)
