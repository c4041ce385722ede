"""A unified diff as lines: number, mark (`+`, `-`) and text, so that it reads without colour too."""

from __future__ import annotations

from collections.abc import Iterator

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.lines import Cells, Line, Segment, chop, cut_runs

Change = tuple[str, int, str, tuple[int, int] | None]
"""Mark, line number, text, and the characters (start, end) that differ from the line it is paired with."""


def diff_lines(diff: DiffDisplay, width: int, cells: Cells) -> list[Line]:
    """The hunks of `diff`, without a header."""
    last = max((max(h.old_start, h.new_start) + len(h.lines) for h in diff.hunks), default=1)
    digits = len(str(last))
    lines: list[Line] = []
    for number, hunk in enumerate(diff.hunks):
        if number:
            lines.append(Line(cut_runs((Segment(" " * digits + " ⋯", "diff.hunk"),), width, cells)))
        for mark, at, text, changed in _changes(hunk):
            lines.extend(_line(mark, at, text, changed, digits, width, cells))
    return lines


def _line(
    mark: str, at: int, text: str, changed: tuple[int, int] | None, digits: int, width: int, cells: Cells
) -> list[Line]:
    style = {"+": "diff.added", "-": "diff.removed"}.get(mark, "diff.context")
    fill = "" if mark == " " else style
    first = (Segment(f"{at:>{digits}} ", "diff.number"), Segment(f"{mark} ", style))
    rest = (Segment(" " * (digits + 1), "diff.number"), Segment("  ", "indent"))
    runs = [Segment(text, style)] if text else []
    if changed is not None and text:
        start, end = changed
        parts = (text[:start], style), (text[start:end], f"{style} {style}.word"), (text[end:], style)
        runs = [Segment(part, name) for part, name in parts if part]
    return chop(runs, width, cells, first, rest, fill)


def _changes(hunk: Hunk) -> Iterator[Change]:
    old, new = hunk.old_start, hunk.new_start
    removed: list[str] = []
    added: list[str] = []

    def flush() -> Iterator[Change]:
        nonlocal old, new
        pairs = (
            [_changed(a, b) for a, b in zip(removed, added, strict=True)] if len(removed) == len(added) else []
        )
        for number, text in enumerate(removed):
            yield "-", old, text, pairs[number][0] if pairs else None
            old += 1
        for number, text in enumerate(added):
            yield "+", new, text, pairs[number][1] if pairs else None
            new += 1
        removed.clear()
        added.clear()

    for line in hunk.lines:
        mark, text = line[:1] or " ", _flat(line[1:])
        if mark == "-":
            if added:
                yield from flush()
            removed.append(text)
        elif mark == "+":
            added.append(text)
        else:
            yield from flush()
            if mark == "\\":
                yield " ", old, text, None
                continue
            yield " ", new, text, None
            old, new = old + 1, new + 1
    yield from flush()


def _flat(text: str) -> str:
    return visible(text).expandtabs(4).replace("\n", "␊")


def _changed(old: str, new: str) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """What lies between the common beginning and the common end; None where the lines have little in common."""
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if (start + end) * 2 < max(len(old), len(new)) or not old.strip() or not new.strip():
        return None, None
    return (start, len(old) - end), (start, len(new) - end)
