"""The tool `propose_plan`: in plan mode, the person judges the plan, and a yes leaves that mode."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from agent_tui.protocol.display import PlanDisplay
from agent_tui.tools.base import (
    Inquiry,
    LenientArguments,
    Tool,
    ToolContext,
    ToolFailure,
    ToolResult,
)

TITLE: Final = "Start with this plan?"
WAYS: Final = (
    ("start", "auto", "mode auto: edits ask, too"),
    ("start, and accept edits", "accept-edits", "mode accept-edits: commands ask"),
)
"""The answers that approve it, the modes that they lead to, and what those mean."""
MOST_CHARS: Final = 40_000
NOBODY: Final = "Nobody is there to approve the plan: the mode stays plan. End with the plan."
REJECTED: Final = "The person rejected the plan; the mode stays plan. Ask what they want instead."


class ProposePlan(LenientArguments):
    plan: str = Field(description="Markdown")


async def run(args: ProposePlan, ctx: ToolContext) -> ToolResult:
    plan = args.plan.strip()
    if ctx.mode != "plan":
        raise ToolFailure("blocked", f"plans are for plan mode, and this is {ctx.mode}: begin")
    if not plan or len(plan) > MOST_CHARS:
        said = f"the plan has {len(plan):,} characters: 1 to {MOST_CHARS:,}"
        raise ToolFailure("invalid_arguments", said)
    labels, _, details = zip(*WAYS, strict=True)
    asked = Inquiry(TITLE, labels, details, kind="plan", display=PlanDisplay(plan))
    replies = await ctx.ask([asked])
    if replies is None:
        return ToolResult(NOBODY, PlanDisplay(plan, "nobody answered"))
    [reply] = replies
    if reply.words:
        said = f"The person wants the plan revised; the mode stays plan. They said: {reply.words}"
        return ToolResult(said, PlanDisplay(plan, "to be revised"))
    if not reply.picks:
        return ToolResult(REJECTED, PlanDisplay(plan, "rejected"))
    ctx.set_mode(WAYS[reply.picks[0]][1])
    said = f"The person approved the plan. The mode is {ctx.mode} now: begin."
    return ToolResult(said, PlanDisplay(plan, f"approved, mode {ctx.mode}"))


TOOL: Final = Tool(
    name="propose_plan",
    description="In plan mode only: show the person your plan, which they approve, revise or reject.",
    arguments=ProposePlan,
    effect="read",
    label=lambda _: "Propose a plan",
    run=run,
    asks_person=True,
)
