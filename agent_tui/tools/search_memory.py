"""Searches what is remembered from earlier sessions."""

from __future__ import annotations

import sqlite3

from pydantic import Field

from agent_tui.protocol.display import TextDisplay
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support.memory import GROUP, listed


class SearchMemory(LenientArguments):
    query: str = Field(description="words that the fact may have, also others for the same thing")


async def run(arguments: SearchMemory, ctx: ToolContext) -> ToolResult:
    store = ctx.memory
    try:
        found = await ctx.run_blocking(lambda _: store.search(arguments.query))
    except sqlite3.Error as error:
        raise ToolFailure("exception", f"the search failed ({error}): use list_memory") from None
    facts = [fact for _, fact in found]
    content = ctx.hide_secrets(listed(facts)) or "Nothing that is remembered fits: try other words."
    return ToolResult(content, TextDisplay(count_noun(len(facts), "fact")))


TOOL = Tool(
    name="search_memory",
    description="Find facts of earlier sessions. Search before you say that you do not know.",
    arguments=SearchMemory,
    effect="read",
    label=lambda a: f"Search the memory for {a.query}",
    run=run,
    group=GROUP,
)
