"""Which of the keys that were typed at a start may be written to disk: none of a line that is
private. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it takes longer than drawing the frame
if TYPE_CHECKING:
    from typing import Final

PASTE_BEGINS: Final = b"\x1b[200~"
PASTE_ENDS: Final = b"\x1b[201~"
PRIVATE: Final = b"!!"
"""As in the prompt, which is not imported yet."""
_ESCAPE, _ENTER, _NEW_LINE, _BACKSPACES = 0x1B, 0x0D, 0x0A, b"\x7f\x08"
_LINE_BACK, _WORD_BACK, _TAB, _SPACE = 0x15, 0x17, 0x09, 0x20
_STRINGS: Final = b"]P_^X"
"""Behind an ESC: an answer of the terminal, up to its end."""


def public_keys(typed: bytes, cooked: int = 0) -> bytes:
    """`typed` without the lines that make a private prompt. In the first `cooked` bytes a line feed
    is the Enter key. Where the caret was moved, a line with two marks counts as private."""
    if typed.count(b"!") < len(PRIVATE):
        return typed
    kept, line, begin, at = bytearray(), _Line(), 0, 0
    while at < len(typed):
        end = line.take(typed, at, cooked)
        if end < 0:  # Enter
            end = at + 1
            if not line.is_private:
                kept += typed[begin:end]
            line, begin = _Line(), end
        at = end
    return bytes(kept if line.is_private else kept + typed[begin:])


class _Line:
    """What the prompt comes to hold."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._moved = False

    @property
    def is_private(self) -> bool:
        text = self._text.lstrip()
        return text.startswith(PRIVATE) or (self._moved and text.count(b"!") >= len(PRIVATE))

    def take(self, typed: bytes, at: int, cooked: int) -> int:
        """Take the key, or the paste, at `at`: where the next one begins; negative: it is Enter."""
        text, byte = self._text, typed[at]
        if typed.startswith(PASTE_BEGINS, at):
            end = typed.find(PASTE_ENDS, at)
            end = len(typed) if end < 0 else end
            text += typed[at + len(PASTE_BEGINS) : end]
            return end
        if byte == _ESCAPE:
            return self._take_escape(typed, at)
        if byte == _ENTER or (byte == _NEW_LINE and at < cooked):
            if not text.endswith(b"\\"):
                return -1
            text[-1:] = b"\n"  # behind a backslash it breaks the line
        elif byte in _BACKSPACES:
            while text and 0x80 <= text.pop() < 0xC0:
                continue  # the rest of a character
        elif byte == _LINE_BACK:
            del text[text.rfind(b"\n") + 1 :]
        elif byte == _WORD_BACK:
            words = text.split()
            del text[text.rfind(words[-1]) if words else 0 :]
        elif byte >= _SPACE or byte in (_NEW_LINE, _TAB):
            text.append(byte)
        else:
            self._moved = True
        return at + 1

    def _take_escape(self, typed: bytes, at: int) -> int:
        kind, end = typed[at + 1 : at + 2], at + 2
        if kind == b"[":
            while end < len(typed) and not 0x40 <= typed[end] <= 0x7E:
                end += 1
            self._moved |= (
                typed[at + 2 : at + 3] not in (b"?", b"<") and typed[at:end] != PASTE_ENDS[:-1]
            )
            return end + 1
        if kind and kind in _STRINGS:
            ends = (typed.find(mark, end) + len(mark) for mark in (b"\x07", b"\x1b\\"))
            return min((found for found in ends if found > end), default=end)
        if kind in (b"\r", b"\n"):  # Alt+Enter
            self._text.append(_NEW_LINE)
        else:
            self._moved = True
            if kind == PRIVATE[:1]:  # it may be Esc and a mark, or Alt and that
                self._text += kind
        return end + (kind == b"O")
