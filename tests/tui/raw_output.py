"""A strict reader of what a program sends to its terminal: everything that the program itself never
says is named."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MARK: Final = "66613"
"""A number in each hostile sequence that tests send: inside a sequence of the program it must never
appear."""

_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])|\x1b\](?P<osc>[^\x07\x1b\x9c]*)(?:\x07|\x1b\\)|\x1b(?P<short>[78=>M])"
)
_OWN_CSI: Final = re.compile(
    r"[\d;:]*m|\d*(;\d*)?[Hr]|\d*[ABCDJKLMPSTXG@]|\?(?:7|25|1000|1002|1003|1004|1006|1015|1016|1049|2004|2026|2031|2048)[hl]"
    r"|\?(?:2026|2048)\$p|[<>=]\d*u|[<>=]?\d*;?\d*u|\?u|c|\d* q|s|\d+b"
    r"|2[23];2t|\?996n"
)
_OWN_OSC: Final = re.compile(
    r"2;[ -~]*|11;\?|22;[a-z-]+|8;(?:id=[\w.-]*)?;(?:(?:https?://|mailto:)[!-~\u00a1-\U0010ffff]*)?"
)
_UNFINISHED: Final = re.compile(
    r"\x1b(?:\[[0-?]*|\](?:8(?:;[^\x07\x1b\x9c]*\x1b?)?|22?;?[ -~]*|11?;?\\??)?)?"
)
_MOVES: Final = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)


def violations(raw: bytes) -> list[str]:
    """What of `raw` the program must not have sent; an unfinished sequence at the end is passed
    over."""
    text = raw.decode("utf-8", "replace")
    found: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "\x1b":
            sequence = _SEQUENCE.match(text, at)
            if sequence is None:
                if _UNFINISHED.fullmatch(text, at):
                    break
                found.append(f"no sequence of ours: {text[at : at + 30]!r}")
                at += 1
                continue
            found.extend(_wrong(sequence))
            at = sequence.end()
            continue
        if character not in "\r\n" and (
            unicodedata.category(character) == "Cc" or character in _MOVES
        ):
            found.append(f"raw {character!r} in {text[max(0, at - 20) : at + 20]!r}")
        at += 1
    return found


def _wrong(sequence: re.Match[str]) -> list[str]:
    said = sequence.group()
    own = (
        _OWN_CSI
        if sequence["csi"] is not None
        else _OWN_OSC
        if sequence["osc"] is not None
        else None
    )
    body = sequence["csi"] if sequence["csi"] is not None else sequence["osc"]
    if MARK in said and not said.startswith("\x1b]8;"):
        return [f"a sequence of somebody else's: {said!r}"]
    return [] if own is None or own.fullmatch(body or "") else [f"unknown: {said!r}"]
