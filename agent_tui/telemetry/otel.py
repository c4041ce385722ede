"""Spans and metrics over OTLP, by OpenTelemetry's own SDK (the extra `otel`): imported only where
it is wanted.

The SDK reads the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, headers, certificates,
samplers, …) by itself, and sends from its own threads. The id of a turn's trace is the one that its
records in the log have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Counter, Histogram
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

from agent_tui.telemetry.operations import (
    INSTRUMENTS,
    Happening,
    Instrument,
    Measured,
    Operation,
    encodable_text,
    happening_measure,
    operation_measures,
)

NAME: Final = "agent-tui"
_KINDS: Final = {"chat": SpanKind.CLIENT}


class _Ids(RandomIdGenerator):
    """Gives the next trace the id that its turn has on record."""

    trace = 0

    def generate_trace_id(self) -> int:
        return self.trace or super().generate_trace_id()


class Otel:
    """Sends spans, metrics or both. Raises ValueError, RuntimeError where a variable has a value
    that the SDK does not take."""

    def __init__(self, spans: bool, metrics: bool) -> None:
        resource = _resource()
        self._ids = _Ids()
        self._root: Span | None = None
        """The turn that the spans are part of."""
        self._spans = TracerProvider(
            resource=resource, id_generator=self._ids, shutdown_on_exit=False
        )
        if spans:
            self._spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._spans.get_tracer(NAME, version(NAME))
        readers = [PeriodicExportingMetricReader(OTLPMetricExporter())] if metrics else []
        self._metrics = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
        self._instruments = {each.name: self._made(each) for each in INSTRUMENTS}

    def _made(self, each: Instrument) -> Counter | Histogram:
        meter = self._metrics.get_meter(NAME, version(NAME))
        if not each.bounds:
            return meter.create_counter(each.name, each.unit, each.about)
        return meter.create_histogram(
            each.name, each.unit, each.about, explicit_bucket_boundaries_advisory=list(each.bounds)
        )

    def on_begin(self, operation: Operation) -> None:
        self._root = self._span(operation, None)

    def on_end(self, operation: Operation) -> None:
        root = self._root
        if root is not None and root.get_span_context().trace_id != int(operation.trace, 16):
            root = None
        if operation.name == "invoke_agent" and not operation.below:
            span = root or self._span(operation, None)
        else:
            span = self._span(operation, root)
        span.set_attributes(operation.all_attributes())
        if operation.error:
            span.set_status(Status(StatusCode.ERROR))
        span.end(_nanoseconds(operation.began + operation.seconds))
        for one in operation_measures(operation):
            self._measure(one)

    def on_happening(self, what: Happening) -> None:
        self._measure(happening_measure(what))

    def close(self) -> Iterable[Callable[[], object]]:
        return self._spans.shutdown, self._metrics.shutdown

    def _span(self, operation: Operation, parent: Span | None) -> Span:
        self._ids.trace = int(operation.trace, 16)
        context = Context() if parent is None else set_span_in_context(parent, Context())
        return self._tracer.start_span(
            encodable_text(f"{operation.name} {operation.subject}"),
            context,
            _KINDS.get(operation.name, SpanKind.INTERNAL),
            operation.all_attributes(),
            start_time=_nanoseconds(operation.began),
        )

    def _measure(self, one: Measured) -> None:
        instrument, value, attributes = one
        found = self._instruments[instrument.name]
        if isinstance(found, Histogram):
            found.record(value, attributes)
        else:
            found.add(value, attributes)


def _resource() -> Resource:
    """What the variables say that this program is; else its own name."""
    found = Resource.create()
    named = str(found.attributes.get("service.name", ""))
    own = {"service.name": NAME} if named.startswith("unknown_service") else {}
    return Resource({"service.version": version(NAME)}).merge(found).merge(Resource(own))


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1_000) * 1_000_000
