"""What there was at a moment of a session: the model, the context, what the next request would have
held."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from agent_tui.agent.session.history import History
from agent_tui.protocol.display import TODO_WORDS
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import ContextBuilt, fold
from agent_tui.protocol.messages import AssistantMessage, Message, ToolMessage
from agent_tui.protocol.transcript import Transcript
from agent_tui.sessions.index.stats import stats

NEWEST: Final = 20
"""Messages of the request that are shown."""
CHARS: Final = 600
"""Characters of each."""


def about(events: Iterable[Event], n: int) -> str:
    """What held after record `n`, as Markdown."""
    known = [event for event in events if event.n <= n]
    seen, history = fold(known), History()
    for event in known:
        history = history.after(event) if event.is_main else history
    return "\n".join((*_facts(seen, known), *_request(history)))


def _facts(seen: Transcript, known: list[Event]) -> Iterable[str]:
    counted = stats(known)
    window = f" of {'≈' * seen.window_assumed}{seen.window:,}" if seen.window else ""
    yield f"- model **{seen.model or 'none'}**, mode **{seen.mode}**, {seen.state.replace('_', ' ')}"
    yield f"- turn {seen.turn}, step {seen.steps}; {len(seen.queue)} in the queue"
    yield f"- context {'≈' * seen.estimated}{seen.context_tokens:,}{window} tokens"
    yield f"- so far {counted.tokens_in:,} tokens sent, {counted.tokens_out:,} written"
    if seen.todos:
        done = sum(item.state == "done" for item in seen.todos)
        yield f"- todo list, {done} of {len(seen.todos)} done"
        for item in seen.todos:
            yield f"  - {TODO_WORDS[item.state]}: `{item.text.replace('`', ' ')}`"
    built = next(
        (event for event in reversed(known) if isinstance(event, ContextBuilt) and event.is_main),
        None,
    )
    if built is not None:
        parts = ", ".join(f"{part.name} {part.chars:,}" for part in built.parts)
        yield f"- system prompt {len(built.system):,} characters ({parts}), {len(json.loads(built.tools)):,} tools"


def _request(history: History) -> Iterable[str]:
    messages = list(history.messages)
    yield ""
    yield f"## The request: {len(messages):,} message{'s' * (len(messages) != 1)}"
    for message in messages[-NEWEST:]:
        text = _said(message)
        cut = f"{text[:CHARS]} … ({len(text):,} characters)" if len(text) > CHARS else text
        fence = "`" * max(3, max((len(run) for run in _runs(cut)), default=0) + 1)
        yield f"\n**{_who(message)}**\n\n{fence}\n{cut}\n{fence}"


def _who(message: Message) -> str:
    if isinstance(message, ToolMessage):
        return f"tool {message.name}"
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _said(message: Message) -> str:
    if isinstance(message, AssistantMessage):
        calls = "\n".join(f"{call.name} {call.arguments}" for call in message.calls)
        return "\n".join(part for part in (message.text, calls) if part)
    return message.content if isinstance(message, ToolMessage) else message.text


def _runs(text: str) -> Iterable[str]:
    """The runs of backticks in `text`."""
    run = ""
    for letter in text + " ":
        if letter == "`":
            run += letter
        elif run:
            yield run
            run = ""
