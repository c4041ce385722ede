"""What the dialects share between our values and theirs: request bytes, tool schemas, arguments,
calls and their ids, text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent_tui.protocol.messages import AssistantMessage, Message, Request, ToolCall, ToolSpec
from agent_tui.providers.base import CallChunk, Failed, StreamItem, TextChunk, ThinkingChunk
from agent_tui.structures import late

DEEPEST: Final = 100
"""Levels of brackets in arguments; what is deeper is text that happens to look like JSON."""
DEEPEST_STATE: Final = 2 * DEEPEST
"""Levels of what is kept with an answer; it may hold arguments. Fixed, since every Python has a
limit of its own."""
LONGEST_NAME: Final = 300
"""Characters of a name (of a model, of a tool) that are kept."""
_MOST_TOKENS: Final = 10**12
_DIGITS: Final = late.pattern("[0-9]{1,12}")
_SURROGATE: Final = late.pattern("[\ud800-\udfff]")


def system(request: Request) -> list[dict[str, object]]:
    """The first message, where a server takes the prompt of the system as one."""
    return [{"role": "system", "content": request.system}] if request.system else []


def request_body(fields: Mapping[str, object], messages: Sequence[Mapping[str, object]]) -> bytes:
    """The request as bytes: `fields` in the order given, `messages` last, so that a longer
    conversation starts with the bytes of the shorter one."""
    return compact({**fields, "messages": messages}).encode("utf-8", errors="replace")


def compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def arguments_of(data: object) -> str:
    """Arguments that a server sent as an object, as text. What JSON does not know (NaN) is the
    tool's to refuse."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "[" * DEEPEST  # no arguments that any tool takes; said to the model as such


def function_tools(tools: Iterable[ToolSpec]) -> list[dict[str, object]]:
    return [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
        }
        for t in tools
    ]


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def arguments_object(text: str) -> dict[str, object]:
    """Arguments as an object, whatever a model wrote: what is no JSON object is kept inside one.

    The object can be written as JSON again, a few levels deep in a request.
    """
    if not text.strip():
        return {}
    try:
        data = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        data = text
    if not _is_shallow(data, DEEPEST):
        data = text
    return data if isinstance(data, dict) else {"malformed_arguments": data}


def _is_shallow(data: object, deepest: int) -> bool:
    level, depth = [data], 0
    while level and depth < deepest:
        parts = (
            node.values() if isinstance(node, dict) else node
            for node in level
            if isinstance(node, dict | list)
        )
        level, depth = [part for inner in parts for part in inner], depth + 1
    return not level


def arguments_text(text: str) -> str:
    """Arguments as JSON text of an object: byte for byte as the model wrote them wherever they are
    one."""
    found = arguments_object(text)
    return compact(found) if not text.strip() or "malformed_arguments" in found else text


def calls_in(messages: Iterable[Message]) -> Iterator[str]:
    """The ids of all calls of a history."""
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from (call.id for call in message.calls)


class CallIds:
    """Ids for calls that come without: `call_<n>`, counted on from all calls before: the same history
    gives the same ids."""

    def __init__(self, request: Request) -> None:
        self._taken = set(calls_in(request.messages))
        self._next = max(request.calls, sum(1 for _ in calls_in(request.messages))) + 1
        self._told = set[tuple[str, str, str]]()
        self._last = ("", "", "")

    def take(self, wanted: str = "") -> str:
        """`wanted` if it is an id that nobody has, else a new one."""
        found = drop_surrogates(wanted)
        while not found or found in self._taken:
            found, self._next = f"call_{self._next}", self._next + 1
        self._taken.add(found)
        return found

    def is_same_call(self, wanted: str, name: str, arguments: str) -> bool:
        """Whether this is the very call that this answer has already: one with the same id, or
        without any the same as the one before it. A server that doubles what it sends must not have
        a file written twice; a model that runs the tests before and after a change means both."""
        told, last = (wanted, name, arguments), self._last
        known = told == last or (bool(wanted) and told in self._told)
        self._told.add(told)
        self._last = told
        return known


class WholeText:
    """Text that can be encoded: a surrogate pair cut in two by the server is joined, a lone half is
    replaced."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        if not self._held and (text.isascii() or not _SURROGATE.search(text)):
            return text
        text = self._held + text
        self._held = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        whole = text[: len(text) - len(self._held)]
        return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def close(self) -> str:
        held, self._held = self._held, ""
        return "\ufffd" if held else ""


def drop_surrogates(text: str) -> str:
    """`text` without lone surrogates."""
    joiner = WholeText()
    return joiner.feed(text) + joiner.close()


def state_of(data: object) -> str:
    """What is kept with an answer, as text; empty where no JSON can hold it (NaN, too many
    levels)."""
    if not _is_shallow(data, DEEPEST_STATE):
        return ""
    try:
        return drop_surrogates(compact(data))
    except ValueError:
        return ""


def count(value: object) -> int:
    """A number of tokens as a server gave it, be it as text or with a point; 0 for anything
    else."""
    if (isinstance(value, str) and _DIGITS.fullmatch(value)) or (
        isinstance(value, float) and value.is_integer()
    ):
        value = int(value)
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS
        else 0
    )


def text_in(value: object) -> str:
    """A text as a server gave it; empty for anything else."""
    return value if isinstance(value, str) else ""


def name_in(value: object) -> str:
    """A name as a server gave it, as one that a line can hold; empty for anything else."""
    text = text_in(value)
    return (
        " ".join(drop_surrogates(text).split())[:LONGEST_NAME] if text else ""
    )  # most parts of a call come without


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

    def add_text(self, words: str) -> None:
        if self._kind is not TextChunk and words:
            self._settle(TextChunk)
        self._words.append(words)

    def add_thinking(self, words: str) -> None:
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

    def take(self) -> list[StreamItem]:
        """All of them; from now on there are none."""
        self._settle(self._kind)
        found, self._found = self._found, []
        return found


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
    """Calls of a stream, put together from however a server sends them.

    Seen: parts by index; whole calls in one part; no index; no ids; one index for all calls with
    ids that differ; the name again, or empty, with every part; arguments as an object instead of
    text; the name after the first arguments.
    """

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
            if (slot.name or slot.parts)
            and not self._ids.is_same_call(slot.wire_id, slot.name, text)
        )
