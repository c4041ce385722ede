"""Lists what is remembered from earlier sessions."""

from __future__ import annotations

from agent_tui.protocol.display import TextDisplay
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult
from agent_tui.tools.support.memory import GROUP, listed


class ListMemory(LenientArguments):
    pass


async def run(_: ListMemory, ctx: ToolContext) -> ToolResult:
    store = ctx.memory
    facts = await ctx.run_blocking(lambda _: list(store.facts().values()))
    content = ctx.hide_secrets(listed(facts)) or "Nothing is remembered."
    return ToolResult(content, TextDisplay(count_noun(len(facts), "fact")))


TOOL = Tool(
    name="list_memory",
    description="List all facts of earlier sessions, by name.",
    arguments=ListMemory,
    effect="read",
    label=lambda _: "List what is remembered",
    run=run,
    group=GROUP,
)
