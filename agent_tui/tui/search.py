"""Finding words in the transcript: an index of what its rows say, and the rows and counts in which a query is found.

Case is ignored, and so are the marks of Markdown that an answer is drawn without (`*`, backticks), unless the query
has some.
One pass over all rows fits between two keys: what does not (`BUDGET`) is left out, the oldest rows first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from agent_tui.protocol import display as d
from agent_tui.protocol.transcript import (
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    TurnBlock,
    UserBlock,
)  # fmt: skip
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec

BUDGET: Final = 6_000_000
"""Characters that are searched in all, from the newest row back."""
ROW: Final = 200_000
"""Characters of one row that are searched."""
Said = Callable[[Any], str]
_STRIDE: Final = 2_000
"""Rows that are read between two looks at the budget."""
ENTRIES: Final = 1_000
"""Files, matches, table rows and the like of one tool's result that are searched."""


@frozen
class Index:
    """What each row says, made plain; `first` is the oldest row that is searched. `raw`: with Markdown's marks;
    `thinking`: thoughts are searched too."""

    rows: Vec[Block] = Vec()
    texts: tuple[str, ...] = ()
    first: int = 0
    raw: bool = False
    thinking: bool = True


@frozen
class Found:
    """The rows that hold `query`, ascending, and how many times it was found up to and with each of them."""

    query: str = ""
    rows: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.totals[-1] if self.totals else 0

    def place(self, number: int) -> tuple[int, int]:
        """The row of hit `number`, and which one of that row it is. Raises IndexError."""
        if not 0 <= number < self.total:
            raise IndexError(number)
        at = bisect_right(self.totals, number)
        return self.rows[at], number - (self.totals[at - 1] if at else 0)

    def number(self, row: int, nth: int) -> int:
        """The hit that is the `nth` of `row`, or the last of it; -1 if there is none in it."""
        at = bisect_left(self.rows, row)
        if at == len(self.rows) or self.rows[at] != row:
            return -1
        return min((self.totals[at - 1] if at else 0) + nth, self.totals[at] - 1)

    def nearest(self, row: int) -> int:
        """The last hit at or above `row`, else the first below; -1 if there is none at all."""
        at = bisect_right(self.rows, row)
        return self.totals[at - 1] - 1 if at else 0 if self.rows else -1


def plain(query: str) -> str:
    """`query` as it is looked for."""
    return query.lower()


def has_marks(query: str) -> bool:
    """Whether `query` asks for marks that are not drawn of an answer."""
    return "`" in query or "*" in query


def index(rows: Vec[Block], known: Index, raw: bool = False, thinking: bool = True) -> tuple[Index, int]:
    """The index of `rows`, and the first row whose text may differ from that in `known`."""
    kinds = dict(_SAID)
    if raw:
        kinds[TextBlock] = _own_text
    if not thinking:
        kinds[ThinkingBlock] = _nothing
    if (known.raw, known.thinking) != (raw, thinking):
        return Index(rows, *_texts(list(rows), kinds), raw, thinking), 0
    if rows is known.rows:
        return known, len(rows)
    size = min(len(rows), len(known.texts))
    changed = [row for row in rows.changed(known.rows) if row >= known.first]
    since = min(changed[0] if changed else size, size)
    if len(changed) > len(rows) // 2:  # the first time, or another session
        return Index(rows, *_texts(list(rows), kinds), raw, thinking), 0
    texts = list(known.texts[: len(rows)])
    made, _ = _texts([rows[row] for row in changed], kinds)
    for row, text in zip(changed, made, strict=True):
        texts[row : row + 1] = [text]
    return Index(rows, tuple(texts), known.first, raw, thinking), since


def find(known: Index, query: str, before: Found | None = None, since: int = 0) -> Found:
    """Where `query` (made plain) is. `before`: what was found in the same texts up to row `since`, or, where it was
    found for the beginning of `query`, in all of them."""
    texts = known.texts
    if not query:
        return Found()
    rows: list[int] = []
    totals: list[int] = []
    looked: Iterable[int] = range(len(texts))
    if before is not None and before.query == query:
        kept = bisect_left(before.rows, since)
        rows, totals = list(before.rows[:kept]), list(before.totals[:kept])
        looked = range(since, len(texts))
    elif before is not None and before.query and before.query in query and since >= len(texts):
        looked = before.rows
    total = totals[-1] if totals else 0
    for row in looked:
        if count := texts[row].count(query):
            total += count
            rows.append(row)
            totals.append(total)
    return Found(query, tuple(rows), tuple(totals))


def _texts(blocks: Sequence[Block], kinds: Mapping[type[Block], Said]) -> tuple[tuple[str, ...], int]:
    """The plain text of each block, empty where the budget is spent; and the first block within the budget."""
    texts: list[str] = []
    left, begin = BUDGET, len(blocks)
    while begin and left > 0:
        begin, end = max(0, begin - _STRIDE), begin
        part = [kinds[type(block)](block).lower() for block in blocks[begin:end]]
        if max(map(len, part)) > ROW:
            part = [text[:ROW] for text in part]
        left -= sum(map(len, part))
        texts[:0] = part
    return ("",) * begin + tuple(texts), begin


def said(block: Block) -> str:
    """All that `block` shows where it is open, as text."""
    return _SAID[type(block)](block)


def head(block: Block) -> str:
    """What of that is to be seen where it is folded."""
    match block:
        case ToolBlock():
            return block.label or block.name
        case ThinkingBlock():
            return ""
        case UserBlock():
            return block.text
        case _:
            return said(block)


def _user(block: UserBlock) -> str:
    return f"{block.text}\n{block.sent}" if block.sent else block.text


def _tool(block: ToolBlock) -> str:
    label = block.label or block.name
    if block.state == "running":
        return f"{label}\n{block.tail}"
    return label if block.display is None else f"{label}\n{shown(block.display)}"


def _answer(block: TextBlock) -> str:
    return block.text.replace("`", "").replace("*", "").replace("\n", " ")


def _own_text(block: TextBlock | ThinkingBlock | DividerBlock) -> str:
    return block.text


def _notice(block: NoticeBlock) -> str:
    return f"{block.text}\n{block.hint}"


def _call(block: CallBlock) -> str:
    return f"{block.name}\n{block.arguments}"


def _nothing(_: Block) -> str:
    return ""


_SAID: Final[Mapping[type[Block], Said]] = {
    UserBlock: _user, TextBlock: _answer, ThinkingBlock: _own_text, ToolBlock: _tool, CallBlock: _call,
    NoticeBlock: _notice, TurnBlock: _nothing, DividerBlock: _own_text,
}  # fmt: skip


def shown(display: d.Display) -> str:
    """The words of a tool's result."""
    match display:
        case d.TextDisplay() | d.MarkdownDisplay() | d.CodeDisplay() | d.PlanDisplay():
            return display.text
        case d.CommandDisplay():
            return f"{display.command}\n{display.output}"
        case d.DiffDisplay():
            return "\n".join("\n".join(hunk.lines) for hunk in display.hunks[:ENTRIES])
        case d.ListingDisplay():
            return "\n".join([entry.name for entry in display.entries[:ENTRIES]])
        case d.MatchesDisplay():
            found = display.matches[:ENTRIES]
            return "\n".join([*dict.fromkeys([match.path for match in found]), *[match.text for match in found]])
        case d.TableDisplay():
            return "\n".join("\n".join(row) for row in (display.header, *display.rows[:ENTRIES]))
        case d.TodoDisplay():
            return "\n".join(item.text for item in display.items[:ENTRIES])
        case d.QuestionDisplay():
            return "\n".join((display.text, *display.options[:ENTRIES], display.answer))
        case d.ImageDisplay():
            return display.path
        case d.AgentsDisplay():
            return "\n".join(f"{agent.name} {agent.state} {agent.task}" for agent in display.agents[:ENTRIES])
