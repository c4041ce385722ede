"""The dialect of Chat Completions: our messages to its own, its events to our stream, reasoning as
OpenRouter tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    StopReason,
    ToolMessage,
    Usage,
    UserMessage,
)
from agent_tui.providers.base import Finished
from agent_tui.providers.dialects.chat_quirks import NO_THOUGHT, wants_thoughts
from agent_tui.providers.dialects.translate import (
    CallDeltas,
    CallIds,
    Parts,
    WholeText,
    arguments_text,
    compact,
    count,
    state_of,
    text_in,
)
from agent_tui.providers.wire import failures

REASONS: Final[Mapping[str, StopReason]] = {
    "stop": "stop", "tool_calls": "tool_calls", "function_call": "tool_calls", "length": "length",
    "max_tokens": "length", "content_filter": "refusal", "refusal": "refusal",
}  # fmt: skip
GAVE_UP: Final = ("error", "insufficient_system_resource", "abort")
"""Finish reasons that are no end of an answer."""
REASONING: Final = ("reasoning_content", "reasoning")


def message(given: Message, provider: str, model: str = "") -> dict[str, object] | None:
    """`given` as `model` of `provider` gets it; None for an answer that was cut before it said
    anything, which servers
    refuse."""
    match given:
        case UserMessage():
            if not given.images:
                return {"role": "user", "content": given.text}
            parts = [
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:{image.media};base64,{image.data}"},
                }
                for image in given.images
            ]
            return {"role": "user", "content": [{"type": "text", "text": given.text}, *parts]}
        case ToolMessage():
            return {"role": "tool", "tool_call_id": given.call_id, "content": given.content}
        case AssistantMessage():
            if not given.text and not given.calls:
                return None
            wired: dict[str, object] = {"role": "assistant", "content": given.text or None}
            blocks, always = kept_details(given, provider, model), wants_thoughts(provider, model)
            if blocks:
                wired[DETAILS] = blocks
            if (
                blocks is None
                and (given.calls or always)
                and (field := _reasoning_field(given, provider))
            ):
                wired[field] = given.reasoning
            elif always and not blocks:
                wired[REASONING[0]] = NO_THOUGHT
            if given.calls:
                wired["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {
                            "name": call.name,
                            "arguments": arguments_text(call.arguments),
                        },
                    }
                    for call in given.calls
                ]
            return wired


def _reasoning_field(given: AssistantMessage, provider: str) -> str:
    """Where a server wants its reasoning back, with the calls that came of it; only ever its
    own."""
    if not given.state or not given.reasoning or given.provider != provider:
        return ""
    try:
        found = json.loads(given.state)
    except ValueError:
        return ""
    name = found.get("reasoning") if isinstance(found, dict) else ""
    return name if name in REASONING else ""


class ChatAnswer:
    def __init__(self, request: Request, place: failures.Place, think_tags: bool = False) -> None:
        self._place = place
        self._tags = ThinkTags() if think_tags else None
        self._calls = CallDeltas(CallIds(request))
        self._text = WholeText()
        self._thinking = WholeText()
        self._reason = ""
        self._why = ""
        self._reasoning_field = ""
        self._details = Details()
        self._usage: Usage | None = None

    @property
    def has_ended(self) -> bool:
        return bool(self._reason)

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        if isinstance(usage := payload.get("usage"), dict):
            self._usage = _usage(usage) or self._usage
        choices = payload.get("choices")
        told = choices if isinstance(choices, list) else ()
        # of several answers at once, which nobody asked for, the first
        choice = next((one for one in told if isinstance(one, dict) and not one.get("index")), None)
        if choice is None:
            if payload.get("object") == "error":  # older vLLM has no envelope for it
                parts.add(failures.from_payload(self._place, payload))
            return
        if isinstance(usage := choice.get("usage"), dict):  # Moonshot tells it there
            self._usage = _usage(usage) or self._usage
        if self.has_ended:
            return  # what comes behind the end is of no answer
        delta = choice.get("delta") or choice.get(
            "message"
        )  # a server that does not stream sends the whole message
        if isinstance(delta, dict):
            self._delta(delta, parts)
        if reason := text_in(choice.get("finish_reason")):
            self._ended(reason, choice, parts)

    def _ended(self, reason: str, choice: dict[str, object], parts: Parts) -> None:
        if reason in GAVE_UP:
            parts.add(
                failures.from_payload(self._place, {"message": f"the model stopped ({reason})"})
            )
            return
        self._reason = reason
        if REASONS.get(reason) == "refusal":
            self._why = failures.reason(
                self._place, reason, _filtered(choice.get("content_filter_results"))
            )

    def _delta(self, delta: dict[str, object], parts: Parts) -> None:
        text, thought = delta.get("content"), ""
        if not isinstance(text, str):
            text, thought = _content(text)
        more = (
            len(delta) > 1 or not text
        )  # most have nothing but their words: they are not looked through
        if more:
            thought = self._reasoning(delta) or thought
        if self._tags is not None:
            tagged, text = self._tags.feed(text)
            thought += tagged
            self._tags = None if self._tags.is_over else self._tags
        if more:
            text += text_in(delta.get("refusal"))  # a refusal in words is the answer
        if thought and (thought := self._thinking.feed(thought)):
            parts.add_thinking(thought)
        if text and (text := self._text.feed(text)):
            parts.add_text(text)
        if more:
            self._called(delta.get("tool_calls"), parts)

    def _reasoning(self, delta: dict[str, object]) -> str:
        """What a delta has of thoughts, in a field of their own."""
        blocks = delta.get(DETAILS)
        words = self._details.add(blocks) if blocks else ""
        for name in REASONING:
            if value := text_in(delta.get(name)):
                self._reasoning_field = name
                return value
        return words

    def _called(self, entries: object, parts: Parts) -> None:
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                for chunk in self._calls.feed(entry):
                    parts.add(chunk)

    def rest(self, parts: Parts) -> None:
        thought, text = self._tags.close() if self._tags is not None else ("", "")
        parts.add_thinking(thought)
        parts.add_text(self._text.feed(text) + self._text.close())

    def finish(self) -> Finished:
        calls = self._calls.calls()
        reason = REASONS.get(self._reason, "stop")
        if reason in ("stop", "tool_calls"):  # servers mix these two up in both directions
            reason = "tool_calls" if calls else "stop"
        return Finished(reason, calls, self._usage, self._state(), self._why)

    def _state(self) -> str:
        """What goes back with the answer: blocks of reasoning, or the name of the field that it
        came in."""
        if state := self._details.state(self._place.model):
            return state
        return compact({"reasoning": self._reasoning_field}) if self._reasoning_field else ""


def _filtered(results: object) -> str:
    """What the filters of Azure stopped at."""
    found = results.items() if isinstance(results, dict) else ()
    return ", ".join(
        name for name, one in found if isinstance(one, dict) and one.get("filtered") is True
    )


def _content(content: object) -> tuple[str, str]:
    """Text and thinking in a `content`, which some servers send as a list of parts."""
    if not isinstance(content, list):
        return text_in(content), ""
    text, thought = "", ""
    for part in content:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "thinking":
            thought += _content(part.get("thinking"))[0]
        else:
            text += text_in(part.get("text"))
    return text, thought


def _usage(data: dict[str, object]) -> Usage | None:
    """None where nothing was counted, in whatever words: an answer of no tokens at all there is
    not."""
    details = data.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    cached = (
        cached or count(data.get("prompt_cache_hit_tokens")) or count(data.get("cached_tokens"))
    )
    thought = data.get("completion_tokens_details")
    reasoning = count(thought.get("reasoning_tokens")) if isinstance(thought, dict) else 0
    prompt, completion = count(data.get("prompt_tokens")), count(data.get("completion_tokens"))
    return (
        Usage(prompt, completion, cached, reasoning_tokens=reasoning)
        if prompt or completion
        else None
    )


OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class ThinkTags:
    """Splits text as it comes into (thought, text). Tags later in an answer are words like any
    other."""

    def __init__(self) -> None:
        self._at: Literal["start", "thought", "after", "text"] = "start"
        self._held = ""
        self._begun = False
        """Whether a thought has more than the line end behind its tag."""

    @property
    def is_over(self) -> bool:
        """Whether all that follows is text."""
        return self._at == "text"

    def feed(self, text: str) -> tuple[str, str]:
        if self._at == "text" or not text:
            return "", text
        text, self._held = self._held + text, ""
        thought = ""
        if self._at == "start":
            text = self._started(text)
        if self._at == "thought":
            thought, text = self._thought(text)
        if self._at == "after" and (text := text.lstrip()):
            self._at = "text"
        return thought, text

    def _started(self, text: str) -> str:
        """What is known of `text` now; what may still become the tag waits."""
        begun = text.lstrip()
        if begun.startswith(OPEN):
            self._at = "thought"
            return begun[len(OPEN) :]
        if OPEN.startswith(begun):
            self._held = text
            return ""
        self._at = "text"
        return text

    def _thought(self, text: str) -> tuple[str, str]:
        text = text if self._begun else text.lstrip("\n")
        self._begun = self._begun or bool(text)
        thought, closed, rest = text.partition(CLOSE)
        if closed:
            self._at = "after"
            return thought, rest
        keep = next(
            (
                n
                for n in range(min(len(CLOSE) - 1, len(text)), 0, -1)
                if CLOSE.startswith(text[-n:])
            ),
            0,
        )
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], ""

    def close(self) -> tuple[str, str]:
        """What was held back."""
        held, self._held = self._held, ""
        return (held, "") if self._at == "thought" else ("", held)


DETAILS: Final = "reasoning_details"
"""Reasoning as OpenRouter tells it: opaque blocks, kept as they came, for the same model alone.
They carry signatures and encrypted thoughts of whoever answers behind it, who refuses them where a
byte differs."""
_WORDS: Final = ("text", "summary")
"""What comes piece by piece; everything else of a block is told once, or again."""
Block = dict[str, object]


class Details:
    """The blocks of one answer, put together from the pieces that a stream brings."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._pieces: list[dict[str, list[str]]] = []

    def add(self, given: object) -> str:
        """Take what one event brings; returns the words in it."""
        words = ""
        for piece in given if isinstance(given, list) else ():
            if isinstance(piece, dict):
                said = {name: text for name in _WORDS if (text := text_in(piece.get(name)))}
                words += "".join(said.values())
                self._take(piece, said)
        return words

    def _take(self, piece: Block, said: dict[str, str]) -> None:
        told = {name: value for name, value in piece.items() if name not in said}
        if self._blocks and _goes_on(self._blocks[-1], piece):
            self._blocks[-1].update(
                (name, value) for name, value in told.items() if value is not None
            )
        else:
            self._blocks.append(told)
            self._pieces.append({})
        for name, text in said.items():
            self._pieces[-1].setdefault(name, []).append(text)

    def state(self, model: str) -> str:
        """What to keep; empty where nothing came."""
        blocks = [
            {**block, **{name: "".join(parts) for name, parts in said.items()}}
            for block, said in zip(self._blocks, self._pieces, strict=True)
        ]
        return state_of({"model": model, "details": blocks}) if blocks else ""


def _goes_on(block: Block, piece: Block) -> bool:
    """Whether `piece` is more of `block`: of the same place and kind, and no block that is told
    whole."""
    same = all(block.get(name) == piece.get(name) for name in ("type", "index"))
    other = block.get("id") and piece.get("id") and block["id"] != piece["id"]
    return same and not other and not piece.get("data") and not block.get("signature")


def kept_details(given: AssistantMessage, provider: str, model: str) -> list[Block] | None:
    """The blocks that go back with an answer; None where it has none, an empty list where they are
    another model's."""
    if not given.state:
        return None
    try:
        found = json.loads(given.state)
    except (ValueError, RecursionError):
        return None
    blocks = found.get("details") if isinstance(found, dict) else None
    if not isinstance(blocks, list):
        return None
    own = (given.provider, found.get("model")) == (provider, model)
    return [block for block in blocks if isinstance(block, dict)] if own else []


MARK: Final[Mapping[str, object]] = {"type": "ephemeral"}


def with_cache_marks(messages: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """`messages` for Claude behind another server, which keeps what it is told to keep (OpenRouter,
    "Prompt caching"): the system prompt, and up to the last two prompts or results, so that it
    finds what it kept at the last request."""
    asked = [at for at, one in enumerate(messages) if one.get("role") in ("user", "tool")]
    first = [0] if messages and messages[0].get("role") == "system" else []
    marked = list(messages)
    for at in (*first, *asked[-2:]):
        content = marked[at].get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if isinstance(parts, list) and parts:
            marks = [*parts[:-1], {**parts[-1], "cache_control": MARK}]
            marked[at] = {**marked[at], "content": marks}
    return marked
