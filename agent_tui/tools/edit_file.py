"""Replaces an exact, unique stretch of a file. A miss shows the nearest text, so that the next try
can hit."""

from __future__ import annotations

import difflib
from typing import Final

from pydantic import Field

from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support.diff import Change, diff, plan_change, run_planned
from agent_tui.tools.support.files import read_text, refuse_placeholders

NEAREST_LINES: Final = 20_000
"""Lines of a file that are searched for the nearest text."""
SHOWN_PLACES: Final = 10


class EditFile(Arguments):
    path: str = Field(description="the file, relative to the working directory")
    old: str = Field(
        description="the exact text to replace; it must occur only once, so give enough lines around it"
    )
    new: str = Field(description="the text to put there")
    replace_all: bool = Field(default=False, description="replace every occurrence")


def work_out(arguments: EditFile, ctx: ToolContext) -> Change:
    """The edit, or why it cannot be done (ToolFailure)."""
    path = ctx.path(arguments.path)
    shown = ctx.display_path(path)
    before = read_text(path, ctx)
    old, new = arguments.old, arguments.new
    refuse_placeholders(old, before.text, "old")
    refuse_placeholders(new, before.text, "new")
    if before.crlf:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ToolFailure(
            "invalid_arguments",
            "old is empty: give the exact text to replace (create_file makes files)",
        )
    if old == new:
        raise ToolFailure("invalid_arguments", "old and new are the same: nothing would change")
    old, own = before.in_own_bytes(old) or old, before.in_own_bytes(new)
    if own is None:
        why = f"{shown} is not UTF-8, and `new` has characters that Latin-1 cannot write"
        raise ToolFailure("invalid_arguments", f"{why}: leave them out, or convert the file first")
    new = own
    count = before.text.count(old)
    if count == 0:
        raise ToolFailure(
            "no_match", f"{shown} does not contain that text. {_nearest(before.text, old)}"
        )
    if count > 1 and not arguments.replace_all:
        raise ToolFailure(
            "ambiguous",
            f"{shown} contains that text {count} times, at lines {_places(before.text, old)}: "
            "give more lines around it, or replace_all=true",
        )
    after = before.text.replace(old, new)
    display = diff(shown, before.text, after)
    times = f" in {count} places" if count > 1 else ""
    first = display.hunks[0].new_start if display.hunks else 1
    done = f"Edited {shown}{times} (+{display.added} -{display.removed} lines, from line {first})."
    return Change(path, before.raw, before.encode(after), display, done)


async def plan(arguments: EditFile, ctx: ToolContext) -> Planned:
    return plan_change(await ctx.run_blocking(lambda _: work_out(arguments, ctx)), ctx)


def _places(text: str, old: str) -> str:
    found: list[str] = []
    position = text.find(old)
    while position >= 0 and len(found) < SHOWN_PLACES:
        found.append(str(text.count("\n", 0, position) + 1))
        position = text.find(old, position + len(old))
    return ", ".join(found) + (", …" if position >= 0 else "")


def _nearest(text: str, old: str) -> str:
    """The stretch of `text` that is most like `old`, with its line numbers: a hint, found in
    bounded time."""
    lines, wanted = text.split("\n")[:NEAREST_LINES], old.strip("\n").split("\n")
    best, at = 0.0, -1
    anchor = max(wanted, key=lambda line: len(line.strip()))
    offset = wanted.index(anchor)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(anchor.strip()[:200])
    for number, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:200])
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        ratio = matcher.ratio()
        if ratio > best:
            best, at = ratio, number
            if ratio == 1.0:
                break
    if best < 0.6:
        return "It has no similar text: read the file again."
    start = max(0, at - offset)
    shown = lines[start : start + min(len(wanted), 40)]
    numbered = "\n".join(f"{start + n + 1:>6}→{line[:400]}" for n, line in enumerate(shown))
    return f"The nearest text is this (mind spaces and tabs):\n{numbered}"


TOOL = Tool(
    name="edit_file",
    description="Replace an exact text in a file. `old` must match exactly, with its spaces, and occur only once.",
    arguments=EditFile,
    effect="write",
    label=lambda a: f"Edit {a.path}",
    run=run_planned(plan),
    paths=lambda a: (a.path,),
    plan=plan,
)
