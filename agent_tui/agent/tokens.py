"""How many tokens something is: as the server says; else by its own count, or an estimate that what it said before has
calibrated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from agent_tui.agent import calibration_file
from agent_tui.protocol.events import AssistantReplied
from agent_tui.protocol.messages import AssistantMessage, Request, ToolMessage, ToolSpec, Usage, UserMessage
from agent_tui.providers.base import Provider, ProviderError

BYTES: Final = 4.0
"""Bytes of UTF-8 a token where no server has said anything yet: right for English, near enough for code."""
FEWEST, MOST = 1.0, 12.0
"""Bytes a token that can be: what a server says beyond counts something else."""
LEAST: Final = 200
"""Bytes from which on a count says something of the rest."""
IMAGE_BYTES: Final = 6_000
"""What an image counts as."""
NOTABLE: Final = 0.03
"""Part of the bytes a token by which they must have changed to be kept anew."""
FADING: Final = 0.5
"""What the counts before weigh beside a new one."""


@runtime_checkable
class Counting(Protocol):
    """A provider whose server counts the tokens of a request without answering it."""

    async def count_tokens(self, request: Request) -> int: ...


class Calibration:
    """Bytes a token, for each model, of what it reads and what it writes. `folder` keeps what was learned."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._seen = calibration_file.load(folder) if folder else {}
        self._kept = dict(self._seen)
        self._silent = set[str]()
        """Models whose server was asked for a count, and had none: it is not asked again."""

    def tokens(self, model: str, side: str, size: int) -> int:
        count, tokens = self._seen.get((model, side), (BYTES, 1.0))
        return round(size * tokens / count)

    def learn(self, model: str, side: str, size: int, tokens: int) -> None:
        if size < LEAST or not FEWEST <= size / max(tokens, 1) <= MOST:
            return
        before, counted = self._seen.get((model, side), (0.0, 0.0))
        self._seen[model, side] = before * FADING + size, counted * FADING + tokens
        self._keep(model, side)

    def _keep(self, model: str, side: str) -> None:
        """A file is only written for what makes a difference: estimates are no better than that anyway."""
        now, kept = (size / count for size, count in (self._seen[model, side], self._kept.get((model, side), (1, 1e9))))
        if self._folder and abs(now - kept) > NOTABLE * now:
            self._kept[model, side] = self._seen[model, side]
            calibration_file.save(self._folder, {(model, side): self._seen[model, side]})

    def heard(self, model: str, usage: Usage, request: Request, reply: AssistantReplied) -> Usage:
        """`usage` as a server said it, what it left out estimated; what it did say is learned from."""
        sent, wrote = size_of(request), size_of_reply(reply)
        if usage.prompt_tokens and not usage.estimated:
            self.learn(model, "read", sent, usage.prompt_tokens)
            if not usage.reasoning_tokens:  # thoughts may be counted that nobody was shown
                self.learn(model, "written", wrote, usage.completion_tokens)
        if not (usage.prompt_tokens or usage.completion_tokens or usage.estimated):
            return usage  # nothing is what it says
        if not usage.prompt_tokens:
            usage = replace(usage, prompt_tokens=self.tokens(model, "read", sent), estimated=True)
        if not usage.completion_tokens and wrote:
            usage = replace(usage, completion_tokens=self.tokens(model, "written", wrote), estimated=True)
        cached, thought = (
            min(usage.cached_tokens, usage.prompt_tokens),
            min(usage.reasoning_tokens, usage.completion_tokens),
        )
        return replace(usage, cached_tokens=cached, reasoning_tokens=thought)

    def guessed(self, model: str, request: Request, reply: AssistantReplied) -> Usage:
        """What nobody said."""
        sent, wrote = size_of(request), size_of_reply(reply)
        return Usage(self.tokens(model, "read", sent), self.tokens(model, "written", wrote), estimated=True)

    async def counted(self, model: str, provider: Provider, request: Request) -> tuple[int, bool]:
        """How many tokens `request` is, and whether that is an estimate."""
        if isinstance(provider, Counting) and model not in self._silent:
            try:
                found = await provider.count_tokens(request)
            except ProviderError:
                self._silent.add(model)
            else:
                self.learn(model, "read", size_of(request), found)
                return found, False
        return self.tokens(model, "read", size_of(request)), True


def size_of(request: Request) -> int:
    """The bytes of all that the model reads."""
    return size_of_words(request.system) + size_of_tools(request.tools) + sum(map(size_of_message, request.messages))


def size_of_reply(reply: AssistantReplied) -> int:
    calls = sum(size_of_words(call.arguments) + len(call.name) for call in reply.calls)
    return size_of_words(reply.text) + size_of_words(reply.reasoning) + calls


def size_of_message(message: UserMessage | AssistantMessage | ToolMessage) -> int:
    match message:
        case UserMessage():
            return size_of_words(message.text) + IMAGE_BYTES * len(message.images)
        case AssistantMessage():
            calls = sum(size_of_words(call.arguments) + len(call.name) for call in message.calls)
            return size_of_words(message.text) + calls
        case ToolMessage():
            return size_of_words(message.content)


def size_of_tools(tools: Iterable[ToolSpec]) -> int:
    return sum(map(_spec, tools))


def _spec(tool: ToolSpec) -> int:
    return size_of_words(tool.name) + size_of_words(tool.description) + len(repr(tool.parameters))


def size_of_words(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
