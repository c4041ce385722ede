"""The dialect of OpenAI's Responses: a conversation as a list of items, and what of an answer goes back to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from agent_tui.protocol.messages import AssistantMessage, Message, Request, ToolMessage, UserMessage
from agent_tui.providers._models import reasons
from agent_tui.providers._quirks import NOTHING, fitting_id
from agent_tui.providers._translate import arguments_text, compact, state_of

ENCRYPTED: Final = "reasoning.encrypted_content"
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote an answer. What it thought, encrypted, is only readable for the same model of the same server."""

    provider: str
    host: str
    model: str


def body(request: Request, origin: Origin, most: int, effort: str, summary: bool, streams: bool) -> bytes:
    """The request as bytes: `input` last, so that a longer conversation starts with the bytes of the shorter one.

    Nothing is kept at the server (`store`): thoughts come encrypted instead, and go back with their answer.
    """
    fields: Item = {"model": origin.model, "stream": streams, "store": False}
    if request.system:
        fields["instructions"] = request.system
    if reasons(origin.model):
        fields["include"] = [ENCRYPTED]
        told = {**({"effort": effort} if effort else {}), **({"summary": "auto"} if summary else {})}
        fields |= {"reasoning": told} if told else {}
    if most:
        fields["max_output_tokens"] = most
    if request.tools:
        fields["tools"] = [
            {"type": "function", "name": t.name, "description": t.description, "parameters": t.parameters,
             "strict": False}
            for t in request.tools
        ]  # fmt: skip
    given = [item for message in request.messages for item in _items(message, origin)]
    return compact({**fields, "input": given}).encode("utf-8", errors="replace")


def _items(given: Message, origin: Origin) -> Iterable[Item]:
    match given:
        case UserMessage():
            pictures = [
                {"type": "input_image", "image_url": f"data:{image.media};base64,{image.data}"}
                for image in given.images
            ]
            return ({"role": "user", "content": [{"type": "input_text", "text": given.text}, *pictures]},)
        case ToolMessage():
            words = given.content or NOTHING
            return ({"type": "function_call_output", "call_id": fitting_id(given.call_id), "output": words},)
        case AssistantMessage():
            found = list(_replayed(given, origin))
            while found and found[-1]["type"] == "reasoning":  # cut before anything came of it: alone it is refused
                found.pop()
            return found


def _replayed(given: AssistantMessage, origin: Origin) -> Iterator[Item]:
    """An answer as it came, item by item, where it is this model's own; else its words and its calls."""
    calls = iter(given.calls)
    text = given.text
    for kind, value in _kept(given, origin):
        if kind == "reasoning":
            yield value
        elif kind == "text":
            yield from _said(text[: value["size"]], value.get("phase"))
            text = text[value["size"] :]
        else:
            yield _call(next(calls))
    yield from _said(text)
    yield from map(_call, calls)


def _said(text: str, phase: Any = None) -> Iterator[Item]:
    if text:
        more = {"phase": phase} if isinstance(phase, str) else {}
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield {"type": "message", "role": "assistant", "status": "completed", "content": content, **more}


def _call(call: Any) -> Item:
    return {"type": "function_call", "call_id": fitting_id(call.id), "name": call.name,
            "arguments": arguments_text(call.arguments)}  # fmt: skip


def state(origin: Origin, parts: list[tuple[str, Item]]) -> str:
    """What to keep of an answer: its parts in their order; empty where there is nothing but words and calls."""
    if not any(kind == "reasoning" or value.get("phase") for kind, value in parts):
        return ""
    return state_of({"host": origin.host, "model": origin.model, "parts": [list(part) for part in parts]})


def _kept(given: AssistantMessage, origin: Origin) -> list[tuple[str, Item]]:
    """The parts of an answer of `origin`'s own; none where it is another's, or does not fit any more."""
    if given.provider != origin.provider or not given.state:
        return []
    try:
        kept = json.loads(given.state)
    except (ValueError, RecursionError):
        return []
    if not isinstance(kept, dict) or (kept.get("host"), kept.get("model")) != (origin.host, origin.model):
        return []
    found: list[tuple[str, Item]] = []
    for part in kept["parts"] if isinstance(kept.get("parts"), list) else ():
        match part:
            case ["reasoning", {"type": "reasoning"} as value] | ["text", {"size": int()} as value]:
                found.append((part[0], value))
            case ["call", dict(value)]:
                found.append(("call", value))
            case _:
                return []
    whole = sum(value["size"] for kind, value in found if kind == "text") == len(given.text)
    return found if whole and sum(kind == "call" for kind, _ in found) == len(given.calls) else []
