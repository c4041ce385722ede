"""An answer in the dialect of Anthropic's Messages: its events, or a whole message, to our
stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent_tui.protocol.messages import Request, StopReason, Usage
from agent_tui.providers.base import Failed, Finished
from agent_tui.providers.dialects.anthropic_messages import Block, Origin, stored_state
from agent_tui.providers.dialects.translate import (
    CallDeltas,
    CallIds,
    Parts,
    WholeText,
    arguments_of,
    count,
    text_in,
)
from agent_tui.providers.wire import failures

REASONS: Final[Mapping[str, StopReason]] = {
    "end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length",
    "model_context_window_exceeded": "window", "pause_turn": "length", "refusal": "refusal",
}  # fmt: skip
"""A pause is an answer that goes on when it is asked to, as one that was cut for its length."""
_ENDS: Final = ("message_delta", "message_stop")
_STEPS: Final = ("content_block_start", "content_block_delta", "content_block_stop", *_ENDS)
_INPUT: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_COUNTS: Final = (*_INPUT, "output_tokens")


class AnthropicAnswer:
    def __init__(self, request: Request, place: failures.Place, origin: Origin) -> None:
        self._place, self._origin = place, origin
        self._calls = CallDeltas(CallIds(request))
        self._called = 0
        self._text, self._thinking = WholeText(), WholeText()
        self._blocks: list[Block] = []
        self._open: dict[int, Block] = {}
        self._inputs: dict[int, object] = {}
        """Arguments that a call brought with it, by the call's number, until others come."""
        self._begun = self._stopped = False
        self._reason = self._why = ""
        self._usage: dict[str, int] = {}

    @property
    def has_ended(self) -> bool:
        return self._stopped or bool(self._reason)

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        kind = payload.get("type")
        if kind == "content_block_delta" and self._begun:  # nearly all of them are
            self._delta(payload, parts)
        elif kind == "message_start":
            self._begun = True
            self._counted(_object(payload.get("message")).get("usage"))
        elif kind == "message":
            self._message(payload, parts)
        elif kind in _STEPS and not self._begun:
            parts.add(self._broken("without a beginning"))
        elif kind == "content_block_start":
            self._start(payload, parts)
        elif kind == "content_block_stop":
            self._stop(payload, parts)
        elif kind in _ENDS:
            self._end(payload)

    def _broken(self, how: str) -> Failed:
        return Failed(
            "malformed",
            f"{self._place.server_label} sent an answer {how}",
            "try again",
            may_pass=True,
        )

    def _message(self, payload: dict[str, object], parts: Parts) -> None:
        """The whole answer at once, of a server that does not stream."""
        self._begun = self._stopped = True
        blocks = payload.get("content")
        for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
            self._start({"index": index, "content_block": block}, parts)
            self._stop({"index": index}, parts)
        self._reason = text_in(payload.get("stop_reason"))
        self._refused(payload)
        self._counted(payload.get("usage"))

    def _start(self, payload: dict[str, object], parts: Parts) -> None:
        data = _object(payload.get("content_block"))
        block = self._opened(payload, text_in(data.get("type")))
        match block.kind:
            case "text":
                self._said(block, text_in(data.get("text")), parts)
            case "thinking":
                block.signature = text_in(data.get("signature"))
                self._thought(block, text_in(data.get("thinking")), parts)
            case "redacted_thinking":
                block.data = text_in(data.get("data"))
            case "tool_use":
                block.call, self._called = self._called, self._called + 1
                if data.get("input"):
                    self._inputs[block.call] = data["input"]
                self._argued(
                    block, parts, "", id=text_in(data.get("id")), name=text_in(data.get("name"))
                )
            case _:
                pass  # a tool of the server's own, or what a later version of the dialect has

    def _opened(self, payload: dict[str, object], kind: str) -> Block:
        block = Block(kind)
        self._blocks.append(block)
        index = payload.get("index")
        self._open[index if isinstance(index, int) else len(self._open)] = block
        return block

    def _delta(self, payload: dict[str, object], parts: Parts) -> None:
        data = _object(payload.get("delta"))
        index = payload.get("index")
        block = self._open.get(index if isinstance(index, int) else len(self._open) - 1)
        kind = data.get("type")
        if kind in ("text_delta", "thinking_delta") and block is None:
            block = self._opened(payload, kind.removesuffix("_delta"))
        if block is None:
            if kind == "input_json_delta":
                parts.add(self._broken("with a call that has no name"))
        elif kind == "text_delta" and block.kind == "text":
            self._said(block, text_in(data.get("text")), parts)
        elif kind == "thinking_delta" and block.kind == "thinking":
            self._thought(block, text_in(data.get("thinking")), parts)
        elif kind == "signature_delta" and block.kind == "thinking":
            block.signature += text_in(data.get("signature"))
        elif (
            kind == "input_json_delta"
            and block.kind == "tool_use"
            and (part := text_in(data.get("partial_json")))
        ):
            self._inputs.pop(block.call, None)
            self._argued(block, parts, part)

    def _said(self, block: Block, text: str, parts: Parts) -> None:
        if text := self._text.feed(text):
            block.size += len(text)
            parts.add_text(text)

    def _thought(self, block: Block, text: str, parts: Parts) -> None:
        if text := self._thinking.feed(text):
            block.size += len(text)
            parts.add_thinking(text)

    def _argued(self, block: Block, parts: Parts, text: str, id: str = "", name: str = "") -> None:
        for chunk in self._calls.feed(
            {"index": block.call, "id": id, "function": {"name": name, "arguments": text}}
        ):
            parts.add(chunk)

    def _stop(self, payload: dict[str, object], parts: Parts) -> None:
        index = payload.get("index")
        block = self._open.get(index if isinstance(index, int) else len(self._open) - 1)
        if block is not None:
            self._closed(block, parts)

    def _closed(self, block: Block, parts: Parts) -> None:
        """A call whose arguments all came with it has them told now."""
        if block.kind == "tool_use" and block.call in self._inputs:
            self._argued(block, parts, arguments_of(self._inputs.pop(block.call)))

    def _end(self, payload: dict[str, object]) -> None:
        self._stopped = self._stopped or payload.get("type") == "message_stop"
        delta = _object(payload.get("delta"))
        self._reason = text_in(delta.get("stop_reason")) or self._reason
        self._refused(delta)
        self._counted(payload.get("usage"))

    def _refused(self, told: dict[str, object]) -> None:
        """Which rule a refusal follows, and why, where that is told."""
        details = _object(told.get("stop_details"))
        self._why = (
            failures.reason(self._place, details.get("category"), details.get("explanation"))
            or self._why
        )

    def _counted(self, usage: object) -> None:
        """Counts come at the start and, of all so far, at the end; some servers know the prompt's
        only then."""
        if isinstance(usage, dict):
            self._usage |= {name: n for name in _COUNTS if (n := count(usage.get(name)))}

    def rest(self, parts: Parts) -> None:
        if rest := self._text.close():
            next(block for block in reversed(self._blocks) if block.kind == "text").size += len(
                rest
            )
            parts.add_text(rest)
        for block in self._blocks:
            self._closed(block, parts)

    def finish(self) -> Finished:
        calls = self._calls.calls()
        reason = REASONS.get(self._reason, "stop")
        if reason in ("stop", "tool_calls"):
            reason = "tool_calls" if calls else "stop"
        why = self._why if reason == "refusal" else ""
        return Finished(reason, calls, self._told(), stored_state(self._origin, self._blocks), why)

    def _told(self) -> Usage | None:
        """What of the prompt was in the server's cache already is a part of it here, as with every
        other provider. Some servers count nothing, and say so with zeros."""
        if not self._usage:
            return None
        prompt = sum(self._usage.get(name, 0) for name in _INPUT)
        read, written = (self._usage.get(name, 0) for name in _INPUT[1:])
        return Usage(prompt, self._usage.get("output_tokens", 0), read, cache_write_tokens=written)


def _object(data: object) -> dict[str, object]:
    return data if isinstance(data, dict) else {}
