"""Where measurements go: what the settings and the standard variables of OpenTelemetry name, or
nowhere.

A sink that cannot be opened, or cannot send, is one line in the program's log and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor as Pool
from logging import Logger
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.registry import late
from agent_tui.safety.secrets.scrubber import Scrubber, known_secrets
from agent_tui.telemetry.operations import Happening, Operation, Sink, silence_log

with late(warm=False):
    from agent_tui.telemetry import otel, prometheus

OPENING_SECONDS: Final = 10.0
"""What sends is imported for at most so long at the end of a program that was shorter: it takes
time, but it ends."""
CLOSING_SECONDS: Final = 2.0
"""So long the end of the program waits for what is still to be sent."""
MOST_EARLY: Final = 10_000


class Sinks:
    """All sinks as one. What comes before they are open waits for them: the SDK takes a while to
    import."""

    def __init__(self, log: Logger) -> None:
        self._log = log
        self._open: list[Sink] = []
        self._early: list[Callable[[Sink], None]] | None = None
        self._opening: asyncio.Task[None] | None = None

    @property
    def is_wanted(self) -> bool:
        return self._early is not None or bool(self._open)

    def open(self, config: EngineConfig, pool: Pool) -> None:
        """Open what is wanted, in the background; nothing of it is imported where it is not."""
        spans, metrics = over_otlp(config.environment)
        port = config.settings.telemetry.prometheus
        if not config.otr and (spans or metrics or port):
            self._early = []
            self._opening = asyncio.create_task(self._begin(config, pool, spans, metrics))
            self._opening.add_done_callback(self._failed)

    async def _begin(self, config: EngineConfig, pool: Pool, spans: bool, metrics: bool) -> None:
        found: list[Sink] = []
        port = config.settings.telemetry.prometheus
        try:
            if port:
                served = prometheus.Prometheus(self._log)
                await served.open(port)
                found.append(served)
        except OSError as error:
            self._log.warning("telemetry: no metrics at port %d: %s", port, error.strerror or error)
        try:
            if spans or metrics:
                silence_log(self._log, Scrubber(known_secrets(config.environment)).scrub)
                found.append(
                    await asyncio.get_running_loop().run_in_executor(pool, _otel, spans, metrics)
                )
        except ImportError as error:
            self._log.warning(
                "telemetry: nothing is sent, the extra `otel` is not installed: %s", error
            )
        except (ValueError, RuntimeError, OSError) as error:
            self._log.warning("telemetry: nothing is sent: %s", error)
        self._ready(found)

    def _ready(self, found: list[Sink]) -> None:
        self._open, early, self._early = found, self._early or [], None
        for call in early:
            self._each(call)

    def _failed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("telemetry: nothing is measured", exc_info=error)
            self._ready([])

    def on_begin(self, operation: Operation) -> None:
        self._tell(lambda sink: sink.on_begin(operation))

    def on_end(self, operation: Operation) -> None:
        self._tell(lambda sink: sink.on_end(operation))

    def on_happening(self, what: Happening) -> None:
        self._tell(lambda sink: sink.on_happening(what))

    def _tell(self, call: Callable[[Sink], None]) -> None:
        if self._early is None:
            self._each(call)
        elif len(self._early) < MOST_EARLY:
            self._early.append(call)

    def _each(self, call: Callable[[Sink], None]) -> None:
        for sink in self._open:
            call(sink)

    async def close(self, pool: Pool) -> None:
        """Send what is left, for at most `CLOSING_SECONDS`; a short program has yet to import what
        sends it."""
        if self._opening is not None:
            await asyncio.wait({self._opening}, timeout=OPENING_SECONDS)
        loop = asyncio.get_running_loop()
        ends = [loop.run_in_executor(pool, end) for sink in self._open for end in sink.close()]
        self._open = []
        if ends:
            await asyncio.wait(ends, timeout=CLOSING_SECONDS)


def _otel(spans: bool, metrics: bool) -> Sink:
    return otel.Otel(spans, metrics)


def over_otlp(environment: Mapping[str, str]) -> tuple[bool, bool]:
    """Whether the standard variables want spans and metrics sent."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False, False
    spans, metrics = (_signal(environment, name) for name in ("TRACES", "METRICS"))
    return spans, metrics


def _signal(environment: Mapping[str, str], name: str) -> bool:
    exporters = environment.get(f"OTEL_{name}_EXPORTER", "").replace(" ", "").split(",")
    if exporters != [""]:
        return "otlp" in exporters
    return any(environment.get(f"OTEL_EXPORTER_OTLP_{part}ENDPOINT") for part in ("", f"{name}_"))
