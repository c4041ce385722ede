"""The lines of private keys: alone, numbered, marked as changed, or in one line with `\\n` between
them.

A key that is shown from its first line on is known by that line's `BEGIN`. Of a part of one (`sed
-n 2,5p`, `tail`) only those lines are taken that are surely a private key's: the beginning of its
encoding, which certificates, public keys and pictures do not share, or what stands before its
`END`; and of those only lines of one length, close together.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from agent_tui.safety.secrets.control_sequences import drop_sequences
from agent_tui.safety.secrets.strength import Secret

KIND: Final = "private-key"
_HEAD: Final = r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d+"
_FOOT: Final = r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
_HIDDEN: Final = rf"\[hidden:{KIND}:[0-9a-f]{{4}}\]"
_WORD: Final = r"(?:(?<![A-Za-z0-9+/=\\])|(?<=\\[nr]))"
_LINE: Final = rf"{_WORD}(?:[A-Za-z0-9+/=]{{24,}}+(?![.:]|\[hidden)|[A-Za-z0-9+/=]*{_HIDDEN})"
"""A line, or the placeholder of one: what came in pieces was hidden in part. No path before a
number of a line."""
_LAST: Final = (
    r"(?<![\\A-Za-z0-9+/=])[A-Za-z0-9+/]{2,}={0,2}(?![A-Za-z0-9+/=])"
    r"(?=[ \t\"',+]{0,4}(?:(?:\\r)?\\n|\r?\n)[^\n]{0,200}$|[ ]?$)"
)
"""The line before the end of a key, of whatever length; the end has a number or a mark before it.
"""
_ALONE: Final = r"[\s>+|-]*(?:\S{0,200}:)?[ \t]*\d{0,7}[→:|\t -]?[\s>+|-]*"
"""What stands before a line: a path, a number, marks."""
_NAMED_GAP: Final = r"\s{0,4}\n[^\s:]{1,180}[:-](?:\d{1,7}[:-])?"
"""Between two lines that are shown with the name of their file."""
_FIRST_LINE: Final = (
    r"(?<![A-Za-z0-9+/=])(?:MII[A-Z][A-Za-z0-9+/][AQgw](?:IBAAKC[AB]|IBADANBgkqhkiG9w0BAQEF)"  # RSA
    # on elliptic curves
    r"|MI[GH][A-Za-z0-9+/]AgEAMB[A-Z]GByqGSM49AgE|MHcCAQEEI|MIGkAgEBBDA|MIHcAgEBBEI"
    r"|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjEA"
    r"|MI[IGH][A-Z]?[A-Za-z0-9+/]{1,2}B[A-Za-z0-9+/]BgkqhkiG9w0BBQ[0M])"  # encrypted
    r"[A-Za-z0-9+/]{14,}"
)
"""How the encoding of a private key begins, without the line before it."""
FIRST_LETTERS: Final = ("MII", "MIG", "MIH", "MHcC", "MC4C", "b3BlbnNz")
_LONGEST_KEY: Final = 20_000
_GAP: Final = 200
"""Characters between two lines of a private key: numbers of lines, marks of a difference."""
_SMALL_GAP: Final = 16
"""The same in a part of a key: a line's end, its number, a mark."""
_HEX: Final = r"[0-9a-f]+"
_compiled = cache(re.compile)


def find_key_lines(text: str, in_key: bool = False) -> Iterator[Secret]:
    """The lines of the private keys in `text`, in order. `in_key`: it begins within one."""
    heads = _heads(text)
    yield from _whole_keys(text, heads, in_key)
    if not in_key:
        yield from _parts(text, heads)


def is_in_key(text: str, in_key: bool = False) -> bool:
    """Whether a private key that begins in `text` (or has begun before) is still open at its
    end."""
    text = drop_sequences(text)
    heads = [found.end() for found in _heads(text)]
    feet = [found.end() for found in _feet(text)]
    if not heads:
        return in_key and not feet and any(find_key_lines(text, True))
    return heads[-1] > max(feet, default=-1)


def _heads(text: str) -> list[re.Match[str]]:
    return [*_compiled(_HEAD).finditer(text)] if "PRIVATE" in text or "Lines" in text else []


def _feet(text: str) -> list[re.Match[str]]:
    return [*_compiled(_FOOT).finditer(text)] if "-----END" in text else []


def _whole_keys(text: str, heads: list[re.Match[str]], in_key: bool) -> Iterator[Secret]:
    begins = [0, *(head.end() for head in heads)] if in_key else [head.end() for head in heads]
    limits = (
        [*(head.start() for head in heads), len(text)]
        if in_key
        else [*(h.start() for h in heads[1:]), len(text)]
    )
    for start, limit in zip(begins, limits, strict=False):
        limit = min(limit, start + _LONGEST_KEY)
        foot, at = _compiled(_FOOT).search(text, start, limit), start
        end = foot.start() if foot else limit
        for line in _compiled(_LINE).finditer(text, start, end):
            if line.start() - at > _GAP:
                break
            yield Secret(*line.span(), KIND)
            at = line.end()
        if foot and (at > start or (in_key and not start)) and (last := _last_line(text, at, end)):
            yield Secret(*last.span(), KIND)


def _last_line(text: str, start: int, end: int) -> re.Match[str] | None:
    """The line before the end of a key at `end`, however short it is."""
    found = [*_compiled(_LAST).finditer(text, max(start, end - _GAP - 100), end)]
    return found[-1] if found else None


def _parts(text: str, heads: list[re.Match[str]]) -> Iterator[Secret]:
    """Lines of keys whose beginning is not in `text`."""
    if any(letters in text for letters in FIRST_LETTERS):
        for first in _compiled(_FIRST_LINE).finditer(text):
            yield from _neighbours(text, first.start())
    if f"[hidden:{KIND}:" in text:
        for hidden in _compiled(rf"{_WORD}[A-Za-z0-9+/=]*{_HIDDEN}").finditer(text):
            yield from _neighbours(text, hidden.start())
    before = 0
    for foot in _feet(text):
        begun = bisect.bisect(heads, foot.start(), key=lambda head: head.start())
        head_end = (
            heads[begun - 1].end() if begun else 0
        )  # it may be another key's, whose end is not in view
        yield from _to_the_end(
            text, max(before, head_end, foot.start() - _LONGEST_KEY), foot.start()
        )
        before = foot.end()


def _is_close(text: str, start: int, end: int) -> bool:
    """Whether nothing but a line's end, a number and a mark stand between two lines."""
    return end - start <= _SMALL_GAP or bool(
        end - start <= _GAP and _compiled(_NAMED_GAP).fullmatch(text, start, end)
    )


def _neighbours(text: str, start: int) -> Iterator[Secret]:
    """The line at `start`, and those of its length that follow it closely, with a shorter one at
    the end."""
    at, length = start, 0
    for line in _compiled(_LINE).finditer(text, start, start + _LONGEST_KEY):
        if not _is_close(text, at, line.start()) or _compiled(_HEX).fullmatch(line[0]):
            return
        if line[0].endswith("]"):
            if line[0][0] != "[":
                yield Secret(*line.span(), KIND)
            if line.start() > start:
                return  # it is the beginning of others itself
            at = line.end()
            continue
        length = length or len(line[0])
        if len(line[0]) > length:
            return
        yield Secret(*line.span(), KIND)
        if len(line[0]) < length:
            return
        at = line.end()


def _to_the_end(text: str, start: int, end: int) -> Iterator[Secret]:
    """The lines that lead to the end of a key, the last one first, and the short one behind
    them."""
    at, length, lines = end, 0, 0
    last = _last_line(text, start, end)
    if last is not None:
        at = last.start()
    for line in [*_compiled(_LINE).finditer(text, start, end)][::-1]:
        if line.end() > at:
            continue
        is_hidden = line[0].endswith("]")
        if not _is_close(text, line.end(), at) or (
            length and not is_hidden and len(line[0]) != length
        ):
            break
        lines += 1
        yield Secret(*line.span(), KIND)
        at, length = line.start(), length if is_hidden else len(line[0])
    if last is not None and (lines or _is_alone(text, last)):
        yield Secret(*last.span(), KIND)


def _is_alone(text: str, last: re.Match[str]) -> bool:
    """Whether it is a line of its own, as long as an encoding can be."""
    start = text.rfind("\n", 0, last.start()) + 1
    marks = len(last[0]) - len(last[0].lstrip("+"))  # of a difference, or letters of the encoding
    return any((len(last[0]) - mark) % 4 == 0 for mark in range(marks + 1)) and bool(
        _compiled(_ALONE).fullmatch(text, start, last.start())
    )
