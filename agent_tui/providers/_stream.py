"""One answer, from the bytes of its stream to its end: the part that every dialect does alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, Protocol

from agent_tui.providers import _failures as failures
from agent_tui.providers._readers import Reader
from agent_tui.providers._translate import text_in
from agent_tui.providers.base import Failed, Finished, StreamItem
from agent_tui.providers.wire import TAIL, Done, Patience, Wire

LONGEST_NAME: Final = 200
"""Characters of a model's name, as its server tells it, that are kept."""


class Answer(Protocol):
    """An answer that grows by the payloads of one dialect."""

    @property
    def ended(self) -> bool:
        """Whether the server said that this was all; what comes after may only add (usage)."""
        ...

    def add(self, payload: dict[str, Any]) -> list[StreamItem]:
        """What one payload adds."""
        ...

    def rest(self) -> list[StreamItem]:
        """What was held back for more to come."""
        ...

    def finished(self) -> Finished: ...


async def answered(
    wire: Wire, path: str, body: bytes, reader: Reader, patience: Patience, answer: Answer
) -> AsyncGenerator[StreamItem, None]:
    """Send `body` and play the answer: its parts, then one `Finished` or `Failed`."""
    begun = done = False
    model = ""
    async with aclosing(wire.events(path, body, reader, patience)) as events:
        async for payload in events:
            if isinstance(payload, Done):
                done = True
            elif isinstance(payload, Failed) or payload.get("error"):
                if done or answer.ended:
                    break  # the answer was whole before this
                yield payload if isinstance(payload, Failed) else failures.from_payload(wire.place, payload["error"])
                return
            else:
                begun = True
                model = model or _named(payload)
                for item in answer.add(payload):
                    yield item
                    if isinstance(item, Failed):
                        return
            if done or answer.ended:
                patience.between = TAIL
    if not begun or not (done or answer.ended):
        yield wire.cut(begun)
        return
    for item in answer.rest():
        yield item
    end = answer.finished()
    yield replace(end, model=model) if model else end


def _named(payload: dict[str, Any]) -> str:
    """The model that a payload says it is from: beside the answer, or in what holds it (Messages, Responses)."""
    for held in (payload, payload.get("response"), payload.get("message")):
        if isinstance(held, dict) and (name := text_in(held.get("model")) or text_in(held.get("modelVersion"))):
            return " ".join(name.split())[:LONGEST_NAME]
    return ""
