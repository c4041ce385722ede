"""A collector as OpenTelemetry's are: takes OTLP over HTTP, and keeps what it was sent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.agent.driving import Place


def value(of: AnyValue) -> Any:
    if of.WhichOneof("value") == "array_value":
        return [value(each) for each in of.array_value.values]
    return getattr(of, of.WhichOneof("value") or "string_value")


def attributes(found: Any) -> dict[str, Any]:
    pairs: list[KeyValue] = list(found.attributes)
    return {pair.key: value(pair.value) for pair in pairs}


@dataclass
class Collector:
    """What came, by path. `status`: how it answers; while `hanging`, it does not."""

    address: str = ""
    status: int = 200
    hanging: bool = False
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def raw(self, path: str) -> list[bytes]:
        return [body for where, body in self.bodies if where == path]

    @property
    def resources(self) -> list[dict[str, Any]]:
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.raw("/v1/traces")]
        return [attributes(each.resource) for request in sent for each in request.resource_spans]

    @property
    def spans(self) -> list[Span]:
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.raw("/v1/traces")]
        found = [
            span
            for request in sent
            for each in request.resource_spans
            for scope in each.scope_spans
            for span in scope.spans
        ]
        return sorted(
            found, key=lambda span: (span.start_time_unix_nano, bool(span.parent_span_id))
        )

    @property
    def metrics(self) -> dict[str, Metric]:
        sent = [ExportMetricsServiceRequest.FromString(body) for body in self.raw("/v1/metrics")]
        return {
            metric.name: metric
            for request in sent
            for each in request.resource_metrics
            for scope in each.scope_metrics
            for metric in scope.metrics
        }


@contextmanager
def collecting(status: int = 200, hanging: bool = False) -> Iterator[Collector]:
    collector = Collector(status=status, hanging=hanging)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.headers.append(dict(self.headers.items()))
            collector.bodies.append(
                (self.path, self.rfile.read(int(self.headers["Content-Length"])))
            )
            if collector.hanging:
                collector.release.wait(120)
            self.send_response(collector.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the screen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.release.set()
        server.shutdown()
        server.server_close()


def environment(place: Place, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return {**kept, "HOME": str(place.root), "AGENT_TUI_HOME": str(place.home), **more}


def run(place: Place, model: str, *flags: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The program itself, with one prompt."""
    return subprocess.run(
        [sys.executable, "-m", "agent_tui", "run", "my very own prompt", "-m", model, *flags],
        cwd=place.cwd,
        env=environment(place, **more),
        capture_output=True,
        text=True,
        timeout=100,
    )


def log(place: Place) -> str:
    """What the newest run wrote into the program's log."""
    newest = max(Path(place.home / "logs").glob("agent-*.log"), key=lambda path: path.name)
    return newest.read_text("utf-8")
