"""The tool `glob_files`: finds files by name in a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import Field

from agent_tui.protocol.display import Entry, ListingDisplay
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult
from agent_tui.tools.support import files
from agent_tui.tools.support.walk import (
    BUDGET,
    PER_PAGE,
    Glob,
    Halt,
    Page,
    Walk,
    folder_failure,
    page_notes,
    walk_notes,
)


class GlobFiles(LenientArguments):
    pattern: str = Field(description="Such as src/**/*.py or *.{md,txt}")
    path: str = Field(default=".", description="Folder to search")
    page: Page


@dataclass(slots=True)
class Names:
    """The names of one page, how many there are in all, and what was left out."""

    page: list[Entry] = field(default_factory=list)
    total: int = 0
    notes: list[str] = field(default_factory=list)


async def run(args: GlobFiles, ctx: ToolContext) -> ToolResult:
    real, glob = ctx.path(args.path), Glob(args.pattern)

    def work(stopped: Callable[[], bool]) -> Names:
        return _found(glob, real, args.page, ctx, stopped)

    names: Names = await ctx.run_blocking(work)
    shown = ctx.display_path(real)
    notes = [*page_notes(args.page, len(names.page), names.total), *names.notes]
    display = ListingDisplay(shown, tuple(names.page), names.total)
    if not names.total:
        hint = "Files that .gitignore names are left out, unless path names their folder."
        return ToolResult(
            "\n".join([f"No file in {shown} matches {args.pattern}. {hint}", *notes]), display
        )
    head = f"{count_noun(names.total, 'file')}:"
    return ToolResult("\n".join([head, *(entry.name for entry in names.page), *notes]), display)


def _found(
    glob: Glob, real: Path, page: int, ctx: ToolContext, stopped: Callable[[], bool]
) -> Names:
    names, halt = Names(), Halt.after(stopped, BUDGET)
    walk = Walk(real, ctx.roots, halt, ctx.environment)
    first, shown = (page - 1) * PER_PAGE, ctx.display_path(real)
    try:
        for run in walk.runs():
            fitting = glob.among(run.path, run.names)
            for name in fitting[max(0, first - names.total) : first + PER_PAGE - names.total]:
                path = run.path + name
                regular = name not in run.special
                names.page.append(_entry(real / path, files.path_below(shown, path), regular))
            names.total += len(fitting)
    except OSError as error:
        raise folder_failure(real, ctx, error) from None
    names.notes = walk_notes(walk, halt)
    return names


def _entry(path: Path, name: str, regular: bool) -> Entry:
    if path.is_symlink():
        return Entry(name, "link")
    try:
        return Entry(name, "file", path.lstat().st_size) if regular else Entry(name, "other")
    except OSError:
        return Entry(name, "other")  # gone meanwhile: it was there


TOOL: Final = Tool(
    name="glob_files",
    description=(
        "Find files by name pattern in a folder and below: `*` in a name, `**` for any folders, `{a,b}`. A pattern "
        "without `/` matches names in every subfolder. Leaves out what .gitignore names, and .git. "
        f"{PER_PAGE} results a page. To search the text of files use grep_files."
    ),
    arguments=GlobFiles,
    effect="read",
    label=lambda args: (
        f"Find {args.pattern}" + ("" if args.path in (".", "") else f" in {args.path}")
    ),
    run=run,
    paths=lambda args: (args.path,),
)
