"""An answer without the key of its server, wherever the server put it: what leaves a provider is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agent_tui.providers.base import CallChunk, Finished, StreamItem, TextChunk, ThinkingChunk
from agent_tui.safety.secrets import ScrubbedText, Scrubber

_Place = type[TextChunk | ThinkingChunk] | int


class Keyless:
    """Of one answer. The end of a part that may be the beginning of a key waits for the next part of its kind."""

    def __init__(self, secrets: Scrubber) -> None:
        self._secrets = secrets
        self._streams: dict[_Place, ScrubbedText] = {}

    def passed(self, items: list[StreamItem]) -> list[StreamItem]:
        """What of `items` can be passed on. A Finished or a Failed is the last: what waited comes before it."""
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
                found.append(self._finished(item) if isinstance(item, Finished) else item)
        return found

    def _stream(self, place: _Place) -> ScrubbedText:
        if (stream := self._streams.get(place)) is None:
            stream = self._streams[place] = self._secrets.words()
        return stream

    def _rest(self) -> Iterable[StreamItem]:
        for place, stream in self._streams.items():
            if text := stream.feed("", final=True):
                yield CallChunk(place, text) if isinstance(place, int) else place(text)

    def _finished(self, end: Finished) -> Finished:
        """What a server wants back unchanged is not kept where it holds the key: it is no use then."""
        scrub = self._secrets.scrub
        calls = tuple(replace(c, id=scrub(c.id), name=scrub(c.name), arguments=scrub(c.arguments)) for c in end.calls)
        state = end.state if scrub(end.state) == end.state else ""
        return replace(end, calls=calls, state=state, why=scrub(end.why), model=scrub(end.model))
