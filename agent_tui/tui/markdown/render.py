"""Markdown (CommonMark with GFM tables, strike-through and task lists) to styled lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent_tui.structures import late
from agent_tui.structures.markdown_stream import NO_LINKS, Links
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.code import code_lines
from agent_tui.tui.markdown.inline import Runs, flatten
from agent_tui.tui.markdown.lines import EMPTY, Cells, Line, Segment, line_cells, wrap
from agent_tui.tui.markdown.table import Cell, Table, table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NARROWEST: Final = 8
"""Cells that prefixes of quotes and lists always leave for the text."""
_TASK: Final = late.pattern(r"\[([ xX])\][ \t]+")
_BAR: Final = Segment("│ ", "quote.bar")


@cache
def _parser(links: bool = True) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST * 2}).enable(
        ["table", "strikethrough"]
    )
    return parser if links else parser.disable(["link", "image"])


def render(
    source: str,
    width: int,
    cells: Cells,
    measure: int = 0,
    lead: str = "",
    before: tuple[str, ...] = (),
    links: Links = NO_LINKS,
) -> tuple[Line, ...]:
    """`source` as lines of at most `width` cells; running text at most `measure` (0: no limit).

    `lead` is put in front to parse `source` (an opened fence, a table's head) and is not drawn.
    `before`: the code of
    the opened fence that precedes `source`. `links`: what other pieces of the same text define for
    it.
    """
    environment: dict[str, Any] = {}
    if links.given:
        _parser().parse(links.given, environment)
    known = {*environment.get("references", ()), *links.taken}
    tokens = (
        []
        if (wide := has_wide_rows(source))
        else _parser(has_links(source)).parse(lead + source, environment)
    )
    writer = _Writer(max(1, width), cells, measure or width, bool(lead), before)
    if wide or any(token.level >= DEEPEST for token in tokens):
        for line in visible(source).expandtabs(4).split("\n"):
            writer.paragraph([Segment(line, "text")])
        return tuple(writer.lines)
    writer.blocks(tokens)
    references = environment.get("references", {})
    inline = tokens if references else ()
    used = {
        str(child.attrGet(key))
        for t in inline
        for child in t.children or ()
        for key in ("href", "src")
    }
    for label, reference in references.items():
        if reference["href"] and reference["href"] not in used and label not in known:
            writer.definition(label.lower(), reference["href"], reference.get("title", ""))
    return tuple(writer.lines)


class _Prefix:
    """What a quote or list item puts in front of its lines: once `first`, then `rest`."""

    def __init__(self, first: tuple[Segment, ...], rest: tuple[Segment, ...]) -> None:
        self.first, self.rest, self.used = first, rest, False


class _Writer:
    """Walks the tokens of one document and collects its lines."""

    def __init__(
        self, width: int, cells: Cells, measure: int, continued: bool, before: tuple[str, ...]
    ) -> None:
        self.width, self.cells, self.measure, self.continued = (
            width,
            cells,
            min(measure, width),
            continued,
        )
        self.before = before
        self.lines: list[Line] = []
        self._prefixes: list[_Prefix] = []
        self._marker: list[Segment] = []
        self._blank = False
        self._base = ""

    def blocks(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            end = _closing(tokens, index) if token.nesting == 1 else index
            _DRAWN.get(token.type, _Writer._other)(self, tokens[index : end + 1])
            index = end + 1

    def paragraph(self, runs: Sequence[Segment], fill: str = "") -> None:
        first, rest = self._front()
        width = min(self.width, self.measure + line_cells(first, self.cells))
        if self._marker:
            runs, self._marker = [*self._marker, *runs], []
        self._put(wrap(runs, width, self.cells, first, rest, fill))

    def definition(self, label: str, address: str, title: str) -> None:
        """A link's definition that nothing in this piece uses: shown, so that no word is lost."""
        text = f"[{flatten(label)}]: {flatten(address)}" + (f" “{flatten(title)}”" if title else "")
        self.paragraph([Segment(text, "link.target")])

    # Each of these draws one block: its tokens from the opening to the closing one.

    def _paragraph(self, tokens: Sequence[Token]) -> None:
        for runs in self._inline(tokens[1]):
            self.paragraph(runs)
        self._gap(tokens[0])

    def _heading(self, tokens: Sequence[Token]) -> None:
        level = min(int(tokens[0].tag[1:]), 3)
        for runs in self._inline(tokens[1], f"heading.{level}"):
            self.paragraph(runs)
        self._gap(tokens[0])

    def _quote(self, tokens: Sequence[Token]) -> None:
        before, self._base = self._base, "quote"
        self._nest((_BAR,), (_BAR,), tokens[1:-1])
        self._base = before
        self._gap(tokens[0])

    def _list(self, tokens: Sequence[Token]) -> None:
        ordered = tokens[0].type == "ordered_list_open"
        number = int(tokens[0].attrGet("start") or 1) if ordered else 0
        if ordered and tokens[0].attrGet("start") == 0:
            number = 0
        starts = [
            i
            for i, t in enumerate(tokens)
            if t.type == "list_item_open" and t.level == tokens[0].level + 1
        ]
        size = len(str(number + max(len(starts) - 1, 0))) + 2
        for index in starts:
            item = tokens[index + 1 : _closing(tokens, index)]
            text = f"{number}. ".rjust(size) if ordered else "• "
            self._item(item, Segment(text, "list.marker"))
            number += 1
        self._gap(tokens[0])

    def _item(self, tokens: Sequence[Token], marker: Segment) -> None:
        inline = tokens[1] if len(tokens) > 1 and tokens[0].type == "paragraph_open" else None
        task = _TASK.match(inline.content) if inline is not None else None
        if task and inline is not None and inline.children and inline.children[0].type == "text":
            done = task.group(1) != " "
            marker = Segment("☑ " if done else "☐ ", "list.done" if done else "list.open")
            inline.children[0].content = inline.children[0].content[task.end() :]
        indent = Segment(" " * line_cells((marker,), self.cells), "indent")
        self._nest((marker,), (indent,), tokens)
        loose = any(
            t.type == "paragraph_open" and not t.hidden and t.level == tokens[0].level
            for t in tokens
        )
        self._blank = loose

    def _nest(
        self, first: tuple[Segment, ...], rest: tuple[Segment, ...], tokens: Sequence[Token]
    ) -> None:
        """Draw `tokens` behind a prefix; where it would leave too little room, the marker goes into
        the text."""
        now, _ = self._front(use=False)
        room = self.width - line_cells(now, self.cells) - line_cells(first, self.cells)
        if room < NARROWEST:
            self._marker.extend(first)
            self.blocks(tokens)
            if self._marker:
                self.paragraph([])
            return
        prefix = _Prefix(first, rest)
        self._prefixes.append(prefix)
        depth = len(self.lines)
        self.blocks(tokens)
        if not prefix.used and len(self.lines) >= depth:
            self.paragraph([])
        self._prefixes.pop()

    def _code(self, tokens: Sequence[Token]) -> None:
        token = tokens[0]
        language = visible(token.info.strip().split(maxsplit=1)[0]) if token.info.strip() else ""
        code = token.content.removesuffix("\n")
        hidden, self.continued = self.continued, False
        label = flatten(token.info.strip())
        first, rest = self._front()
        inner = (*rest, Segment("  ", "code.block"))
        lines: list[Line] = []
        if label and not hidden:
            lines.extend(
                wrap(
                    [Segment(label, "code.label")],
                    self.width,
                    self.cells,
                    inner,
                    inner,
                    "code.block",
                )
            )
        if token.content:
            lines += code_lines(
                code, language, self.width, self.cells, inner, before=self.before if hidden else ()
            )
        self._put(_begun(lines, first, rest))
        self._gap(token)

    def _html(self, tokens: Sequence[Token]) -> None:
        for line in visible(tokens[0].content.rstrip("\n")).expandtabs(4).split("\n"):
            self.paragraph([Segment(line, "html")])
        self._gap(tokens[0])

    def _rule(self, tokens: Sequence[Token]) -> None:
        first, _ = self._front(use=False)
        size = max(1, self.measure - line_cells(first, self.cells))
        self.paragraph([Segment("─" * size, "rule")])
        self._gap(tokens[0])

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[tuple[Cell, ...]] = []
        row: list[Cell] = []
        align: list[str] = []
        for index, token in enumerate(tokens):
            if token.type in ("th_open", "td_open"):
                row.append(tuple(run for runs in self._inline(tokens[index + 1]) for run in runs))
                if token.type == "th_open":
                    align.append(
                        str(token.attrGet("style") or "").removeprefix("text-align:") or "left"
                    )
            elif token.type == "tr_close":
                rows.append(tuple(row))
                row = []
        hidden, self.continued = self.continued, False
        first, rest = self._front()
        width = max(1, self.width - line_cells(first, self.cells))
        table = Table(() if hidden else rows[0], tuple(rows[1:]), tuple(align))
        drawn = table_lines(table, width, self.cells)
        self._put(
            [
                Line((*(rest if n else first), *line.segments), line.soft)
                for n, line in enumerate(drawn)
            ]
        )
        self._gap(tokens[0])

    def _other(self, tokens: Sequence[Token]) -> None:
        """A token of a kind we do not know: its text."""
        if tokens[0].content:
            self.paragraph([Segment(flatten(tokens[0].content), "text")])

    def _inline(self, token: Token, base: str = "") -> list[list[Segment]]:
        runs = Runs(base or self._base or "text")
        runs.take(token.children or ())
        return runs.paragraphs

    def _gap(self, token: Token) -> None:
        self._blank = not token.hidden

    def _front(self, use: bool = True) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        """What goes in front of the next line, and of those after it. `use`: the line is about to
        be drawn."""
        if use and self._blank and self.lines:
            self._put([self._blank_line()])
        first: list[Segment] = []
        rest: list[Segment] = []
        for prefix in self._prefixes:
            first.extend(prefix.rest if prefix.used else prefix.first)
            rest.extend(prefix.rest)
            prefix.used = prefix.used or use
        return tuple(first), tuple(rest)

    def _blank_line(self) -> Line:
        bars: list[Segment] = []
        for prefix in self._prefixes:
            if not prefix.used:
                break
            bars.extend(prefix.rest)
        return Line(tuple(bars)) if any(s.style == "quote.bar" for s in bars) else EMPTY

    def _put(self, lines: Sequence[Line]) -> None:
        self.lines.extend(lines)
        self._blank = False


def _begun(lines: list[Line], first: tuple[Segment, ...], rest: tuple[Segment, ...]) -> list[Line]:
    """`lines`, which all have `rest` in front, the first one with `first` instead."""
    if not lines:
        return [Line(first)] if any(s.text.strip() for s in first) and first != rest else []
    head = lines[0]
    return [
        Line((*first, *head.segments[len(rest) :]), head.soft, head.glue, head.fill),
        *lines[1:],
    ]


def _closing(tokens: Sequence[Token], start: int) -> int:
    """Index of the token that closes the one at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


_DRAWN: Final[dict[str, Callable[[_Writer, Sequence[Token]], None]]] = {
    "paragraph_open": _Writer._paragraph,
    "heading_open": _Writer._heading,
    "blockquote_open": _Writer._quote,
    "bullet_list_open": _Writer._list,
    "ordered_list_open": _Writer._list,
    "fence": _Writer._code,
    "code_block": _Writer._code,
    "html_block": _Writer._html,
    "hr": _Writer._rule,
    "table_open": _Writer._table,
}


DEEPEST: Final = 60
"""Levels of quotes and lists; source that is nested deeper is drawn as it stands, since parsers
drop it."""
BRACKETS: Final = 40
"""Square brackets open at once; where there are more, none is a link: looking for the end of each
takes square time."""
COLUMNS: Final = 100
"""Columns of a table; source with more is drawn as it stands: no screen has room for them."""
_BRACKET: Final = late.pattern(r"\\.|[\[\]]", re.DOTALL)


def has_links(source: str) -> bool:
    """Whether `source` is looked through for links: not where its brackets are nested beyond all
    reason."""
    if source.count("[") <= BRACKETS:
        return True
    depth = 0
    for found in _BRACKET.finditer(source):
        mark = found.group()
        depth = depth + 1 if mark == "[" else max(0, depth - 1) if mark == "]" else depth
        if depth > BRACKETS:
            return False
    return True


def has_wide_rows(source: str) -> bool:
    """Whether `source` has lines that would be rows of more than `COLUMNS` cells."""
    return source.count("|") > COLUMNS and any(
        line.count("|") > COLUMNS + 1 for line in source.split("\n")
    )
