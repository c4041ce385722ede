"""A small web server on a local port, and an internet in which every name is its."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent_tui.safety.sandbox.network_proxy import Internet

PUBLIC = "93.184.216.34"
Answer = tuple[str, dict[str, str], bytes]
PAGE = b"""<html><head><title>The  page</title></head><body><nav>menu</nav><main><h1>Words</h1>
<p>Some <b>bold</b> words, and <a href="/next">a link</a>.</p><pre class="language-sh">ls -la
</pre></main><footer>foot</footer></body></html>"""


def page(content: bytes, media: str = "text/html; charset=utf-8", **more: str) -> Answer:
    return "200 OK", {"Content-Type": media, **more}, content


@dataclass
class WebServer:
    """`pages`: what is answered to a path. `asked`: the requests, whole."""

    pages: dict[str, Answer | Callable[[], Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    port: int = 0
    hangs: bool = False

    async def __aenter__(self) -> WebServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1")
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            (
                int(line[15:])
                for line in head.lower().split("\r\n")
                if line.startswith("content-length:")
            ),
            0,
        )
        body = (await reader.readexactly(length)).decode()
        self.asked.append(head + body)
        if self.hangs:
            await asyncio.sleep(30)
        path = head.split()[1].partition("?")[0]
        found = self.pages.get(path, ("404 Not Found", {"Content-Type": "text/plain"}, b"no"))
        status, headers, content = found() if callable(found) else found
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
        lines += [f"Content-Length: {len(content)}", "Connection: close", "", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + content)
        await writer.drain()
        writer.close()


class Named(Internet):
    """Every name has these addresses, and each of them is the server."""

    __slots__ = ("addresses", "looked_up", "port")

    def __init__(self, port: int, *addresses: str) -> None:
        object.__setattr__(self, "port", port)
        object.__setattr__(self, "addresses", addresses or (PUBLIC,))
        object.__setattr__(self, "looked_up", [])

    async def resolve(self, name: str, _: int) -> Sequence[str]:
        self.looked_up.append(name)  # type: ignore[attr-defined]
        return self.addresses  # type: ignore[attr-defined,no-any-return]

    def destination(self, *_: object) -> tuple[str, int]:
        return "127.0.0.1", self.port  # type: ignore[attr-defined]
