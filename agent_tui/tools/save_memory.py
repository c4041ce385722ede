"""Keeps a fact for later sessions. The person sees each one, and says yes, in every mode."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from agent_tui.protocol.messages import MemoryFact, MemoryScope
from agent_tui.tools.base import LenientArguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.changes import Change, plan_changes, run_planned
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import read_text, refuse_placeholders
from agent_tui.tools.support.memory import GROUP, find_fact, named

LONGEST: Final = 1_000
"""Characters of a fact: what is longer is a document."""


class SaveMemory(LenientArguments):
    text: str = Field(
        description="one fact that stays true, in a sentence or two, in words that one would ask with"
    )
    scope: MemoryScope = Field(
        default="user", description="user: about the person; project: about this project"
    )
    replaces: str = Field(default="", description="the fact that this one takes the place of")


def work_out(arguments: SaveMemory, ctx: ToolContext) -> Change:
    text, facts = arguments.text.strip(), ctx.memory.facts()
    if not text or len(text) > LONGEST:
        raise ToolFailure("invalid_arguments", f"text: from 1 to {LONGEST:,} characters, one fact")
    refuse_placeholders(text, "", "text")
    if (same := next((one for one in facts.values() if one.text == text), None)) is not None:
        raise ToolFailure("exists", f"that is remembered already, as {named(same)}")
    if arguments.replaces:
        path, fact = find_fact(arguments.replaces, facts)
        before, old = read_text(path, ctx).raw, fact.text
    else:
        path = ctx.memory.path_for(text, arguments.scope)
        fact, before, old = MemoryFact(path.stem, arguments.scope, text), None, ""
    display = diff(ctx.display_path(path), f"{old}\n" if old else "", f"{text}\n", created=not old)
    data = f"{text}\n".encode("utf-8", "surrogatepass")
    return Change(path, before, data, display, f"Remembered as {named(fact)}.")


def label(arguments: SaveMemory) -> str:
    """What a fact replaces says itself what it is about."""
    about = "this project" if arguments.scope == "project" else "you"
    what = "Remember instead" if arguments.replaces else f"Remember about {about}"
    return f"{what}: {' '.join(arguments.text.split())}"


async def plan(arguments: SaveMemory, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="save_memory",
    description="Remember a fact for later sessions. Only what the person wants kept, or would tell you again.",
    arguments=SaveMemory,
    effect="write",
    label=label,
    run=run_planned(plan),
    plan=plan,
    group=GROUP,
    persists=True,
)
