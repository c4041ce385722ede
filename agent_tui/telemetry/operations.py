"""What is measured of a session, in the words of OpenTelemetry's conventions for generative AI
(`gen_ai.*`)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final, Literal, Protocol

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    StopReason,
    ToolCall,
    ToolMessage,
)
from agent_tui.structures.frozen import frozen

Value = str | int | float | bool | tuple[str, ...]
Happening = Literal["agent_start", "request", "response", "tool", "agent_end", "error"]
OTHER: Final = "_OTHER"
"""The conventions' word for what has no name that may be told."""


@frozen
class Operation:
    """A turn, a request to a model or a call of a tool. `subject`: the agent, the model or the
    tool; `trace`: the id of the turn's trace; `began`, `ended`: seconds since the epoch; `error`:
    why it failed, in one word; `content`: what was said, where the person wants that told;
    `tokens`: what the server said that it took; `first_chunk`: seconds until the answer began."""

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
        more: dict[str, Value] = {
            "gen_ai.operation.name": self.name,
            **self.attributes,
            **self.content,
        }
        if self.tokens is not None:
            more |= {
                "gen_ai.usage.input_tokens": self.tokens[0],
                "gen_ai.usage.output_tokens": self.tokens[1],
            }
        if self.first_chunk is not None:
            more["gen_ai.response.time_to_first_chunk"] = self.first_chunk
        if self.error:
            more["error.type"] = self.error
        return {
            key: encodable_text(value) if isinstance(value, str) else value
            for key, value in more.items()
        }


def encodable_text(text: str) -> str:
    """`text` without what no UTF-8 can hold: one such character would cost all that is sent with
    it."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Sink(Protocol):
    """Where measurements go. `began` is told of turns alone: the others are part of one."""

    def on_begin(self, operation: Operation) -> None: ...
    def on_end(self, operation: Operation) -> None: ...
    def on_happening(self, what: Happening) -> None: ...
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


_SECONDS: Final = (
    0.01,
    0.02,
    0.04,
    0.08,
    0.16,
    0.32,
    0.64,
    1.28,
    2.56,
    5.12,
    10.24,
    20.48,
    40.96,
    81.92,
)
DURATION: Final = Instrument(
    "gen_ai.client.operation.duration", "s", "How long requests to models took.", _SECONDS
)
FIRST_CHUNK: Final = Instrument(
    "gen_ai.client.operation.time_to_first_chunk",
    "s",
    "How long it took until an answer began.",
    _SECONDS,
)
TOKENS: Final = Instrument(
    "gen_ai.client.token.usage",
    "{token}",
    "Tokens of requests and answers, as their servers count them.",
    tuple(4.0**power for power in range(14)),
)
TOOL: Final = Instrument(
    "gen_ai.execute_tool.duration", "s", "How long calls of tools took.", _SECONDS
)
AGENT: Final = Instrument("gen_ai.invoke_agent.duration", "s", "How long turns took.", _SECONDS)
EVENTS: Final = Instrument("agent_tui.events", "{event}", "What happened, by its kind.")
INSTRUMENTS: Final = (DURATION, FIRST_CHUNK, TOKENS, TOOL, AGENT, EVENTS)

Measured = tuple[Instrument, float, dict[str, str]]
_IN_METRICS: Final = (
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.tool.name",
    "gen_ai.agent.name",
)
"""Attributes of few values: each of them is a series of its own."""


def operation_measures(operation: Operation) -> Iterator[Measured]:
    """The numbers of an operation that has ended."""
    told: dict[str, str] = {"gen_ai.operation.name": operation.name}
    told |= {
        key: encodable_text(str(operation.attributes[key]))
        for key in _IN_METRICS
        if key in operation.attributes
    }
    failed = {"error.type": operation.error} if operation.error else {}
    instrument = {"chat": DURATION, "execute_tool": TOOL, "invoke_agent": AGENT}[operation.name]
    yield instrument, operation.seconds, told | failed
    if operation.first_chunk is not None:
        yield FIRST_CHUNK, operation.first_chunk, told
    for kind, count in zip(("input", "output"), operation.tokens or (), strict=False):
        yield TOKENS, count, {**told, "gen_ai.token.type": kind}


def happening_measure(what: Happening) -> Measured:
    return EVENTS, 1, {"agent_tui.event": what}


Scrub = Callable[[str], str]
_FINISHED: Final = {
    "tool_calls": "tool_call",
    "refusal": "content_filter",
    "cancelled": "error",
    "interrupted": "error",
}
"""Stop reasons that the conventions call otherwise."""


def request_fields(request: Request, scrub: Scrub) -> dict[str, str]:
    """A request: the system prompt and all messages."""
    return {
        "gen_ai.system_instructions": json.dumps([_text(scrub(request.system))]),
        "gen_ai.input.messages": json.dumps(
            [_message(message, scrub) for message in request.messages]
        ),
    }


def prompt_field(text: str, scrub: Scrub) -> str:
    """One message of the person."""
    return json.dumps([{"role": "user", "parts": [_text(scrub(text))]}])


def answer_field(
    text: str,
    scrub: Scrub,
    stop: StopReason = "stop",
    reasoning: str = "",
    calls: tuple[ToolCall, ...] = (),
) -> str:
    """An answer of the model."""
    parts = list(_parts(text, reasoning, calls, scrub))
    return json.dumps(
        [{"role": "assistant", "parts": parts, "finish_reason": _FINISHED.get(stop, stop)}]
    )


def _message(message: Message, scrub: Scrub) -> dict[str, object]:
    if isinstance(message, ToolMessage):
        part = {
            "type": "tool_call_response",
            "id": message.call_id,
            "response": scrub(message.content),
        }
        return {"role": "tool", "parts": [part]}
    if isinstance(message, AssistantMessage):
        return {
            "role": "assistant",
            "parts": list(_parts(message.text, message.reasoning, message.calls, scrub)),
        }
    images = [_text(f"[image {scrub(image.name)}]") for image in message.images]
    return {"role": "user", "parts": [_text(scrub(message.text)), *images]}


def _parts(
    text: str, reasoning: str, calls: tuple[ToolCall, ...], scrub: Scrub
) -> Iterator[dict[str, object]]:
    if reasoning:
        yield {"type": "reasoning", "content": scrub(reasoning)}
    if text:
        yield _text(scrub(text))
    for call in calls:
        yield {
            "type": "tool_call",
            "id": call.id,
            "name": call.name,
            "arguments": scrub(call.arguments),
        }


def _text(text: str) -> dict[str, object]:
    return {"type": "text", "content": text}


LONGEST: Final = 300
"""Characters of what is said about a failure."""
LIBRARIES: Final = ("opentelemetry", "urllib3")


class Once(logging.Handler):
    """The first of what is said is one line in the program's log, the rest goes nowhere."""

    def __init__(self, log: logging.Logger, scrub: Callable[[str], str]) -> None:
        super().__init__(logging.WARNING)
        self._log, self._scrub, self._said = log, scrub, False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._said:
            self._said = True
            text = " ".join(self._scrub(record.getMessage()).split())[:LONGEST]
            self._log.warning("telemetry: %s (said once)", text)


def silence_log(log: logging.Logger, scrub: Callable[[str], str]) -> None:
    handler = Once(log, scrub)
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        logger.propagate, logger.handlers = False, [handler]
