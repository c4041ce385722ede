"""Watches that a request begins as the one before it did: what is the same a server has in its
cache, and reads no second time."""

from __future__ import annotations

from typing import Final

from agent_tui.agent.turn.request_measure import size_of
from agent_tui.protocol.messages import Message, Request

KEPT: Final = 0.9
"""Part of the request before from which on it counts as kept."""
LARGE: Final = 16_000
"""Bytes of a request from which on it takes time to read it again."""


class PrefixGuard:
    """Of one agent."""

    def __init__(self) -> None:
        self._before: Request | None = None
        self.kept = 1.0
        """Which part of the request before the newest one began with."""
        self.broke = ""
        """What was different, in words; empty: nothing that counts."""
        self._told = set[str]()

    def look(self, request: Request) -> str:
        """A request that is sent now; what is said of it, once for each cause. Where messages are
        others, a line has said why already."""
        before, self._before = self._before, request
        self.kept, self.broke = 1.0, ""
        if before is None:
            return ""
        at = _same(before.messages, request.messages)
        same = at == len(before.messages)
        if before.system != request.system:
            self.kept, self.broke = 0.0, "the system prompt"
        elif before.tools != request.tools:
            self.kept, self.broke = 0.0, "the list of tools"
        elif not same:
            prefix = size_of(before.system) + size_of(before.tools)
            sizes = list(map(size_of, before.messages))
            self.kept = (prefix + sum(sizes[:at])) / (prefix + sum(sizes))
            if self.kept < KEPT:
                self.broke = f"message {at + 1} of {len(before.messages)}"
        new = same and self.broke and self.broke not in self._told
        if not new or sum(map(size_of, request.messages)) < LARGE:
            return ""
        self._told.add(self.broke)
        return f"{self.broke.capitalize()} has changed: the model reads the whole request again."


def _same(before: tuple[Message, ...], now: tuple[Message, ...]) -> int:
    pairs = zip(before, now, strict=False)
    differ = (at for at, (old, new) in enumerate(pairs) if old is not new and old != new)
    return next(differ, min(len(before), len(now)))
