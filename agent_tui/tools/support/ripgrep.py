"""ripgrep as a fast look at which files are worth reading.

It decides nothing: it is told which folders to look into, one by one, so it reads no rules and
follows nothing, and what it names is read and searched here. So a search with it gives what one
without it gives, if only it names every file that matches. Where that is not sure, or where it has
trouble, it is not asked.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.programs import find_program, search_path
from agent_tui.safety.process import processes
from agent_tui.structures import late
from agent_tui.tools.base import ToolContext
from agent_tui.tools.support.expression import Expression
from agent_tui.tools.support.walk import BUDGET, Batch

PROGRAM: Final = "rg"
FEWEST: Final = 1_000
"""Files from which on starting it pays."""
_MOST_SECRETS: Final = 200
_MEMORY: Final = 1_000_000_000
"""Bytes that it may have: it holds a line in memory, however long that is."""
_OPTIONS: Final = (
    "--no-config", "--no-ignore", "--hidden", "--no-messages", "--max-depth=1", "--no-mmap",
    "--crlf", "--color=never", "--files-with-matches", "--null",
)  # fmt: skip
_UNSURE: Final = late.pattern(
    r"&&|--|~~"  # within a set they are operators to it
    r"|\\[WSBC]|\[\[:\^"  # known by ASCII only, here
    r"|\(\?[a-zA-Z]*-"  # options that are switched off
)
_INVALID: Final = (
    r"(?-u:[\xC0\xC1\xF5-\xFF]|[\xC2-\xDF](?:[^\x80-\xBF]|$)|[\xE0-\xEF][\x80-\xBF]?(?:[^\x80-\xBF]|$)"
    r"|[\xF0-\xF4][\x80-\xBF]{0,2}(?:[^\x80-\xBF]|$)|(?:^|[\x00-\x7F])[\x80-\xBF]"
    r"|[\xC2-\xDF][\x80-\xBF]{2}|[\xE0-\xEF][\x80-\xBF]{3}|[\xF0-\xF4][\x80-\xBF]{4}"
    r"|\xE0[\x80-\x9F]|\xED[\xA0-\xBF]|\xF0[\x80-\x8F]|\xF4[\x90-\xBF])"
)
"""Bytes that are no UTF-8: here they are characters, to it they are nothing."""
_ANY_CHARACTER: Final = late.pattern(r"\.|\[\^|\\P|\ufffd|\\x\{[fF]{3}[dD]\}")
_KEY: Final = "PRIVATE KEY"
"""What is hidden of a file before it is searched begins with it."""


def patterns(expression: Expression) -> tuple[str, ...]:
    """What finds at least each file that matches; empty: that is not sure."""
    written = expression.written
    if _UNSURE.search(written):
        return ()
    edges = re.sub(r"(\\\\)|\\b", lambda found: found[1] or r"(?-u:\b)", written)
    beyond = (_INVALID,) if _ANY_CHARACTER.search(written) else ()
    return (edges, _KEY, *beyond)


async def narrow(
    batch: Batch, expression: Expression, start: Path, names: Sequence[str], ctx: ToolContext
) -> set[str] | None:
    """The files of a batch that may match; None: it cannot be asked. `names`: patterns of which
    each file has one."""
    found = patterns(expression)
    if not found or batch.count < FEWEST or len(batch.secrets) > _MOST_SECRETS:
        return None
    folders = list(dict.fromkeys(f"./{folder}" for folder, _ in batch.files))
    arguments = [
        *_OPTIONS,
        *(["--ignore-case"] if expression.ignore_case else []),
        *(f"--glob={name}" for name in names),
        *(f"--glob=!/{_escape(path)}" for path in batch.secrets),
        *(f"--regexp={one}" for one in found),
        "--",
        *folders,
    ]
    found_files = await _run(arguments, start, ctx)
    if found_files is None:
        return None
    return {os.fsdecode(path).removeprefix("./") for path in found_files.split(b"\0") if path}


async def _run(arguments: Sequence[str], start: Path, ctx: ToolContext) -> bytes | None:
    """What it puts out; None: it is not installed (in the project it is no program of ours), or
    something could not be read. It gets no variables but PATH, so no configuration of its own."""
    path = search_path(ctx.environment, ctx.roots[0])
    program = find_program(PROGRAM, path, *ctx.roots)
    if program is None:
        return None
    with tempfile.TemporaryFile() as output:
        argv, given = (program, *arguments), {"PATH": path, "LC_ALL": "C"}
        code, _ = await processes.feed(argv, b"", start, given, BUDGET, output, _MEMORY)
        if code not in (0, 1):
            return None
        output.seek(0)
        return output.read()


def _escape(path: str) -> str:
    return re.sub(r"([\[\]{}*?!\\])", r"\\\1", path)
