"""The arguments of a call while they are written: what they are about, and the end of the text in
them.

Each piece of the JSON is read once, whatever came before it, and in one go from quote to quote. Who
reads is tolerant: what is no JSON has no texts, and does no harm.
"""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

TAIL: Final = 4_000
"""Characters of the texts that are kept: more than a screen shows."""
SUBJECT: Final = 300
"""Characters of one line up to which a text says what a call is about (a path, a pattern, a
command)."""
BETWEEN: Final = 1_000
"""Characters before a text in which it is looked for what the text is."""
DEEPEST: Final = 64
_TEXT: Final = late.pattern(r'(?:[^"\\]+|\\[^u]|\\u[0-9a-fA-F]{4}|\\u(?![0-9a-fA-F]{0,3}\Z))*+')
_ESCAPE: Final = late.pattern(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_SURROGATE: Final = late.pattern(r"[\ud800-\udfff]")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@frozen
class ArgumentStream:
    """`subject`: the first text of one short line; `body`: the end of all others, joined by
    newlines, and `lines` how many they are; `key`: the name of the argument that the last text
    belongs to; `length`: characters of the JSON."""

    subject: str = ""
    body: str = ""
    lines: int = 0
    key: str = ""
    length: int = 0
    open: Literal["", "key", "text"] = ""
    """What the end of the JSON so far is in the middle of."""
    opened: bool = False
    """The open text has said nothing yet."""
    named: bool = False
    """The subject is complete."""
    stack: str = ""
    """The brackets that are open."""
    before: str = ""
    """The last sign between the texts."""
    rest: str = ""
    """An escape that is cut in its middle."""

    def feed(self, json: str) -> ArgumentStream:
        """The stream after `json`, which goes on where the last piece ended."""
        reader = _Reader(self)
        reader.read(self.rest + json)
        return reader.stream(self.length + len(json))


class _Reader:
    def __init__(self, start: ArgumentStream) -> None:
        self.subject, self.body, self.lines, self.key = (
            start.subject,
            start.body,
            start.lines,
            start.key,
        )
        self.open, self.opened, self.named = start.open, start.opened, start.named
        self.stack, self.before, self.rest = start.stack, start.before, ""

    def stream(self, length: int) -> ArgumentStream:
        return ArgumentStream(
            self.subject,
            self.body,
            self.lines,
            self.key,
            length,
            self.open,
            self.opened,
            self.named,
            self.stack,
            self.before,
            self.rest,
        )

    def read(self, json: str) -> None:
        at = 0
        while at < len(json):
            if not self.open:
                quote = json.find('"', at)
                end = quote if quote >= 0 else len(json)
                self._pass_over(json[max(at, end - BETWEEN) : end])
                if quote >= 0:
                    self._begin()
                at = end + 1
                continue
            found = _TEXT.match(json, at)
            end = found.end() if found else at
            self._take(_unescaped(json[at:end]))
            if end < len(json) and json[end] != '"':
                self.rest = json[end:]
                return
            if end < len(json):
                self._close()
            at = end + 1

    def _pass_over(self, signs: str) -> None:
        for sign in signs:
            if sign in "{[":
                self.stack = (self.stack + sign)[-DEEPEST:]
            elif sign in "}]":
                self.stack = self.stack[:-1]
        self.before = signs.rstrip()[-1:] or self.before

    def _begin(self) -> None:
        names = self.before == "{" or (self.before == "," and self.stack[-1:] == "{")
        self.open, self.opened = "key" if names else "text", True
        if names:
            self.key = ""

    def _take(self, text: str) -> None:
        if self.open == "key":
            self.key = (self.key + text)[:SUBJECT]
        elif self.named:
            self._add(text, apart=self.opened)
        else:
            self.subject = _joined(self.subject, text)
            if "\n" in self.subject or len(self.subject) > SUBJECT:
                text, self.subject, self.named = self.subject, "", True
                self._add(text, apart=True)
        self.opened = self.opened and not text

    def _add(self, text: str, apart: bool) -> None:
        if not text:
            return
        self.lines += text.count("\n") + (apart or not self.lines)
        self.body = _joined(f"{self.body}\n" if apart and self.body else self.body, text)[-TAIL:]

    def _close(self) -> None:
        if self.open == "text":
            self.named = bool(self.subject)
        self.open, self.before = "", '"'


def _joined(text: str, more: str) -> str:
    """`text` and `more`, the halves of letters, which are escaped one by one, put together."""
    if not _SURROGATE.search(more):
        return text + more
    return (text + more).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _LETTERS.get(m[2], m[2]), text)
