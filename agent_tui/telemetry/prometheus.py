"""Metrics for who asks: Prometheus' text format over HTTP, on this machine alone. Needs nothing but
Python."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from agent_tui.telemetry.operations import (
    INSTRUMENTS,
    Happening,
    Instrument,
    Measured,
    Operation,
    happening_measure,
    operation_measures,
)

HOST: Final = "127.0.0.1"
PATH: Final = "/metrics"
SECONDS: Final = 5.0
"""So long an asker may take."""
_KIND: Final = "text/plain; version=0.0.4; charset=utf-8"
_UNITS: Final = {"s": "_seconds"}

Labels = tuple[tuple[str, str], ...]


class Series:
    """One line of a counter (`total`), or the buckets of a histogram, each with what fell into it
    alone."""

    def __init__(self, instrument: Instrument) -> None:
        self.bounds = instrument.bounds
        self.buckets = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def take(self, value: float) -> None:
        self.buckets[bisect_left(self.bounds, value)] += 1
        self.total += value


class Prometheus:
    """The numbers since the program began."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._series: dict[str, dict[Labels, Series]] = {each.name: {} for each in INSTRUMENTS}
        self._server: asyncio.Server | None = None

    async def open(self, port: int) -> None:
        """Answer at `port`. Raises OSError, such as where another program does."""
        self._server = await asyncio.start_server(self._answer, HOST, port)

    def on_begin(self, operation: Operation) -> None:
        """Nothing: it is counted when it has ended."""

    def on_end(self, operation: Operation) -> None:
        for one in operation_measures(operation):
            self._take(one)

    def on_happening(self, what: Happening) -> None:
        self._take(happening_measure(what))

    def close(self) -> Iterable[Callable[[], object]]:
        if self._server is not None:
            self._server.close()
        return ()

    def _take(self, one: Measured) -> None:
        instrument, value, attributes = one
        labels = tuple(sorted(attributes.items()))
        self._series[instrument.name].setdefault(labels, Series(instrument)).take(value)

    def text(self) -> str:
        lines: list[str] = []
        for instrument in INSTRUMENTS:
            if found := self._series[instrument.name]:
                name = _name(instrument)
                lines.append(f"# HELP {name} {instrument.about}")
                lines.append(f"# TYPE {name} {'histogram' if instrument.bounds else 'counter'}")
                for labels, series in found.items():
                    lines.extend(_lines(name, labels, series))
        return "".join(f"{line}\n" for line in lines)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(head.split(b"\r\n", 1)[0].decode("latin-1")))
                await writer.drain()
        except (
            OSError,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ) as error:
            self._log.info(
                "metrics: a client disconnected or sent no valid request: %s", type(error).__name__
            )
        finally:
            writer.close()

    def _response(self, line: str) -> bytes:
        method, _, rest = line.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method not in ("GET", "HEAD"):
            status, body = "405 Method Not Allowed", b""
        elif path != PATH:
            status, body = "404 Not Found", f"the metrics are at {PATH}\n".encode()
        else:
            status, body = "200 OK", self.text().encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {_KIND}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        return head.encode() + (b"" if method == "HEAD" else body)


def _name(instrument: Instrument) -> str:
    name = instrument.name.replace(".", "_") + _UNITS.get(instrument.unit, "")
    return name if instrument.bounds else f"{name}_total"


def _lines(name: str, labels: Labels, series: Series) -> Iterator[str]:
    if not series.bounds:
        yield f"{name}{_braced(labels)} {series.total:.0f}"
        return
    count = 0
    for bound, fell in zip((*map(repr, series.bounds), "+Inf"), series.buckets, strict=True):
        count += fell
        yield f"{name}_bucket{_braced((*labels, ('le', bound)))} {count}"
    yield f"{name}_sum{_braced(labels)} {series.total!r}"
    yield f"{name}_count{_braced(labels)} {count}"


def _braced(labels: Labels) -> str:
    return (
        "{"
        + ",".join(f'{key.replace(".", "_")}="{_escaped(value)}"' for key, value in labels)
        + "}"
    )


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
