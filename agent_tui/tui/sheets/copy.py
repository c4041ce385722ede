"""`/copy`: the newest answers and the pieces of code in them, on the clipboard or in a file; always
the source as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from agent_tui.protocol.ops import WriteFile
from agent_tui.protocol.transcript import TextBlock, Transcript
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.model import Model, Overlay, Source
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import CLOSES, Action, Lines, Sheet
from agent_tui.tui.sheets.opening import open_sheet

ANSWERS: Final = 20
LOOK_BACK: Final = 20_000
"""Rows that are looked through for answers."""
CODES: Final = 40
"""Pieces of code that are listed."""
CHARS: Final = 1_000_000
"""Characters of answers that are looked through for code."""

_SUFFIXES: Final = {
    "python": "py",
    "py3": "py",
    "javascript": "js",
    "typescript": "ts",
    "bash": "sh",
    "shell": "sh",
    "console": "txt",
    "zsh": "sh",
    "rust": "rs",
    "markdown": "md",
    "ruby": "rb",
    "csharp": "cs",
    "c++": "cpp",
    "haskell": "hs",
    "perl": "pl",
    "kotlin": "kt",
    "dockerfile": "dockerfile",
    "makefile": "mk",
    "text": "txt",
    "plaintext": "txt",
}
_FENCE: Final = late.pattern(
    r"(?P<quote>(?: {0,3}>[ ]?)*)(?P<indent>[ \t]*)(?P<items>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
_ITEM: Final = late.pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_QUOTE: Final = late.pattern(r" {0,3}>[ ]?")


def answers(transcript: Transcript, most: int = ANSWERS) -> tuple[str, ...]:
    """The Markdown source of the newest answers, newest first; the first one as far as it is
    written."""
    found: list[str] = []
    parts: list[str] = []
    for block in _backwards(transcript):
        if isinstance(block, TextBlock):
            parts.append(block.text)
        if parts and (not isinstance(block, TextBlock) or block.head):
            found.append("".join(reversed(parts)).strip("\n"))
            parts = []
            if len(found) == most:
                return tuple(found)
    if parts:
        found.append("".join(reversed(parts)).strip("\n"))
    return tuple(found)


def _backwards(transcript: Transcript) -> Iterator[object]:
    yield from reversed(transcript.live())
    yield from islice(reversed(transcript.rows), LOOK_BACK)


def sources(transcript: Transcript) -> tuple[Source, ...]:
    """Each answer, newest first, and behind it the code in it."""
    found: list[Source] = []
    code = left = 0
    for number, answer in enumerate(answers(transcript), 1):
        found.append(
            Source("answer", str(number), answer, f"answer {number}", f"answer-{number}.md")
        )
        left += len(answer)
        for language, text in codes(answer) if left <= CHARS else ():
            code += 1
            if code <= CODES:
                name = f"code {code}{f' {language}' if language else ''}"
                found.append(Source("code", "", text, name, f"code-{code}.{_suffix(language)}"))
    return tuple(found)


def _suffix(language: str) -> str:
    known = _SUFFIXES.get(language.lower(), language.lower())
    return known if re.fullmatch(r"[a-z0-9]{1,12}", known) else "txt"


def codes(markdown: str) -> tuple[tuple[str, str], ...]:
    """The fenced code in `markdown`: (language, code as it stands, without the marks of the list or
    quote around it).

    A fence that nothing closes goes to the end.
    """
    found: list[tuple[str, str]] = []
    fence: re.Match[str] | None = None
    code: list[str] = []
    in_list = False
    for line in markdown.split("\n"):
        if fence is None:
            in_list = _ITEM.match(line) is not None or (
                in_list and (not line.strip() or line[0] in " \t")
            )
            fence, code = _opens(line, in_list), []
        elif (inside := _inside(line, fence)) is None:
            found.append((_language(fence), "\n".join(code)))
            fence, code = None, []
        else:
            code.append(inside)
    if fence is not None:
        found.append((_language(fence), "\n".join(code[:-1] if code and not code[-1] else code)))
    return tuple(entry for entry in found if entry[1].strip())


def _opens(line: str, in_list: bool) -> re.Match[str] | None:
    """The fence that begins in `line`. So far indented that it is code already, it is one only
    inside of a list."""
    match = _FENCE.match(line)
    return (
        match if match is not None and (in_list or len(match["indent"].expandtabs(4)) < 4) else None
    )


def _inside(line: str, fence: re.Match[str]) -> str | None:
    """What of `line` is code; None if it closes the fence."""
    for _ in range(fence["quote"].count(">")):
        if (quote := _QUOTE.match(line)) is None:
            return None  # the quote ends, and the code with it
        line = line[quote.end() :]
    around = len(fence["indent"]) + len(fence["items"])
    line = line[min(around, len(line) - len(line.lstrip(" \t"))) :]
    mark = line.strip()
    closes = (
        mark.startswith(fence["fence"])
        and not mark.strip(fence["fence"][0])
        and not line.startswith(" " * 4)
    )
    return None if closes else line


def _language(fence: re.Match[str]) -> str:
    words = fence["info"].split()
    return words[0].strip("{}.,")[:20] if words else ""


LETTERS: Final = "abcdefghilmnop"
"""Keys of the pieces of code in the list; j, k, q and w mean something else there."""
PREVIEW: Final = 6
"""Lines of what would be copied."""
LOOKED_AT: Final = 4 * PREVIEW
"""Lines that are looked at for those; empty ones are not shown."""
WIDEST: Final = 76


@frozen
class Copies:
    """What there was to copy when the list was opened: nothing moves in it under the cursor."""

    sources: tuple[Source, ...] = ()


def _copies(overlay: Overlay) -> tuple[Source, ...]:
    return overlay.state.sources if isinstance(overlay.state, Copies) else ()


def _begin(model: Model) -> Copies:
    """Answers are taken by their number (up to 9), code by a letter."""
    letters = iter(LETTERS)
    return Copies(
        tuple(
            replace(
                one,
                key=next(letters, "")
                if one.kind == "code"
                else one.key
                if len(one.key) == 1
                else "",
            )
            for one in sources(model.transcript)
        )
    )


READ_FIRST: Final = 0.3
"""The clipboard holds something else afterwards: a key of a row of keys copies nothing."""


def _rows(_: Model, overlay: Overlay) -> Iterator[Entry]:
    found = _copies(overlay)
    sizes = [_counted(one.text.count("\n") + 1) for one in found]
    wide = max(map(len, sizes), default=0)
    for number, (one, size) in enumerate(zip(found, sizes, strict=True)):
        yield Entry(
            str(number), one.label, f"{size:<{wide}}  {one_line(one.text, 60)}", key=one.key
        )


def _source(overlay: Overlay, row: Entry) -> Source:
    return _copies(overlay)[int(row.id)]


def _preview(_: Model, overlay: Overlay, row: Entry, cells: int, __: int) -> Lines:
    """The first lines that hold something, and how many there are behind them."""
    text, widest = _source(overlay, row).text, min(WIDEST, cells)
    begun = enumerate(text.split("\n", LOOKED_AT)[:LOOKED_AT])
    head = [(number, line) for number, line in begun if line.strip()][:PREVIEW]
    shown = [(Span(line if len(line) <= widest else f"{line[: widest - 1]}…"),) for _, line in head]
    more = text.count("\n") - (head[-1][0] if head else -1)
    return (*shown, (Span(f"… {_counted(more, 'more line')}", "dim"),)) if more else tuple(shown)


def _counted(count: int, name: str = "line") -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _copy(model: Model, overlay: Overlay, row: Entry) -> Step:
    return model, (Copy(_source(overlay, row).text),)


def _write(model: Model, overlay: Overlay, row: Entry) -> Step:
    found = _source(overlay, row)
    return send(model, WriteFile(found.file, found.text + "\n"))


@command(argument="[number]", rank=56)
def copy(model: Model, args: str) -> Step:
    """Copy an answer to the clipboard as Markdown: 1 is the last. Without a number: choose an
    answer or a piece of its code; w writes it to a file."""
    found, number = sources(model.transcript), args.strip()
    if not found:
        return toast(model, "there is no answer to copy yet", "warning")
    if number:
        chosen = next(
            (source for source in found if source.key and source.key == number.lstrip("0")), None
        )
        if chosen is None:
            count = sum(source.kind == "answer" for source in found)
            there = "there is one answer" if count == 1 else f"there are answers 1 to {count}"
            return toast(model, f"no answer {number!r}: {there}, 1 is the last", "warning")
        return model, (Copy(chosen.text),)
    return (model, (Copy(found[0].text),)) if len(found) == 1 else open_sheet(model, "copy")


SHEET: Final = Sheet(
    "Copy",
    _rows,
    (
        Action("copy", ("enter", "tab"), "copy", _copy, row_keys=True),
        Action("write", ("w",), "write to a file", _write, typed="w", needs_enter=True),
        replace(CLOSES, keys=("q",)),
    ),
    (copy,),
    typing="acts",
    begin=_begin,
    states=(Copies,),
    about=_preview,
    about_lines=PREVIEW + 1,
    always_about=True,
    list_first=True,
    read_first=READ_FIRST,
)
