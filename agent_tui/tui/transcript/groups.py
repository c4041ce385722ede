"""Reads and searches that follow each other: one line while folded. Which rows stand together
follows from the rows alone, and is kept up to date at the cost of what changed.

A group is a stretch of finished reads, searches and listings, at least two, with the thoughts
between them; whatever runs, asks, failed or says something else ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from agent_tui.present import wording
from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.protocol.transcript import Block, ThinkingBlock, ToolBlock
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.markdown.inline import flatten
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs, file_runs, line_cells

with late():
    from agent_tui.present import displays

MOST: Final = 100
"""Tools in a group: what a row that joins can cost has an end."""
TOGGLE: Final = (("toggle", "group"),)
"""What a group's line says when it is clicked."""
_MARK: Final = Segment("⚙ ", "tool.mark", TOGGLE)

Kind = Literal["read", "search", "list", "thought"]


def kind(block: Block) -> Kind | None:
    """What `block` is within a group; None: it is in none."""
    if isinstance(block, ThinkingBlock):
        return None if block.live else "thought"
    if not isinstance(block, ToolBlock) or block.state != "done":
        return None
    if block.note or block.words or block.children:
        return None
    if block.name == ATTACHED:  # what went along with a prompt is always said by name
        return None
    role = displays.kind_of(block.display).role
    return "search" if role == "list" and "glob" in block.name else role or None


@frozen
class Group:
    """Rows `first` to `last`."""

    first: int
    last: int


class Groups:
    """The groups of a transcript's rows."""

    def __init__(self) -> None:
        self._kinds: list[Kind | None] = []
        self._of: list[Group | None] = []
        self.looked = 0
        """Rows that were looked at so far: the work done."""

    def group_of(self, row: int) -> Group | None:
        """The group that `row` is in."""
        return self._of[row] if 0 <= row < len(self._of) else None

    def reset(self, rows: Iterable[Block]) -> None:
        """All rows anew."""
        self._kinds = [kind(block) for block in rows]
        self._of = [None] * len(self._kinds)
        self.looked += len(self._kinds)
        self._lay(0, len(self._kinds))

    def update(self, rows: Vec[Block], changed: Sequence[int]) -> tuple[int, int] | None:
        """`rows` has another length, or other blocks at `changed` (ascending): the stretch of rows,
        from the first up
        to but not including the second, in which groups may have changed. None: groups are as they
        were."""
        kinds, size = self._kinds, len(rows)
        first = min((*changed[:1], size, len(kinds)))
        cut = len(kinds) > size
        was = kinds[first:]
        del kinds[size:], self._of[size:]
        grown = size - len(kinds)
        kinds.extend([None] * grown)
        self._of.extend([None] * grown)
        for row in changed:
            kinds[row] = kind(rows[row])
        self.looked += len(changed)
        end = size if cut else changed[-1] + 1 if changed else first
        if not (cut or any(was[: end - first]) or any(kinds[first:end])):
            return None
        start = self._start(first)
        while end < size and kinds[end] is not None:
            end += 1
        self._lay(start, end)
        return start, end

    def _start(self, row: int) -> int:
        """Where the stretch of grouped rows begins that `row` goes on with."""
        while row > 0 and self._kinds[row - 1] is not None:
            self.looked += 1
            group = self._of[row - 1]
            if group is not None:
                return group.first
            row -= 1
        return row

    def _lay(self, start: int, end: int) -> None:
        """Find the groups between two rows; nothing around them joins in."""
        self.looked += end - start
        first = last = -1
        tools = 0
        for row in range(start, end):
            self._of[row] = None
            found = self._kinds[row]
            if found is None or (found != "thought" and tools == MOST):
                self._close(first, last, tools)
                first, tools = -1, 0
            if found is not None and found != "thought":
                first, last, tools = (row if first < 0 else first), row, tools + 1
        self._close(first, last, tools)

    def _close(self, first: int, last: int, tools: int) -> None:
        if tools > 1:
            self._of[first : last + 1] = [Group(first, last)] * (last - first + 1)


def group_line(
    blocks: Sequence[Block], open: bool, width: int, cells: Cells, look: Look = DEFAULT
) -> Line:
    """`Read 3 files, searched 2 patterns`, and their names as far as they fit."""
    said: dict[Kind, dict[str, None]] = {"read": {}, "search": {}, "list": {}}
    took = 0
    for block in blocks:
        found = kind(block)
        if isinstance(block, ToolBlock) and found is not None:
            said[found][_what(block)] = None
            took += block.duration_ms
    parts = []
    for found, verb, one, many in _WORDS:
        if count := len(said[found]):
            parts.append(f"{verb} {wording.count(count, one, many)}")
    text = ", ".join(parts)
    verb, space, rest = (text[:1].upper() + text[1:]).partition(" ")
    head = (_MARK, Segment(verb, "tool.name", TOGGLE), Segment(space + rest, "tool.label", TOGGLE))
    time = (
        Segment(f"  {wording.duration(took)}", "tool.time")
        if took and look.durations
        else Segment("")
    )
    room = (
        width - 1 - line_cells((*head, time), cells)
    )  # as everywhere, a cell stays free at the right edge
    if room < 0:
        return Line(cut_runs(head, width, cells))
    names = "" if open else ", ".join(name for found, *_ in _WORDS for name in said[found])
    shown = (
        cut_runs(file_runs(Segment(f"  {names}", "tool.note")), room, cells)
        if names and room > 12
        else ()
    )
    return Line(tuple(s for s in (*head, *shown, time) if s.text))


_WORDS: Final[tuple[tuple[Kind, str, str, str], ...]] = (
    ("read", "read", "file", "files"), ("search", "searched", "pattern", "patterns"),
    ("list", "listed", "folder", "folders"),
)  # fmt: skip


def _what(block: ToolBlock) -> str:
    """What was read or looked for; the same thing twice counts once."""
    if displays.kind_of(block.display).role == kind(block):
        return flatten(displays.present(block.display).about)
    return flatten(block.label.partition(" ")[2] or block.label)
