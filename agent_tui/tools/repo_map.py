"""The tool `repo_map`: what the files of a folder define, the most used first."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from agent_tui.protocol.display import TextDisplay
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult

TOKENS: Final = 1_024
LEAST: Final = 128
"""Fewer say nothing."""


class RepoMap(LenientArguments):
    path: str = Field(default=".", description="Folder or file")
    focus: str = Field(default="", description="Words for what you look for, such as undo session")
    tokens: int = Field(default=TOKENS, ge=1, le=16_384, description="How long it may be")


async def run(args: RepoMap, ctx: ToolContext) -> ToolResult:
    tokens = min(max(args.tokens, LEAST), ctx.max_output_chars // 3)
    text = await ctx.map_files(args.path, args.focus.split(), tokens)
    if not text:
        where = ctx.display_path(ctx.path(args.path))
        return ToolResult(
            f"No file in {where} defines anything that is known to be code. "
            "Files that .gitignore names are left out."
        )
    return ToolResult(text, TextDisplay(text))


def label(args: RepoMap) -> str:
    where = "" if args.path in (".", "") else f" of {args.path}"
    return f"Map{where}" + (f" for {args.focus}" if args.focus else "")


TOOL = Tool(
    name="repo_map",
    description=(
        "What the files of a folder define (classes, functions, constants), each with its line, the "
        "most used first: an overview before you search. Leaves out what .gitignore names."
    ),
    arguments=RepoMap,
    effect="read",
    group="find",
    label=label,
    run=run,
    paths=lambda args: (args.path,),
)
