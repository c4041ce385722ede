"""The network for single hosts: a proxy in this program, and the only way out of a command that has
no network.

The socket on which it listens is made in the command's own network and handed to this program, so
that nothing in the sandbox stands between. It connects to hosts that a person allowed, by their
whole names. A name is looked up once; what was judged is what it connects to.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from agent_tui.safety.sandbox.namespaces import PROXY_PORT
from agent_tui.safety.sandbox.network_hosts import (
    OWN_ADDRESS,
    USUAL_PORTS,
    explain_address,
    read_authority,
    spell,
)
from agent_tui.structures.frozen import frozen

MOST_REFUSED: Final = 20
"""Hosts that were refused, of which somebody is told."""
MOST_CONNECTIONS: Final = 64
HEAD: Final = 16_384
"""Bytes of a request before its body."""
_SECONDS: Final = 30.0
"""So long a request may take to come, and a connection to be made."""
_READ: Final = 65_536
_ADDRESS: Final = f"http://127.0.0.1:{PROXY_PORT}"
_NAMES: Final = ("http_proxy", "https_proxy", "all_proxy")
_VARIABLES: Final = {
    **dict.fromkeys((*_NAMES, *map(str.upper, _NAMES)), _ADDRESS),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"),
    "NODE_USE_ENV_PROXY": "1",
}
"""What a command serves for itself is reached without the proxy."""
_REQUEST: Final = re.compile(rb"([A-Z]{1,20}) ([!-~]+) HTTP/1\.[01]")
_HEADER: Final = re.compile(rb"[!#-'*+.0-9A-Z^-z|~-]+:[^\r\n\0]*")
_OWN_HEADERS: Final = (b"proxy-", b"connection:", b"host:", b"keep-alive:", b"upgrade:")
_CONNECTED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _NotReached(Exception):
    """The host was refused, or is not there. `status`: as HTTP says it."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status = status


@frozen
class Internet:
    """How names become addresses, and addresses connections. The first two raise OSError."""

    async def resolve(self, name: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))

    async def connect(self, address: str, port: int) -> Stream:
        return await asyncio.open_connection(address, port)

    def destination(self, address: str, port: int) -> tuple[str, int]:
        """Where a connection to this address and port is made: there."""
        return address, port


class Proxy:
    """The proxy of one command. `hosts`: what was allowed, as `network_hosts` says it."""

    def __init__(self, hosts: Iterable[str], internet: Internet) -> None:
        self._hosts, self._internet = frozenset(hosts), internet
        self.refused: dict[str, str] = {}
        """What it did not connect to, with what would have to be allowed; empty where that cannot
        be."""
        self._channel: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def add_variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """`environment` with what tells programs of the proxy. While nothing is allowed, nothing is
        worth a second try."""
        hasty = {} if self._hosts else {"PIP_RETRIES": "0"}
        return {**hasty, **environment, **_VARIABLES}

    def open(self) -> socket.socket:
        """The end of a channel on which somebody sends the socket to listen on. Raises OSError."""
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        asyncio.get_running_loop().add_reader(self._channel, self._take)
        return theirs

    def close(self) -> None:
        """Nothing of the command is left, so nothing is connected any more."""
        self._hang_up()
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()

    def _take(self) -> None:
        assert self._channel is not None
        try:
            descriptors = socket.recv_fds(self._channel, 1, 1)[1]
        except BlockingIOError:
            return
        except ConnectionResetError:
            descriptors = []
        self._hang_up()
        for descriptor in descriptors:
            self._keep(self._listen(socket.socket(fileno=descriptor)))

    def _hang_up(self) -> None:
        if self._channel is not None:
            asyncio.get_running_loop().remove_reader(self._channel)
            self._channel.close()
            self._channel = None

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="network of a command")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self, listener: socket.socket) -> None:
        def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._tasks) < MOST_CONNECTIONS:
                self._keep(self._serve(reader, writer))
            else:
                writer.close()

        self._server = await asyncio.start_server(serve, sock=listener, limit=HEAD)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            try:
                answers, theirs, first = await self._open(head)
            except _NotReached as problem:
                writer.write(_refusal(problem))
                await writer.drain()
                return
            (theirs if first else writer).write(first or _CONNECTED)
            await asyncio.gather(_copy(reader, theirs), _copy(answers, writer))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return  # one of both has hung up, or spoke no HTTP: the command sees its end
        finally:
            writer.close()
            if theirs is not None:
                theirs.close()

    async def _open(self, head: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        """The connection that a request wants, and what is sent over it first: nothing for a
        tunnel. Raises _NotReached."""
        line, *headers = head[:-4].split(b"\r\n")
        found = _REQUEST.fullmatch(line)
        if found is None or not all(map(_HEADER.fullmatch, headers)):
            raise _NotReached("400 Bad Request", "this is no request to a proxy")
        method, target = found[1], found[2].decode()
        if method == b"CONNECT":
            reader, writer = await self._reach(target, 0)
            return reader, writer, b""
        scheme, _, rest = target.partition("://")
        authority, slash, path = rest.partition("/")
        if scheme.lower() != "http":
            raise _NotReached("400 Bad Request", "only http:// and CONNECT are understood")
        reader, writer = await self._reach(authority, USUAL_PORTS["http"])
        kept = [one for one in headers if not one.lower().startswith(_OWN_HEADERS)]
        own = (f"Host: {authority}".encode(), b"Connection: close")
        first = f"{found[1].decode()} {slash or '/'}{path} HTTP/1.1".encode()
        return reader, writer, b"\r\n".join((first, *own, *kept, b"", b""))

    async def _reach(self, authority: str, usual: int) -> Stream:
        """A connection to a host that is allowed. Raises _NotReached."""
        try:
            name, port = read_authority(authority, usual)
        except ValueError as error:
            self._refuse(authority[:100], "", str(error))
        wanted = spell(name, port)
        allowed = {place for host, _, place in map(_parted, self._hosts) if host == wanted}
        if not allowed:
            self._refuse(wanted, wanted, "nobody has allowed it")
        try:
            async with asyncio.timeout(_SECONDS):
                addresses = await self._internet.resolve(name, port)
                for address in addresses:
                    if (why := explain_address(address)) and address not in allowed:
                        at = f"{wanted}={address}"
                        self._refuse(at, at if why == OWN_ADDRESS else "", why)
                return await self._connect(addresses, port)
        except (OSError, TimeoutError) as error:
            words = f"{wanted} cannot be reached: {error or 'it took too long'}"
            raise _NotReached("502 Bad Gateway", words) from None

    async def _connect(self, addresses: Sequence[str], port: int) -> Stream:
        problem = OSError("it has no address")
        for address in addresses:
            try:
                return await self._internet.connect(address, port)
            except OSError as error:
                problem = error
        raise problem

    def _refuse(self, name: str, offers: str, why: str) -> NoReturn:
        if len(self.refused) < MOST_REFUSED:
            self.refused[name] = offers
        raise _NotReached("403 Forbidden", f"no network to {name}: {why}")


def _parted(host: str) -> tuple[str, str, str]:
    return host.partition("=")


def _refusal(problem: _NotReached) -> bytes:
    body = f"agent-tui: {problem}\n"
    head = f"HTTP/1.1 {problem.status}\r\nContent-Type: text/plain\r\nConnection: close\r\n"
    # One byte is missing: also what does not look at the status must not take it for the answer.
    return f"{head}Content-Length: {len(body) + 1}\r\n\r\n{body}".encode()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_READ):
        target.write(data)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()
