"""The connection to a model server: one HTTP client, streams as JSON objects, failures as values,
patience.

The only module of the program (beside the web tools) that opens connections of its own.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from typing import Final, TypedDict
from urllib.parse import urlsplit

from agent_tui import registry
from agent_tui.providers.base import Failed, ProviderError
from agent_tui.providers.wire import failures, log
from agent_tui.providers.wire.addresses import check_proxy
from agent_tui.providers.wire.addresses import host_of as host_of
from agent_tui.providers.wire.addresses import is_loopback as is_loopback
from agent_tui.providers.wire.addresses import is_near as is_near
from agent_tui.providers.wire.addresses import shown_address as shown_address
from agent_tui.providers.wire.pace import Gathered, Limit, Pace
from agent_tui.providers.wire.stream_parsers import (
    Payload,
    Payloads,
    Reader,
    WholeBody,
    whole_number,
)
from agent_tui.structures.frozen import frozen

with registry.late(warm=False):
    import anyio  # what httpx connects with; it loads most of it only then
    import httpx  # a tenth of a second, for those who talk to a server

registry.leave_out(
    "httpx._main"
)  # its command line: click, Pygments, half of the time that importing it takes

IDLE: Final = 60.0
"""Seconds without a line, or a kilobyte of one, after which a hosted server counts as gone."""
IDLE_LOCAL: Final = 600.0
"""The same for a machine nearby, once it has begun: local servers say nothing while they write a
long tool call."""
KEPT: Final = 10
"""Such times without a payload, and a server counts as gone whose signs of life go on: they may be
a proxy's."""
FIRST: Final = 300.0
"""Seconds until the first byte of a hosted server: it may reason in silence. A local one has all
the time."""
TAIL: Final = 2.0
"""Seconds that a server has after the end of an answer for what still belongs to it (usage)."""
REFUSAL: Final = 10.0
"""Seconds for the words of a refusal: its status says enough."""
ERROR_BODY: Final = 65_536
MOST_TOLD: Final = 16_000_000
"""Bytes of an answer to a question other than a prompt: read as JSON they take twenty times as
many."""
JSON: Final = {"Content-Type": "application/json"}
CONNECT, CONNECT_NEAR = 10.0, 5.0
"""Seconds to be let in. On this machine a refusal comes at once; a yes may wait while a model loads
or memory swaps."""
MOST_HELD: Final = 32_000_000
"""Bytes without a whole payload: what goes on longer is no answer, and would not fit into memory.
"""


class ClientOptions(TypedDict):
    timeout: httpx.Timeout
    trust_env: bool
    verify: ssl.SSLContext | bool
    follow_redirects: bool
    event_hooks: Mapping[str, list[Callable[..., Awaitable[None]]]]
    headers: dict[str, str]


def client_options(url: str, bundle: str = "") -> ClientOptions:
    """How clients are set up: a shorter connect on loopback, and no proxy; no redirects; plain
    bytes; `bundle`: the person's own certificates for it. Raises OSError."""
    near = is_loopback(url)
    check_proxy(url)
    return {
        "timeout": httpx.Timeout(
            60.0, connect=CONNECT_NEAR if near else CONNECT, read=None, pool=None
        ),
        "trust_env": not near,
        "verify": tls_verification(url, bundle),
        "follow_redirects": False,
        "event_hooks": log.hooks(),
        "headers": {"User-Agent": "agent-tui", "Accept-Encoding": "identity"},
    }


@dataclass(slots=True)
class Patience:
    """Seconds to wait for the first byte and between bytes; None: without end. `until`: when a
    reader wants no more than what is there, by the loop's clock."""

    first: float | None = FIRST
    between: float | None = IDLE
    until: float = math.inf

    @classmethod
    def for_address(cls, url: str, setting: object = None, streams: bool = True) -> Patience:
        """`setting`: the person's own idle limit in seconds (0: none), also for the first byte."""
        if isinstance(setting, int | float) and not isinstance(setting, bool):
            limit = float(setting) if setting > 0 else None
            return cls(limit, limit)
        return cls(None, IDLE_LOCAL) if is_near(url) else cls(FIRST if streams else 2 * FIRST)


@frozen
class _Response:
    """What a question other than a stream was answered."""

    place: failures.Place
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self, path: str) -> object:
        """Raises ProviderError."""
        if self.status != 200:
            said = _text(self.body[:ERROR_BODY])
            raise ProviderError(failures.from_status(self.place, self.status, self.headers, said))
        try:
            return json.loads(self.body, parse_int=whole_number)
        except (ValueError, RecursionError):
            text = f"{self.place.server_label} answered {path} with something that is not JSON"
            raise ProviderError(Failed("malformed", text, self.place.unreachable)) from None


class Wire:
    """One server. Its client opens with the first request, in the event loop that makes it."""

    def __init__(
        self, base_url: str, place: failures.Place, headers: Mapping[str, str], bundle: str = ""
    ) -> None:
        self.base_url, self.place = base_url, place
        self.headers, self.bundle = headers, bundle
        self._open = httpx.AsyncClient  # loaded with the server, not with the first prompt
        self._client: httpx.AsyncClient | None = None
        self._users = 0
        self._closed = False

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            try:
                _ = urlsplit(self.base_url).port  # the event loop breaks at one that is too large
            except ValueError as error:
                raise ProviderError(
                    failures.from_exception(self.place, httpx.InvalidURL(str(error)))
                ) from None
            try:
                self._client = self._open(**client_options(self.base_url, self.bundle))
            except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
                raise ProviderError(failures.unusable_environment(self.place, error)) from None
        return self._client

    async def close(self) -> None:
        """What runs goes on (a person may change the model while a turn runs), and the last one
        ends the connection."""
        self._closed = True
        await self._let_go()

    async def _let_go(self) -> None:
        if self._closed and not self._users:
            client, self._client = self._client, None
            if client is not None:
                await client.aclose()

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[httpx.AsyncClient]:
        """The client, kept open meanwhile. Raises ProviderError."""
        client = self._opened()
        self._users += 1
        try:
            yield client
        finally:
            self._users -= 1
            await self._let_go()

    async def get(self, path: str, seconds: float | None = None) -> object:
        """The JSON at `path`. Raises ProviderError."""
        answer = await self._fetched(
            path, seconds or (5.0 if is_near(self.base_url) else 20.0), self.place
        )
        if answer.status == 404:
            raise ProviderError(
                Failed(
                    "bad_request", f"{self.place.server_label} has no {path}", "check the address"
                )
            )
        return answer.json(path)

    async def ask(
        self, path: str, seconds: float, model: str = "", question: bytes | None = None
    ) -> object:
        """The JSON that the server has about `model` at `path`, or answers to `question`. Raises
        ProviderError."""
        place = replace(self.place, model=model or self.place.model)
        return (await self._fetched(path, seconds, place, question)).json(path)

    async def _fetched(
        self, path: str, seconds: float, place: failures.Place, question: bytes | None = None
    ) -> _Response:
        headers = dict(self.headers) if question is None else {**self.headers, **JSON}
        method = "GET" if question is None else "POST"
        try:
            async with (
                asyncio.timeout(seconds),
                self._in_use() as client,
                client.stream(
                    method, self.base_url + path, content=question, headers=headers
                ) as response,
            ):
                return _Response(
                    place,
                    response.status_code,
                    response.headers,
                    await _beginning(response, MOST_TOLD),
                )
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise ProviderError(failures.from_exception(place, error)) from None

    async def prepare(self) -> None:
        """Load what the first request would wait for: certificates, and what httpx needs to
        connect. Asks nobody."""
        if not self._closed:
            with suppress(ProviderError):  # the first request says so
                self._opened()
            await anyio.sleep(0)

    async def events(
        self, path: str, body: bytes, reader: Reader, patience: Patience
    ) -> AsyncGenerator[Iterable[Payload], None]:
        """POST `body` and yield the JSON objects of the answer as they come, those together that
        are there together; they are to be taken before more is asked for. A Failed, if any, is the
        last."""
        try:
            async with (
                self._in_use() as client,
                self._sent(client, path, body, patience) as response,
            ):
                if (failed := await self._refusal(response)) is not None:
                    yield [failed]
                    return
                reader = WholeBody(reader) if _kind(response) == "application/json" else reader
                async with (
                    aclosing(Gathered(response)) as pieces,
                    aclosing(self._payloads(pieces, reader, patience)) as found,
                ):
                    async for payloads in found:
                        yield payloads
        except ProviderError as error:
            yield [error.failed]
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            yield [failures.from_exception(self.place, error)]

    @asynccontextmanager
    async def _sent(
        self, client: httpx.AsyncClient, path: str, body: bytes, patience: Patience
    ) -> AsyncIterator[httpx.Response]:
        headers = {**self.headers, **JSON}
        request = client.build_request("POST", self.base_url + path, content=body, headers=headers)
        async with asyncio.timeout(patience.first):
            response = await client.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    async def _refusal(self, response: httpx.Response) -> Failed | None:
        """Why `response` is no answer; None where it is one."""
        if response.status_code == 200:
            text = f"{self.place.server_label} answered with a web page"
            page = _kind(response) == "text/html"
            return (
                Failed("malformed", text, "check the address: it often ends in /v1")
                if page
                else None
            )
        body = await _beginning(response, ERROR_BODY)
        return failures.from_status(self.place, response.status_code, response.headers, _text(body))

    async def _payloads(
        self, pieces: AsyncIterator[bytes], reader: Reader, patience: Patience
    ) -> AsyncGenerator[Iterable[Payload], None]:
        loop = asyncio.get_running_loop()
        pace, found = Pace(loop.time), Payloads(self.place)
        limit, ended, held, heard = patience.first, False, 0, loop.time()
        with closing(Limit(loop)) as within:
            while not ended and loop.time() < patience.until:
                try:
                    data = await within.wait(
                        pace.read(pieces), pace.time_left(limit, patience.until)
                    )
                    texts = reader.feed(data)
                    held = 0 if texts else held + len(data)
                except StopAsyncIteration:
                    texts, ended = reader.close(), True
                if held > MOST_HELD:
                    text = f"{self.place.server_label} sent {MOST_HELD // 1_000_000} MB without a break"
                    yield [
                        Failed("malformed", text, "check the address: this is not a model's answer")
                    ]
                    return
                if texts:
                    yield found.parse_texts(texts)
                    heard = loop.time()
                elif limit is not None and loop.time() - heard > KEPT * limit:
                    raise TimeoutError
                if found.broken:
                    return
                limit = patience.between if found.good else limit
                await pace.rest()
        if last := found.end():
            yield last

    def cut_off_failure(self, begun: bool) -> Failed:
        """A stream that ended without its end: cut off, or empty from the start."""
        if begun:
            text = f"{self.place.server_label} stopped in the middle of the answer"
            return Failed("broken_stream", text, "try again", True)
        return Failed(
            "empty_stream", f"{self.place.server_label} sent an empty answer", "try again", True
        )


def _kind(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


async def _beginning(response: httpx.Response, size: int) -> bytes:
    """The body of `response`, hardly more than `size` bytes of it; of a refusal what comes of it,
    and soon."""
    parts, got, refused = list[bytes](), 0, response.status_code != 200
    try:
        async with asyncio.timeout(REFUSAL if refused else None):
            async for chunk in response.aiter_bytes():
                parts.append(chunk)
                got += len(chunk)
                if got >= size:
                    break
    except (httpx.HTTPError, TimeoutError):
        if not refused:
            raise
    return b"".join(parts)


def _text(body: bytes) -> str:
    return body.decode("utf-8", errors="replace")


BUNDLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that name a file, or a folder, of certificates: the first that is set counts."""
FOLDER: Final = "SSL_CERT_DIR"


def tls_verification(url: str, bundle: str = "") -> ssl.SSLContext | bool:
    """How the server at `url` proves who it is; `bundle` is the person's own. Raises OSError, which
    names the setting or the variable, where that cannot be read."""
    if not url.startswith("https:"):
        return False  # without TLS, loading the certificates would only cost start time
    named = (
        "ca_bundle"
        if bundle
        else next((name for name in (*BUNDLES, FOLDER) if os.environ.get(name)), "")
    )
    if not named:
        return True
    path = os.path.expanduser(bundle) if bundle else os.environ[named]  # noqa: PTH111 - as above all, a name
    folder = named == FOLDER or os.path.isdir(path)  # noqa: PTH112 - a name that may be anything
    try:
        return (
            ssl.create_default_context(capath=path)
            if folder
            else ssl.create_default_context(cafile=path)
        )
    except OSError as error:
        raise OSError(f"{named}={path}: {error.strerror or 'holds no certificate'}") from None
