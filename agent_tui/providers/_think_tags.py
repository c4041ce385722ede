"""Thoughts that a server leaves in the text, between `<think>` and `</think>` at its very beginning."""

from __future__ import annotations

from typing import Final, Literal

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class ThinkTags:
    """Splits text as it comes into (thought, text). Tags later in an answer are words like any other."""

    def __init__(self) -> None:
        self._at: Literal["start", "thought", "after", "text"] = "start"
        self._held = ""
        self._begun = False
        """Whether a thought has more than the line end behind its tag."""

    @property
    def over(self) -> bool:
        """Whether all that follows is text."""
        return self._at == "text"

    def feed(self, text: str) -> tuple[str, str]:
        if self._at == "text" or not text:
            return "", text
        text, self._held = self._held + text, ""
        thought = ""
        if self._at == "start":
            text = self._started(text)
        if self._at == "thought":
            thought, text = self._thought(text)
        if self._at == "after" and (text := text.lstrip()):
            self._at = "text"
        return thought, text

    def _started(self, text: str) -> str:
        """What is known of `text` now; what may still become the tag waits."""
        begun = text.lstrip()
        if begun.startswith(OPEN):
            self._at = "thought"
            return begun[len(OPEN) :]
        if OPEN.startswith(begun):
            self._held = text
            return ""
        self._at = "text"
        return text

    def _thought(self, text: str) -> tuple[str, str]:
        text = text if self._begun else text.lstrip("\n")
        self._begun = self._begun or bool(text)
        thought, closed, rest = text.partition(CLOSE)
        if closed:
            self._at = "after"
            return thought, rest
        keep = next((n for n in range(min(len(CLOSE) - 1, len(text)), 0, -1) if CLOSE.startswith(text[-n:])), 0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], ""

    def close(self) -> tuple[str, str]:
        """What was held back."""
        held, self._held = self._held, ""
        return (held, "") if self._at == "thought" else ("", held)
