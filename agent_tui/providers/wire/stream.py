"""One answer, from the bytes of its stream to its end: the part that every dialect does alike; and
once more, where a server refused a part of the request."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Final, Protocol

from agent_tui.providers.base import (
    CallChunk,
    Failed,
    Finished,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.dialects.translate import Parts, name_in
from agent_tui.providers.wire import failures
from agent_tui.providers.wire.http import TAIL, Patience, Wire
from agent_tui.providers.wire.stream_parsers import Done, Payload, Reader
from agent_tui.safety.secrets.scrubber import ScrubbedText, Scrubber

MOST_SAID: Final = 20_000_000
"""Characters of one answer: no model writes so much, and memory and disk would be full of it."""
_NAMING: Final = frozenset(("model", "modelVersion", "response", "message"))
"""What of a payload may name the model: itself, or in what holds it (Messages, Responses)."""


class DialectAnswer(Protocol):
    """An answer that grows by the payloads of one dialect."""

    @property
    def has_ended(self) -> bool:
        """Whether the server said that this was all; what comes after may only add (usage)."""
        ...

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        """Tell what one payload adds."""
        ...

    def rest(self, parts: Parts) -> None:
        """Tell what was held back for more to come."""
        ...

    def finish(self) -> Finished: ...


async def play_answer(
    wire: Wire, path: str, body: bytes, reader: Reader, patience: Patience, answer: DialectAnswer
) -> AsyncGenerator[StreamItem, None]:
    """Send `body` and play the answer: its parts, then one `Finished` or `Failed`."""
    course, keyless, said = _Course(wire, answer), Keyless(wire.place.secrets), 0
    async with aclosing(wire.events(path, body, reader, patience)) as events:
        async for payloads in events:
            added = keyless.pass_on(course.read_payloads(payloads))
            for item in added:
                said += 0 if isinstance(item, Finished) else len(item.text)
                yield item
            if course.has_failed:
                return
            if said > MOST_SAID:
                yield failures.endless(wire.place, MOST_SAID)
                return
            if course.over:
                break
            if course.is_whole and (added or patience.until == math.inf):
                patience.until = asyncio.get_running_loop().time() + TAIL
    if not course.begun or not course.is_whole:
        last: list[StreamItem] = [wire.cut_off_failure(course.begun)]
    else:
        last, end = course.rest(), answer.finish()
        last.append(replace(end, model=course.model) if course.model else end)
    for item in keyless.pass_on(last):
        yield item


class _Course:
    """How an answer goes. `begun`: something of it came; `over`: what follows is not for it;
    `failed`: and so it is."""

    def __init__(self, wire: Wire, answer: DialectAnswer) -> None:
        self._wire, self._answer = wire, answer
        self._parts = Parts()
        self._done = False
        self.begun = self.over = False
        self.model = ""

    @property
    def has_failed(self) -> bool:
        return self._parts.failed

    @property
    def is_whole(self) -> bool:
        return self._done or self._answer.has_ended

    def read_payloads(self, payloads: Iterable[Payload]) -> list[StreamItem]:
        """What `payloads`, which came together, add."""
        parts, add = self._parts, self._answer.add
        for payload in payloads:
            if self._done and self.begun:
                self.over = True
                break
            if isinstance(payload, dict) and not payload.get("error"):
                self.begun = True
                if not self.model and not _NAMING.isdisjoint(payload):
                    self.model = _named(payload)
                add(payload, parts)
                if parts.failed:
                    break
            elif isinstance(payload, Done):
                self._done = True
            elif self.begun and self.is_whole:
                self.over = True  # it was whole before this
                break
            else:
                failed = payload if isinstance(payload, Failed) else self._told(payload["error"])
                parts.add(failed)
                break
        return parts.take()

    def _told(self, error: object) -> Failed:
        return failures.from_payload(self._wire.place, error)

    def rest(self) -> list[StreamItem]:
        self._answer.rest(self._parts)
        return self._parts.take()


def _named(payload: dict[str, object]) -> str:
    """The model that a payload says it is from: beside the answer, or in what holds it."""
    for held in (payload, payload.get("response"), payload.get("message")):
        if isinstance(held, dict) and (
            name := name_in(held.get("model")) or name_in(held.get("modelVersion"))
        ):
            return name
    return ""


_Place = type[TextChunk | ThinkingChunk] | int


class Keyless:
    """Of one answer. The end of a part that may be the beginning of a key waits for the next part
    of its kind."""

    def __init__(self, secrets: Scrubber) -> None:
        self._secrets = secrets
        self._streams: dict[_Place, ScrubbedText] = {}

    def pass_on(self, items: list[StreamItem]) -> list[StreamItem]:
        """What of `items` can be passed on. A Finished or a Failed is the last: what waited comes
        before it."""
        if not self._secrets.knows:
            return items
        found: list[StreamItem] = []
        for item in items:
            if isinstance(item, (TextChunk, ThinkingChunk)):
                kind = type(item)
                if text := self._stream(kind).feed(item.text):
                    found.append(item if text is item.text else kind(text))
            elif isinstance(item, CallChunk):
                text, scrub = self._stream(item.index).feed(item.text), self._secrets.scrub
                if text or item.name:
                    found.append(CallChunk(item.index, text, scrub(item.id), scrub(item.name)))
            else:
                found += self._rest()
                end = self._finished(item) if isinstance(item, Finished) else self._failed(item)
                found.append(end)
        return found

    def _stream(self, place: _Place) -> ScrubbedText:
        if (stream := self._streams.get(place)) is None:
            stream = self._streams[place] = self._secrets.words()
        return stream

    def _rest(self) -> Iterable[StreamItem]:
        for place, stream in self._streams.items():
            if text := stream.feed("", final=True):
                yield CallChunk(place, text) if isinstance(place, int) else place(text)

    def _failed(self, end: Failed) -> Failed:
        scrub = self._secrets.scrub
        return replace(end, text=scrub(end.text), hint=scrub(end.hint))

    def _finished(self, end: Finished) -> Finished:
        """What a server wants back unchanged is not kept where it holds the key: it is no use
        then."""
        scrub = self._secrets.scrub
        calls = tuple(
            replace(c, id=scrub(c.id), name=scrub(c.name), arguments=scrub(c.arguments))
            for c in end.calls
        )
        state = end.state if scrub(end.state) == end.state else ""
        return replace(end, calls=calls, state=state, why=scrub(end.why), model=scrub(end.model))


async def unless_refused(
    answer: AsyncGenerator[StreamItem, None],
    words: re.Pattern[str],
    again: Callable[[], AsyncGenerator[StreamItem, None]],
) -> AsyncGenerator[StreamItem, None]:
    """`answer`; where the request is refused in `words`, what comes of `again` in its place."""
    refused = False
    async with aclosing(answer) as items:
        async for item in items:
            refused = (
                isinstance(item, Failed)
                and item.kind == "bad_request"
                and bool(words.search(item.text))
            )
            if not refused:
                yield item
    if refused:
        async with aclosing(again()) as items:
            async for item in items:
                yield item
