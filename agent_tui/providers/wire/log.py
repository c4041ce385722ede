"""What goes to model servers and comes back, word for word, in a file of the session:
`--debug-wire`.

Every client that `wire.client_options` sets up tells it of its requests and of each piece of their
answers. Keys are left out: headers that carry them, and their values wherever they stand.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from agent_tui import registry
from agent_tui.paths import make_private
from agent_tui.safety.secrets.scrubber import HIDDEN, ScrubbedStream, Scrubber, is_secret_name

with registry.late(warm=False):
    import httpx

log = logging.getLogger(__name__)
CARRY: Final = (
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
)
"""Headers whose value is a key."""
LONGEST: Final = 1_000_000
"""Characters of a body in one record: pictures are longer."""
_numbers: Final = count(1)


class WireLog:
    """One file of JSON lines, for its owner alone (0600)."""

    def __init__(self, path: Path, scrubber: Scrubber) -> None:
        self.path, self.scrubber = path, scrubber
        make_private(path.parent)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.fchmod(self._file, 0o600)

    def write(self, id: int, kind: str, **facts: object) -> None:
        if self._file < 0:
            return
        facts = {
            name: self.scrubber.scrub(fact) if isinstance(fact, str) else fact
            for name, fact in facts.items()
        }
        record = {"at": datetime.now(UTC).isoformat(), "id": id, "kind": kind, **facts}
        line = self.scrubber.scrub(json.dumps(record, ensure_ascii=False)) + "\n"
        try:
            os.write(self._file, line.encode("utf-8", "backslashreplace"))
        except OSError as error:
            log.warning("the wire log ends here: %s", error)
            self.close()

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: HIDDEN
            if name.lower() in CARRY or is_secret_name(name.replace("-", "_"))
            else value
            for name, value in headers.items()
        }

    async def log_request(self, request: httpx.Request) -> None:
        id = request.extensions["wire_log"] = next(_numbers)
        body = request.content.decode("utf-8", "replace")
        short = body if len(body) <= LONGEST else f"{body[:LONGEST]} … ({len(body):,} characters)"
        address = request.url.copy_with(userinfo=b"")
        if "key" in address.params:
            address = address.copy_set_param("key", HIDDEN)
        self.write(
            id,
            "request",
            method=request.method,
            url=str(address),
            headers=self.headers(request.headers),
            body=short,
        )

    async def log_response(self, response: httpx.Response) -> None:
        id = response.request.extensions.get("wire_log", 0)
        self.write(
            id, "response", status=response.status_code, headers=self.headers(response.headers)
        )
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)  # an asynchronous client has no others
        response.stream = _watched(self, id, stream)


def _watched(to: WireLog, id: int, stream: httpx.AsyncByteStream) -> httpx.AsyncByteStream:
    class Watched(httpx.AsyncByteStream):
        """Tells of each piece as it comes; what may be the beginning of a key waits for the
        next."""

        def __init__(self) -> None:
            self.hidden: ScrubbedStream = to.scrubber.stream()
            self.size = 0

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in stream:
                self.size += len(data)
                self.tell(self.hidden.feed(data))
                yield data

        def tell(self, data: bytes) -> None:
            if data:
                to.write(id, "data", text=data.decode("utf-8", "replace"))

        async def aclose(self) -> None:
            self.tell(self.hidden.feed(b"", final=True))
            to.write(id, "end", bytes=self.size)
            await stream.aclose()

    return Watched()


_current: WireLog | None = None


def begin(path: Path, scrubber: Scrubber) -> WireLog:
    """Write to `path` from now on. Raises OSError."""
    global _current  # one program has one session at work, and every client tells of what it does
    end()
    _current = WireLog(path, scrubber)
    return _current


def learn(values: Iterable[str]) -> None:
    """Leave out these from now on too: keys that came since it was begun."""
    if _current is not None:
        _current.scrubber.learn(values)


def end() -> None:
    global _current
    if _current is not None:
        _current.close()
    _current = None


def hooks() -> dict[str, list[Callable[..., Awaitable[None]]]]:
    """What a client tells of; nothing where nobody asked for a log."""
    return (
        {}
        if _current is None
        else {"request": [_current.log_request], "response": [_current.log_response]}
    )
