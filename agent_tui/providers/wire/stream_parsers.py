"""Bytes of a stream in, whole payloads out: Server-Sent Events, JSON lines, one JSON body. Pure and
linear in time.

`feed` takes any cutting of the bytes (one at a time, in the middle of a character) and gives the
payloads that are
complete; `close` gives what the end of the stream completes.
"""

from __future__ import annotations

import codecs
import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, Protocol

from agent_tui.providers.base import Failed
from agent_tui.providers.wire.failures import Place
from agent_tui.structures import late

_BETWEEN: Final = late.pattern(r"[\[\s,]*")


def whole_number(digits: str) -> int | float:
    """A whole number of JSON. One with more digits than Python reads (4,300) is infinite, as
    `1e999` is: nothing counts so far, and what stands beside it is still an answer."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_value_in: Final = json.JSONDecoder(parse_int=whole_number).raw_decode


class Reader(Protocol):
    def feed(self, data: bytes) -> list[str]: ...

    def close(self) -> list[str]: ...


class _Lines:
    """Text lines ended by LF, and by CR and CRLF too where `cr`. (`str.splitlines` would cut at
    U+2028 and others.)"""

    def __init__(self, cr: bool) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._cr = cr
        self._after_cr = False
        self._start = True
        self._open: list[str] = []

    def feed(self, data: bytes, final: bool = False) -> list[str]:
        text = self._decoder.decode(data, final)
        if not text:
            return []
        if self._start:
            self._start = False
            text = text.removeprefix("\ufeff")
        if self._cr:
            text = self._unix(text)
        if "\n" not in text:
            self._open.append(text)
            return []
        first, *rest = text.split("\n")
        lines = ["".join([*self._open, first]), *rest]
        self._open = [lines.pop()]
        return lines

    def _unix(self, text: str) -> str:
        if self._after_cr and text.startswith("\n"):
            text = text[1:]  # the second half of a CRLF that was cut in two
            self._after_cr = False
        if text:
            self._after_cr = text.endswith("\r")
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def close(self) -> list[str]:
        lines = self.feed(b"", final=True)
        last = "".join(self._open)
        self._open = []
        return [*lines, last] if last else lines


class ServerSentEvents:
    """The `data` of each event as the WHATWG stream format has it; only, a last event without its
    blank line counts.

    Names, ids and retry times of events are not used by any dialect here.
    """

    def __init__(self) -> None:
        self._lines = _Lines(cr=True)
        self._data: list[str] = []

    def feed(self, data: bytes) -> list[str]:
        return self._events(self._lines.feed(data))

    def close(self) -> list[str]:
        return self._events([*self._lines.close(), ""])

    def _events(self, lines: list[str]) -> list[str]:
        events: list[str] = []
        for line in lines:
            if not line:
                if self._data:
                    events.append("\n".join(self._data))
                    self._data = []
            elif line.startswith("data:"):
                self._data.append(line[6:] if line.startswith("data: ") else line[5:])
            elif line == "data":
                self._data.append("")
        return events


class JSONLines:
    """One payload a line; blank lines say nothing."""

    def __init__(self) -> None:
        self._lines = _Lines(cr=False)

    def feed(self, data: bytes) -> list[str]:
        return [line for line in self._lines.feed(data) if line.strip()]

    def close(self) -> list[str]:
        return [line for line in self._lines.close() if line.strip()]


class WholeBody:
    """The body as one payload, or the elements of an array: for a server that was asked to stream
    and answers at once. `otherwise` reads that of one which streams all the same, and only calls it
    JSON."""

    def __init__(self, otherwise: Reader | None = None) -> None:
        self._parts: list[bytes] = []
        self._otherwise = otherwise

    def feed(self, data: bytes) -> list[str]:
        self._parts.append(data)
        return []

    def close(self) -> list[str]:
        data = b"".join(self._parts)
        found = [*self._otherwise.feed(data), *self._otherwise.close()] if self._otherwise else []
        if found and _is_json(found[0]):
            return found
        text = data.decode("utf-8-sig", errors="replace").strip()
        elements = _elements(text) if text.startswith("[") else []
        return elements or ([text] if text else [])


def _elements(text: str) -> list[str]:
    """Those of a JSON array, up to where it is cut off: the stream of a Gemini that does not know
    `alt=sse`."""
    found, at = list[str](), 0
    with suppress(ValueError, RecursionError):  # at its end, whole or not
        while between := _BETWEEN.match(text, at):
            at = _value_in(text, between.end())[1]
            found.append(text[between.end() : at])
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return False
    return True


log = logging.getLogger(__name__)

_SHOWN: Final = 2_000
MOST_BAD: Final = 3
"""Payloads in a row that are no JSON, until the stream counts as malformed."""
_object_in: Final = json.JSONDecoder().raw_decode


class Done:
    """The payload `[DONE]`."""


DONE: Final = Done()
Payload = dict[str, object] | Done | Failed


class Payloads:
    """Of one stream. `good`: there was an object; `broken`: the stream counts as malformed.

    They are made one by one as they are taken: a list of them would be garbage enough to have it
    collected.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._bad = 0
        self._skipped = False
        self.good = self.broken = False

    def parse_texts(self, texts: Iterable[str]) -> Iterator[Payload]:
        """What came together; a Failed, if any, is the last."""
        for text in texts:
            payload = parse_payload(text)
            if payload is not None:
                self._bad, self.good = 0, self.good or payload is not DONE
                yield payload
                continue
            self._bad, self._skipped = self._bad + 1, True
            hidden = self._place.secrets.scrub(text[:_SHOWN])  # a line may have many megabytes
            log.warning(
                "%s: skipped a payload that is no JSON object: %.200r",
                self._place.server_label,
                hidden,
            )
            if self._bad == MOST_BAD:
                self.broken = True
                yield self._malformed()
                return

    def end(self) -> list[Payload]:
        """What is to be said at the end of the stream: where nothing in it was good, it was no
        answer."""
        return [self._malformed()] if self._skipped and not self.good else []

    def _malformed(self) -> Failed:
        text = f"{self._place.server_label} sent something that is not a valid JSON object"
        return Failed("malformed", text, "try again, or check the address", True)


def parse_payload(text: str) -> dict[str, object] | Done | None:
    if text == "[DONE]":
        return DONE
    try:
        data, end = _beginning(text)
        if end != len(text):
            data = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _beginning(text: str) -> tuple[object, int]:
    """The object that `text` begins with, and where it ends; (None, -1) where there is none that is
    read so.
    `json.loads` looks for white space around what has none, and costs half as much again."""
    try:
        return _object_in(text) if text.startswith("{") else (None, -1)
    except (
        ValueError
    ):  # broken, or a number with more digits than are read: `json.loads` tells them apart
        return None, -1
