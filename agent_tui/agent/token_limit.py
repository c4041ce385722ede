"""What ends at a number of tokens: an answer at the model's limit, a request or an answer at the context window.

An answer that reached the model's own limit may go on by itself; one that filled the window never does: the next
request would hold all of it, and could only fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from agent_tui.agent.history import History
from agent_tui.agent.tokens import size_of_message, size_of_tools, size_of_words
from agent_tui.protocol.events import AssistantReplied, ErrorRaised, Notice
from agent_tui.protocol.messages import AssistantMessage, ModelInfo, StopReason, ToolMessage, Usage
from agent_tui.providers.base import Failed

NEARLY: Final = 16
"""Tokens by which the counts of servers miss a window that is full."""
LARGEST: Final = 3
"""Parts of a request that are named where it is too long, and the least share of it that one must be."""
SHARE: Final = 0.1


def goes_on(reply: AssistantReplied, cuts: int, limit: int) -> bool:
    """`cuts`: how many answers in a row were cut, this one included. Without any words there is nothing to go on
    with: asked again, the model would only think as long again."""
    return bool(reply.text) and not reply.calls and cuts <= limit


def cut_notice(reply: AssistantReplied, cuts: int, limit: int) -> Notice:
    """What the person reads about an answer that reached the model's token limit."""
    if reply.calls:
        return Notice("The answer was cut at the model's token limit. Complete calls were run.", "warning")
    if not reply.text:
        said = "The model reached its token limit before it wrote an answer."
        return Notice(said, "warning", "raise max_tokens of its provider, or lower the effort")
    if goes_on(reply, cuts, limit):
        return Notice(f"The answer reached the model's token limit and continues by itself ({cuts} of {limit}).")
    times = f" {cuts} times in a row" if cuts > 1 else ""
    said = f"The answer was cut at the model's token limit{times}."
    return Notice(said, "warning", "/continue resumes it; the setting agent.continues does it automatically")


def stop_reason(reason: StopReason, usage: Usage | None, info: ModelInfo) -> StopReason:
    """`reason`, or `window` where an answer was cut because the context window is full. Servers without a word of
    their own for it (Ollama, llama.cpp) give the same reason as for the limit of one answer."""
    if reason != "length" or usage is None or usage.estimated or info.window_assumed or not info.window:
        return reason
    full = usage.prompt_tokens + usage.completion_tokens >= info.window - NEARLY
    return "window" if full else reason


def full_window(info: ModelInfo, history: History, interactive: bool) -> ErrorRaised:
    """The answer filled the context window: the turn ends, and what to do is said."""
    size = f" ({info.window:,} tokens)" if info.window else ""
    text = f"The context window of {info.name} is full{size}. The answer was cut there."
    return ErrorRaised(text=text, kind="overflow", hint=_remedy(history, interactive, answered=True))


def too_long(
    failed: Failed, info: ModelInfo, history: History, tokens: Callable[[int], int], interactive: bool
) -> Failed:
    """`failed`, with what takes most of the request that did not fit. `tokens`: about how many that many bytes are."""
    sizes = sorted(_parts(history), key=lambda part: part[1], reverse=True)
    whole = sum(size for _, size in sizes) or 1
    largest = [
        f"{name} ≈{tokens(size):,}" for name, size in sizes[:LARGEST] if size / whole >= SHARE
    ]  # fmt: skip
    window = f" of {info.window:,}" if info.window else ""
    text = f"{failed.text}. It is about {tokens(whole):,} tokens{window}; most of it: {', '.join(largest)}"
    return replace(failed, text=text, hint=_remedy(history, interactive, history.answered()))


def _remedy(history: History, interactive: bool, answered: bool) -> str:
    """What helps against a full window. `answered`: this turn is in the conversation, so it can be taken back."""
    earlier = answered or history.turn_at > 0
    if not interactive:
        rest = "start without -c or -r, or " if earlier else "shorten the prompt, or "
        return f"{rest}choose a model with a larger window (-m)"
    if earlier:
        return "/rewind to an earlier turn, /clear to start over, or /model with a larger window"
    return "shorten the prompt, or choose a /model with a larger window"


def _parts(history: History) -> Iterator[tuple[str, int]]:
    """All that a request holds: a name for each part, and its size in bytes."""
    yield "system prompt with instruction files and skills", size_of_words(history.system)
    yield "descriptions of the tools", size_of_tools(history.tools)
    for place, message in enumerate(history.messages):
        if isinstance(message, ToolMessage):
            name = f"a result of {message.name}"
        elif isinstance(message, AssistantMessage):
            name = "an answer"
        else:
            name = "your prompt" if place >= history.turn_at else "an earlier prompt"
        yield name, size_of_message(message)
