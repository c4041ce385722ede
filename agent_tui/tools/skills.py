"""The tool `skills`: the model lists the skills there are, and loads the text of one."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from agent_tui.protocol.display import MarkdownDisplay, TextDisplay
from agent_tui.protocol.messages import SkillInfo
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult


class Skills(LenientArguments):
    name: str = Field(default="", description="Empty: list all")
    arguments: str = Field(default="", description="Words for its places")


async def run(args: Skills, ctx: ToolContext) -> ToolResult:
    name = args.name.strip().removeprefix("/")
    if name:
        body = await ctx.load_skill(name, args.arguments.strip())
        return ToolResult(body, MarkdownDisplay(body))
    found = ctx.skills()
    if not found:
        return ToolResult("There are no skills.", TextDisplay("no skills"))
    text = "\n".join(_line(skill) for skill in found)
    return ToolResult(f"{text}\n[Load one with its name before you follow it.]", TextDisplay(text))


def _line(skill: SkillInfo) -> str:
    arguments = "".join(f" <{name}>" for name in skill.arguments) or (
        " <text>" if skill.free else ""
    )
    return f"{skill.name}{arguments}" + (f": {skill.description}" if skill.description else "")


def label(args: Skills) -> str:
    name = args.name.strip().removeprefix("/")
    return f"Load the skill {name}" if name else "List the skills"


TOOL: Final = Tool(
    name="skills",
    description=(
        "Instructions for particular tasks. Without a name: list them. With one: load it and follow it. "
        "Look here before a task that one may describe."
    ),
    arguments=Skills,
    effect="read",
    label=label,
    run=run,
)
