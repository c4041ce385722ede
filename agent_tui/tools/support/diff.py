"""The difference of two texts as a `DiffDisplay`: exact for ordinary files, coarse rather than slow
for huge ones."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agent_tui import registry
from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.safety import paths
from agent_tui.tools.base import A, Planned, Stale, ToolContext, ToolFailure, ToolResult, sha256
from agent_tui.tools.support.files import BOM, LARGEST, describe_other_names

with registry.late(warm=False):
    from agent_tui.structures import lexing

CONTEXT: Final = 3
EXACT_LINES: Final = 4_000
"""Changed lines up to which the difference is searched for; above, the whole changed stretch is
shown as replaced."""
NO_NEWLINE: Final = "\\ no newline at the end"
_OPEN: Final = "\n"
"""Behind the last line of the one text that does not end with a newline: no line holds one."""


def diff(path: str, old: str, new: str, created: bool = False) -> DiffDisplay:
    """The lines of `new` against those of `old`, in hunks with up to three lines around each
    change."""
    notes: list[str] = []
    if not created:
        old, new, notes = _compared(old, new)
    before, after = lines(old), lines(new)
    if not created and _is_open(old) != _is_open(new):
        (before if _is_open(old) else after)[-1] += _OPEN
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle_old, middle_new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle_old) + len(middle_new) > EXACT_LINES:
        codes = [("replace", head, head + len(middle_old), head, head + len(middle_new))]
    else:
        codes = [
            (tag, a + head, b + head, c + head, d + head)
            for tag, a, b, c, d in difflib.SequenceMatcher(
                None, middle_old, middle_new, autojunk=False
            ).get_opcodes()
            if tag != "equal"
        ]
    hunks = tuple(
        _with_openings(
            path, [_hunk(group, before, after) for group in _grouped(codes)], before, after
        )
    )
    added = sum(d - c for _, _, _, c, d in codes)
    removed = sum(b - a for _, a, b, _, _ in codes)
    return noted(DiffDisplay(path, hunks, added, removed, created), *notes)


def noted(display: DiffDisplay, *notes: str) -> DiffDisplay:
    """`display` with notes at its beginning, about what no line shows."""
    if not notes:
        return display
    first, *rest = display.hunks or (Hunk(1, 1, ()),)
    first = replace(first, lines=(*(f"\\ {note}" for note in notes), *first.lines))
    return replace(display, hunks=(first, *rest))


def _compared(old: str, new: str) -> tuple[str, str, list[str]]:
    """Both texts without what all of their lines have in common and differ in: that is a note. A
    change that is shown in no line would be approved unseen."""
    notes = []
    if old and new and old.startswith(BOM) != new.startswith(BOM):
        notes.append(f"byte order mark (BOM) {'removed' if old.startswith(BOM) else 'added'}")
        old, new = old.removeprefix(BOM), new.removeprefix(BOM)
    ends = _line_ends(old), _line_ends(new)
    if "" not in ends and ends[0] != ends[1]:
        notes.append(f"line ends: {ends[0]}, now {ends[1]}")
        if "mixed" not in ends:
            old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    return old, new, notes


def _line_ends(text: str) -> str:
    both, all_of_them = text.count("\r\n"), text.count("\n")
    if not all_of_them:
        return ""
    return "LF" if not both else "CRLF" if both == all_of_them else "mixed"


def _is_open(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def lines(text: str) -> list[str]:
    """Lines without their ends; a last line without an end is a line too."""
    found = text.split("\n")
    if found and not found[-1]:
        found.pop()
    return found


Code = tuple[str, int, int, int, int]


def _common(a: list[str], b: list[str]) -> int:
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _grouped(codes: list[Code]) -> list[list[Code]]:
    """Changes that share their context lines belong to one hunk."""
    groups: list[list[Code]] = []
    for code in codes:
        if groups and code[1] - groups[-1][-1][2] <= 2 * CONTEXT:
            groups[-1].append(code)
        else:
            groups.append([code])
    return groups


def _hunk(codes: list[Code], before: list[str], after: list[str]) -> Hunk:
    """Blank lines at its ends tell nothing about where it is, and would take the room of what does."""
    first, last = codes[0][1], codes[-1][2]
    start, end = max(0, first - CONTEXT), min(len(before), last + CONTEXT)
    while start < first and not before[start].strip():
        start += 1
    while end > last and not before[end - 1].strip():
        end -= 1
    shown: list[str] = []
    position = start
    for _, old_from, old_to, new_from, new_to in codes:
        shown += [" " + line for line in before[position:old_from]]
        shown += _marked("-", before[old_from:old_to])
        shown += _marked("+", after[new_from:new_to])
        position = old_to
    shown += [" " + line for line in before[position:end]]
    return Hunk(start + 1, codes[0][3] - (first - start) + 1, tuple(shown))


def _marked(mark: str, found: Sequence[str]) -> Iterator[str]:
    for line in found:
        yield mark + line.removesuffix(_OPEN)
        if line.endswith(_OPEN):
            yield NO_NEWLINE


def _with_openings(
    path: str, hunks: Sequence[Hunk], before: Sequence[str], after: Sequence[str]
) -> Iterator[Hunk]:
    """`hunks` with the lines above each that its colours depend on. Above the first both files are the
    same."""
    stepper = lexing.find_stepper(path)
    if stepper is None:
        yield from hunks
        return
    old: lexing.Opening = ()
    new: lexing.Opening = ()
    old_at = new_at = 0
    left = lexing.FOLLOWED
    for number, hunk in enumerate(hunks):
        above_old, above_new = (
            before[old_at : hunk.old_start - 1],
            after[new_at : hunk.new_start - 1],
        )
        left -= sum(map(len, above_old))
        if left < 0:
            yield hunk
            continue
        old = stepper.follow(above_old, old)
        new = stepper.follow(above_new, new) if number else old
        old_at, new_at = hunk.old_start - 1, hunk.new_start - 1
        yield replace(
            hunk, old_opening=lexing.opening_lines(old), new_opening=lexing.opening_lines(new)
        )


@dataclass(frozen=True, slots=True)
class Change:
    """`data` instead of `before` (None: there is no file) at a real path. `done` is the sentence for
    the model."""

    path: Path
    before: bytes | None
    data: bytes
    display: DiffDisplay
    done: str


def plan_change(change: Change, ctx: ToolContext) -> Planned:
    """`change` as what a person may be asked about."""

    async def is_current() -> bool:
        return await ctx.run_blocking(lambda _: _is_current(change))

    return Planned(change.display, lambda: _apply(change, ctx), is_current)


def run_planned(
    plan: Callable[[A, ToolContext], Awaitable[Planned]],
) -> Callable[[A, ToolContext], Awaitable[ToolResult]]:
    """How a tool runs where nobody is asked: a call that became stale is worked out anew, once."""

    async def run(arguments: A, ctx: ToolContext) -> ToolResult:
        try:
            return await (await plan(arguments, ctx)).apply()
        except Stale:
            return await (await plan(arguments, ctx)).apply()

    return run


def _is_current(change: Change) -> bool:
    try:
        return paths.read_regular(change.path, LARGEST) == change.before
    except FileNotFoundError:
        return change.before is None
    except (OSError, ValueError):
        return False  # a folder, a link or no permission: working it out again says which


async def _apply(change: Change, ctx: ToolContext) -> ToolResult:
    """Write it, and tell of it, in one go: a cancel between the two would hide a change from undo."""
    path, before, shown = change.path, change.before, change.display.path
    saved = "" if before is None else ctx.checkpoint(before)
    apart = "" if before is None else describe_other_names(path, shown)
    folders = sum(not above.exists() for above in path.parents)
    try:
        paths.make_folders(path)
    except OSError as error:
        raise ToolFailure(
            "write_failed", f"{shown}: its folder cannot be made: {error.strerror}"
        ) from None
    try:
        paths.atomic_write(path, change.data, follow=False, new=before is None, held=before)
    except (FileExistsError, paths.ChangedMeanwhile):
        text = f"{shown} was changed by another program at this moment, so nothing was written: read it again"
        raise Stale("changed", text) from None
    except (OSError, ValueError) as error:
        raise ToolFailure(
            "write_failed", f"{shown}: {getattr(error, 'strerror', None) or error}"
        ) from None
    ctx.report_change(path, change.display, saved, sha256(change.data), folders, apart)
    return ToolResult(f"{change.done} {apart}".rstrip(), change.display)
