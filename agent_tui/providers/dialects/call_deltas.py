"""Tool calls of a Chat Completions stream, put together from however a server sends them.

Seen: parts by index; whole calls in one part; no index; no ids; one index for all calls with ids
that differ; the name again, or empty, with every part; arguments as an object instead of text; the
name after the first arguments.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from agent_tui.protocol.messages import ToolCall
from agent_tui.providers.base import CallChunk
from agent_tui.providers.dialects.translate import (
    CallIds,
    WholeText,
    arguments_of,
    name_in,
    text_in,
)


@dataclass(slots=True)
class _Slot:
    number: int
    wire_id: str
    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)
    text: WholeText = field(default_factory=WholeText)
    told: bool = False

    def complete(self) -> bool:
        """Whether the arguments are a whole object already: then what follows is another call."""
        if not self.parts or not self.parts[-1].rstrip().endswith("}"):
            return False  # of very many parts, not all are read again with each
        try:
            return isinstance(json.loads("".join(self.parts)), dict)
        except (ValueError, RecursionError):
            return False


class CallDeltas:
    def __init__(self, ids: CallIds) -> None:
        self._ids = ids
        self._slots: list[_Slot] = []
        self._at: dict[int | str, _Slot] = {}
        """The newest call of each index, and of each id, that the server told."""

    def __bool__(self) -> bool:
        return bool(self._slots)

    def feed(self, data: dict[str, object]) -> list[CallChunk]:
        """What one entry of `tool_calls` adds."""
        function = data.get("function")
        function = function if isinstance(function, dict) else {}
        name, wire_id, index = (
            name_in(function.get("name")),
            text_in(data.get("id")),
            data.get("index"),
        )
        slot = self._slot(index if isinstance(index, int) else None, wire_id, name)
        slot.name = slot.name or name
        arguments = function.get("arguments")
        raw = (
            arguments
            if isinstance(arguments, str)
            else ""
            if arguments is None
            else arguments_of(arguments)
        )
        part = slot.text.feed(raw)
        if part:
            slot.parts.append(part)
        if not slot.name:
            return []
        if not slot.told:
            slot.told = True
            return [CallChunk(slot.number, "".join(slot.parts), slot.id, slot.name)]
        return [CallChunk(slot.number, part)] if part else []

    def _slot(self, index: int | None, wire_id: str, name: str) -> _Slot:
        place = wire_id if index is None else index
        found = self._slots[-1] if place == "" and self._slots else self._at.get(place)
        if found is not None and not self._another(found, wire_id, name):
            return found
        slot = _Slot(len(self._slots), wire_id, self._ids.take(wire_id))
        self._slots.append(slot)
        self._at |= {at: slot for at in (index, wire_id) if at not in (None, "")}
        return slot

    @staticmethod
    def _another(slot: _Slot, wire_id: str, name: str) -> bool:
        """Whether a part that points at `slot` begins a call of its own."""
        if wire_id and slot.wire_id:
            return wire_id != slot.wire_id
        return bool(name) and bool(slot.name) and slot.complete()

    def calls(self) -> tuple[ToolCall, ...]:
        told = ((slot, "".join([*slot.parts, slot.text.close()]) or "{}") for slot in self._slots)
        return tuple(
            ToolCall(slot.id, slot.name, text)
            for slot, text in told
            if (slot.name or slot.parts) and not self._ids.again(slot.wire_id, slot.name, text)
        )
