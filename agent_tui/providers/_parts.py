"""What an answer adds, collected: words of one kind that follow each other are one part of the stream.

A dialect tells it of every token; what comes out is what a person waits for, as much of it as came together.
"""

from __future__ import annotations

from agent_tui.providers.base import Failed, StreamItem, TextChunk, ThinkingChunk


class Parts:
    """In the order in which they were told."""

    __slots__ = ("_found", "_kind", "_words", "failed")

    def __init__(self) -> None:
        self._found: list[StreamItem] = []
        self._kind: type[TextChunk | ThinkingChunk] = TextChunk
        self._words: list[str] = []
        """Of that kind, and not yet a part."""
        self.failed = False
        """Whether a failure is among them: nothing may follow it."""

    def text(self, words: str) -> None:
        if self._kind is not TextChunk and words:
            self._settle(TextChunk)
        self._words.append(words)

    def thinking(self, words: str) -> None:
        if self._kind is not ThinkingChunk and words:
            self._settle(ThinkingChunk)
        self._words.append(words)

    def add(self, item: StreamItem) -> None:
        self._settle(self._kind)
        self._found.append(item)
        self.failed = self.failed or isinstance(item, Failed)

    def _settle(self, kind: type[TextChunk | ThinkingChunk]) -> None:
        if text := "".join(self._words):
            self._found.append(self._kind(text))
        self._words.clear()
        self._kind = kind

    def taken(self) -> list[StreamItem]:
        """All of them; from now on there are none."""
        self._settle(self._kind)
        found, self._found = self._found, []
        return found
