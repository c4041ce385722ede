"""Gemini's dialect, for the conformance table and the tests of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_tui.providers import gemini
from agent_tui.providers.base import Provider, ProviderSetup
from tests.providers.servers import ANSWERED, COMPLETION, KEY, PROMPT, Dialect, Said, sse

STOPS = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "refusal": "PROHIBITED_CONTENT",
}
PATH = "/v1beta/models/m:streamGenerateContent?alt=sse"
THOUGHTS = 2
"""Of the tokens that were written."""
USAGE = {
    "promptTokenCount": PROMPT,
    "candidatesTokenCount": COMPLETION - THOUGHTS,
    "thoughtsTokenCount": THOUGHTS,
    "cachedContentTokenCount": 3,
    "totalTokenCount": PROMPT + COMPLETION,
}


def event(*parts: dict[str, Any], stop: str = "", usage: Mapping[str, int] | None = None) -> bytes:
    """One event of the stream."""
    content: dict[str, Any] = {"role": "model", **({"parts": list(parts)} if parts else {})}
    candidate = {"content": content, "index": 0, **({"finishReason": stop} if stop else {})}
    return sse(
        {
            "candidates": [candidate],
            "modelVersion": ANSWERED,
            **({"usageMetadata": usage} if usage else {}),
        }
    )


def gemini_parts(said: Sequence[Said], stop: str) -> list[bytes]:
    found = [sse({"usageMetadata": {"promptTokenCount": PROMPT}})]
    for part in said:
        if part.kind == "call":
            call = {
                "name": part.name,
                "args": json.loads(part.text),
                **({"id": part.id} if part.id else {}),
            }
            found.append(event({"functionCall": call}))
        else:
            found.append(
                event({"text": part.text, **({"thought": True} if part.kind == "thinking" else {})})
            )
    return [*found, event(stop=STOPS[stop], usage=USAGE)]


def gemini_raw_call(arguments: bytes, prompt: bytes) -> list[bytes]:
    call = b'{"functionCall":{"name":"ls","args":' + arguments + b"}}"
    usage = b'{"promptTokenCount":' + prompt + b',"candidatesTokenCount":3}'
    candidate = b'{"content":{"parts":[' + call + b']},"finishReason":"STOP"}'
    return [sse(b'{"candidates":[' + candidate + b'],"usageMetadata":' + usage + b"}")]


def said_by(content: dict[str, Any]) -> list[str]:
    """Whose words a content holds, in the terms of the table."""
    results = ["tool" for part in content["parts"] if "functionResponse" in part]
    return results or ["assistant" if content["role"] == "model" else str(content["role"])]


def roles(body: Any) -> list[str]:
    system = ["system"] if "systemInstruction" in body else []
    return [*system, *(role for content in body["contents"] for role in said_by(content))]


def kept(body: bytes) -> bytes:
    """The parts of a request as they follow each other: results of one answer's calls are parts of
    one content."""
    flat = body.removesuffix(b"]}]}")
    for role in (b"user", b"model"):
        flat = flat.replace(b']},{"role":"%s","parts":[' % role, b",")
    return flat


def create(address: str, options: Mapping[str, Any]) -> Provider:
    environment = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": address}
    return gemini.create("m", ProviderSetup(environment=environment, options=options))


GEMINI = Dialect(
    "gemini", PATH, "text/event-stream", create, gemini_parts, b'data: {"candidates": [{"cont\n\n',
    prompt=lambda body: str(body["contents"][-1]["parts"][0]["text"]),
    kept=kept, roles=roles, raw_call=gemini_raw_call, refusal="refusal",
)  # fmt: skip
