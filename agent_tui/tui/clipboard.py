"""The terminal's clipboard and mouse: what is written to it for them."""

from __future__ import annotations

import os
from abc import abstractmethod
from binascii import b2a_base64
from collections.abc import Mapping
from typing import Final

from textual.app import App

from agent_tui.structures.terminal_facts import past_tmux
from agent_tui.structures.visible import pasteable
from agent_tui.tui.terminal import Terminal

_CHUNK: Final = 240
"""Bytes that are handed to GNU screen at a time: its buffer for one string was 256 for long, and is 768 now."""


def osc52(text: str, environment: Mapping[str, str]) -> str:
    """What makes a terminal take `text` as its clipboard. Inside of tmux it is said twice: to tmux, and past it. GNU
    screen passes it on in pieces; to itself nothing is said, as it would show the rest of what is too long for it."""
    said = f"\x1b]52;c;{b2a_base64(text.encode('utf-8', 'replace'), newline=False).decode()}\a"
    term = environment.get("TERM", "")
    if environment.get("TMUX"):
        return said + past_tmux(said)
    if environment.get("STY") or term.startswith("screen."):
        return _through_screen(said)
    if term == "screen" or term.startswith("screen-"):  # from afar: GNU screen, or tmux, which drops what is for it
        return _through_screen(said) + said
    return said


def _through_screen(said: str) -> str:
    return "".join(f"\x1bP{said[at : at + _CHUNK]}\x1b\\" for at in range(0, len(said), _CHUNK))


class CopyingApp(App[int], inherit_bindings=False):
    """All copies go one way, the prompt's own too: to the terminal, and to `copied`."""

    def copy_to_clipboard(self, text: str) -> None:
        text = pasteable(text)
        if not text:
            return
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(osc52(text, os.environ))
        self.copied(text)

    @abstractmethod
    def copied(self, text: str) -> None:
        """The terminal was told."""

    def take_mouse(self, taken: bool) -> None:
        """Whether clicks come to us or to the terminal."""
        if isinstance(self._driver, Terminal):
            self._driver.take_mouse(taken)
