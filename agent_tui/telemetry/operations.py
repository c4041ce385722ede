"""What is measured of a session, in the words of OpenTelemetry's conventions for generative AI (`gen_ai.*`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final, Literal, Protocol

from agent_tui.structures.frozen import frozen

Value = str | int | float | bool | tuple[str, ...]
Happening = Literal["agent_start", "request", "response", "tool", "agent_end", "error"]
OTHER: Final = "_OTHER"
"""The conventions' word for what has no name that may be told."""


@frozen
class Operation:
    """A turn, a request to a model or a call of a tool. `subject`: the agent, the model or the tool; `trace`: the id of
    the turn's trace; `began`, `ended`: seconds since the epoch; `error`: why it failed, in one word; `content`: what
    was said, where the person wants that told; `tokens`: what the server said that it took; `first_chunk`: seconds
    until the answer began."""

    name: Literal["invoke_agent", "chat", "execute_tool"]
    subject: str
    trace: str
    began: float
    ended: float = 0.0
    error: str = ""
    attributes: Mapping[str, Value] = field(default_factory=dict)
    content: Mapping[str, str] = field(default_factory=dict)
    tokens: tuple[int, int] | None = None
    first_chunk: float | None = None
    below: bool = False
    """The turn of a sub-agent: a part of the one that started it."""

    @property
    def seconds(self) -> float:
        """How long it took; a clock that was set back meanwhile makes nothing of it."""
        return max(0.0, self.ended - self.began)

    def all_attributes(self) -> dict[str, Value]:
        """Those of its span."""
        more: dict[str, Value] = {"gen_ai.operation.name": self.name, **self.attributes, **self.content}
        if self.tokens is not None:
            more |= {"gen_ai.usage.input_tokens": self.tokens[0], "gen_ai.usage.output_tokens": self.tokens[1]}
        if self.first_chunk is not None:
            more["gen_ai.response.time_to_first_chunk"] = self.first_chunk
        if self.error:
            more["error.type"] = self.error
        return {key: plain(value) if isinstance(value, str) else value for key, value in more.items()}


def plain(text: str) -> str:
    """`text` without what no UTF-8 can hold: one such character would cost all that is sent with it."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Sink(Protocol):
    """Where measurements go. `began` is told of turns alone: the others are part of one."""

    def began(self, operation: Operation) -> None: ...
    def ended(self, operation: Operation) -> None: ...
    def happened(self, what: Happening) -> None: ...
    def close(self) -> Iterable[Callable[[], object]]:
        """Take nothing more. What is left to do may take time, and is for another thread."""
        ...


@frozen
class Instrument:
    """A metric: a histogram with the upper `bounds` of its buckets, or without them a counter."""

    name: str
    unit: str
    about: str
    bounds: tuple[float, ...] = ()


_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
DURATION: Final = Instrument("gen_ai.client.operation.duration", "s", "How long requests to models took.", _SECONDS)
FIRST_CHUNK: Final = Instrument(
    "gen_ai.client.operation.time_to_first_chunk", "s", "How long it took until an answer began.", _SECONDS
)
TOKENS: Final = Instrument(
    "gen_ai.client.token.usage", "{token}", "Tokens of requests and answers, as their servers count them.",
    tuple(4.0**power for power in range(14)),
)  # fmt: skip
TOOL: Final = Instrument("gen_ai.execute_tool.duration", "s", "How long calls of tools took.", _SECONDS)
AGENT: Final = Instrument("gen_ai.invoke_agent.duration", "s", "How long turns took.", _SECONDS)
EVENTS: Final = Instrument("agent_tui.events", "{event}", "What happened, by its kind.")
INSTRUMENTS: Final = (DURATION, FIRST_CHUNK, TOKENS, TOOL, AGENT, EVENTS)

Measured = tuple[Instrument, float, dict[str, str]]
_IN_METRICS: Final = ("gen_ai.provider.name", "gen_ai.request.model", "gen_ai.tool.name", "gen_ai.agent.name")
"""Attributes of few values: each of them is a series of its own."""


def measured(operation: Operation) -> Iterator[Measured]:
    """The numbers of an operation that has ended."""
    told: dict[str, str] = {"gen_ai.operation.name": operation.name}
    told |= {key: plain(str(operation.attributes[key])) for key in _IN_METRICS if key in operation.attributes}
    failed = {"error.type": operation.error} if operation.error else {}
    instrument = {"chat": DURATION, "execute_tool": TOOL, "invoke_agent": AGENT}[operation.name]
    yield instrument, operation.seconds, told | failed
    if operation.first_chunk is not None:
        yield FIRST_CHUNK, operation.first_chunk, told
    for kind, count in zip(("input", "output"), operation.tokens or (), strict=False):
        yield TOKENS, count, {**told, "gen_ai.token.type": kind}


def counted(what: Happening) -> Measured:
    return EVENTS, 1, {"agent_tui.event": what}
