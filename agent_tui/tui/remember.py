"""The runtime's side of the prompt history: reads the file between keys, and tells the core what it holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

from agent_tui.tui import msg
from agent_tui.tui.history import PromptHistory
from agent_tui.tui.recall import Past, Recall

PAUSE: Final = 0.005
"""Seconds between two slices of the file: the keys that wait come first."""


class Memory:
    """`history`: none remembers nothing. `dispatch`: where it is told. `wanted`: the search that waits, if any."""

    def __init__(
        self, history: PromptHistory | None, dispatch: Callable[[msg.Msg], None], wanted: Callable[[], Recall | None]
    ) -> None:
        self.history = history
        self._dispatch, self._wanted = dispatch, wanted

    def load(self) -> None:
        if self.history is not None:
            if entries := self.history.load():
                self._dispatch(msg.HistoryLoaded(at=time.time(), entries=entries))
            self._notice()

    def reload(self) -> None:
        """Another copy may have written: its prompts count too."""
        if self.history is not None and (entries := self.history.reload()) is not None:
            self._dispatch(msg.HistoryLoaded(at=time.time(), entries=entries, again=True))

    def add(self, text: str) -> None:
        if self.history is not None:
            self.history.add(text)
            self._notice()

    def read(self, number: int) -> None:
        """Tell all of it for the search `number`, a slice at a time."""
        self._slice(number, self.history.slices() if self.history is not None else iter(()))

    def _slice(self, number: int, slices: Iterator[tuple[Past, ...]]) -> None:
        now = self._wanted()
        if now is None or now.number != number:
            return
        found = next(slices, None)
        told = msg.HistoryRead(at=time.time(), number=number, entries=found or (), done=found is None)
        self._dispatch(told)
        if found is not None:
            asyncio.get_running_loop().call_later(PAUSE, self._slice, number, slices)
        else:
            self._notice()

    def _notice(self) -> None:
        if self.history is not None and (text := self.history.notice()):
            self._dispatch(msg.EffectFailed(at=time.time(), text=text))
