"""The dialect of OpenAI's Responses: a conversation as a list of items, and what of an answer goes
back to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    StopReason,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from agent_tui.providers.base import CallChunk, Finished
from agent_tui.providers.dialects.chat_quirks import NOTHING, fitting_id
from agent_tui.providers.dialects.translate import (
    CallIds,
    Parts,
    WholeText,
    arguments_of,
    arguments_text,
    compact,
    count,
    drop_surrogates,
    name_in,
    state_of,
    text_in,
)
from agent_tui.providers.services.openai import reasons
from agent_tui.providers.wire import failures
from agent_tui.structures.frozen import frozen

ENCRYPTED: Final = "reasoning.encrypted_content"
Item = dict[str, object]


@frozen
class Origin:
    """Who wrote an answer. What it thought, encrypted, is only readable for the same model of the
    same server."""

    provider: str
    host: str
    model: str


def body(
    request: Request,
    origin: Origin,
    most: int,
    effort: str,
    summary: bool,
    streams: bool,
    own: bool = False,
) -> bytes:
    """The request as bytes: `input` last, so that a longer conversation starts with the bytes of
    the shorter one.

    Nothing is kept at the server (`store`): thoughts come encrypted instead, and go back with their
    answer. `own`: the server is OpenAI's.
    """
    fields: Item = {"model": origin.model, "stream": streams, "store": False}
    if own:
        fields |= cache_key(request)
    if request.system:
        fields["instructions"] = request.system
    if reasons(origin.model):
        fields["include"] = [ENCRYPTED]
        told = {
            **({"effort": effort} if effort else {}),
            **({"summary": "auto"} if summary else {}),
        }
        fields |= {"reasoning": told} if told else {}
    elif request.temperature is not None:  # models that reason refuse it
        fields["temperature"] = request.temperature
    if most:
        fields["max_output_tokens"] = most
    if request.tools:
        fields["tools"] = [
            {
                "type": "function",
                "name": t.name,
                "description": t.description,
                "parameters": t.parameters,
                "strict": False,
            }
            for t in request.tools
        ]
    given = [item for message in request.messages for item in _items(message, origin)]
    return compact({**fields, "input": given}).encode("utf-8", errors="replace")


def cache_key(request: Request) -> Item:
    """Sends requests that begin alike to the same machine, where what they begin with is kept
    (OpenAI, "Prompt caching")."""
    begins = request.system.encode("utf-8", "surrogatepass")
    return {"prompt_cache_key": hashlib.sha256(begins).hexdigest()[:32]} if begins else {}


def _items(given: Message, origin: Origin) -> Iterable[Item]:
    match given:
        case UserMessage():
            pictures = [
                {"type": "input_image", "image_url": f"data:{image.media};base64,{image.data}"}
                for image in given.images
            ]
            return (
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": given.text}, *pictures],
                },
            )
        case ToolMessage():
            words = given.content or NOTHING
            return (
                {
                    "type": "function_call_output",
                    "call_id": fitting_id(given.call_id),
                    "output": words,
                },
            )
        case AssistantMessage():
            found = list(_replayed(given, origin))
            while (
                found and found[-1]["type"] == "reasoning"
            ):  # cut before anything came of it: alone it is refused
                found.pop()
            return found


def _replayed(given: AssistantMessage, origin: Origin) -> Iterator[Item]:
    """An answer as it came, item by item, where it is this model's own; else its words and its
    calls."""
    calls = iter(given.calls)
    text = given.text
    for kind, value, size in _kept(given, origin):
        if kind == "reasoning":
            yield value
        elif kind == "text":
            yield from _said(text[:size], value.get("phase"))
            text = text[size:]
        else:
            yield _call(next(calls))
    yield from _said(text)
    yield from map(_call, calls)


def _said(text: str, phase: object = None) -> Iterator[Item]:
    if text:
        more = {"phase": phase} if isinstance(phase, str) else {}
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
            **more,
        }


def _call(call: ToolCall) -> Item:
    return {
        "type": "function_call",
        "call_id": fitting_id(call.id),
        "name": call.name,
        "arguments": arguments_text(call.arguments),
    }


def state(origin: Origin, parts: list[tuple[str, Item]]) -> str:
    """What to keep of an answer: its parts in their order; empty where there is nothing but words
    and calls."""
    if not any(kind == "reasoning" or value.get("phase") for kind, value in parts):
        return ""
    return state_of(
        {"host": origin.host, "model": origin.model, "parts": [list(part) for part in parts]}
    )


def _kept(given: AssistantMessage, origin: Origin) -> list[tuple[str, Item, int]]:
    """The parts of an answer of `origin`'s own, those of text with their sizes; none where it is
    another's, or does not fit any more."""
    if given.provider != origin.provider or not given.state:
        return []
    try:
        kept = json.loads(given.state)
    except (ValueError, RecursionError):
        return []
    if not isinstance(kept, dict) or (kept.get("host"), kept.get("model")) != (
        origin.host,
        origin.model,
    ):
        return []
    found: list[tuple[str, Item, int]] = []
    for part in kept["parts"] if isinstance(kept.get("parts"), list) else ():
        match part:
            case ["text", {"size": int(size)} as value]:
                found.append(("text", value, size))
            case ["reasoning", {"type": "reasoning"} as value] | ["call", dict(value)]:
                found.append((part[0], value, 0))
            case _:
                return []
    calls = sum(kind == "call" for kind, *_ in found)
    whole = sum(size for *_, size in found) == len(given.text) and calls == len(given.calls)
    return found if whole else []


INCOMPLETE: Final[Mapping[str, StopReason]] = {
    "max_output_tokens": "length",
    "content_filter": "refusal",
}
THOUGHTS: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
WORDS: Final = ("response.output_text.delta", "response.refusal.delta")
"""A refusal in words is the answer."""
ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


@dataclass(slots=True)
class _Part:
    """One item of the output. `number`: a call's own among the calls; `size`: characters that were
    told of it."""

    kind: str
    call: str = ""
    name: str = ""
    number: int = -1
    told: list[str] = field(default_factory=list)
    size: int = 0
    item: dict[str, object] = field(default_factory=dict)
    done: bool = False


class ResponsesAnswer:
    def __init__(self, request: Request, place: failures.Place, origin: Origin) -> None:
        self._place, self._origin = place, origin
        self._ids = CallIds(request)
        self._parts: dict[int, _Part] = {}
        self._text, self._thinking = WholeText(), WholeText()
        self._calls = 0
        self._thought_in: tuple[int, object] | None = None
        self._why = ""
        self._reason: StopReason | None = None
        self._usage: Usage | None = None
        self._last: _Part | None = None

    @property
    def has_ended(self) -> bool:
        return self._reason is not None

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        kind, at = payload.get("type"), payload.get("output_index")
        if self.has_ended:
            return
        if (
            payload.get("object") == "response"
        ):  # a server that does not stream sends the whole response
            self._whole(payload, parts)
        elif kind in WORDS and isinstance(at, int):  # nearly all of them are
            self._words(self._part(at, "message"), text_in(payload.get("delta")), parts)
        elif kind == "error":
            parts.add(failures.from_payload(self._place, payload))
        elif kind in ENDS:
            if isinstance(response := payload.get("response"), dict):
                self._whole(response, parts)
        elif isinstance(at, int):
            self._of_item(at, text_in(kind), payload, parts)

    def _of_item(self, at: int, kind: str, payload: dict[str, object], parts: Parts) -> None:
        delta = text_in(payload.get("delta"))
        if kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(item := payload.get("item"), dict):
                self._item(at, item, kind.endswith("done"), parts)
        elif kind in THOUGHTS:
            self._thought(
                at, payload.get("summary_index", payload.get("content_index")), delta, parts
            )
        elif kind == "response.function_call_arguments.delta":
            self._arguments(self._part(at, "function_call"), delta, parts)

    def _part(self, at: int, kind: str) -> _Part:
        return self._parts.get(at) or self._parts.setdefault(at, _Part(kind))

    def _words(self, part: _Part, delta: str, parts: Parts) -> None:
        self._last = part
        if text := self._text.feed(delta):
            part.size += len(text)
            parts.add_text(text)

    def _thought(self, at: int, paragraph: object, delta: str, parts: Parts) -> None:
        """Thoughts come in paragraphs, and of several items: an empty line stands between them."""
        before, self._thought_in = self._thought_in, (at, paragraph)
        self._part(at, "reasoning").size += len(delta)
        gap = "\n\n" if before is not None and before != self._thought_in else ""
        if text := self._thinking.feed(gap + delta):
            parts.add_thinking(text)

    def _arguments(self, part: _Part, delta: str, parts: Parts) -> None:
        if not delta or part.done:
            return
        part.told.append(drop_surrogates(delta))
        if part.number >= 0:
            parts.add(CallChunk(part.number, part.told[-1]))

    def _item(self, at: int, item: dict[str, object], done: bool, parts: Parts) -> None:
        """An item begins or is whole: what was not told of it by then is told now."""
        part = self._part(at, text_in(item.get("type")))
        if part.done:
            return
        if part.kind == "function_call":
            self._call(part, item, done, parts)
        elif done and part.kind == "message" and not part.size:
            for content in _dicts(item.get("content")):
                self._words(
                    part, text_in(content.get("text")) or text_in(content.get("refusal")), parts
                )
        elif done and part.kind == "reasoning" and not part.size:
            for number, content in enumerate(
                (*_dicts(item.get("summary")), *_dicts(item.get("content")))
            ):
                self._thought(at, number, text_in(content.get("text")), parts)
        if done:
            part.item, part.done = item, True

    def _call(self, part: _Part, item: dict[str, object], done: bool, parts: Parts) -> None:
        name = name_in(item.get("name"))
        if part.number < 0 and (name or done):
            part.name, part.number = name, self._calls
            part.call = self._ids.take(text_in(item.get("call_id")))
            self._calls += 1
            parts.add(CallChunk(part.number, "".join(part.told), part.call, part.name))
        given, told = item.get("arguments"), "".join(part.told)
        complete = given if isinstance(given, str) else "" if given is None else arguments_of(given)
        if done and complete.startswith(told):
            self._arguments(part, drop_surrogates(complete[len(told) :]), parts)

    def _whole(self, response: dict[str, object], parts: Parts) -> None:
        """The response at its end: its state, its usage, and items that no event told of."""
        status, details = text_in(response.get("status")), response.get("incomplete_details")
        error = response.get("error")
        if not isinstance(error, dict) and status in ("failed", "cancelled"):
            error = {"message": f"the model stopped ({status})"}
        if isinstance(error, dict):
            parts.add(failures.from_payload(self._place, error))
            return
        for at, item in enumerate(_dicts(response.get("output"))):
            self._item(at, item, True, parts)
        why = text_in(details.get("reason")) if isinstance(details, dict) else ""
        self._reason = INCOMPLETE.get(why, "length") if status == "incomplete" else "stop"
        if self._reason == "refusal":
            self._why = failures.reason(self._place, why)
        if isinstance(usage := response.get("usage"), dict):
            self._usage = _usage(usage) or self._usage

    def rest(self, parts: Parts) -> None:
        for part in self._parts.values():
            if part.kind == "function_call" and not part.done:
                self._call(
                    part, {}, True, parts
                )  # it has no name, or no end: the model is told what is wrong with it
        rest = self._text.close()
        if rest and self._last is not None:
            self._last.size += len(rest)
        parts.add_text(rest)

    def finish(self) -> Finished:
        parts = [part for _, part in sorted(self._parts.items())]
        calls = sorted((part for part in parts if part.number >= 0), key=lambda part: part.number)
        settled = tuple(
            ToolCall(part.call, part.name, "".join(part.told) or "{}") for part in calls
        )
        reason = self._reason or "stop"
        if reason == "stop" and settled:
            reason = "tool_calls"
        kept = state(self._origin, list(filter(None, map(_part_kept, parts))))
        return Finished(reason, settled, self._usage, kept, self._why)


def _part_kept(part: _Part) -> tuple[str, dict[str, object]] | None:
    if part.kind == "reasoning" and part.item.get("encrypted_content"):
        names = ("type", "id", "summary", "encrypted_content")
        return "reasoning", {
            "summary": [],
            **{name: part.item[name] for name in names if name in part.item},
        }
    if part.kind == "message" and part.size:
        phase = part.item.get("phase")
        return "text", {"size": part.size, **({"phase": phase} if isinstance(phase, str) else {})}
    return ("call", {}) if part.number >= 0 else None


def _dicts(items: object) -> tuple[dict[str, object], ...]:
    return (
        tuple(item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()
    )


def _usage(data: dict[str, object]) -> Usage | None:
    """None where nothing was counted."""
    read, wrote = data.get("input_tokens_details"), data.get("output_tokens_details")
    cached = count(read.get("cached_tokens")) if isinstance(read, dict) else 0
    thought = count(wrote.get("reasoning_tokens")) if isinstance(wrote, dict) else 0
    prompt, completion = count(data.get("input_tokens")), count(data.get("output_tokens"))
    return (
        Usage(prompt, completion, cached, reasoning_tokens=thought)
        if prompt or completion
        else None
    )
