"""The last look at what goes to the terminal: whatever a character does to the cursor, the row goes
on in its column.

Everything is laid out in the widths of `rich.cells`. Terminals have tables of their own, and differ
in marks without a combining class (Thai, Devanagari, Hangul letters), joined pictures, tones of
skin and what is newer than they are. Such a character is drawn in cells that were cleared for it,
and the cursor is put behind those.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from rich.cells import cell_len

from agent_tui.structures import late
from agent_tui.structures.ascii import PLAIN
from agent_tui.structures.visible import PAD, SURE, is_unassigned, spacing

_UNSURE: Final = late.pattern(rf"\x1b\][^\x07\x1b]*|\u200d[^\x00-\x1f]?|[^\x00-\u02ff{SURE}]{PAD}?")
"""Or a title or the address of a link, which move nothing."""
SENT: Final = PLAIN | frozenset(map(chr, range(0x300)))
"""What this leaves as it is, wherever it stands: what the screen draws of its own among it."""
_OLD: Final = "10.0.0"
"""The Unicode of a terminal that is not the newest. What was as wide then is as wide everywhere."""
_SAVE, _RESTORE, _UNKNOWN = "\x1b7", "\x1b8", "\ufffd"


def settle_graphemes(data: str) -> str:
    """`data` (text and sequences for a terminal) with nothing in it that could move the rest of its
    row."""
    return data if data.isascii() or SENT.issuperset(data) else _UNSURE.sub(_settle, data)


def _settle(found: re.Match[str]) -> str:
    text = found.group()
    if text[0] == "\x1b":
        return text
    if (
        text[0] == "\ufe0f" and found.start()
    ):  # the picture before it has one cell more now, or has not
        before = found.string[found.start() - 1]
        return " " * (cell_len(before + text) - cell_len(before))
    return _drawn(text)


@lru_cache(2048)
def _drawn(text: str) -> str:
    """One unsure character, and the pad behind it, in exactly as many cells as it was measured."""
    character, pad = text[0], text[1:]
    cells = cell_len(character)
    if character == "\u200d":
        return ""  # with what it joins, which was measured as a part of the picture before
    if pad and spacing(character):
        return _held(character, 1)
    if 0x1F1E6 <= ord(character) <= 0x1F1FF:
        return chr(ord(character) - 0x1F1E6 + ord("A")) + pad
    if (
        is_unassigned(character) or "\u3248" <= character <= "\u324f"
    ):  # numbers in a ring that some draw wider
        return (_UNKNOWN if cells else "") + " " * (cells - 1) + pad
    if unicodedata.combining(character) and not spacing(character):
        return text
    if not cells and character != "\u200c" and unicodedata.category(character)[0] not in "ML":
        return pad  # a joiner, a tone: what is asked for is nothing to draw
    old = cells == cell_len(character, _OLD) and unicodedata.category(character)[0] not in "MC"
    return text if cells and old else _held(character, cells) + pad


def _held(character: str, cells: int) -> str:
    """`character`, and the cursor `cells` to the right of where it was. Each restore has its save:
    some keep a
    stack of them.
    """
    if not cells:
        return f"{_SAVE}{character}{_RESTORE}"
    return f"{_SAVE}{' ' * cells}{_RESTORE}{_SAVE}{character}{_RESTORE}\x1b[{cells}C"
