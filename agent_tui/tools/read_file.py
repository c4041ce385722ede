"""The tool `read_file`: a file's lines with their numbers, as much of them as a model can use at a
time."""

from __future__ import annotations

import codecs
import csv
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field

from agent_tui import registry
from agent_tui.protocol.display import CodeDisplay, Display, ImageDisplay, TableDisplay, TextDisplay
from agent_tui.safety import file_access, hard_links, paths
from agent_tui.safety.secrets.scrubber import KEY, hide_keys, hide_keys_between
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import (
    LenientArguments,
    Reading,
    Tool,
    ToolContext,
    ToolFailure,
    ToolResult,
)
from agent_tui.tools.support import files, notebook, pdf, pictures, pieces
from agent_tui.tools.support.files import Picture, language, picture

with registry.late(warm=False):
    from agent_tui.structures import lexing

WHOLE: Final = 500
"""Lines up to which a file is shown whole, and lines at a time where no end was given."""
MOST: Final = 2_000
"""The same, where there is room for them."""
ROOM: Final = 50_000
"""Characters of a result from which on there is."""
PREVIEW: Final = 200
"""Lines shown of a longer file."""
LONGEST_LINE: Final = 2_000
"""Characters of a line that are shown."""
_LOOKED_AT: Final = 10 * LONGEST_LINE
"""Characters of a line in which secrets are looked for: more than are shown, so that none is cut in
two."""
MAX_BYTES: Final = 20_000_000
NUMBER: Final = 7
"""Characters that a line takes beside its own."""
_NOTES: Final = 600
"""Characters kept free for the notes under the lines."""


class ReadFile(LenientArguments):
    path: str = Field(description="File to read")
    start_line: int = Field(default=0, ge=0, description="First line, from 1")
    end_line: int = Field(default=0, ge=0, description="Last line, inclusive")
    pages: str = Field(default="", description="Of a PDF, or cells of a notebook: 3 or 2-5")


@frozen
class Window:
    """The lines shown (cut where too long) from line `first` on (1-based), and how many of them
    were cut."""

    first: int
    lines: tuple[str, ...]
    cut: int

    @property
    def last_line(self) -> int:
        return self.first + len(self.lines) - 1


@frozen
class Text:
    """A file as text without the ends of its lines, of which it has `total`: what is shown of them,
    and those `above` where these are few. `replaced`: not all of it was text."""

    total: int
    size: int
    replaced: bool
    window: Window
    above: tuple[str, ...] = ()


async def run(args: ReadFile, ctx: ToolContext) -> ToolResult:
    real = ctx.path(args.path)
    result = await _result(args, real, ctx)
    part = f"{args.start_line}-{args.end_line} {args.pages}"
    unchanged = f"{ctx.display_path(real)} is unchanged since you read it above."
    return replace(result, reading=Reading(real, part, unchanged))


async def _result(args: ReadFile, real: Path, ctx: ToolContext) -> ToolResult:
    if args.end_line and args.start_line > args.end_line:
        raise ToolFailure(
            "invalid_arguments", f"start_line {args.start_line} is after end_line {args.end_line}"
        )
    text: Text | ToolResult = await ctx.run_blocking(
        lambda stopped: _read(args, real, ctx, stopped)
    )
    if isinstance(text, ToolResult):
        return text
    shown = ctx.display_path(real)
    if not text.total:
        return ToolResult(
            f"{shown} is empty ({count_noun(text.size, 'byte')}).", TextDisplay("the file is empty")
        )
    if args.start_line > text.total:
        has = f"{shown} has {count_noun(text.total, 'line')}"
        raise ToolFailure(
            "invalid_arguments", f"start_line {args.start_line} is after the end: {has}"
        )
    window = text.window
    content = "\n".join(
        f"{number:>5}→{line}" for number, line in enumerate(window.lines, window.first)
    )
    whole = len(window.lines) == text.total and not window.cut
    display: Display | None = sheet(real, window.lines) if whole else None
    if is_code := display is None:
        code, opening = "\n".join(window.lines), await _opening(args, real, text.above, ctx)
        name = ctx.hide_secrets(shown)
        display = CodeDisplay(code, name, language(real), window.first, text.total, opening)
    told = "\n".join([content, *_notes(args, text, window)])
    return ToolResult(told, display, is_scrubbed=is_code)


async def _opening(
    args: ReadFile, real: Path, above: Sequence[str], ctx: ToolContext
) -> tuple[str, ...]:
    """The lines `above` that the colours of those below depend on."""
    if not above:
        return ()

    def find(_: object) -> tuple[str, ...]:
        found = lexing.find_opening(language(real) or real.name, above)
        of_secrets = _is_secret(args, real, ctx)
        return tuple(ctx.hide_secrets(line, of_secrets) for line in found)

    return await ctx.run_blocking(find)


def _read(
    args: ReadFile, real: Path, ctx: ToolContext, stopped: Callable[[], bool]
) -> Text | ToolResult:
    """The text of a file, or the answer, where it is no lines. Raises ToolFailure."""
    try:
        data = file_access.read_regular(real, MAX_BYTES)
    except (OSError, file_access.NotRegular) as error:
        raise files.failure(error, real, ctx) from None
    if len(data) <= MAX_BYTES:
        ctx.seen_files.note(real, data)
    shown = ctx.display_path(real)
    if data.startswith(pdf.MARK):
        return _pages(data, args, shown, ctx, stopped)
    if files.is_binary(data):
        size = len(data) if len(data) <= MAX_BYTES else real.stat().st_size
        if found := picture(data):
            return _picture(data, found, shown, size, ctx)
        raise files.binary_failure(shown, data, size)
    if len(data) > MAX_BYTES:
        raise _too_large(shown)
    by_line = args.start_line or args.end_line
    if real.suffix.lower() == notebook.SUFFIX and not by_line:
        text, _ = decode_text(data, ctx.hide_known)
        cells = notebook.read_cells(text, args.pages, ctx.max_output_chars - _NOTES)
        if cells is not None:
            hidden = ctx.hide_secrets(cells, _is_secret(args, real, ctx))
            return ToolResult(hidden, TextDisplay(hidden))
    if args.pages:
        raise ToolFailure(
            "invalid_arguments", f"{shown} has no pages; give start_line and end_line"
        )
    with pieces.stoppable(stopped):
        return _take_lines(args, data, ctx, _is_secret(args, real, ctx))


def _take_lines(args: ReadFile, data: bytes, ctx: ToolContext, of_secrets: bool) -> Text:
    """Only the lines that may be shown are made, and text: a file can hold twenty million."""
    first = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    empty = len(data) == first
    total = pieces.count(data, b"\n") + (not data.endswith(b"\n") and not empty)
    start = max(1, args.start_line)
    asked = args.start_line or args.end_line
    whole, fits = _lines_at_once(len(data) - first, total, ctx)
    most = whole if asked or fits else PREVIEW
    end = min(args.end_line or start + most - 1, total, start + ctx.max_read_chars // NUMBER)
    begin = max(first, pieces.place_of_line(data, start - 1))
    ends = pieces.place_of_line(data, end) if start <= end else begin
    around = data[max(first, begin - KEY) : begin], b"\n" + data[ends : ends + KEY]
    lines = _split(_decode(data[begin:ends]))
    window = _window(start, lines, (_decode(around[0]), _decode(around[1])), ctx, of_secrets)
    above = data[first:begin] if begin <= lexing.FOLLOWED else b""
    told = _split(hide_keys(_decode(above), ctx.hide_known)) if above else ()
    return Text(total, len(data), not pieces.is_utf8(data), window, told)


def _lines_at_once(size: int, total: int, ctx: ToolContext) -> tuple[int, bool]:
    """How many lines of a file with `total` lines and `size` bytes are shown where no end was
    given, and whether that is all of it."""
    budget = ctx.max_read_chars - _NOTES
    if total <= MOST and size + NUMBER * total <= budget:
        return MOST, True
    return MOST if budget > ROOM else WHOLE, total <= WHOLE


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _split(text: str) -> tuple[str, ...]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


def _too_large(shown: str) -> ToolFailure:
    hint = "search it with grep_files, or cut a part out with run_shell_command: sed -n '1,200p'"
    return ToolFailure("too_large", f"{shown} is larger than {files.size_text(MAX_BYTES)}; {hint}")


def _pages(
    data: bytes, args: ReadFile, shown: str, ctx: ToolContext, stopped: Callable[[], bool]
) -> ToolResult:
    if len(data) > MAX_BYTES:
        limit = files.size_text(MAX_BYTES)
        raise ToolFailure("too_large", f"{shown} is a PDF larger than {limit}")
    room = ctx.max_output_chars - _NOTES
    pages = pdf.read_pages(data, shown, args.pages, room, stopped)
    text = hide_keys(pages, ctx.hide_known)
    hidden = ctx.hide_secrets(text)
    return ToolResult(hidden, TextDisplay(hidden))


def _picture(data: bytes, found: Picture, shown: str, size: int, ctx: ToolContext) -> ToolResult:
    """What there is, in words, and the picture itself for a model that sees."""
    pixels = f", {found.width}×{found.height} pixels" if found.width else ""
    said = f"{shown} is a {found.kind} picture{pixels}, {files.size_text(size)}."
    display = ImageDisplay(shown, found.width, found.height)
    if len(data) > MAX_BYTES:
        return ToolResult(f"{said} It is too large to be shown to you.", display)
    try:
        sent = pictures.sendable(data, found)
    except pictures.TooLarge as error:
        return ToolResult(f"{said} It cannot be shown to you: {error}.", display)
    display = replace(display, blob=ctx.checkpoint(sent.data), media=sent.media)
    return ToolResult(f"{said} It follows, if you can see pictures.", display)


def _is_secret(args: ReadFile, real: Path, ctx: ToolContext) -> bool:
    """Whether the purpose of the file is secrets, by one of its names."""
    named = paths.is_secret(real) or paths.is_secret(Path(args.path))
    return named or hard_links.is_secret(real, ctx.roots)


def decode_text(data: bytes, hide_known: Callable[[str], str] = str) -> tuple[str, bool]:
    """The text of a file without its byte order mark and without the lines of private keys; and
    whether bytes that are no UTF-8 were replaced. `hide_known`: see `hide_keys`."""
    try:
        return hide_keys(data.decode("utf-8-sig"), hide_known), False
    except UnicodeDecodeError:
        return hide_keys(data.decode("utf-8-sig", "replace"), hide_known), True


def _window(
    start: int,
    lines: tuple[str, ...],
    around: tuple[str, str],
    ctx: ToolContext,
    of_secrets: bool,
) -> Window:
    """The lines asked for, from line `start` on, or a fair part of them; at least one, and no more
    than a result may hold. Secrets are hidden here, before a number stands in front of a line that
    a rule takes for the beginning of one; `around`: what stands above and below, in which a private
    key may begin or end."""
    taken: list[str] = []
    cut = used = 0
    budget = ctx.max_read_chars - _NOTES
    sizes = itertools.accumulate(min(len(line), LONGEST_LINE) + NUMBER for line in lines)
    looked_at = lines[: 1 + sum(size <= 2 * budget for size in sizes)]
    asked = ctx.hide_known("\n".join(line[:_LOOKED_AT] for line in looked_at))
    without_keys = hide_keys_between(around[0], asked, around[1])
    hidden = ctx.hide_secrets(without_keys, of_secrets).split("\n")
    for line, shown in zip(looked_at, hidden[: len(looked_at)], strict=True):
        lost = len(line) - LONGEST_LINE if len(shown) > LONGEST_LINE else 0
        part = f"{shown[:LONGEST_LINE]}… ({lost:,} more characters)" if lost > 0 else shown
        used += len(part) + NUMBER
        if taken and used > budget:
            break
        taken.append(part)
        cut += lost > 0
    return Window(start, tuple(taken), cut)


def _notes(args: ReadFile, text: Text, window: Window) -> list[str]:
    """What a model must know beside the lines."""
    total = text.total
    notes = list[str]()
    if window.last_line < total and window.last_line != args.end_line:
        more = f"Read on with start_line={window.last_line + 1}, or find a place with grep_files."
        notes.append(f"[Lines {window.first}-{window.last_line} of {total}. {more}]")
    elif window.last_line < total or window.first > 1:
        notes.append(f"[Lines {window.first}-{window.last_line} of {total}.]")
    if window.cut:
        lines = count_noun(window.cut, "line was", "lines were")
        notes.append(f"[{lines} cut at {LONGEST_LINE} characters.]")
    if text.replaced:
        notes.append("[Not valid UTF-8: bytes that could not be read are shown as �.]")
    return notes


def label(args: ReadFile) -> str:
    if args.pages:
        return f"Read {args.path} ({' '.join(args.pages.split())})"
    if not args.start_line and not args.end_line:
        return f"Read {args.path}"
    end = str(args.end_line) if args.end_line else ""
    start = max(1, args.start_line)
    return f"Read {args.path} ({f'line {start}' if str(start) == end else f'lines {start}–{end}'})"


TOOL: Final = Tool(
    name="read_file",
    description=(
        "Read a file: text, picture, PDF or notebook. Lines come numbered as `12→text`; the number "
        "and the arrow are not part of the file. "
        "Of a long file you see the first lines: read on with start_line and end_line."
    ),
    arguments=ReadFile,
    effect="read",
    label=label,
    run=run,
    paths=lambda args: (args.path,),
)


_MARKS: Final = {".csv": ",", ".tsv": "\t"}
COLUMNS: Final = 30
"""More are no table that anybody reads."""


def sheet(path: Path, lines: Sequence[str]) -> TableDisplay | None:
    """The table that `lines` are, the first one its header; None where they are none."""
    mark = _MARKS.get(path.suffix.lower())
    if mark is None or not lines:
        return None
    if mark == "," and lines[0].count(";") > lines[0].count(
        ","
    ):  # what spreadsheets write where a comma is decimal
        mark = ";"
    try:
        rows = [tuple(row) for row in csv.reader(lines, delimiter=mark, strict=True) if row]
    except csv.Error:
        return None
    if (
        len(rows) < 2
        or not 2 <= len(rows[0]) <= COLUMNS
        or any(len(row) != len(rows[0]) for row in rows)
    ):
        return None
    return TableDisplay(rows[0], tuple(rows[1:]))
