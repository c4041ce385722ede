"""Code to lines of styled runs, and lines of text whose spaces matter (code, output): all of them
stay, and what goes on says so. Pygments is imported with the first code that is drawn.

Lines that are finished are lexed once (`_finished`): while code is streamed, each drawing lexes
what is new, from the state that the lines before it ended in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from agent_tui import registry
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import (
    NOT_NARROW,
    RAGGED,
    Cells,
    Line,
    Segment,
    line_cells,
    narrow_runs,
    slices,
)

if TYPE_CHECKING:
    from agent_tui.structures.lexing import State, Stepper

with registry.late(warm=False):
    from agent_tui.structures import lexing


GOES_ON: Final = "↳ "
"""Stands in front of what goes on from the line above, in text whose spaces matter; no copy has it.
"""
GOES_ON_MARK: Final = Segment(GOES_ON, "diff.number indent")
HANGS: Final = Segment("", "diff.number indent")
"""Stands there where that mark is to hang in the margin, which is drawn later (`hung`)."""
_LEAST_ROOM: Final = 12
"""Cells below which words are not kept whole there."""


def chop(
    runs: Sequence[Segment],
    width: int,
    cells: Cells,
    first: tuple[Segment, ...] = (),
    rest: tuple[Segment, ...] = (),
    fill: str = "",
) -> list[Line]:
    """Like `wrap`, for text whose spaces matter (code): all stay, and a line is broken where it is
    about full."""
    before, after = line_cells(first, cells), line_cells(rest, cells)
    if width - max(before, after) < 1:
        first, rest, before, after = (), (), 0, 0
    text = "".join(run.text for run in runs)
    if NOT_NARROW.search(text) is None and len(text) <= max(1, width - before):
        return [Line((*first, *runs), fill=fill)]
    room = max(1, width - max(before, after))
    if room < 2:
        runs = narrow_runs(runs, cells)
        text = "".join(run.text for run in runs)
    if NOT_NARROW.search(text) is None:
        spans = _full_narrow(text, room)
    elif after > before and cells(text) <= width - before:
        spans = [(0, len(text), len(text))]
    else:
        spans = _full(text, room, cells)
    last = len(spans) - 1
    return [
        Line((first if number == 0 else rest) + piece, number < last, "", fill)
        for number, piece in enumerate(slices(runs, spans))
    ]


def hang_line(line: Line, margin: Segment) -> Line:
    """`line` behind `margin`, in which the mark of what goes on hangs."""
    if not line.segments:
        return line
    if line.segments[0] is HANGS:
        return Line((GOES_ON_MARK, *line.segments[1:]), line.soft, line.glue, line.fill)
    return Line((margin, *line.segments), line.soft, line.glue, line.fill)


def _full_narrow(text: str, room: int) -> list[tuple[int, int, int]]:
    """Where `text` breaks if a line is broken only where it is about full."""
    spans: list[tuple[int, int, int]] = []
    start = 0
    while len(text) - start > room:
        end = _between_words(text, start, start + room) if room >= _LEAST_ROOM else start + room
        spans.append((start, end, end))
        start = end
    return [*spans, (start, len(text), len(text))]


def _full(text: str, room: int, cells: Cells) -> list[tuple[int, int, int]]:
    """The same for text in which characters have other widths than one."""
    spans: list[tuple[int, int, int]] = []
    known: dict[str, int] = {}
    start = used = 0
    for index, character in enumerate(text):
        wide = known.get(character)
        if wide is None:
            wide = known[character] = cells(character)
        if used + wide > room and index > start:
            end = _between_words(text, start, index) if wide == 1 and room >= _LEAST_ROOM else index
            if not known.get(text[end]):  # a mark stays with its letter
                end = index
            spans.append((start, end, end))
            start, used = end, sum(known[c] for c in text[end:index])
        used += wide
    spans.append((start, len(text), len(text)))
    return spans


def _between_words(text: str, start: int, end: int) -> int:
    """Where the line from `start` breaks that is full at `end`: not far before, behind a space, or
    else at a word."""
    if text[end - 1] == " ":
        return end
    least = end - min(RAGGED, (end - start) // 3)
    space = text.rfind(" ", least, end)
    if space >= 0:
        return space + 1
    at = end
    while at > least and _in_word(text[at - 1]) and (at < end or _in_word(text[end])):
        at -= 1
    return at if at > least else end


def _in_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


CodeLines = tuple[tuple[Segment, ...], ...]

REMEMBERED: Final = 64
"""Pieces of code whose finished lines are kept: those being written, and those just cut."""

_KINDS: Final = (
    ("Token.Comment.Preproc", "code.meta"),
    ("Token.Comment.Hashbang", "code.comment"),
    ("Token.Comment", "code.comment"),
    ("Token.Keyword.Type", "code.type"),
    ("Token.Keyword", "code.keyword"),
    ("Token.Operator.Word", "code.keyword"),
    ("Token.Operator", "code.operator"),
    ("Token.Name.Decorator", "code.meta"),
    ("Token.Name.Function", "code.name"),
    ("Token.Name.Class", "code.name"),
    ("Token.Name.Tag", "code.keyword"),
    ("Token.Name.Attribute", "code.name"),
    ("Token.Name.Builtin", "code.type"),
    ("Token.Name.Exception", "code.type"),
    ("Token.Literal.String", "code.string"),
    ("Token.Literal.Number", "code.number"),
    ("Token.Generic.Inserted", "code.added"),
    ("Token.Generic.Deleted", "code.removed"),
    ("Token.Generic.Heading", "code.heading"),
    ("Token.Generic.Subheading", "code.heading"),
    ("Token.Generic.Prompt", "code.comment"),
)


@lru_cache(512)
def _style_of(token_type: Any) -> str:
    name = str(token_type)
    for prefix, style in _KINDS:
        if name == prefix or name.startswith(prefix + "."):
            return style
    return "code.text"


def plain_lines(code: str) -> CodeLines:
    code = lexing.prepare_code(code)
    return tuple((Segment(line, "code.text"),) if line else () for line in code.split("\n"))


@frozen
class _Finished:
    """Lines of `code`, which ends with a newline or is empty, and the lexer's state after them."""

    code: str
    lines: CodeLines
    state: State


_kept: dict[tuple[str, tuple[str, ...]], _Finished] = {}
"""By language and what precedes; the last used last."""


@lru_cache(256)
def highlight(code: str, language: str, before: tuple[str, ...] = ()) -> CodeLines:
    """The lines of `code`, each as runs. `language`: a name (`python`) or a file name (`a.py`);
    else it stays plain.

    `before`: what precedes `code`, in parts of whole lines; what it leaves open (a comment, a
    string) goes on.
    """
    stepper = lexing.find_stepper(language)
    if stepper is None:
        return _at_once(code, lexing.find_lexer(language) if language else None)
    finished, newline, last = code.rpartition("\n")
    done = _finished(stepper, language, before, finished + newline)
    return (*done.lines, *_stepped(stepper, last, done.state)[0])


def preceding_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """`lines` as what comes before a piece of code; nothing where there are none."""
    return ("".join(f"{line}\n" for line in lines),) if lines else ()


def is_prepared(language: str) -> bool:
    """Whether the first `highlight` of that language will be as quick as all others: True, unless
    nobody knows it."""
    return lexing.find_stepper(language) is not None


def _finished(stepper: Stepper, language: str, before: tuple[str, ...], code: str) -> _Finished:
    """The finished lines `code` after `before`; only those are lexed that were not at the last
    call."""
    kept = _kept.pop((language, before), None)
    if kept is None or not code.startswith(kept.code):
        kept = _Finished("", (), _state_after(stepper, language, before))
    if len(code) > len(kept.code):
        lines, state = _stepped(stepper, code[len(kept.code) : -1], kept.state)
        kept = _Finished(code, kept.lines + lines, state)
    _kept[language, before] = kept
    if len(_kept) > REMEMBERED:
        del _kept[next(iter(_kept))]
    return kept


def _state_after(stepper: Stepper, language: str, before: tuple[str, ...]) -> State:
    known = len(before)
    while known and (language, before[: known - 1]) not in _kept:
        known -= 1
    state = lexing.State()
    for part in range(max(0, known - 1), len(before)):
        state = _finished(stepper, language, before[:part], before[part]).state
    return state


def _stepped(stepper: Stepper, code: str, state: State) -> tuple[CodeLines, State]:
    lines: list[tuple[Segment, ...]] = []
    for line in lexing.prepare_code(code).split("\n"):
        runs: list[Segment] = []
        if len(line) > lexing.LONGEST:
            runs.append(Segment(line, "code.text"))
        else:
            tokens, state = stepper.line(line + "\n", state)
            for kind, value in tokens:
                if text := value.rstrip("\n"):
                    _push(runs, text, _style_of(kind))
        lines.append(tuple(runs))
    return tuple(lines), state


def _at_once(code: str, lexer: Any | None) -> CodeLines:
    """`code` by a lexer that cannot go line by line."""
    if lexer is None or max(map(len, code.split("\n"))) > lexing.LONGEST:
        return plain_lines(code)
    code = lexing.prepare_code(code)
    lines: list[tuple[Segment, ...]] = []
    line: list[Segment] = []
    tokens: Iterable[tuple[Any, str]] = lexer.get_tokens(code)
    for kind, value in tokens:
        style = _style_of(kind)
        first, *more = value.split("\n")
        if first:
            _push(line, first, style)
        for part in more:
            lines.append(tuple(line))
            line = []
            if part:
                line.append(Segment(part, style))
    lines.append(tuple(line))
    return tuple(lines)


def _push(line: list[Segment], text: str, style: str) -> None:
    """Neighbours of one look are one run: fewer segments to paint."""
    if line and (line[-1].style == style or not text.strip()):
        line[-1] = Segment(line[-1].text + text, line[-1].style)
    else:
        line.append(Segment(text, style))


def code_lines(
    code: str,
    language: str,
    width: int,
    cells: Cells,
    first: tuple[Segment, ...] = (),
    fill: str = "code.block",
    before: tuple[str, ...] = (),
) -> list[Line]:
    """`code` without its last newline, highlighted, broken where a line is full. `before`: as
    `highlight` has it."""
    result: list[Line] = []
    *outer, last = first or (Segment(""),)
    gutter = len(last.text) >= len(GOES_ON) and not last.text.strip()
    rest = (
        (*outer, Segment(last.text[: -len(GOES_ON)] + GOES_ON, f"diff.number {last.style}"))
        if gutter
        else first
    )
    for runs in highlight(code, language, before):
        result.extend(chop(runs, width, cells, first, rest, fill))
    return result
