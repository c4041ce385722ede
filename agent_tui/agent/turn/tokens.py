"""How many tokens something is: as the server says; else by its own count, or an estimate that what
it said before has calibrated."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from agent_tui.agent.session.history import History
from agent_tui.agent.turn.request_measure import RequestMeasure, size_of
from agent_tui.paths import make_private
from agent_tui.protocol.events import AssistantReplied, ErrorRaised, Notice
from agent_tui.protocol.messages import (
    AssistantMessage,
    ModelInfo,
    Request,
    StopReason,
    ToolMessage,
    Usage,
)
from agent_tui.providers.base import Failed, Provider, ProviderError
from agent_tui.safety import file_access

BYTES: Final = 4.0
"""Bytes of UTF-8 a token where no server has said anything yet: right for English, near enough for
code."""
FEWEST, MOST = 1.0, 12.0
"""Bytes a token that can be: what a server says beyond counts something else."""
LEAST: Final = 200
"""Bytes from which on a count says something of the rest."""
NOTABLE: Final = 0.03
"""Part of the bytes a token by which they must have changed to be kept anew."""
FADING: Final = 0.5
"""What the counts before weigh beside a new one."""


@runtime_checkable
class Counting(Protocol):
    """A provider whose server counts the tokens of a request without answering it."""

    async def count_tokens(self, request: Request) -> int: ...


class Calibration:
    """Bytes a token, for each model, of what it reads and what it writes. `folder` keeps what was
    learned."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._seen = load(folder) if folder else {}
        self._kept = dict(self._seen)
        self.requests = RequestMeasure()
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
        """A file is only written for what makes a difference: estimates are no better than that
        anyway."""
        now, kept = (
            size / count
            for size, count in (self._seen[model, side], self._kept.get((model, side), (1, 1e9)))
        )
        if self._folder and abs(now - kept) > NOTABLE * now:
            self._kept[model, side] = self._seen[model, side]
            save(self._folder, {(model, side): self._seen[model, side]})

    def learn_usage(
        self, model: str, usage: Usage, request: Request, reply: AssistantReplied
    ) -> Usage:
        """`usage` as a server said it, what it left out estimated; what it did say is learned
        from."""
        sent, wrote = self.requests.size(request), size_of_reply(reply)
        if usage.prompt_tokens and not usage.estimated:
            self.learn(model, "read", sent, usage.prompt_tokens)
            if not usage.reasoning_tokens:  # thoughts may be counted that nobody was shown
                self.learn(model, "written", wrote, usage.completion_tokens)
        if not (usage.prompt_tokens or usage.completion_tokens or usage.estimated):
            return usage  # nothing is what it says
        if not usage.prompt_tokens:
            usage = replace(usage, prompt_tokens=self.tokens(model, "read", sent), estimated=True)
        if not usage.completion_tokens and wrote:
            usage = replace(
                usage, completion_tokens=self.tokens(model, "written", wrote), estimated=True
            )
        cached, thought = (
            min(usage.cached_tokens, usage.prompt_tokens),
            min(usage.reasoning_tokens, usage.completion_tokens),
        )
        return replace(usage, cached_tokens=cached, reasoning_tokens=thought)

    def estimate_usage(self, model: str, request: Request, reply: AssistantReplied) -> Usage:
        """What nobody said."""
        sent, wrote = self.requests.size(request), size_of_reply(reply)
        return Usage(
            self.tokens(model, "read", sent), self.tokens(model, "written", wrote), estimated=True
        )

    async def count_tokens(
        self, model: str, provider: Provider, request: Request
    ) -> tuple[int, bool]:
        """How many tokens `request` is, and whether that is an estimate."""
        if isinstance(provider, Counting) and model not in self._silent:
            try:
                found = await provider.count_tokens(request)
            except ProviderError:
                self._silent.add(model)
            else:
                self.learn(model, "read", self.requests.size(request), found)
                return found, False
        return self.tokens(model, "read", self.requests.size(request)), True


def size_of_reply(reply: AssistantReplied) -> int:
    calls = sum(size_of(call.arguments) + len(call.name) for call in reply.calls)
    return size_of(reply.text) + size_of(reply.reasoning) + calls


NEARLY: Final = 16
"""Tokens by which the counts of servers miss a window that is full."""
LARGEST: Final = 3
"""Parts of a request that are named where it is too long, and the least share of it that one must
be."""
SHARE: Final = 0.1


def goes_on(reply: AssistantReplied, cuts: int, limit: int) -> bool:
    """`cuts`: how many answers in a row were cut, this one included. Without any words there is
    nothing to go on
    with: asked again, the model would only think as long again."""
    return bool(reply.text) and not reply.calls and cuts <= limit


def cut_notice(reply: AssistantReplied, cuts: int, limit: int) -> Notice:
    """What the person reads about an answer that reached the model's token limit."""
    if reply.calls:
        return Notice(
            "The answer was cut at the model's token limit. Complete calls were run.", "warning"
        )
    if not reply.text:
        said = "The model reached its token limit before it wrote an answer."
        return Notice(said, "warning", "raise max_tokens of its provider, or lower the effort")
    if goes_on(reply, cuts, limit):
        return Notice(
            f"The answer reached the model's token limit and continues by itself ({cuts} of {limit})."
        )
    times = f" {cuts} times in a row" if cuts > 1 else ""
    said = f"The answer was cut at the model's token limit{times}."
    return Notice(
        said, "warning", "/continue resumes it; the setting agent.continues does it automatically"
    )


def stop_reason(reason: StopReason, usage: Usage | None, info: ModelInfo) -> StopReason:
    """`reason`, or `window` where an answer was cut because the context window is full. Servers
    without a word of
    their own for it (Ollama, llama.cpp) give the same reason as for the limit of one answer."""
    if (
        reason != "length"
        or usage is None
        or usage.estimated
        or info.window_assumed
        or not info.window
    ):
        return reason
    full = usage.prompt_tokens + usage.completion_tokens >= info.window - NEARLY
    return "window" if full else reason


def full_window(info: ModelInfo, history: History, interactive: bool) -> ErrorRaised:
    """The answer filled the context window: the turn ends, and what to do is said."""
    size = f" ({info.window:,} tokens)" if info.window else ""
    text = f"The context window of {info.name} is full{size}. The answer was cut there."
    return ErrorRaised(
        text=text, kind="overflow", hint=_remedy(history, interactive, answered=True)
    )


def too_long(
    failed: Failed,
    info: ModelInfo,
    history: History,
    tokens: Callable[[int], int],
    interactive: bool,
) -> Failed:
    """`failed`, with what takes most of the request that did not fit. `tokens`: about how many that
    many bytes are."""
    sizes = sorted(_parts(history), key=lambda part: part[1], reverse=True)
    whole = sum(size for _, size in sizes) or 1
    largest = [
        f"{name} ≈{tokens(size):,}" for name, size in sizes[:LARGEST] if size / whole >= SHARE
    ]
    window = f" of {info.window:,}" if info.window else ""
    text = f"{failed.text}. It is about {tokens(whole):,} tokens{window}; most of it: {', '.join(largest)}"
    return replace(failed, text=text, hint=_remedy(history, interactive, history.has_answered()))


def _remedy(history: History, interactive: bool, answered: bool) -> str:
    """What helps against a full window. `answered`: this turn is in the conversation, so it can be
    taken back."""
    earlier = answered or history.turn_at > 0
    if not interactive:
        rest = "start without -c or -r, or " if earlier else "shorten the prompt, or "
        return f"{rest}choose a model with a larger window (-m)"
    if earlier:
        return "/rewind to an earlier turn, /clear to start over, or /model with a larger window"
    return "shorten the prompt, or choose a /model with a larger window"


def _parts(history: History) -> Iterator[tuple[str, int]]:
    """All that a request holds: a name for each part, and its size in bytes."""
    yield "system prompt with instruction files and skills", size_of(history.system)
    yield "descriptions of the tools", size_of(history.tools)
    for place, message in enumerate(history.messages):
        if isinstance(message, ToolMessage):
            name = f"a result of {message.name}"
        elif isinstance(message, AssistantMessage):
            name = "an answer"
        else:
            name = "your prompt" if place >= history.turn_at else "an earlier prompt"
        yield name, size_of(message)


log = logging.getLogger(__name__)

NAME: Final = "tokens.json"
MOST_ROWS: Final = 400
"""Entries that are kept, the newest."""
LONGEST: Final = 200_000
"""Bytes of a file that is one of ours."""
LARGEST_FILE: Final = 10**12
"""Bytes that can be told of; no number that is none."""
Seen = dict[tuple[str, str], tuple[float, float]]
"""Bytes and tokens, by model and side."""


def load(folder: Path) -> Seen:
    path = folder / NAME
    try:
        data = json.loads(file_access.read_regular(path, LONGEST)[:LONGEST])
        good = (
            (model, side, size, count)
            for model, side, size, count in data
            if 0 < count <= size < LARGEST_FILE
        )
        return {
            (str(model), str(side)): (float(size), float(count))
            for model, side, size, count in good
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        log.warning("the learned token sizes cannot be read:  %s: %s", path, error)
        return {}


def save(folder: Path, seen: Mapping[tuple[str, str], tuple[float, float]]) -> None:
    """Add `seen` to what other sessions learned meanwhile."""
    whole = load(folder)
    for key, value in seen.items():
        whole.pop(key, None)
        whole[key] = value
    rows = [
        [*key, round(size, 1), round(count, 1)]
        for key, (size, count) in list(whole.items())[-MOST_ROWS:]
    ]
    try:
        make_private(folder)
        file_access.atomic_write(folder / NAME, json.dumps(rows).encode(), 0o600)
    except (OSError, ValueError) as error:
        log.warning("the learned token sizes cannot be saved:  %s", error)
