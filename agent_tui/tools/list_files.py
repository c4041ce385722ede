"""The tool `list_files`: what lies in one folder, with types and sizes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pydantic import Field

from agent_tui.protocol.display import Entry, ListingDisplay
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support import files

MOST: Final = 500
"""Entries shown."""
_SPECIAL: Final = {
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class ListFiles(LenientArguments):
    path: str = Field(default=".", description="Folder to list")


@frozen
class Found:
    """An entry, and how it is written for the model."""

    entry: Entry
    line: str


async def run(args: ListFiles, ctx: ToolContext) -> ToolResult:
    real = ctx.path(args.path)

    def work(stopped: Callable[[], bool]) -> tuple[list[Found], int]:
        return _listed(real, ctx, stopped)

    found, total = await ctx.run_blocking(work)
    shown = ctx.display_path(real)
    display = ListingDisplay(shown, tuple(item.entry for item in found), total)
    if not total:
        return ToolResult(f"{shown} is an empty folder.", display)
    more = total - len(found)
    rest = [f"[… and {more:,} more: narrow it down with glob_files.]"] if more else []
    return ToolResult(
        "\n".join(
            [
                f"{shown} ({count_noun(total, 'entry', 'entries')}):",
                *(item.line for item in found),
                *rest,
            ]
        ),
        display,
    )


def _listed(real: Path, ctx: ToolContext, stopped: Callable[[], bool]) -> tuple[list[Found], int]:
    """The first entries, folders first and then by name, and how many there are. Raises
    ToolFailure."""
    names: list[tuple[bool, str]] = []
    try:
        with os.scandir(real) as entries:
            for entry in entries:
                if stopped():
                    break
                names.append((not entry.is_dir(follow_symlinks=False), entry.name))
    except NotADirectoryError:
        if not real.exists():
            raise files.not_found(real, ctx) from None
        raise ToolFailure(
            "invalid_arguments", f"{ctx.display_path(real)} is a file; read it with read_file"
        ) from None
    except OSError as error:
        raise files.failure(error, real, ctx) from None
    found: list[Found] = []
    room = ctx.max_output_chars - 200
    for _, name in sorted(names)[:MOST]:
        if stopped():
            break
        found.append(_found(real / name))
        room -= len(found[-1].line) + 1
        if room < 0:
            break
    return found, len(names)


def _found(path: Path) -> Found:
    name = files.name_text(path.name)
    try:
        there = path.lstat()
    except OSError:
        return Found(Entry(name, "other"), f"{name}  (gone)")
    if stat.S_ISDIR(there.st_mode):
        return Found(Entry(name, "folder"), f"{name}/")
    if stat.S_ISREG(there.st_mode):
        return Found(
            Entry(name, "file", there.st_size), f"{name}  {files.size_text(there.st_size)}"
        )
    if stat.S_ISLNK(there.st_mode):
        return Found(Entry(name, "link"), f"{name} -> {_target(path)}")
    return Found(
        Entry(name, "other"), f"{name}  ({_SPECIAL.get(stat.S_IFMT(there.st_mode), 'special')})"
    )


def _target(link: Path) -> str:
    try:
        target = os.readlink(link)  # noqa: PTH115 - text, as it is written
    except OSError:
        return "?"
    return files.name_text(target) + (
        "/" if link.is_dir() else "" if link.exists() else " (broken)"
    )


TOOL: Final = Tool(
    name="list_files",
    description=(
        "List one folder: folders first (`name/`), then files with their sizes; hidden entries too, without "
        "subfolders. To find files in the whole tree use glob_files, to search their text grep_files."
    ),
    arguments=ListFiles,
    effect="read",
    label=lambda args: f"List {args.path}",
    run=run,
    paths=lambda args: (args.path,),
)
