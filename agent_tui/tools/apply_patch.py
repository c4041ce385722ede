"""Changes several files at once, by a patch: all of it, or nothing."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support import matching, patch_format
from agent_tui.tools.support.changes import (
    Change,
    around_changes,
    changes_nothing,
    hide_in,
    plan_changes,
    refuse_link,
    refuse_stale,
    run_planned,
    show_changed_lines,
)
from agent_tui.tools.support.diff import diff, diff_made, noted
from agent_tui.tools.support.files import FileText, read_text, refuse_placeholders
from agent_tui.tools.support.matching import Place, Replacement
from agent_tui.tools.support.nearest import describe_miss
from agent_tui.tools.support.patch_format import FilePatch, Hunk


class ApplyPatch(Arguments):
    patch: str = Field(
        description="*** Begin Patch, then for each file *** Add File: path (lines with +), "
        "*** Update File: path (@@ line above, then lines with space, - or +; first *** Move to: path "
        "to rename) or *** Delete File: path, then *** End Patch"
    )


def work_out(arguments: ApplyPatch, ctx: ToolContext) -> list[Change]:
    """The changes, or why they cannot be made (ToolFailure)."""
    try:
        patches = patch_format.parse(arguments.patch)
    except patch_format.NoPatch as error:
        raise ToolFailure("invalid_arguments", str(error)) from None
    found: list[Change] = []
    touched: set[Path] = set()
    for one in patches:
        try:
            named = {ctx.path(path) for path in (one.path, one.to) if path}
            if touched & named:
                said = f"{one.path} is named twice: put all of its hunks below one Update File"
                raise ToolFailure("invalid_arguments", said)
            touched |= named
            found.append(_work_out_file(one, ctx))
        except ToolFailure as failure:
            if len(patches) > 1:
                failure = ToolFailure(failure.tag, f"{failure.text}\nNo file was changed.")
            raise failure from None
    return found


def _work_out_file(one: FilePatch, ctx: ToolContext) -> Change:
    path = ctx.path(one.path)
    shown = ctx.display_path(path)
    if one.kind == "add":
        if path.exists():
            raise ToolFailure("exists", f"{shown} exists: change it with Update File")
        content = "".join(f"{line}\n" for line in one.lines)
        refuse_placeholders(content, "", "the patch")
        display = diff(shown, "", content, created=True)
        data = content.encode("utf-8", "surrogatepass")
        return Change(path, None, data, display, f"Created {shown}.")
    if one.kind == "delete" or one.to:
        refuse_link(one.path, ctx)
    before = read_text(path, ctx)
    sha = refuse_stale(path, before.raw, ctx)
    if one.kind == "delete":
        display = noted(diff(shown, before.text, ""), "deleted")
        return Change(path, before.raw, None, display, f"Deleted {shown}.")
    made, data = list[Replacement](), before.raw
    if one.hunks:
        try:
            made = _find_hunks(before, one, ctx, path)
            data = before.with_places(made)
        except ValueError:
            said = f"{shown}: two hunks change the same lines: make them one"
            raise ToolFailure("invalid_arguments", said) from None
        except ToolFailure as failure:
            if failure.tag == "no_match":
                ctx.seen_files.note_miss(path)
            raise
        ctx.seen_files.note_hit(path)
    target = _free_target(one, ctx) if one.to else path
    if not one.to and changes_nothing(before.text, made):
        raise ToolFailure("invalid_arguments", f"{shown}: the patch would change nothing")
    to = ctx.display_path(target)
    display = diff_made(to, before.text, made)
    stands = show_changed_lines(display, around_changes(before.text, made), path, ctx)
    moved = () if target == path else (f"moved from {shown}",)
    display = noted(display, *moved)
    done = f"Edited {shown}" if target == path else f"Moved {shown} to {to}"
    said = f"{done} (+{display.added} -{display.removed} lines)."
    moved_from = None if target == path else path
    return Change(target, before.raw, data, display, said, moved_from, stands, sha)


def _free_target(one: FilePatch, ctx: ToolContext) -> Path:
    refuse_link(one.to, ctx)
    target = ctx.path(one.to)
    if target.exists():
        raise ToolFailure("exists", f"{ctx.display_path(target)} exists: it is not replaced")
    return target


@frozen
class _Hit:
    """Where a hunk's lines stand, and the lines themselves, as they were found."""

    place: Place
    how: matching.How
    old: str
    new: str


def _find_hunks(held: FileText, one: FilePatch, ctx: ToolContext, path: Path) -> list[Replacement]:
    """What all hunks replace in the file's text. Raises ToolFailure."""
    text, shown, at = held.text, ctx.display_path(path), 0
    found: list[Replacement] = []
    for number, hunk in enumerate(one.hunks, 1):
        where = f"{shown}, hunk {number}" if len(one.hunks) > 1 else shown
        own = _in_own_bytes(hunk, held, where)
        if not own.old:
            found.append(_added_at_end(text, own, where))
            continue
        hit = _find(text, own, at, where, ctx, path)
        adapted = matching.adapt(text, hit.place, hit.old, hit.new, hit.how)
        if adapted is None:
            why = f"{where}: the file has other {hit.how}, and how to adapt the new lines is not clear"
            near = describe_miss(text, hit.old, hit.new, hide_in(path, ctx), ctx.hide_known)
            raise ToolFailure("no_match", f"{why}. {near}")
        found.append(Replacement(hit.place, adapted))
        at = hit.place.end
    return found


def _in_own_bytes(hunk: Hunk, held: FileText, where: str) -> Hunk:
    refuse_placeholders("\n".join(hunk.new), held.text, "the patch")
    new = [held.in_own_bytes(line) for line in hunk.new]
    if None in new:
        why = f"{where} is not UTF-8, and the new lines have characters that Latin-1 cannot write"
        raise ToolFailure("invalid_arguments", why)
    old = [held.in_own_bytes(line) or line for line in hunk.old]
    return Hunk(hunk.anchors, old, [line or "" for line in new], hunk.at_end, hunk.loose)


def _added_at_end(text: str, hunk: Hunk, where: str) -> Replacement:
    """Lines without any around them go to the end of the file."""
    if hunk.anchors:
        said = f"{where}: a hunk of new lines alone says not where: give a line above or below them"
        raise ToolFailure("invalid_arguments", said)
    end = Place(len(text), len(text))
    lines = "".join(f"{line}\n" for line in hunk.new)
    adapted = matching.adapt(text, end, "", lines, "") or lines
    return Replacement(end, adapted if not text or text.endswith("\n") else f"\n{adapted}")


def _find(text: str, hunk: Hunk, at: int, where: str, ctx: ToolContext, path: Path) -> _Hit:
    """The one place of a hunk, behind the ones before it. Raises ToolFailure."""
    hits = _candidates(text, hunk, at)
    if hunk.at_end:
        hits = [hit for hit in hits if not text[hit.place.end :].strip("\r\n")]
    if not hits:
        old, new = _joined(hunk.old), _joined(hunk.new)
        behind = (
            " behind the hunk before it" if at and matching.find_places(text, old, True)[1] else ""
        )
        near = describe_miss(text, old, new, hide_in(path, ctx), ctx.hide_known)
        said = f"{where}: the file does not contain these lines{behind}. {near}"
        raise ToolFailure("no_match", said)
    if len(hits) > 1 and hunk.anchors:
        hits = _below(text, hunk.anchors, hits) or hits
    if len(hits) > 1:
        lines = matching.list_lines(text, [hit.place for hit in hits])
        said = f"{where}: these lines stand {len(hits)} times in the file, at lines {lines}"
        more = "give more lines around, or above them a line after @@ that is there once"
        raise ToolFailure("ambiguous", f"{said}: {more}")
    return hits[0]


def _candidates(text: str, hunk: Hunk, at: int) -> list[_Hit]:
    """With a blank line at its end that may only stand between it and what follows, first as one of
    the file, then without."""
    for left in range(hunk.loose + 1):
        old = _joined(hunk.old[: len(hunk.old) - left])
        new = _joined(hunk.new[: len(hunk.new) - left])
        how, places = matching.find_places(text, old, whole=True)
        if hits := [_Hit(place, how, old, new) for place in places if place.start >= at]:
            return hits
    return []


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _below(text: str, anchors: list[str], hits: list[_Hit]) -> list[_Hit]:
    """Those that stand in what the anchors begin, by its indentation; where none does, all
    below."""
    lines = text.split("\n")
    number = -1
    for anchor in anchors:
        found = _lines_of(lines, anchor.strip(), number + 1)
        if not found or (number < 0 and len(found) > 1):
            return hits
        number = found[0]
    indent = len(lines[number]) - len(lines[number].lstrip())
    ends = (
        later
        for later, line in enumerate(lines[number + 1 :], number + 1)
        if line.strip() and len(line) - len(line.lstrip()) <= indent
    )
    start = sum(len(line) + 1 for line in lines[: number + 1])
    end = sum(len(line) + 1 for line in lines[: next(ends, len(lines))])
    below = [hit for hit in hits if hit.place.start >= start]
    return [hit for hit in below if hit.place.start < end] or below


def _lines_of(lines: list[str], anchor: str, first: int) -> list[int]:
    """The lines that an anchor names: that are it, or else begin so."""
    stripped = [(number, lines[number].strip()) for number in range(first, len(lines))]
    same = [number for number, line in stripped if line == anchor]
    return same or [number for number, line in stripped if line.startswith(anchor)]


def _label(arguments: ApplyPatch) -> str:
    named = [" ".join(path.split()) for path in patch_format.named_paths(arguments.patch)]
    if len(named) < 2:
        return f"Patch {named[0]}" if named else "Apply a patch"
    return f"Patch {len(named)} files: {', '.join(named)}"


async def plan(arguments: ApplyPatch, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: work_out(arguments, ctx), ctx)


TOOL = Tool(
    name="apply_patch",
    description="Change several files with one patch: all of it is done, or nothing.",
    arguments=ApplyPatch,
    effect="write",
    label=_label,
    run=run_planned(plan),
    paths=lambda a: patch_format.named_paths(a.patch),
    plan=plan,
)
