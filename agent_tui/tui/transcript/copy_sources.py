"""What of a session can be copied by name: the newest answers, and the code in them. Always the
source as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from agent_tui.protocol.transcript import TextBlock, Transcript
from agent_tui.structures import late
from agent_tui.tui.core.model import Source

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
