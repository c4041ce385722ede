"""Styled lines as plain values, and the wrapping of text into them. Widths are in terminal
cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.file_names import file_names
from agent_tui.structures.frozen import frozen

Cells = Callable[[str], int]
Meta = tuple[tuple[str, str], ...]


@frozen
class Segment:
    """Text of one look. `style`: names of `STYLES`, by spaces, the later over the earlier. `meta`:
    `href`, `toggle`, `file` and its `line`."""

    text: str
    style: str = ""
    meta: Meta | None = None


@frozen
class Line:
    """One row of the screen. `soft`: it goes on in the next line, from which wrapping took `glue`
    away. `fill`: the style of the whole row, to the right edge."""

    segments: tuple[Segment, ...]
    soft: bool = False
    glue: str = ""
    fill: str = ""

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)


EMPTY: Final = Line(())
LONGEST_CELL: Final = 32
"""Characters for each cell of a line that are looked at to cut it: those that take no room end
somewhere."""

NOT_NARROW: Final = late.pattern(
    "[^\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0373\u0376\u0377\u0384-\u038a\u0391-\u03a1\u03a3-\u0482"
    "\u2010-\u2015\u2018-\u201f\u2022\u2026\u2190-\u2199\u2500-\u25fc\u2713\u2717]"
)
"""Anything beyond the characters that are surely one cell wide."""
RAGGED: Final = 24
"""Characters that a line may stay short for the sake of a word, and never more than a part of it.
"""
_JOINTS: Final = frozenset("/_-.:,;=&?(")
_NO_LINE_END: Final = frozenset("「『（［｛〈《【〔〖‘“")
_STAYS: Final = _NO_LINE_END | {" "}
_NO_LINE_START: Final = frozenset("、。，．・：；？！）］｝」』】〉》〕’”ー々")


def file_meta(path: str, line: int = 0, meta: Meta | None = None) -> Meta | None:
    """Meta of text that shows the file `path`, at `line` (0: none is said), beside `meta`. What is
    marked is what is shown, to the letter: a name with characters that nobody sees leads nowhere.
    """
    number = (("line", str(line)),) if line else ()
    return (*(meta or ()), ("file", path), *number) if path else meta


def file_runs(run: Segment) -> list[Segment]:
    """`run` in pieces, of which those that may name a file say so: they become links once somebody
    has looked whether there is one (`tui/transcript/painted_rows.py`)."""
    text, runs, at = run.text, list[Segment](), 0
    for start, end, path, line in file_names(text):
        runs.append(Segment(text[at:start], run.style, run.meta))
        runs.append(Segment(text[start:end], run.style, file_meta(path, line, run.meta)))
        at = end
    runs.append(Segment(text[at:], run.style, run.meta) if at else run)
    return [piece for piece in runs if piece.text]


def named_file(meta: Meta | None) -> tuple[str, int] | None:
    """The path and the line (0: none) that `meta` says; None: it is about no file."""
    said = dict(meta or ())
    return (said["file"], int(said.get("line", 0))) if "file" in said else None


def line_cells(segments: Iterable[Segment], cells: Cells) -> int:
    return sum(len(s.text) if s.text.isascii() else cells(s.text) for s in segments)


def breaks(text: str, width: int, cells: Cells) -> list[tuple[int, int, int]]:
    """Where `text` (one paragraph, no newline) breaks: (start, end, start of the next line) in
    characters.

    Breaks at spaces, and between wide characters; a word longer than a line is split where it is
    about full.
    """
    if NOT_NARROW.search(text) is None:
        return _breaks_narrow(text, width)
    return _breaks_wide(text, width, cells)


def _breaks_narrow(text: str, width: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    start, size = 0, len(text)
    while size - start > width:
        space = text.rfind(" ", start, start + width + 1)
        if space > start and text[start:space].strip(" "):
            end = space
            while text[end - 1] == " ":
                end -= 1
            following = space + 1
            while following < size and text[following] == " ":
                following += 1
        else:
            end = following = _in_long_word(text, start, start + width)
        found.append((start, end, following))
        start = following
    if start < size or not found:
        found.append((start, size, size))
    return found


def _breaks_wide(text: str, width: int, cells: Cells) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    known: dict[str, int] = {}
    start = used = 0
    candidate: tuple[int, int] | None = None
    index, size = 0, len(text)
    while index < size:
        character = text[index]
        wide = known.get(character)
        if wide is None:
            wide = known[character] = cells(character)
        if character == " " and index > start:
            end = (
                candidate[0]
                if candidate and candidate[1] == index and text[index - 1] == " "
                else index
            )
            candidate = (end, index + 1)
        elif (
            wide == 2
            and index > start
            and character not in _NO_LINE_START
            and text[index - 1] not in _STAYS
        ):
            candidate = (index, index)
        if used + wide > width and index > start:
            if character == " ":
                following = index + 1
                while following < size and text[following] == " ":
                    following += 1
                found.append((start, candidate[0] if candidate else index, following))
            else:
                at = index if candidate or wide != 1 else _in_long_word(text, start, index)
                end, following = candidate or (at, at)
                found.append((start, end, following))
            start = index = following
            used, candidate = 0, None
            continue
        used += wide
        index += 1
        if (
            wide == 2
            and index < size
            and character not in _NO_LINE_END
            and _may_begin_line(text[index], cells)
        ):
            candidate = (index, index)
    if start < size or not found:
        found.append((start, size, size))
    return found


def _in_long_word(text: str, start: int, end: int) -> int:
    """Where the line from `start` breaks whose one word fills it until `end`: behind a joint of a
    path, an address or a name if there is one not far before."""
    places = range(end, end - min(RAGGED, (end - start) // 2), -1)
    return next((at for at in places if text[at - 1] in _JOINTS and text[at].isalnum()), end)


def _may_begin_line(character: str, cells: Cells) -> bool:
    """Not a space (it goes), no closing mark (it stays with its word), no combining mark."""
    return character != " " and character not in _NO_LINE_START and cells(character) > 0


def slices(
    runs: Sequence[Segment], spans: Sequence[tuple[int, int, int]]
) -> list[tuple[Segment, ...]]:
    """The stretches `spans` of the text of `runs`, each with its looks."""
    result: list[tuple[Segment, ...]] = []
    number, base = 0, 0
    for start, end, _ in spans:
        parts: list[Segment] = []
        while number < len(runs) and base + len(runs[number].text) <= start:
            base += len(runs[number].text)
            number += 1
        at, offset = number, base
        while at < len(runs) and offset < end:
            run = runs[at]
            text = run.text[max(start - offset, 0) : end - offset]
            if text:
                parts.append(run if text == run.text else Segment(text, run.style, run.meta))
            offset += len(run.text)
            at += 1
        result.append(tuple(parts))
    return result


def wrap(
    runs: Sequence[Segment],
    width: int,
    cells: Cells,
    first: tuple[Segment, ...] = (),
    rest: tuple[Segment, ...] = (),
    fill: str = "",
) -> list[Line]:
    """One paragraph (no newline in it) as lines of at most `width` cells; `first` and `rest` go in
    front and count."""
    if width - max(line_cells(first, cells), line_cells(rest, cells)) < 1:
        runs, first, rest = (*first, *runs), (), ()
    room = max(1, width - line_cells(first, cells))
    if room < 2:
        runs = narrow_runs(runs, cells)
    text = "".join(run.text for run in runs)
    if (
        len(text) <= room and NOT_NARROW.search(text) is None
    ):  # most cells of tables, most items of lists
        return [Line((*first, *(run for run in runs if run.text)), fill=fill)]
    spans = breaks(text, room, cells)
    last = len(spans) - 1
    glue = [text[end:following] for _, end, following in spans[:-1]] + [""]
    return [
        Line((first if number == 0 else rest) + piece, number < last, glue[number], fill)
        for number, piece in enumerate(slices(runs, spans))
    ]


def narrow_runs(runs: Sequence[Segment], cells: Cells) -> list[Segment]:
    """On a screen of one column nothing wide can be drawn."""
    return [
        Segment("".join(c if cells(c) < 2 else "?" for c in r.text), r.style, r.meta) for r in runs
    ]


def cut_text(text: str, width: int, cells: Cells) -> str:
    """`text` (no newline) in at most `width` cells; `…` where something is missing."""
    if width <= 0:
        return "" if text else text
    text, whole = text[: width * LONGEST_CELL], text
    if len(text) == len(whole) and (len(text) if text.isascii() else cells(text)) <= width:
        return text
    kept: list[str] = []
    used = 0
    for character in text:
        wide = 1 if character.isascii() else cells(character)
        if used + wide > width - 1:
            break
        used += wide
        kept.append(character)
    return "".join(kept) + "…"


def cut_words(text: str, width: int, cells: Cells) -> str:
    """The same, cut behind a word where that leaves half of it."""
    kept = cut_text(text, width, cells)
    if kept == text or not kept:
        return kept
    head = kept[:-1]
    words = head if text[len(head) : len(head) + 1] == " " else head.rpartition(" ")[0]
    kept = (words if 2 * cells(words) >= cells(head) else head).rstrip()
    ends = (
        kept[-1:] in (",", ";") and kept[-2:-1].isalpha()
    )  # behind a number it says that the number is whole
    return f"{kept[:-1] if ends else kept}…"


def cut_runs(runs: Sequence[Segment], width: int, cells: Cells) -> tuple[Segment, ...]:
    """`runs` on one line of at most `width` cells."""
    kept: list[Segment] = []
    for run in runs:
        room = width - line_cells(kept, cells)
        if len(run.text) > max(room, 0) * LONGEST_CELL or line_cells((run,), cells) > room:
            kept.append(Segment(cut_text(run.text, room, cells), run.style, run.meta))
            break
        kept.append(run)
    return tuple(run for run in kept if run.text)


STYLES: Final[tuple[str, ...]] = (
    "text",
    "dim",
    "accent",
    "strong",
    "emphasis",
    "strike",
    "code",
    "link",
    "link.target",
    "image",
    "html",
    "heading.1",
    "heading.2",
    "heading.3",
    "quote",
    "quote.bar",
    "list.marker",
    "list.done",
    "list.open",
    "table.head",
    "table.border",
    "rule",
    "code.block",
    "code.label",
    "code.text",
    "code.keyword",
    "code.string",
    "code.number",
    "code.comment",
    "code.name",
    "code.type",
    "code.operator",
    "code.meta",
    "code.added",
    "code.removed",
    "code.heading",
    "diff.path",
    "diff.hunk",
    "diff.number",
    "diff.context",
    "diff.context.code",
    "diff.added",
    "diff.removed",
    "diff.added.sign",
    "diff.removed.sign",
    "diff.added.word",
    "diff.removed.word",
    "diff.count.added",
    "diff.count.removed",
    "tool.mark",
    "tool.name",
    "tool.label",
    "tool.ok",
    "tool.bad",
    "tool.wait",
    "tool.time",
    "tool.output",
    "tool.note",
    "tool.more",
    "match.path",
    "match.number",
    "match.hit",
    "user",
    "user.mark",
    "user.note",
    "thinking",
    "notice.info",
    "notice.warning",
    "notice.error",
    "notice.hint",
    "turn",
    "turn.bad",
    "divider",
    "indent",
    "margin",
    "selection",
    "new",
    "search",
    "search.current",
    "place",
    "stamp",
)

DECORATION: Final[frozenset[str]] = frozenset(
    (
        "indent",
        "margin",
        "code.block",
        "quote.bar",
        "table.border",
        "rule",
        "diff.number",
        "tool.mark",
        "tool.more",
        "user.mark",
        "stamp",
    )
)
"""Styles of what is drawn around the text and is no part of it: a copy leaves it out."""


def paragraph(lines: Sequence[Line], at: int) -> tuple[int, int]:
    """The lines from the first up to, not including, the second were one before they were
    wrapped."""
    first, end = at, at + 1
    while first > 0 and lines[first - 1].soft:
        first -= 1
    while end < len(lines) and lines[end - 1].soft:
        end += 1
    return first, end


def join_lines(
    lines: Sequence[Line], first: int, end: int
) -> tuple[str, list[tuple[int, int, int]]]:
    """The words of a paragraph without what is drawn around them; and for each stretch of them
    where it begins in the text, its line, and where it begins in the line."""
    parts: list[str] = []
    origins: list[tuple[int, int, int]] = []
    size = 0
    for number in range(first, end):
        at = 0
        for segment in lines[number].segments:
            words = segment.text
            if segment.style.rpartition(" ")[2] not in DECORATION:
                origins.append((size, number, at))
                parts.append(words)
                size += len(words)
            at += len(words)
        if number + 1 < end:
            origins.append((size, -1, 0))
            parts.append(lines[number].glue)
            size += len(lines[number].glue)
    return "".join(parts), [*origins, (size, -1, 0)]
