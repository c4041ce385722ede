"""What was said, as the conventions write it on a span: JSON. Only where the person wants that told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from agent_tui.protocol.messages import AssistantMessage, Message, Request, StopReason, ToolCall, ToolMessage

Scrub = Callable[[str], str]
_FINISHED: Final = {
    "tool_calls": "tool_call",
    "refusal": "content_filter",
    "cancelled": "error",
    "interrupted": "error",
}
"""Stop reasons that the conventions call otherwise."""


def asked(request: Request, scrub: Scrub) -> dict[str, str]:
    """A request: the system prompt and all messages."""
    return {
        "gen_ai.system_instructions": json.dumps([_text(scrub(request.system))]),
        "gen_ai.input.messages": json.dumps([_message(message, scrub) for message in request.messages]),
    }


def said(text: str, scrub: Scrub) -> str:
    """One message of the person."""
    return json.dumps([{"role": "user", "parts": [_text(scrub(text))]}])


def answered(
    text: str, scrub: Scrub, stop: StopReason = "stop", reasoning: str = "", calls: tuple[ToolCall, ...] = ()
) -> str:
    """An answer of the model."""
    parts = list(_parts(text, reasoning, calls, scrub))
    return json.dumps([{"role": "assistant", "parts": parts, "finish_reason": _FINISHED.get(stop, stop)}])


def _message(message: Message, scrub: Scrub) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        part = {"type": "tool_call_response", "id": message.call_id, "response": scrub(message.content)}
        return {"role": "tool", "parts": [part]}
    if isinstance(message, AssistantMessage):
        return {"role": "assistant", "parts": list(_parts(message.text, message.reasoning, message.calls, scrub))}
    images = [_text(f"[image {scrub(image.name)}]") for image in message.images]
    return {"role": "user", "parts": [_text(scrub(message.text)), *images]}


def _parts(text: str, reasoning: str, calls: tuple[ToolCall, ...], scrub: Scrub) -> Iterator[dict[str, Any]]:
    if reasoning:
        yield {"type": "reasoning", "content": scrub(reasoning)}
    if text:
        yield _text(scrub(text))
    for call in calls:
        yield {"type": "tool_call", "id": call.id, "name": call.name, "arguments": scrub(call.arguments)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}
