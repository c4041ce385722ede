"""OpenAI's Responses, for the conformance table: an answer is items, and every event says which it
is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_tui.providers import openai
from agent_tui.providers.base import Provider, ProviderSetup
from tests.providers.servers import ANSWERED, COMPLETION, KEY, PROMPT, Dialect, Said, sse

ENCRYPTED = "Z2VoZWlt"
USAGE = {
    "input_tokens": PROMPT, "input_tokens_details": {"cached_tokens": 3},
    "output_tokens": COMPLETION, "output_tokens_details": {"reasoning_tokens": 3},
}  # fmt: skip


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + sse({"type": kind, **fields})


def groups(said: Sequence[Said]) -> list[list[Said]]:
    """Parts of one kind that follow each other are one item; a call is always one of its own."""
    found: list[list[Said]] = []
    for part in said:
        if part.kind == "call" or not found or found[-1][0].kind != part.kind:
            found.append([])
        found[-1].append(part)
    return found


def item(at: int, group: Sequence[Said]) -> dict[str, Any]:
    whole = "".join(part.text for part in group)
    if group[0].kind == "call":
        return {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": group[0].id,
            "name": group[0].name,
            "arguments": whole,
            "status": "completed",
        }
    if group[0].kind == "thinking":
        summary = [{"type": "summary_text", "text": whole}]
        return {
            "type": "reasoning",
            "id": f"rs_{at}",
            "summary": summary,
            "encrypted_content": ENCRYPTED,
        }
    content = [{"type": "output_text", "text": whole, "annotations": []}]
    return {
        "type": "message",
        "id": f"msg_{at}",
        "role": "assistant",
        "content": content,
        "status": "completed",
    }


def told(at: int, group: Sequence[Said]) -> list[bytes]:
    whole = item(at, group)
    empty: dict[str, dict[str, Any]] = {
        "call": {"arguments": ""},
        "thinking": {"summary": [], "encrypted_content": None},
        "text": {"content": []},
    }
    opened = event(
        "response.output_item.added", output_index=at, item={**whole, **empty[group[0].kind]}
    )
    kinds = {
        "call": "function_call_arguments",
        "thinking": "reasoning_summary_text",
        "text": "output_text",
    }
    kind, found = kinds[group[0].kind], []
    texts = [part.text for part in group]
    if group[0].kind == "call":
        texts = [texts[0][start : start + 5] for start in range(0, len(texts[0]), 5)]
    for text in texts:
        beside = {"summary_index": 0} if group[0].kind == "thinking" else {}
        found.append(
            event(
                f"response.{kind}.delta", item_id=whole["id"], output_index=at, delta=text, **beside
            )
        )
    return [opened, *found, event("response.output_item.done", output_index=at, item=whole)]


def ended(said: Sequence[Said], reason: str) -> dict[str, Any]:
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(reason)
    output = [item(at, group) for at, group in enumerate(groups(said))]
    state = {
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
    }
    told = {"object": "response", "id": "resp_1", "model": ANSWERED, "error": None}
    return {**told, "output": output, "usage": USAGE, **state}


def parts(said: Sequence[Said], reason: str) -> list[bytes]:
    end = ended(said, reason)
    started = event(
        "response.created", response={**end, "status": "in_progress", "output": [], "usage": None}
    )
    found = [payload for at, group in enumerate(groups(said)) for payload in told(at, group)]
    if found:  # so that the first words come with the second payload, as they do on every wire
        found[0:2] = [found[0] + found[1]]
    return [started, *found, event(f"response.{end['status']}", response=end)]


def raw_call(arguments: bytes, prompt: bytes) -> list[bytes]:
    call = b'{"type":"function_call","call_id":"a1","name":"ls","arguments":' + arguments + b"}"
    usage = b'{"input_tokens":' + prompt + b',"output_tokens":3}'
    return [
        sse(b'{"type":"response.output_item.done","output_index":0,"item":' + call + b"}"),
        sse(
            b'{"type":"response.completed","response":{"status":"completed","output":[],"usage":'
            + usage
            + b"}}"
        ),
    ]


def roles(body: Any) -> list[str]:
    """Words and calls of one answer count once."""
    found = ["system"] if body.get("instructions") else []
    for one in body["input"]:
        kinds = {
            "function_call": "assistant",
            "reasoning": "assistant",
            "function_call_output": "tool",
        }
        role = kinds.get(one.get("type")) or one["role"]
        if role != "assistant" or found[-1:] != ["assistant"]:
            found.append(role)
    return found


def create(address: str, options: Mapping[str, Any]) -> Provider:
    setup = ProviderSetup(f"{address}/v1", KEY, options={"api": "responses", **options})
    return openai.create("gpt-5", setup)


RESPONSES = Dialect(
    "openai-responses",
    "/v1/responses",
    "text/event-stream",
    create,
    parts,
    b'data: {"type": "response.outp\n\n',
    prompt=lambda body: str(body["input"][-1]["content"][0]["text"]),
    roles=roles,
    raw_call=raw_call,
    error=lambda data: (
        b"event: error\n" + sse(json.dumps({"type": "error", **json.loads(data)["error"]}).encode())
    ),
)
