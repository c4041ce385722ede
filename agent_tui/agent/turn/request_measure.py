"""How large a request is, and its hash: of what was in the last one only what is new is looked
at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from hashlib import _Hash

IMAGE_BYTES: Final = 6_000
"""What an image counts as."""
Part: TypeAlias = str | tuple[ToolSpec, ...] | Message
"""The system prompt, the tools, or a message."""


@frozen
class Reached:
    """How large a request is up to a part of it, in bytes, and the hash until there."""

    part: Part
    size: int
    hashed: _Hash


class RequestMeasure:
    """Remembers the parts of the last request, which are values that never change: the next one
    mostly has the very same, and more behind them."""

    def __init__(self) -> None:
        self._reached: list[Reached] = []

    def size(self, request: Request) -> int:
        """The bytes of all that the model reads."""
        return self._reach(request).size

    def prefix_size(self, request: Request) -> int:
        """The bytes of what it begins with: the system prompt and the tools."""
        self._reach(request)
        return self._reached[1].size

    def digest(self, request: Request) -> str:
        """A hash of all that a request says, to compare a replay with."""
        return self._reach(request).hashed.hexdigest()[:16]

    def _reach(self, request: Request) -> Reached:
        parts = (request.system, request.tools, *request.messages)
        known = self._reached
        same = zip(parts, known, strict=False)
        kept = next((at for at, (part, old) in enumerate(same) if part is not old.part), len(known))
        del known[min(kept, len(parts)) :]
        for part in parts[len(known) :]:
            hashed = known[-1].hashed.copy() if known else hashlib.sha256()
            for text in _texts(part):
                hashed.update(text.encode("utf-8", "surrogatepass"))
            known.append(Reached(part, (known[-1].size if known else 0) + size_of(part), hashed))
        return known[-1]


def _texts(part: Part) -> Sequence[str]:
    if isinstance(part, str):
        return (part,)
    return [*map(repr, part)] if isinstance(part, tuple) else (repr(part),)


def size_of(part: Part) -> int:
    """In bytes."""
    match part:
        case str():
            return len(part) if part.isascii() else len(part.encode("utf-8", "surrogatepass"))
        case UserMessage():
            return size_of(part.text) + IMAGE_BYTES * len(part.images)
        case AssistantMessage():
            calls = sum(size_of(call.arguments) + len(call.name) for call in part.calls)
            return size_of(part.text) + calls
        case ToolMessage():
            return size_of(part.content)
        case tools:
            return sum(
                size_of(tool.name) + size_of(tool.description) + len(repr(tool.parameters))
                for tool in tools
            )
