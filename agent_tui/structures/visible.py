"""Makes foreign text (a model's, a file's, a command's) harmless to draw: nothing that reaches a terminal raw.

Control characters become symbols (`␛`), bidi, zero-width and tag characters their code point (`<U+202E>`), complete
escape sequences go away. Newline and tab stay; the renderer lays them out. Linear in the length of the text.
"""

from __future__ import annotations

import re
from typing import Final

from agent_tui.structures import late

_ODD: Final = late.pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_SEQUENCE: Final = late.pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI, SGR among them
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])"  # OSC, DCS, SOS, PM, APC: up to their end, and only if they have one
    r"[^\x07\x18\x1a\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"  # two- and three-character escapes
)
_C1_INTRODUCER: Final = late.pattern("[\x90\x98\x9b\x9d-\x9f]")
_JOINED_LETTERS: Final = late.pattern(
    r"[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\ufb50-\ufdff\ufe70-\ufeff]"
)
_PICTURE: Final = late.pattern("[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]")


def visible(text: str, overwrite: bool = False) -> str:
    """`text` without anything that moves a cursor, hides or reorders what is read.

    `\\r\\n` is a newline. A lone `\\r` is one too, or with `overwrite` it starts its line again, as a progress bar
    means it: what came after the last one is kept.
    """
    if (text.isascii() and text.isprintable()) or _ODD.search(text) is None:
        return text
    if "\x1b" in text or _C1_INTRODUCER.search(text):
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = _returns(text, overwrite)
    return _ODD.sub(_shown, text)


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
    before = found.string[found.start() - 1] if found.start() else ""
    if 0xFE00 <= code <= 0xFE0F and before > "\x7f" and not 0xFE00 <= ord(before) <= 0xFE0F:
        return ""  # a request for a picture: terminals disagree on its width
    if code == 0xFE0F and before and before in "0123456789#*":
        return ""
    if code in (0x200C, 0x200D) and before:
        if _PICTURE.match(before):
            return ""  # the parts of a joined picture are drawn one by one: their widths are certain
        if _JOINED_LETTERS.match(before):
            return character
    return f"<U+{code:04X}>"
