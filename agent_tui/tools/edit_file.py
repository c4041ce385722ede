"""Replaces stretches of a file, each of which must have one place. A miss shows the nearest text,
so that the next try can hit."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from agent_tui.tools.base import LenientArguments, Planned, Tool, ToolContext, ToolFailure
from agent_tui.tools.support import matching
from agent_tui.tools.support.changes import (
    Change,
    around_changes,
    changes_nothing,
    hide_in,
    plan_changes,
    refuse_stale,
    run_planned,
    show_changed_lines,
)
from agent_tui.tools.support.diff import diff_made
from agent_tui.tools.support.files import FileText, read_text, refuse_placeholders
from agent_tui.tools.support.matching import Replacement
from agent_tui.tools.support.nearest import Hide, describe_miss


class Edit(LenientArguments):
    old: str
    new: str
    replace_all: bool = False


class EditFile(LenientArguments):
    path: str
    old: str = Field(default="", description="the exact text to replace, with enough lines around")
    new: str = Field(default="", description="the text to put there")
    replace_all: bool = Field(default=False, description="replace every occurrence")
    edits: list[Edit] = Field(default=[], description="several edits at once, all or none")

    def all_edits(self) -> list[Edit]:
        own = Edit(old=self.old, new=self.new, replace_all=self.replace_all)
        return [own, *self.edits] if self.old or not self.edits else self.edits


def work_out(arguments: EditFile, ctx: ToolContext) -> Change:
    """The edit, or why it cannot be done (ToolFailure)."""
    path = ctx.path(arguments.path)
    shown = ctx.display_path(path)
    before = read_text(path, ctx)
    sha = refuse_stale(path, before.raw, ctx)
    edits = arguments.all_edits()
    found: list[Replacement] = []
    overlooked: dict[str, None] = {}
    for number, edit in enumerate(edits, 1):
        try:
            how, replacements = _find(edit, before, shown, (hide_in(path, ctx), ctx.hide_known))
        except ToolFailure as failure:
            if failure.tag == "no_match":
                text = failure.text
                if ctx.seen_files.note_miss(path):
                    text += (
                        "\nThe last edits of this file missed: read it before you edit it again."
                    )
                failure = ToolFailure("no_match", text)
            raise _numbered(failure, number, len(edits)) from None
        found += replacements
        overlooked |= dict.fromkeys([how] if how else [])
    try:
        data = before.with_places(found)
    except ValueError:
        text = "two edits change the same text: make them one; nothing was done"
        raise ToolFailure("invalid_arguments", text) from None
    ctx.seen_files.note_hit(path)
    if changes_nothing(before.text, found):
        raise ToolFailure("invalid_arguments", f"{shown} holds the new text already")
    display = diff_made(shown, before.text, found)
    stands = show_changed_lines(display, around_changes(before.text, found), path, ctx)
    times = f" in {len(found)} places" if len(found) > 1 else ""
    done = f"Edited {shown}{times} (+{display.added} -{display.removed} lines)."
    if overlooked:
        done += f" `old` differed from the file in {' and '.join(overlooked)}: adapted."
    return Change(path, before.raw, data, display, done, stands=stands, sha=sha)


def _find(
    edit: Edit, held: FileText, shown: str, hiding: tuple[Hide, Hide]
) -> tuple[str, Sequence[Replacement]]:
    """Where the edit changes the file, and what was overlooked to find that. `hiding`: as in
    `describe_miss`. Raises ToolFailure."""
    old, new = edit.old, edit.new
    refuse_placeholders(old, held.text, "old")
    refuse_placeholders(new, held.text, "new")
    if held.crlf:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        said = "old is empty: give the exact text to replace (create_file makes files)"
        raise ToolFailure("invalid_arguments", said)
    if old == new:
        raise ToolFailure("invalid_arguments", "old and new are the same: nothing would change")
    old, own = held.in_own_bytes(old) or old, held.in_own_bytes(new)
    if own is None:
        why = f"{shown} is not UTF-8, and `new` has characters that Latin-1 cannot write"
        raise ToolFailure("invalid_arguments", f"{why}: leave them out, or convert the file first")
    how, places = matching.find_places(held.text, old)
    if not places:
        near = describe_miss(held.text, old, own, *hiding)
        raise ToolFailure("no_match", f"{shown} does not contain that text. {near}")
    if len(places) > 1 and not how and edit.replace_all:
        return "", _everywhere(held.text, old, own)
    if len(places) > 1:
        raise _ambiguous(held.text, places, how, shown)
    text = matching.adapt(held.text, places[0], old, own, how)
    if text is None:
        why = f"{shown} does not contain that text as it is written, and how to adapt `new` is not clear"
        raise ToolFailure("no_match", f"{why}. {describe_miss(held.text, old, own, *hiding)}")
    return how, [Replacement(places[0], text)]


def _everywhere(text: str, old: str, new: str) -> list[Replacement]:
    found: list[Replacement] = []
    at = text.find(old)
    while at >= 0:
        place = matching.Place(at, at + len(old))
        found.append(Replacement(place, matching.adapt(text, place, old, new, "") or ""))
        at = text.find(old, at + len(old))
    return found


def _ambiguous(text: str, places: Sequence[matching.Place], how: str, shown: str) -> ToolFailure:
    count = f"{len(places)}{' or more' if len(places) == matching.MOST_PLACES else ''}"
    lines = matching.list_lines(text, places)
    if how:
        why = f"{shown} contains that text only with other {how}, {count} times, at lines {lines}"
        return ToolFailure("ambiguous", f"{why}: give the exact text, and more lines around it")
    why = f"{shown} contains that text {count} times, at lines {lines}"
    return ToolFailure("ambiguous", f"{why}: give more lines around it, or replace_all=true")


def _numbered(failure: ToolFailure, number: int, count: int) -> ToolFailure:
    """The failure of one edit of several."""
    if count == 1:
        return failure
    text = f"edit {number} of {count}: {failure.text}\nNone of the edits was made."
    return ToolFailure(failure.tag, text, failure.display)


async def plan(arguments: EditFile, ctx: ToolContext) -> Planned:
    return await plan_changes(lambda: [work_out(arguments, ctx)], ctx)


TOOL = Tool(
    name="edit_file",
    description="Replace a text in a file. `old` must be exact, with its spaces, and occur only once.",
    arguments=EditFile,
    effect="write",
    label=lambda a: f"Edit {a.path}",
    run=run_planned(plan),
    paths=lambda a: (a.path,),
    plan=plan,
)
