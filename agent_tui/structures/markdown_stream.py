"""Cuts streamed Markdown into closed blocks and one bounded open tail.

Invariants, each under a property test:
  * lossless: the texts of all pieces, joined, are the source, character by character;
  * the cuts depend on the text alone, never on how it was chunked;
  * the open tail is bounded (one block of at most `LIMIT` characters and one unfinished line of at
    most `LIMIT`);
  * a closed piece never changes, so that it is parsed and laid out once.

A piece that continues an open fence or table carries in `lead` the lines to put in front of it when
it is drawn, and a piece of a fence in `before` the code that precedes it, so that a lexer knows
what is open where the piece begins.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

LIMIT: Final = 6_000
"""Characters after which a block, or an unfinished line, is cut even though it goes on."""
LINES: Final = 200
"""The same in lines: short ones cost as much as long ones to parse and to draw."""
MARKS: Final = 1_000
"""The same in `work`: text of nothing but marks costs as much as ten times the prose."""
WINDOW: Final = 1_500
"""Characters of an unfinished line after which its marks are counted."""
FENCE_LINES: Final = 60
"""Lines after which an open fence is cut, so that long code is highlighted piecewise."""
LOOK_BACK: Final = 12
"""Pieces of a fence, of `LOOK_BACK_SIZE` characters at most, that are kept in `before`; then it
begins anew. All of them are lexed at once when a flood of code has passed by: some 20 ms of work.
"""
LOOK_BACK_SIZE: Final = 24_000

_FENCE = late.pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
_HEADING = late.pattern(r" {0,3}#{1,6}(?:[ \t]|$)")
_LIST_ITEM = late.pattern(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_DELIMITER_ROW = late.pattern(r" {0,3}\|?[ \t]*:?-+:?[ \t]*+(?:\|[ \t]*:?-+:?[ \t]*+)*\|?[ \t]*$")


@frozen
class Piece:
    """A closed stretch of source. `lead` + `text` is a Markdown document of its own."""

    text: str
    lead: str = ""
    before: tuple[str, ...] = ()


@frozen
class MdStream:
    """The open end of a streamed text. Feed it, or close it; it never changes itself."""

    block: str = ""
    """Finished lines of the open block."""
    line: str = ""
    """The unfinished last line."""
    lead: str = ""
    before: tuple[str, ...] = ()
    fence: str = ""
    """The marker that closes the open fence, or nothing."""
    opener: str = ""
    lines: int = 0
    """Lines in the open block."""
    marks: int = 0
    """The `work` in it."""
    depth: int = 0
    """The most quotes that one of its lines is in."""
    blank: bool = False
    """The last finished line was blank."""
    begun: bool = False
    """The open block has a line that is not blank. Blank lines in front belong to the block that
    follows them."""
    in_list: bool = False
    mid_line: bool = False
    """`line` continues a line that was cut for its length."""
    length: int = 0
    crc: int = 0

    @property
    def tail(self) -> str:
        return self.block + self.line

    def feed(self, chunk: str) -> tuple[tuple[Piece, ...], MdStream]:
        """Add `chunk`; returns the pieces that it closed, and the stream after it."""
        if not chunk:
            return (), self
        cutter = _Cutter(self)
        cutter.take(self.line + chunk)
        return tuple(cutter.pieces), cutter.stream(
            self.length + len(chunk), zlib.crc32(chunk.encode("utf-8", "surrogatepass"), self.crc)
        )

    def close(self) -> tuple[Piece, ...]:
        """The pieces that the end of the text closes."""
        cutter = _Cutter(self)
        if self.line:
            cutter.finished_line(self.line)
        cutter.cut_block()
        return tuple(cutter.pieces)

    def holds(self, text: str) -> bool:
        """Whether what was fed is `text` (by length and CRC-32)."""
        return self.length == len(text) and self.crc == zlib.crc32(
            text.encode("utf-8", "surrogatepass")
        )


def work(text: str, blocks: bool = True) -> int:
    """About how much there is in `text` to parse, in marks of emphasis. `blocks`: quotes and tables
    count too."""
    count = text.count
    marks = count("*") + count("_") + count("`") + count("<") + count("~") + count("\\")
    marks += 2 * (count("[") + count("]("))
    return marks + 2 * count("|") + 3 * count(">") if blocks else marks


def is_full(text: str) -> bool:
    """Whether a piece may have been cut for its size alone, so that the next one goes on with
    it."""
    return len(text) >= LIMIT or text.count("\n") >= LINES or work(text) >= MARKS


def split(text: str) -> tuple[Piece, ...]:
    """All pieces of a whole text: what any chunking of it would give."""
    closed, stream = MdStream().feed(text)
    return closed + stream.close()


class _Cutter:
    """The mutable inside of one `feed`: lines go in, pieces come out."""

    def __init__(self, start: MdStream) -> None:
        self.start = start
        self.pieces: list[Piece] = []
        self.parts: list[str] = [start.block] if start.block else []
        self.size = len(start.block)
        self.line = ""
        self.lead, self.fence, self.opener = start.lead, start.fence, start.opener
        self.before = start.before
        self.lines, self.blank, self.begun = start.lines, start.blank, start.begun
        self.in_list, self.mid_line = start.in_list, start.mid_line
        self.marks, self.depth = start.marks, start.depth

    def stream(self, length: int, crc: int) -> MdStream:
        return replace(
            self.start,
            block="".join(self.parts),
            line=self.line,
            lead=self.lead,
            before=self.before,
            fence=self.fence,
            opener=self.opener,
            lines=self.lines,
            marks=self.marks,
            depth=self.depth,
            blank=self.blank,
            begun=self.begun,
            in_list=self.in_list,
            mid_line=self.mid_line,
            length=length,
            crc=crc,
        )

    def take(self, text: str) -> None:
        position, end = 0, len(text)
        while position < end:
            newline = text.find("\n", position, position + LIMIT)
            heavy = self.heavy(
                text, position, newline if newline >= 0 else min(end, position + LIMIT)
            )
            if heavy:
                self.long_line(text[position:heavy])
                position = heavy
            elif newline >= 0:
                self.finished_line(text[position : newline + 1])
                position = newline + 1
            elif end - position >= LIMIT:
                self.long_line(text[position : position + LIMIT])
                position += LIMIT
            else:
                break
        self.line = text[position:]

    def heavy(self, text: str, start: int, end: int) -> int:
        """Where the part of a line from `start` to `end` is cut because it is all marks; 0 where it
        is not. What is looked at are whole windows, so that it does not matter in which pieces the
        line came."""
        if self.fence:
            return 0
        for stop in range(start + WINDOW, end + 1, WINDOW):
            if work(text[start:stop], blocks=False) >= MARKS:
                return stop
        return 0

    def long_line(self, part: str) -> None:
        """A line of `LIMIT` characters, or of many marks: what it begins is decided now, its rest
        goes on as text."""
        if not self.mid_line and not self.fence:
            self.boundary_before(part)
        self.add(part)
        self.cut_block(keep_open=True)
        self.mid_line = True

    def finished_line(self, line: str) -> None:
        if self.mid_line:
            self.mid_line = False
            self.add(line)
            self.cut_block(keep_open=True)
            return
        bare = line.rstrip("\r\n")
        if self.fence:
            self.add(line)
            closing, indent = bare.strip(), len(bare) - len(bare.lstrip(" "))
            if indent < 4 and closing.startswith(self.fence) and not closing.strip(self.fence[0]):
                self.fence = ""
                self.cut_block()
            elif self.lines >= FENCE_LINES or self.size >= LIMIT:
                self.cut_block(keep_open=True)
            return
        self.boundary_before(bare)
        first = not self.begun
        self.add(line)
        self.blank = not bare.strip()
        self.begun = not (first and self.blank)
        if first and _HEADING.match(bare):
            self.cut_block()
        elif (
            self.size >= LIMIT or self.lines >= LINES or (self.marks >= MARKS and self.lines > 1)
        ):  # a table's head
            self.cut_block(keep_open=True)

    def boundary_before(self, line: str) -> None:
        """Close the open block if `line` begins another one; note what it begins."""
        if not line.strip():
            return
        if self.blank and not self.begun:
            self.lead = ""  # a blank line ended the table that was cut before it
        indented = line[0] in " \t"
        item = bool(_LIST_ITEM.match(line))
        fence = None if self.in_list and indented and self.begun else _FENCE.match(line)
        ends = (
            fence
            or _HEADING.match(line)
            or (self.blank and not indented and not (item and self.in_list))
        )
        if self.begun and ends:
            self.cut_block()
        if not self.begun:
            self.in_list = item
        if fence:
            self.fence, self.opener = fence.group(1), line.rstrip("\r\n") + "\n"

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)
        self.lines += 1
        if not self.fence:
            depth = text.count(">")
            self.depth = max(self.depth, depth)
            self.marks += (
                work(text) if depth else work(text) + self.depth // 2
            )  # lazily in all those quotes

    def cut_block(self, keep_open: bool = False) -> None:
        """Close the open block. `keep_open`: it goes on, so what begins now needs a lead to be
        drawn right."""
        text = "".join(self.parts)
        if text:
            self.pieces.append(Piece(text, self.lead, self.before))
        if keep_open:
            self.before = self.add_code(text) if self.fence else ()
            self.lead = self.opener if self.fence else self.lead or _table_head(text)
        else:
            self.lead, self.before, self.in_list = "", (), False
        self.parts, self.size, self.lines, self.blank, self.begun = [], 0, 0, False, False
        self.marks = self.depth = 0

    def add_code(self, text: str) -> tuple[str, ...]:
        """The code of the open fence up to the end of its piece `text`."""
        if not self.lead:
            text = text.lstrip().partition("\n")[2]
        if self.opener[0] == " ":  # as much is taken from each of its lines
            indent = len(self.opener) - len(self.opener.lstrip(" "))
            text = re.sub(rf"^ {{1,{indent}}}", "", text, flags=re.MULTILINE)
        before = (*self.before, text)
        return (
            before if len(before) <= LOOK_BACK and sum(map(len, before)) <= LOOK_BACK_SIZE else ()
        )


def _table_head(text: str) -> str:
    """Header and delimiter row, if `text` is a table."""
    lines = text.split("\n", 2)
    if (
        len(lines) == 3
        and "|" in lines[0]
        and "-" in lines[1]
        and _DELIMITER_ROW.match(lines[1].rstrip("\r"))
    ):
        return f"{lines[0]}\n{lines[1]}\n"
    return ""


_DEFINITION = late.pattern(r" {0,3}\[((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t]*\S")
_TITLE = late.pattern(r"[ \t]*(?:\"[^\"]*\"|'[^']*'|\([^()]*\))[ \t]*$")
_LABEL = late.pattern(r"\\[\s\S]|\[((?:[^\[\]\\]|\\[\s\S]){1,999}+)\]")
_TICKS = late.pattern(r"`+")
_LINK_FENCE = late.pattern(r"\s*(?:```|~~~)")


@frozen
class Links:
    """What a piece is told of the others of its text."""

    given: str = ""
    """Definitions that it uses and another piece has, as Markdown."""
    taken: tuple[str, ...] = ()
    """Labels that it defines and another piece uses, or defined before it."""


NO_LINKS: Final = Links()


def normalize_label(label: str) -> str:
    """Labels are the same if this is: by case and white space they do not differ."""
    return " ".join(label.split()).lower().upper()


def links(pieces: Sequence[str]) -> list[Links]:
    """For each of `pieces`, the Markdown of one text, what it is told. Linear, and next to nothing
    without `]:`."""
    prose = ["" if _LINK_FENCE.match(piece) else piece for piece in pieces]
    first: dict[str, tuple[int, str]] = {}
    taken: list[set[str]] = [set() for _ in prose]
    for number, piece in enumerate(prose):
        if "]:" in piece:
            defined, prose[number] = _definitions(piece)
            for label, source in defined:
                if first.setdefault(label, (number, source))[0] != number:
                    taken[number].add(label)
    if not first:
        return [Links()] * len(prose)
    given: list[list[str]] = [[] for _ in prose]
    for number, piece in enumerate(prose):
        for label in _uses(piece) if "[" in piece else ():
            owner, source = first.get(label, (number, ""))
            if owner != number:
                given[number].append(source)
                taken[owner].add(label)
    return [
        Links("".join(own), tuple(sorted(labels))) for own, labels in zip(given, taken, strict=True)
    ]


def _definitions(piece: str) -> tuple[list[tuple[str, str]], str]:
    """Label and source of what looks like a definition (it begins a block, or follows another one),
    and the rest."""
    found: list[tuple[str, str]] = []
    rest: list[str] = []
    may_begin = True
    lines = [line.rstrip("\r") for line in piece.split("\n")]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        match = _DEFINITION.match(line) if may_begin else None
        if match:
            title = f"{after}\n" if _TITLE.match(after) else ""
            found.append((normalize_label(match[1]), f"{line}\n{title}\n"))
        else:
            rest.append(line)
            may_begin = not line.strip() or (may_begin and bool(found) and bool(_TITLE.match(line)))
    return found, "\n".join(rest)


def _uses(text: str) -> dict[str, None]:
    """Every label in brackets outside code, in order."""
    return {
        normalize_label(found[1]): None
        for found in _LABEL.finditer(_without_code(text))
        if found[1]
    }


def _without_code(text: str) -> str:
    """`text` without what stands between runs of equally many backticks."""
    runs = list(_TICKS.finditer(text))
    closing: list[int] = []
    nearest: dict[int, int] = {}
    for number, run in reversed([*enumerate(runs)]):
        size = run.end() - run.start()
        closing.append(nearest.get(size, 0))
        nearest[size] = number
    closing.reverse()
    parts, end, number = list[str](), 0, 0
    while number < len(runs):
        if last := closing[number]:
            parts.append(text[end : runs[number].start()])
            end = runs[last].end()
        number = (last or number) + 1
    return "".join((*parts, text[end:]))
