"""Anthropic's Messages, for the conformance table: an answer is blocks, a conversation takes turns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_tui.providers import anthropic
from agent_tui.providers.base import Provider, ProviderSetup
from tests.providers.servers import ANSWERED, COMPLETION, KEY, PROMPT, Dialect, Said, sse

STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
SIGNATURE = "c2lnbmVk"
READ, WRITTEN = 3, 2
"""Tokens of the prompt that the server had in its cache, and that it put there."""
USAGE = {
    "input_tokens": PROMPT - READ - WRITTEN, "output_tokens": 1,
    "cache_read_input_tokens": READ, "cache_creation_input_tokens": WRITTEN,
}  # fmt: skip
BEGUN = {"role": "assistant", "model": ANSWERED, "content": [], "usage": USAGE}
START: dict[str, Any] = {"type": "message_start", "message": BEGUN}


def start(index: int, **block: Any) -> bytes:
    return sse({"type": "content_block_start", "index": index, "content_block": block})


def delta(index: int, kind: str, **fields: Any) -> bytes:
    return sse({"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}})


def stop(index: int) -> bytes:
    return sse({"type": "content_block_stop", "index": index})


def end(reason: str, **usage: int) -> list[bytes]:
    told = {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": usage,
    }
    return [sse(told), sse({"type": "message_stop"})]


def blocks(said: Sequence[Said]) -> list[list[Said]]:
    """Parts of one kind that follow each other are one block; a call is always one of its own."""
    found: list[list[Said]] = []
    for part in said:
        if part.kind == "call" or not found or found[-1][0].kind != part.kind:
            found.append([])
        found[-1].append(part)
    return found


def parts(said: Sequence[Said], reason: str) -> list[bytes]:
    found = [sse(START)]
    for index, block in enumerate(blocks(said)):
        first = block[0]
        if first.kind == "call":
            found.append(start(index, type="tool_use", id=first.id, name=first.name, input={}))
            for at in range(0, len(first.text), 5):
                found.append(delta(index, "input_json_delta", partial_json=first.text[at : at + 5]))
        else:
            kind = first.kind
            opened, *more = [delta(index, f"{kind}_delta", **{kind: part.text}) for part in block]
            empty = {"signature": ""} if kind == "thinking" else {}
            found += [start(index, type=kind, **{kind: ""}, **empty) + opened, *more]
            if kind == "thinking":
                found.append(delta(index, "signature_delta", signature=SIGNATURE))
        found.append(stop(index))
    found.insert(min(2, len(found)), sse({"type": "ping"}))
    return [*found, *end(STOPS.get(reason, reason), output_tokens=COMPLETION)]


def raw_call(arguments: bytes, prompt: bytes) -> list[bytes]:
    call = b'{"type":"tool_use","id":"a1","name":"ls","input":' + arguments + b"}"
    return [
        sse(b'{"type":"message_start","message":{"usage":{"input_tokens":' + prompt + b"}}}"),
        sse(b'{"type":"content_block_start","index":0,"content_block":' + call + b"}"),
        stop(0),
        *end("tool_use", output_tokens=3),
    ]


def said_blocks(body: Any) -> list[tuple[str, dict[str, Any]]]:
    """What a request says, block by block, without the marks of the cache, which move."""
    texts = [("system", block) for block in body.get("system", [])]
    turns = [
        (message["role"], block) for message in body["messages"] for block in message["content"]
    ]
    plain = [
        (role, {k: v for k, v in block.items() if k != "cache_control"})
        for role, block in (*texts, *turns)
    ]
    if len(turns) > 1 and plain[-1][1] == {"type": "text", "text": "(Go on.)"}:
        plain.pop()  # stands in for what comes next
    return plain


def prompt(body: Any) -> str:
    return str(said_blocks(body)[-1][1]["text"])


def kept(body: bytes) -> bytes:
    head = body.partition(b'"messages":')[0]
    return head + b",".join(json.dumps(block).encode() for block in said_blocks(json.loads(body)))


def roles(body: Any) -> list[str]:
    """Words and calls of one answer count once."""
    found: list[str] = []
    for role, block in said_blocks(body):
        role = "tool" if block["type"] == "tool_result" else role
        if role != "assistant" or found[-1:] != ["assistant"]:
            found.append(role)
    return found


def create(address: str, options: Mapping[str, Any]) -> Provider:
    environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": address}
    return anthropic.create("m", ProviderSetup(environment=environment, options=options))


ANTHROPIC = Dialect(
    "anthropic",
    "/v1/messages",
    "text/event-stream",
    create,
    parts,
    b'data: {"type": "content_blo\n\n',
    prompt=prompt,
    kept=kept,
    roles=roles,
    raw_call=raw_call,
    refusal="refusal",
    error=lambda data: (
        b"event: error\n" + sse(json.dumps({"type": "error", **json.loads(data)}).encode())
    ),
)
