"""Gets pages of the web: from hosts that were judged, at addresses of the internet.

A name is looked up once, and what was judged is what is connected to. Nothing of the person goes
along: no cookies, no proxy of the environment, no credentials. An address that leads to another
host, port or scheme is not followed, because that has to be judged first; nothing is where a key
went along.
"""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import field
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore

from agent_tui.safety.sandbox.network_hosts import (
    OWN_ADDRESS,
    USUAL_PORTS,
    RefusedHost,
    explain_address,
    read_host,
    spell,
)
from agent_tui.safety.sandbox.network_proxy import Internet
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MAX_BYTES: Final = 5_000_000
SECONDS: Final = 20.0
MOST_REDIRECTS: Final = 5
LONGEST_ADDRESS: Final = 2_000
LONG_ADDRESS: Final = 512
"""Bytes behind the host that could carry away what nobody wants to be sent: they ask."""
_ACCEPT: Final = (
    "text/html,text/markdown,text/plain,application/json,application/xml;q=0.9,*/*;q=0.1"
)
_TEXT: Final = late.pattern(
    r"text/.*|application/(?:.*\+)?(?:json|xml|xhtml|yaml|x-yaml|toml|javascript|x-ndjson)(?:\+.*)?"
)
_CHARSET: Final = late.pattern(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_IN_PAGE: Final = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_REFUSED: Final = (
    "{} is not fetched: {}. Give a host of the internet by its name; what runs here or in your own "
    "network can be asked with run_shell_command (curl)"
)
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


class WebFailure(Exception):
    """Why there is no page. `tag`: as a tool's failure is called."""

    def __init__(self, tag: str, text: str) -> None:
        super().__init__(text)
        self.tag, self.text = tag, text


@frozen
class Page:
    """What came from `url`. `media`: the type that the server names; `moved`: the address
    elsewhere to which it leads, of which nothing was read. `is_cut`: there was more."""

    url: str
    status: int = 200
    media: str = ""
    text: str = field(default="", repr=False)
    moved: str = ""
    is_cut: bool = False


def read_address(text: str) -> tuple[SplitResult, str]:
    """The parts of an address of the web, and its host as it has to be allowed. Raises ValueError
    with what is wrong with it, RefusedHost where it is right but leads to no host of the
    internet."""
    if len(text) > LONGEST_ADDRESS:
        raise ValueError(f"the address is longer than {LONGEST_ADDRESS:,} characters")
    if any(ord(letter) <= 32 or ord(letter) == 127 for letter in text):
        raise ValueError("the address holds blanks or control characters")
    parts = urlsplit(text)
    if parts.scheme not in USUAL_PORTS:
        raise ValueError("only addresses that begin with https:// or http:// can be fetched")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the address holds a name or a password")
    host = parts.hostname or ""
    if ":" in host:  # no name of a host has one
        raise RefusedHost(_REFUSED.format(host, "it is an address, not a name"))
    try:
        name = read_host(host)
    except RefusedHost as refused:
        raise RefusedHost(_REFUSED.format(host, refused)) from None
    return parts, spell(name, parts.port or USUAL_PORTS[parts.scheme])


async def fetch(
    url: str,
    internet: Internet,
    allowed: Iterable[str] = (),
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    is_own: bool = False,
) -> Page:
    """The page at `url`. `allowed`: hosts that a person named with an address of their own network,
    as `host=address`. `headers`, `body`: what goes along; a body is posted. `is_own`: the person
    gave the address, which may be anywhere. Raises WebFailure."""
    try:
        async with asyncio.timeout(SECONDS):
            backend = _Judged(internet, frozenset(allowed), is_own)
            return await _fetch(url, backend, headers or {}, body)
    except TimeoutError:
        raise WebFailure("timeout", f"{url}: no whole answer in {SECONDS:.0f} seconds") from None


async def _fetch(url: str, backend: _Judged, more: Mapping[str, str], body: bytes | None) -> Page:
    try:
        if not backend.is_own:
            read_address(url)
    except RefusedHost as refused:
        raise WebFailure("blocked", str(refused)) from None
    except ValueError as error:
        raise WebFailure("invalid_arguments", f"{url}: {error}") from None
    headers = {"User-Agent": "agent-tui", "Accept": _ACCEPT, "Accept-Encoding": "identity", **more}
    has_secrets = bool(more) or body is not None
    async with httpcore.AsyncConnectionPool(network_backend=backend, retries=0) as pool:
        for _ in range(MOST_REDIRECTS + 1):
            page, onward = await _get(pool, url, headers, body)
            if not onward:
                return page
            if not backend.is_own:
                _check_onward(onward)
            if has_secrets or _is_elsewhere(url, onward):
                return Page(page.url, page.status, moved=onward)
            url = onward
    raise WebFailure("exception", f"{url}: it leads on more than {MOST_REDIRECTS} times")


def carried_bytes(parts: SplitResult) -> int:
    """Those behind the host of an address."""
    return len(f"{parts.path}{parts.query}".encode("utf-8", "surrogatepass"))


def _is_elsewhere(url: str, onward: str) -> bool:
    """Whether a server that was asked for `url` leads to what has to be judged on its own: another
    host, port or scheme, or an address that could carry something away."""
    old, new = urlsplit(url), urlsplit(onward)
    return old[:2] != new[:2] or carried_bytes(new) > LONG_ADDRESS


def _check_onward(url: str) -> None:
    try:
        read_address(url)
    except ValueError as error:
        raise WebFailure("blocked", f"it leads to {url[:200]}: {error}") from None


async def _get(
    pool: httpcore.AsyncConnectionPool, url: str, headers: Mapping[str, str], body: bytes | None
) -> tuple[Page, str]:
    """The answer of a server, and where it leads; empty: nowhere else."""
    method = "GET" if body is None else "POST"
    plain = _ascii(url)
    try:
        async with pool.stream(method, plain, headers=[*headers.items()], content=body) as answer:
            found = {name.decode("latin-1").lower(): value for name, value in answer.headers}
            if answer.status in _MOVED and (to := found.get("location", b"").decode("latin-1")):
                return Page(url, answer.status), urljoin(url, to)
            return await _read(url, answer, found), ""
    except _Refused as refused:
        raise WebFailure("blocked", f"{url}: {refused}") from None
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
        said = str(error) or type(error).__name__
        raise WebFailure("exception", f"{url} cannot be reached: {said}") from None


async def _read(url: str, answer: httpcore.Response, headers: Mapping[str, bytes]) -> Page:
    media = headers.get("content-type", b"text/html").decode("latin-1")
    kind = media.partition(";")[0].strip().lower()
    if answer.status < 400 and not _TEXT.fullmatch(kind):
        raise WebFailure("binary", f"{url} is {kind}, not text: it was not read")
    data, is_cut = bytearray(), False
    parts: AsyncIterator[bytes] = answer.aiter_stream()
    async for part in parts:
        data += part
        if len(data) > MAX_BYTES:
            del data[MAX_BYTES:]
            is_cut = True
            break
    return Page(url, answer.status, kind, _decode(bytes(data), media), is_cut=is_cut)


def _decode(data: bytes, media: str) -> str:
    named = _CHARSET.search(media)
    inside = _IN_PAGE.search(data[:4_000])
    for name in (named and named[1], inside and inside[1].decode("ascii", "replace"), "utf-8"):
        try:
            return data.decode(codecs.lookup(name or "").name, "replace")
        except (LookupError, ValueError):
            continue  # nobody knows that name
    return data.decode("latin-1")


def _ascii(url: str) -> str:
    """The address as it goes over the line: other scripts as IDNA and percent signs write them."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
    where = f"{host}:{parts.port}" if parts.port else host
    path, query = (
        re.sub(r"[^!-~]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), part)
        for part in (parts.path or "/", parts.query)
    )
    return f"{parts.scheme}://{where}{path}{f'?{query}' if query else ''}"


class _Refused(Exception):
    """An address that is not connected to."""


class _Judged(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were judged."""

    def __init__(self, internet: Internet, allowed: frozenset[str], is_own: bool) -> None:
        self._internet, self._allowed, self.is_own = internet, allowed, is_own

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        name = spell(host, port)
        try:
            addresses = await self._internet.resolve(host, port)
        except OSError as error:
            raise httpcore.ConnectError(
                f"no address for {host}: {error.strerror or error}"
            ) from None
        for address in addresses:
            why = "" if self.is_own else explain_address(address)
            if why and f"{name}={address}" not in self._allowed:
                hint = f"; the person may allow {name}={address}" if why == OWN_ADDRESS else ""
                raise _Refused(f"{why} ({address}){hint}")
        problem: Exception = httpcore.ConnectError(f"no address for {host}")
        for address in addresses:
            at, number = self._internet.destination(address, port)
            try:
                return await httpcore.AnyIOBackend().connect_tcp(
                    at, number, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
        raise problem

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
