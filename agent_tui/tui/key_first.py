"""The way of a key: read by a thread, handled by the screen's loop, painted. What a model says waits meanwhile."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Final

LONGEST: Final = 0.06
"""Seconds that anything waits for a key at most: a key that changes nothing is never painted."""


class KeyFirst:
    """Where the newest key is. `read` is called by the thread that reads, the rest by the screen's loop."""

    def __init__(self) -> None:
        self._read_at = -inf
        self._handled = False

    def read(self) -> None:
        self._handled, self._read_at = False, monotonic()

    def handled(self) -> None:
        self._handled = True

    def painted(self) -> None:
        """A frame goes to the terminal; it has the key if that was handled."""
        if self._handled:
            self._read_at = -inf

    @property
    def is_handled(self) -> bool:
        """It is, but not painted yet."""
        return self._handled and self.is_under_way

    @property
    def is_under_way(self) -> bool:
        return monotonic() - self._read_at < LONGEST
