"""How much of a text is laid out at all, and the line that says how much was not: work and
memory stay bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.markdown_stream import is_full
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs

MOST_LINES: Final = 5_000
"""Lines that even an open block shows."""
MOST_CHARS: Final = 120_000
"""Characters of a text that are laid out: wide ones cost about half a microsecond each."""
MOST_CELLS: Final = 10_000
"""Cells of a table that are laid out."""
MOST_MARKDOWN: Final = 60_000
"""Characters of a text in Markdown, which cost more."""
MOST_MATCH: Final = 500
"""Characters of one line that a search has found."""
MOST_COMMAND: Final = 20_000
"""Characters of a command, which are highlighted."""
MOST_MATCHES: Final = 1_000
"""Matches of a search, of which each may have a few lines."""
_LINE_END: Final = late.pattern(r"\r\n|\r|\n")
_TOGGLE: Final = (("toggle", "1"),)


@frozen
class Rest:
    """What of a source is not laid out: whole `lines`, or `chars` where it ends inside one line."""

    lines: int = 0
    chars: int = 0

    def plus(self, other: Rest) -> Rest:
        return Rest(self.lines + other.lines, self.chars + other.chars)


NOTHING: Final = Rest()


def shorten(text: str, most: int = MOST_MATCH) -> str:
    """`text` on one line, its beginning if it is very long."""
    return text if len(text) <= most else f"{text[:most]} … {len(text) - most:,} more characters"


def clip(text: str, lines: int = MOST_LINES, chars: int = MOST_CHARS) -> tuple[str, Rest]:
    """The beginning of `text`, at most so many lines and characters of it, without the end of
    its last line; and what comes after it. Where a line begins within the last quarter of the
    characters, it ends before that line."""
    if len(text) <= chars and text.count("\n") + text.count("\r") < lines:
        return text, NOTHING
    ends = [found.start() for found in islice(_LINE_END.finditer(text, 0, chars), lines)]
    end = ends[-1] if len(ends) == lines else len(text)
    if end > chars:
        if not ends or ends[-1] < chars - chars // 4:
            return text[:chars], Rest(chars=len(text) - chars)
        end = ends[-1]
    rest = text.count("\n", end) + text.count("\r", end) - text.count("\r\n", end)
    return text[:end], Rest(rest) if rest else NOTHING


def collapse_output(output: str) -> str:
    """`output` as a terminal shows it: where a line was begun again (a progress bar), what came
    last."""
    if "\r" not in output:
        return output
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in output.split("\n"))


def limit_lines(
    lines: Sequence[Line],
    width: int,
    most: int,
    cells: Cells,
    rest: Rest = NOTHING,
    folded: bool = True,
) -> tuple[Line, ...]:
    """At most `most` lines, then how much was left out: of them, and the `rest` of their source."""
    left = len(lines) - most
    if left <= 1 and rest == NOTHING:
        return tuple(lines)
    cut, kept = lines[most:], tuple(lines[:most])
    if rest.chars:
        chars = rest.chars + sum(len(segment.text) for line in cut for segment in line.segments)
        return (*kept, more_line(chars, width, folded, cells, "more character"))
    return (*kept, more_line(len(cut) + rest.lines, width, folded, cells))


def is_cut(text: str) -> bool:
    """Whether a piece of Markdown ended for its size alone, so that the next one goes on with
    it."""
    return not text.endswith("\n\n") and is_full(text)


def more_line(count: int, width: int, folded: bool, cells: Cells, what: str = "more line") -> Line:
    """How much is left out, and where it is only `folded` away, how to see it."""
    said = f"… {wording.count(count, what)}{' (click or Ctrl+O)' if folded else ''}"
    return Line(cut_runs((Segment(said, "tool.more", _TOGGLE),), width, cells))


def clip_part(part: p.Part) -> tuple[p.Part, Rest]:
    """`part` with no more in it than is ever laid out, and what of it is left out."""
    match part:
        case p.Words() | p.Code() | p.Markdown():
            most = MOST_MARKDOWN if isinstance(part, p.Markdown) else MOST_CHARS
            text, rest = clip(part.text, chars=most)
            return (part if rest == NOTHING else replace(part, text=text)), rest
        case p.Output():
            text, rest = clip(collapse_output(part.text))
            return replace(part, text=text), rest
        case p.Script():
            return replace(part, text=shorten(part.text, MOST_COMMAND)), NOTHING
        case p.List():
            total = max(part.total, len(part.items))
            shown = replace(part, items=part.items.first_items(MOST_LINES), total=total)
            return shown, _rest(len(part.items), MOST_LINES)
        case p.Matches():
            total = max(part.total, len(part.matches))
            found = replace(part, matches=part.matches[:MOST_MATCHES], total=total)
            return found, _rest(len(part.matches), MOST_MATCHES)
        case p.Table():
            columns = max([len(part.header), *map(len, part.rows)], default=1)
            most = max(1, MOST_CELLS // max(1, columns))
            return replace(part, rows=part.rows[:most]), _rest(len(part.rows), most)
        case p.Diff():
            return part, NOTHING
        case _:
            assert_never(part)


def _rest(count: int, most: int) -> Rest:
    return NOTHING if count <= most else Rest(count - most)
