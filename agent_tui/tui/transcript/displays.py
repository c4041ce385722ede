"""The screen's backend of the parts: each as styled lines of at most so many cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.present.displays import diff_count, parts_of
from agent_tui.protocol.display import DiffDisplay, Display
from agent_tui.structures import late
from agent_tui.structures.markdown_stream import LIMIT, split
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.markdown.code import (
    GOES_ON,
    GOES_ON_MARK,
    HANGS,
    chop,
    code_lines,
    highlight,
    plain_lines,
    preceding_lines,
)
from agent_tui.tui.markdown.inline import flatten
from agent_tui.tui.markdown.lines import (
    EMPTY,
    Cells,
    Line,
    Segment,
    cut_runs,
    file_meta,
    file_runs,
    wrap,
)
from agent_tui.tui.markdown.render import render
from agent_tui.tui.markdown.table import Table, table_lines
from agent_tui.tui.transcript.diff import PART as PART
from agent_tui.tui.transcript.diff import diff_lines, diff_parts
from agent_tui.tui.transcript.truncation import (
    MOST_LINES,
    NOTHING,
    clip_part,
    is_cut,
    limit_lines,
    more_line,
    shorten,
)

FOLDED_LINES: Final = 30
"""Lines that a folded display shows before it says how many more there are."""
MOST_DIFF_LINES: Final = 1_500
"""Lines that even an open diff shows: each costs more than one of text."""
MOST_ASKED_LINES: Final = 20_000
"""The same for a diff that waits for consent."""
LONGEST_PATTERN: Final = 200
MOST_HITS: Final = 20
"""Characters of a pattern that is looked for in the lines that it found, and about as many
places of a line."""
_LITERAL: Final = late.pattern(
    r"(?:[^\\.^$*+?{}\[\]()|]|\\\W)+(?:\|(?:[^\\.^$*+?{}\[\]()|]|\\\W)+)*"
)
_OR: Final = late.pattern(r"(?<!\\)\|")
_ESCAPED: Final = late.pattern(r"\\(\W)")
_MARKS: Final[dict[p.Mark, tuple[str, str, str, str]]] = {
    "": ("", "", "tool.output", ""),
    "open": ("☐ ", "list.open", "text", ""),
    "active": ("▸ ", "accent", "strong", ""),
    "done": ("☑ ", "list.done", "dim strike", ""),
    "option": ("", "list.marker", "text", ""),
    "chosen": ("▸ ", "accent", "strong", ""),
    "folder": ("", "", "match.path", "/"),
    "link": ("", "", "tool.output", " →"),
    "image": ("▣ ", "image", "image", ""),
}
"""The sign in front of an item and its style, the style of its text, and what stands behind
that."""
WORDS: Final = {
    "text": "text",
    "heading": "strong",
    "prompt": "user",
    "failure": "tool.bad",
    "note": "tool.note",
}
"""The styles of words."""
COLOURED: Final = 24_000
"""Characters of a file that are highlighted; a lexer takes about a microsecond for each."""


def display_lines(
    display: Display, width: int, open: bool, cells: Cells, look: Look = DEFAULT
) -> tuple[Line, ...]:
    """The whole of `display` in lines of at most `width` cells; its beginning where it is not
    `open`."""
    return part_lines(parts_of(display), width, open, cells, look)


def part_lines(
    parts: Sequence[p.Part],
    width: int,
    open: bool,
    cells: Cells,
    look: Look = DEFAULT,
    named: bool = False,
) -> tuple[Line, ...]:
    """The same of its parts. A diff has a limit of its own: only what is drawn of it is
    highlighted. `named`: its path and count stand above it already."""
    width, most = max(1, width), MOST_LINES if open else FOLDED_LINES
    named = named and sum(isinstance(part, p.Diff) for part in parts) == 1
    found: list[Line] = []
    lines: list[Line] = []
    rest = NOTHING
    for part in parts:
        if isinstance(part, p.Diff):
            found += limit_lines(lines, width, most, cells, rest, not open)
            found += [] if named else [diff_title(part.diff, width, cells)]
            found += diff_body(part.diff, width, open, cells, look)
            lines, rest = [], NOTHING
        else:
            shown, left = clip_part(part)
            lines += _drawn(shown, width, cells)
            rest = rest.plus(left)
    return (*found, *limit_lines(lines, width, most, cells, rest, not open))


def asked_parts(
    display: Display, width: int, cells: Cells, look: Look, named: bool = False
) -> Iterator[list[Line]]:
    """`display` as a person is to judge it: a command to its last line, a diff as far as anybody
    may read. Piece by piece, each laid out when it is asked for, each but the last of `PART` lines
    or more. `named`: the path and count of a diff stand above it already."""
    lines: list[Line] = []
    for part in parts_of(display):
        for piece in _asked(part, max(1, width), cells, look, named):
            lines += piece
            if len(lines) >= PART:
                yield lines
                lines = []
    if lines:
        yield lines


def _asked(
    part: p.Part, width: int, cells: Cells, look: Look, named: bool
) -> Iterator[Sequence[Line]]:
    match part:
        case p.Diff():
            if not named:
                yield [diff_title(part.diff, width, cells)]
            left = 0
            for lines, rest in diff_parts(part.diff, width, cells, look.diff, MOST_ASKED_LINES):
                yield lines
                left = rest
            if left:
                yield [more_line(left, width, False, cells)]
        case p.Script():
            yield from _script(part, width, cells)
        case p.Output():
            yield text_lines(part.text, width, cells, False, GOES_ON_MARK)
        case _:
            yield _drawn(part, width, cells)


def diff_body(
    diff: DiffDisplay, width: int, open: bool, cells: Cells, look: Look
) -> tuple[Line, ...]:
    """The hunks of `diff`, in the form that `look` wants and `width` allows."""
    lines, left = diff_lines(
        diff, width, cells, look.diff, MOST_DIFF_LINES if open else FOLDED_LINES
    )
    return (*lines, more_line(left, width, not open, cells)) if left else tuple(lines)


def text_lines(
    text: str, width: int, cells: Cells, overwrite: bool = True, mark: Segment = HANGS
) -> list[Line]:
    """Plain output, line by line, broken only where a line is full; `overwrite`: as a terminal
    would show it; `mark`: what stands in front of what goes on."""
    clean = visible(text, overwrite).rstrip("\n").expandtabs(8)
    lines: list[Line] = []
    for part in clean.split("\n") if clean else ():
        lines.extend(chop(file_runs(Segment(part, "tool.output")), width, cells, (), (mark,)))
    return lines


def words_lines(words: p.Words, width: int, cells: Cells) -> list[Line]:
    paragraphs = visible(words.text).expandtabs(4).split("\n")
    return [
        line
        for text in paragraphs
        for line in wrap([Segment(text, WORDS[words.kind])], width, cells)
    ]


def _drawn(part: p.Part, width: int, cells: Cells) -> Sequence[Line]:
    match part:
        case p.Words():
            return words_lines(part, width, cells)
        case p.Output():
            return text_lines(part.text, width, cells)
        case p.Markdown():
            return markdown_lines(part.text, width, cells)
        case p.Script():
            return [line for piece in _script(part, width, cells) for line in piece]
        case p.Code():
            return _code(part, width, cells)
        case p.Diff():
            return diff_lines(part.diff, width, cells)[0]
        case p.Matches():
            return _matches(part, width, cells)
        case p.Table():
            return _table(part, width, cells)
        case p.List():
            return _list(part, width, cells)
        case _:
            assert_never(part)


def runs_of(runs: Iterable[p.Run]) -> tuple[Segment, ...]:
    return tuple(Segment(run.text, run.style) for run in runs)


def _file(path: str, style: str) -> Segment:
    """`path` as the name of a file."""
    shown = flatten(path)
    return Segment(shown, style, file_meta(shown))


def diff_title(diff: DiffDisplay, width: int, cells: Cells) -> Line:
    """`src/app.py  +3 -1`, and whether the file is new."""
    name = (_file(diff.path, "diff.path"), Segment("  "))
    return Line(cut_runs((*name, *runs_of(diff_count(diff))), width, cells))


def markdown_lines(text: str, width: int, cells: Cells) -> list[Line]:
    """Long texts piece by piece: that takes linear time."""
    if len(text) <= LIMIT:
        return list(render(text, width, cells))
    lines: list[Line] = []
    before = ""
    for piece in split(text):
        drawn = render(piece.text, width, cells, 0, piece.lead)
        lines.extend([EMPTY] if drawn and lines and not piece.lead and not is_cut(before) else [])
        lines.extend(drawn)
        before = piece.text
    return lines


def _code(code: p.Code, width: int, cells: Cells) -> list[Line]:
    text, language = code.text.removesuffix("\n"), code.language
    last = code.first_line + text.count("\n")
    digits = len(str(last))
    lines: list[Line] = []
    if width < digits + 8:
        return code_lines(
            text, language, width, cells, fill="", before=preceding_lines(code.opening)
        )
    rest = (Segment(f"{GOES_ON:>{digits + 1}} ", "diff.number"),)
    end = text.rfind("\n", 0, COLOURED) if len(text) > COLOURED else len(text)
    coloured = highlight(text[:end], language, preceding_lines(code.opening)) if end > 0 else ()
    rest_of_text = plain_lines(text[end + 1 :]) if end < len(text) else ()
    for number, runs in enumerate((*coloured, *rest_of_text), code.first_line):
        lines.extend(
            chop(runs, width, cells, (Segment(f"{number:>{digits}}  ", "diff.number"),), rest)
        )
    if code.total_lines > last:
        lines.extend(wrap([Segment(f"of {code.total_lines:,} lines", "dim")], width, cells))
    return lines


def _list(part: p.List, width: int, cells: Cells) -> list[Line]:
    lines: list[Line] = []
    for number, item in enumerate(part.items, 1):
        lines.extend(_item(item, f"{number}. " if part.numbered else "", width, cells))
    if part.total > len(part.items):
        lines.extend(wrap([Segment(f"of {part.total:,} in all", "dim")], width, cells))
    return lines or [Line(cut_runs((Segment(part.empty, "dim"),), width, cells))] * bool(part.empty)


def _item(item: p.Item, number: str, width: int, cells: Cells) -> list[Line]:
    sign, look, style, end = _MARKS[item.mark]
    if item.name:
        runs = [Segment(flatten(item.name), "strong"), Segment(f"  {flatten(item.note)}  ", "dim")]
        runs.append(Segment(flatten(item.text), "text"))
    else:
        notes = (
            Segment(f"  {note}", "dim")
            for note in (item.note, item.size and wording.size(item.size))
            if note
        )
        name = Segment(flatten(item.text) + end, style, file_meta(flatten(item.file)))
        runs = [name, *notes]
    if not (sign or number):
        return wrap(runs, width, cells, (), (HANGS,))
    lead = f"{sign or '  '}{number}"
    return wrap(runs, width, cells, (Segment(lead, look),), (Segment(" " * len(lead), "indent"),))


def _matches(found: p.Matches, width: int, cells: Cells) -> list[Line]:
    lines: list[Line] = []
    wanted = _literals(found.pattern)
    path = None
    for match in found.matches:
        if match.path != path:
            if lines:
                lines.append(EMPTY)
            path = match.path
            lines.extend(wrap([_file(path, "match.path")], width, cells))
        place = file_meta(flatten(path), match.line)
        number = Segment(f"{match.line:>5}  ", "diff.number", place)
        text = visible(shorten(match.text)).expandtabs(4).replace("\n", "␊")
        rest = Segment(f"{GOES_ON:>6} ", "diff.number")
        lines.extend(chop(_hits(text, wanted), width, cells, (number,), (rest,)))
    if found.total > len(found.matches):
        lines.extend(wrap([Segment(f"of {found.total:,} matches in all", "dim")], width, cells))
    return lines or [Line(cut_runs((Segment("no match", "dim"),), width, cells))]


def _literals(pattern: str) -> Sequence[str]:
    """The texts that `pattern` stands for, if it is no more than that: a pattern of somebody
    else's is never run here, it might take for ever."""
    if len(pattern) > LONGEST_PATTERN or not _LITERAL.fullmatch(pattern):
        return ()
    return tuple(_ESCAPED.sub(r"\1", part) for part in _OR.split(pattern))


def _hits(text: str, wanted: Sequence[str]) -> list[Segment]:
    """A line that matched, with what it matched set off; where no capitals fit, whatever the
    capitals."""
    if not any(one in text for one in wanted):
        low = text.lower()
        wanted = [one.lower() for one in wanted] if len(low) == len(text) else ()
    else:
        low = text
    runs: list[Segment] = []
    at = 0
    while len(runs) < MOST_HITS:
        start, one = min(
            ((low.find(one, at), one) for one in wanted if one in low[at:]), default=(-1, "")
        )
        if start < 0:
            break
        runs += [
            Segment(text[at:start], "tool.output"),
            Segment(text[start : start + len(one)], "match.hit"),
        ]
        at = start + len(one)
    return [run for run in (*runs, Segment(text[at:], "tool.output")) if run.text]


def _script(script: p.Script, width: int, cells: Cells) -> Iterator[list[Line]]:
    source, before = script.text.strip("\n").split("\n"), list[str]()
    for start in range(0, len(source), PART):
        part = "\n".join(source[start : start + PART])
        lines: list[Line] = []
        for number, runs in enumerate(highlight(part, "bash", tuple(before)), start):
            prompt = Segment("$ " if number == 0 else "  ", "tool.mark")
            lines.extend(chop(runs, width, cells, (prompt,), (GOES_ON_MARK,)))
        before.append(f"{part}\n")
        yield lines
    if script.cwd:
        yield wrap([Segment(f"in {flatten(script.cwd)}", "dim")], width, cells)


def _table(table: p.Table, width: int, cells: Cells) -> list[Line]:
    head = tuple((Segment(flatten(cell), "text"),) for cell in table.header)
    rows = tuple(tuple((Segment(flatten(cell), "text"),) for cell in row) for row in table.rows)
    return table_lines(Table(head, rows), width, cells)
