"""Makes foreign text (a model's, a file's, a command's) harmless to draw: nothing that reaches a
terminal raw.

Control characters become symbols (`␛`), bidi, zero-width, tag and unassigned characters their code
point (`<U+202E>`), bytes that are no text their number (`<E9>`). Newline and tab stay; the renderer
lays them out. Linear in the length of the text.

What terminals count differently is made certain: joined pictures are drawn in their parts, flags as
their letters, and a vowel sign that some draw in a cell of its own has that cell (`PAD`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.ascii import PLAIN

PAD: Final = "\xa0"
"""Stands behind a spacing mark: half of the terminals draw the mark there, the others leave it
empty."""
SURE: Final = (
    "\u0300-\u034e\u0350-\u0377\u037a-\u037f\u0384-\u038a\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u05d0-\u05ea"
    "\u0620-\u06dc\u1e00-\u1f15\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u218b\u2190-\u2426\u2440-\u244a"
    "\u2460-\u262f\u2638-\u2689\u2690-\u2b73\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\ue000-\ufa6d\uff01-\uff9f\ufffc\ufffd\U0001f300-\U0001f3fa\U0001f400-\U0001f6d7"
    "\U0001f900-\U0001f9ff\U00020000-\U0002a6df"
)
"""Beyond Latin: characters (ranges of a pattern) of which every terminal thinks the same."""
_ODD: Final = late.pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad]"
    # the rest is looked at one by one
    f"|[^\x00-\u02ff{SURE}\u0904-\u0939\u0e01-\u0e3a\u0e3f-\u0e5b]"
)
_CONTROL: Final = late.pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HIDDEN: Final = late.pattern(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u302e\u302f\u3164\u3248-\u324f\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\ud800-\udfff"
    "\U00016ff0\U00016ff1\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
_CONCEALING: Final = late.pattern(
    # the flag of a part of a country
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
    "|[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters of which nothing is seen: text can be written with them that a model reads and a
person does not."""
_IDEOGRAPHS: Final = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
_MARKS_OF_DIRECTION: Final = "\u061c\u200e\u200f"
_RIGHT_TO_LEFT: Final = late.pattern("[\u05d0-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SEQUENCE: Final = late.pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI, SGR among them
    # OSC, DCS, SOS, PM, APC: up to their end, and only if they have one
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])"
    r"[^\x07\x18\x1a\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"  # two- and three-character escapes
)
_C1_INTRODUCER: Final = late.pattern("[\x90\x98\x9b\x9d-\x9f]")
_JOINED_LETTERS: Final = late.pattern(
    r"[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\ufb50-\ufdff\ufe70-\ufeff]"
)
_PICTURE: Final = late.pattern("[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]")
_PARTS: Final = late.pattern(
    "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\u3046-\u30fd][\u3099\u309a]"
)
_MARKS: Final = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]"
_PILED: Final = late.pattern(f"({_MARKS}{{4}}){_MARKS}+")
"""More marks on one letter than any writing has: they are drawn over other rows, and no terminal
keeps them all."""
_PADDED: Final = late.pattern(f"[^\x00-\u0902]{PAD}")


def is_text(text: str) -> bool:
    """Whether a keyboard types it: joiners that Persian, Hindi and pictures are written with are
    text too, as are all kinds of spaces; control characters are not."""
    return bool(text) and (
        text.isprintable() or all(unicodedata.category(c) not in ("Cc", "Cs") for c in text)
    )


def visible(text: str, overwrite: bool = False) -> str:
    """`text` without anything that moves a cursor, hides or reorders what is read. All of it is
    shown: what somebody is asked about may have no part that is not seen. `\\r\\n` is a newline,
    and so is a lone `\\r`.

    `overwrite` is for what a program wrote to a terminal: complete escape sequences (its colours)
    go away, and a lone `\\r` starts its line again, as a progress bar means it: what came after the
    last one is kept.
    """
    if (text.isascii() and text.isprintable()) or PLAIN.issuperset(text):
        return text
    if _ODD.search(text) is not None:
        if overwrite and ("\x1b" in text or _C1_INTRODUCER.search(text)):
            text = _SEQUENCE.sub("", text)
        if "\r" in text:
            text = _returns(text, overwrite)
        text = _PARTS.sub(_composed, _ODD.sub(_shown, text))
    return _PILED.sub(r"\1", text)


def harmless(text: str) -> str:
    """`text` as it may be put into a clipboard: like `visible`, but joined pictures, flags and
    marks are as written."""
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(_kept, _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def pasteable(text: str) -> str:
    """`text` as written, but for control characters, which are shown: a shell that it is pasted
    into would obey them, the one that ends a paste among them."""
    if text.isprintable() or _CONTROL.search(text) is None:
        return text
    return _CONTROL.sub(_shown, text.replace("\r\n", "\n").replace("\r", "\n"))


def readable(text: str) -> str:
    """`text` as a document may hold it: like `harmless`, a lone `\\r` starts its line again as in a
    terminal, and marks
    that are piled up on a letter are not drawn over the lines around it."""
    if text.isascii() and text.isprintable():
        return text
    return _PILED.sub(r"\1", harmless(_returns(_SEQUENCE.sub("", text), overwrite=True)))


def reveal_text(text: str) -> tuple[str, int]:
    """`text` without characters that hide something in it, and how many those were: tags, overrides
    of the direction, runs of variation selectors, soft hyphens, what has no width. What joins
    letters and pictures or gives them another look stays, as do single marks of direction where
    something is written from right to left."""
    if text.isascii() or _CONCEALING.search(text) is None:
        return text, 0
    marks = _MARKS_OF_DIRECTION if _RIGHT_TO_LEFT.search(text) else ""
    gone = 0

    def keep(found: re.Match[str]) -> str:
        nonlocal gone
        if len(found.group()) > 1 or _is_needed(found, marks):
            return found.group()
        gone += 1
        return ""

    return _CONCEALING.sub(keep, text), gone


def _is_needed(found: re.Match[str], marks: str) -> bool:
    """Whether the character changes how what stands around it is read; `marks` of direction are
    ordinary here."""
    character = found.group()
    before = found.string[found.start() - 1] if found.start() else ""
    if character in marks:
        return before not in marks
    if not before or before == character:
        return False
    if "\u180b" <= character <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    if "\U000e0100" <= character <= "\U000e01ef":
        return any(first <= before <= last for first, last in _IDEOGRAPHS)
    joins = character in "\u200c\u200d" and _JOINED_LETTERS.match(before) is not None
    return joins or _belongs(ord(character), before)


def strip_padding(text: str) -> str:
    """Drawn text without the cells that were put behind its spacing marks: as it is searched and
    copied."""
    return _PADDED.sub(
        lambda found: found.group().removesuffix(PAD if spacing(found.group()[0]) else ""), text
    )


def spacing(character: str) -> bool:
    """Whether it is a mark to which some terminals give a cell, and others none."""
    return unicodedata.category(character) == "Mc"


def is_unassigned(character: str) -> bool:
    """Whether nobody knows how to draw it. A picture newer than this Python may well be known to
    the terminal."""
    newer = "\U0001f6d8" <= character <= "\U0001f6df" or "\U0001fa70" <= character <= "\U0001faff"
    return unicodedata.category(character) == "Cn" and not newer


def _composed(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found.group())


def _returns(text: str, overwrite: bool) -> str:
    *lines, last = text.split("\n")
    lines = [line.rstrip("\r") for line in lines]
    if not overwrite:
        return "\n".join((*lines, last)).replace("\r", "\n")
    lines.append(last.rstrip("\r"))
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def _shown(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return chr(code - 0x1F1E6 + ord("A"))
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no text, as in the name of a file
        return f"<{code - 0xDC00:02X}>"
    if _HIDDEN.match(character) is None:
        if spacing(character):
            return character + PAD * (found.string[found.end() : found.end() + 1] != PAD)
        return f"<U+{code:04X}>" if is_unassigned(character) else character
    before = found.string[found.start() - 1] if found.start() else ""
    if _belongs(code, before):
        return ""
    if code == 0x200C and before and _JOINED_LETTERS.match(before):
        return character
    return f"<U+{code:04X}>"


def _kept(found: re.Match[str]) -> str:
    character = found.group()
    if character < " " or _HIDDEN.match(character):
        before = found.string[found.start() - 1] if found.start() else ""
        return character if _belongs(ord(character), before) else _shown(found)
    return character


def _belongs(code: int, before: str) -> bool:
    """Whether it only asks for another look of the picture or letter `before` it, in a width that
    nobody agrees on."""
    if 0xFE00 <= code <= 0xFE0F and before > "\x7f" and not 0xFE00 <= ord(before) <= 0xFE0F:
        return True
    if code == 0xFE0F and before and before in "0123456789#*":
        return True
    if before and _PICTURE.match(before):
        return code in (0x200C, 0x200D) or 0x1F3FB <= code <= 0x1F3FF
    return code == 0x200D and bool(before) and _JOINED_LETTERS.match(before) is not None
