"""What a provider is: one neutral stream in, whatever the wire. A provider is one file in this
folder.

A provider module `agent_tui/providers/<name>.py` exposes `create(model, setup) -> Provider`.
Failures are values in
the stream (`Failed`), never exceptions; only cancellation raises. A stream ends with exactly one
`Finished` or one
`Failed`, and nothing follows it.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from agent_tui.protocol.messages import ModelInfo, Request, StopReason, ToolCall, Usage
from agent_tui.structures.frozen import frozen

FailureKind = Literal[
    "unreachable",
    "auth",
    "unknown_model",
    "overflow",
    "rate_limited",
    "bad_request",
    "server",
    "broken_stream",
    "empty_stream",
    "malformed",
    "timeout",
]


@frozen
class TextChunk:
    text: str


@frozen
class ThinkingChunk:
    text: str


@frozen
class CallChunk:
    """Part of the arguments of call `index`; `id` and `name` come with its first part."""

    index: int
    text: str = ""
    id: str = ""
    name: str = ""


@frozen
class Finished:
    """The end of an answer. `calls` are whole, their arguments raw JSON text; `why` is the reason
    of a refusal as the server tells it, one line; `model` is the model that answered, where the
    server names it."""

    stop_reason: StopReason
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    state: str = ""
    why: str = ""
    model: str = ""


@frozen
class Failed:
    """`text` is one line that names the address or the model; `hint` says what to do."""

    kind: FailureKind
    text: str
    hint: str = ""
    may_pass: bool = False
    retry_after: float | None = None


StreamItem = TextChunk | ThinkingChunk | CallChunk | Finished | Failed


class ProviderError(Exception):
    """A question other than a stream (list, show, pull) failed; carries the same facts as
    `Failed`."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.text)
        self.failed = failed


class Provider(Protocol):
    """One model behind one wire."""

    name: str
    """The provider's own name, the part before the slash."""
    model: str
    """The model's name as its server knows it."""
    roots: tuple[Path, ...]
    """Folders beside the session's own where this provider wants to work (the demo's scratch
    folder)."""

    async def info(self) -> ModelInfo:
        """What is known of the model. Raises ProviderError."""
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """What the server offers. Raises ProviderError."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        """The answer, part by part. Who leaves before the end closes it (`aclosing`)."""
        ...

    async def prepare(self) -> None:
        """Load what the first request would have to wait for. Asks nobody."""
        ...

    async def close(self) -> None: ...


Vector: TypeAlias = "array[float]"
"""What a text means, as an embedding model says it. Its length is 1."""


@runtime_checkable
class Embedder(Protocol):
    """A provider whose server makes vectors of texts."""

    async def embed(self, texts: Sequence[str], seconds: float) -> tuple[Vector, ...]:
        """A vector for each. Raises ProviderError."""
        ...

    async def close(self) -> None: ...


@frozen
class ProviderSetup:
    """What `create` is given: settings of this provider and the environment it may read."""

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    num_ctx: int = 0
    """0: the smaller of the model's maximum and 32,768."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = Path()
    data: Path = Path()
    """The program's data folder (the demo keeps its scratch folder there)."""
    options: Mapping[str, object] = field(default_factory=dict)
    key_advice: str = ""
    """What to do where the key is refused; empty: what is said of its variable."""
