"""What a model is sent and what it answers, in no provider's dialect. Plain data; every provider
translates."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from agent_tui.structures.frozen import frozen

StopReason = Literal[
    "stop", "tool_calls", "length", "window", "refusal", "cancelled", "interrupted", "error"
]
"""`length`: the answer reached the model's limit of tokens; `window`: it filled the context window;
`refusal`: a filter stopped it (a refusal in words is an answer)."""


@frozen
class ToolCall:
    """A call as the model wrote it. `arguments` stays the raw JSON text, so that it is sent back
    byte for byte."""

    id: str
    name: str
    arguments: str = "{}"


@frozen
class Image:
    """A picture that goes with a message: `blob` is where it is kept, `data` its bytes in base64,
    filled in for the request alone."""

    name: str
    media: str
    blob: str
    data: str = field(default="", repr=False)


@frozen
class UserMessage:
    text: str
    images: tuple[Image, ...] = ()


@frozen
class AssistantMessage:
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    provider: str = ""
    """Which provider wrote it: `state` is only ever replayed to the same one."""
    state: str = ""
    """Opaque provider state (JSON text): signatures, reasoning items."""


@frozen
class ToolMessage:
    """The result of one call."""

    call_id: str
    name: str
    content: str


Message = UserMessage | AssistantMessage | ToolMessage


@frozen
class ToolSpec:
    """A tool as the model sees it. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, object]


@frozen
class Request:
    """One model call. Its bytes up to the last message are the same from step to step: that keeps
    caches warm."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 0
    """0: the provider's own default."""
    effort: str = ""
    """How hard to think (`ops.EFFORTS`); empty: as the provider's settings say, else as the model
    likes."""
    calls: int = 0
    """Calls that were made before, also those that no message tells of any more: no id is given
    twice."""
    temperature: float | None = None
    """None: the provider's own default."""


@frozen
class Usage:
    """Tokens of one request. `estimated` where the server did not say; what it read from its cache,
    and what it wrote there, are part of the prompt, what it thought is part of the completion."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@frozen
class ModelInfo:
    """What is known of a model. `window` is what will really be used, `window_max` what the model
    could; 0: unknown.
    `window_assumed`: nobody told how large it is."""

    name: str
    """`<provider>/<model>`."""
    window: int = 0
    window_max: int = 0
    tools: bool | None = None
    thinking: bool | None = None
    images: bool | None = None
    note: str = ""
    """What a person should know before the first prompt."""
    where: str = ""
    """The server that runs it, in words."""
    window_assumed: bool = False


@frozen
class SkillInfo:
    """A skill by name. `arguments` are its named places; empty with `free` where it takes one free
    text."""

    name: str
    description: str
    arguments: tuple[str, ...] = ()
    free: bool = False
    source: str = ""
    hint: str = ""
    """What the free text should be, in words, for the person (`argument-hint`)."""


MemoryScope = Literal["user", "project"]


@frozen
class MemoryFact:
    """Something that is remembered from session to session, for the person or for the project."""

    name: str
    scope: MemoryScope
    text: str
