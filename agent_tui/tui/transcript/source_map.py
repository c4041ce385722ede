"""Back from drawn lines to those that were written: tabs are drawn as spaces, joined pictures
apart, and a copy of code that lost its tabs does not run. Where a line of a source, laid out, is
what is drawn, it is that line which is copied.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from agent_tui.present.texts import OUTPUT_TAB, sources
from agent_tui.protocol.transcript import Block, TextBlock
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import PAD, harmless, spacing, strip_padding, visible
from agent_tui.tui.markdown.lines import DECORATION, Line, join_lines
from agent_tui.tui.transcript.truncation import MOST_LINES

LOOKED_AT: Final = 150_000
"""Characters at each end of a source: more of it is not laid out."""
_FENCE: Final = late.pattern(r"(?m)^((?: |[-*+] |\d+[.)] )*)(?:```|~~~)")
_MARKERS: Final = frozenset(("list.marker", "list.done", "list.open"))
_WRITTEN: Final = str.maketrans({"•": "-", "◦": "-", "▪": "-", "☐": "- [ ]", "☑": "- [x]"})
"""How the marks of a list that are drawn are written."""
BORDER: Final = "table.border"
_BAR: Final = "\0"
_CELLS: Final = late.pattern(f" *{_BAR} *")
"""What is drawn between the cells of a table, with their padding."""


@frozen
class Written:
    """A line as it was written; `tab`: how wide its tabs are drawn, 0 where they are not all that
    is drawn otherwise; `lead`: characters of the mark before it."""

    text: str
    tab: int = 0
    lead: int = 0


def written_lines(block: Block) -> Mapping[str, Written]:
    """What was written of the lines of `block` that are drawn in another way; none that could be
    two."""
    found: dict[str, Written] = {}
    plain: set[str] = set()
    said = [*sources(block)]
    if not any("\t" in source.text or not source.text.isascii() for source in said):
        return found
    for source in said:
        tab, mark = source.tab, source.mark
        fence = _FENCE.search(source.text) if isinstance(block, TextBlock) else None
        indent = len(fence.group(1)) if fence is not None else 0
        for line in _ends(source.text):
            text = (
                line if line[:indent].strip() else line[indent:]
            )  # code in a list is without the indent of its item
            if "\t" not in text and text.isascii():
                plain.add(mark + text.rstrip())
                continue
            drawn = mark + visible(text, overwrite=tab == OUTPUT_TAB).expandtabs(tab).rstrip()
            kept = mark + harmless(text).rstrip()
            if kept == drawn or found.get(drawn, Written(kept)).text != kept:
                plain.add(drawn)
            else:
                only = mark + harmless(text).expandtabs(tab).rstrip() == drawn
                found[drawn] = Written(kept, tab if only else 0, len(mark))
    return {drawn: written for drawn, written in found.items() if drawn not in plain}


def as_written(
    lines: Sequence[Line],
    first: int,
    end: int,
    start: tuple[int, int],
    stop: tuple[int, int] | None,
    piece: str,
    known: Mapping[str, Written],
) -> str:
    """`piece`, which is what is drawn from `start` to `stop` (line, character; None: the end) of
    the paragraph in `lines` from `first` to before `end`, as it was written, if that is known."""
    text, origins = join_lines(lines, first, end)
    drawn = text.rstrip()
    written = known.get(drawn)
    if written is None or not drawn:
        return piece
    if piece.endswith(drawn):
        return piece.removesuffix(drawn) + written.text
    if not written.tab:
        return piece
    left, right = _letter(origins, *start), len(drawn) if stop is None else _letter(origins, *stop)
    kept, at = "", 0
    for character in written.text:
        kept += character if left <= at < right else ""
        at += written.tab - (at - written.lead) % written.tab if character == "\t" else 1
    return kept


def _letter(origins: Sequence[tuple[int, int, int]], line: int, x: int) -> int:
    """Which letter of the paragraph is the first at character `x` of `line`, or after it."""
    for (begin, number, at), (after, _, _) in pairwise(origins):
        if number > line or (number == line and at >= x):
            return begin
        if number == line and x < at + after - begin:
            return begin + x - at
    return origins[-1][0]


def _ends(source: str) -> Sequence[str]:
    """The lines at both ends of `source`."""
    if len(source) > 2 * LOOKED_AT:
        source = f"{source[:LOOKED_AT]}\n{source[-LOOKED_AT:]}"
    lines = source.split("\n")
    return lines if len(lines) <= 2 * MOST_LINES else [*lines[:MOST_LINES], *lines[-MOST_LINES:]]


_PICTURE: Final = (
    "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
    "[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
)
_CLUSTER: Final = late.pattern(
    # flags, keys, pictures
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f\u20e3?|{_PICTURE}(?:\u200d{_PICTURE})*"
)
_KEPT: Final = 8
"""Blocks whose pictures are remembered: a selection has two ends."""


@frozen
class Forms:
    """How the pictures of a block are drawn, and for each how it is written; `pattern` finds
    them."""

    written: Mapping[str, str]
    pattern: re.Pattern[str] | None = None

    def snap_range(self, text: str, start: int, end: int) -> tuple[int, int]:
        """`start` and `end` (-1: the end) of what is selected of a drawn line, no picture or letter
        in part."""
        if self.pattern is None and text.isascii():
            return start, end
        last = len(text) if end < 0 else min(end, len(text))
        if start >= last:
            return start, end
        for found in self.pattern.finditer(text) if self.pattern is not None else ():
            first, after = found.span()
            start = first if first < start < after else start
            last = after if first < last < after else last
        while 0 < start < len(text) and _goes_with(text, start):
            start -= 1
        while last < len(text) and _goes_with(text, last):
            last += 1
        return start, end if end < 0 else max(last, end)

    def rejoin_text(self, text: str) -> str:
        """What is drawn as `text`, as it is written."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: self.written[found.group()], text)


_PLAIN: Final = Forms({})
_known: dict[int, tuple[Block, Forms]] = {}


def forms(block: Block) -> Forms:
    """The pictures of `block`. One that is drawn like something else in it is left as it is
    drawn."""
    known = _known.get(id(block))
    if known is None or known[0] is not block:
        if len(_known) >= _KEPT:
            _known.clear()
        known = _known[id(block)] = (block, _forms(block))
    return known[1]


def _forms(block: Block) -> Forms:
    texts = [source.text[:LOOKED_AT] for source in sources(block) if not source.text.isascii()]
    found: dict[str, set[str]] = {}
    for cluster in {cluster for text in texts for cluster in _CLUSTER.findall(text)}:
        if (drawn := visible(cluster)) != cluster:
            found.setdefault(drawn, set()).add(cluster)
    if not found:
        return _PLAIN
    shown = [visible(text) for text in texts]
    written: dict[str, str] = {}
    for drawn in sorted(found, key=len, reverse=True):
        cluster = next(iter(found[drawn]))
        alike = sum(text.count(drawn) for text in shown) == sum(
            text.count(cluster) for text in texts
        )
        if len(found[drawn]) == 1 and alike:
            written[drawn] = harmless(cluster)
    if not written:
        return _PLAIN
    among = "|".join(map(re.escape, written))
    return Forms(
        written,
        re.compile(f"(?<!\u200d)(?:{among})(?![\ufe0e\ufe0f\u200d\u20e3\U0001f3fb-\U0001f3ff])"),
    )


def _goes_with(text: str, at: int) -> bool:
    """Whether the character at `at` is drawn on the one before it, or is the cell of that."""
    return unicodedata.category(text[at])[0] == "M" or (text[at] == PAD and spacing(text[at - 1]))


def unwrap_lines(lines: Sequence[Line], first: int, last: int, start: int, end: int) -> str:
    """The drawn text without margins, bars and numbers; what was wrapped is one line again.

    From character `start` of line `first` to `end` of line `last` (-1: its end).
    """
    left, right, last = start, end, min(last, len(lines) - 1)
    text = ""
    for number in range(first, last + 1):
        line = lines[number]
        start = left if number == first else 0
        end = right if number == last and right >= 0 else len(line.text)
        words = _words(line, start, end, number > 0 and lines[number - 1].soft)
        text += words if line.soft else words.rstrip()
        if number < last:
            text += line.glue if line.soft else "\n"
    return text


def _words(line: Line, start: int, end: int, continued: bool) -> str:
    kept: list[str] = []
    at = 0
    for segment in line.segments:
        decoration = segment.style.rpartition(" ")[2] in DECORATION and (
            segment.style != "indent" or continued
        )
        if not decoration:
            words = segment.text[max(0, start - at) : max(0, end - at)]
            kept.append(words.translate(_WRITTEN) if segment.style in _MARKERS else words)
        elif segment.style == BORDER and start <= at and at + len(segment.text) <= end:
            kept.append(_BAR)
        at += len(segment.text)
    text = strip_padding("".join(kept))
    return _CELLS.sub(" | ", text).strip() if _BAR in text else text
