"""Our messages in the dialect of Anthropic's Messages: roles that take turns, blocks, thoughts with
signatures.

A history of any origin becomes one that the server takes: every call has exactly one result, right
behind it; nothing is blank; ids and names hold only what they may; thoughts go back only to the
model that had them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypedDict

from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    Message,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.providers.dialects.translate import arguments_object, count, state_of
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MARK: Final = {"type": "ephemeral"}
"""Up to the block that bears it, the server keeps what it read. A request may have four."""
EMPTY: Final = "(empty)"
"""For a prompt without words, which the server refuses."""
GO_ON: Final = "(Go on.)"
"""Behind an answer that the history ends with: newer models continue none but their own."""
NO_RESULT: Final = "Error [interrupted]: there is no result."
_UNFIT: Final = late.pattern(r"[^a-zA-Z0-9_-]")


@frozen
class Origin:
    """Who thinks: signatures hold for one model of one server. `strict`: the server refuses
    thoughts without one."""

    provider: str
    host: str
    model: str
    strict: bool = True

    @property
    def name(self) -> str:
        return f"{self.host} {self.model}"


@dataclass(slots=True)
class Block:
    """One block of an answer: `size` characters of the text or the reasoning, or the number of a
    call."""

    kind: str
    size: int = 0
    signature: str = ""
    data: str = ""
    call: int = 0


def stored_state(origin: Origin, blocks: Iterable[Block]) -> str:
    """What has to be kept of an answer to send it again as it was: nothing where it held no
    thoughts.

    Thoughts and words are kept as lengths of the message's own, so that nothing is stored twice.
    """
    entries: list[dict[str, int | str]] = []
    for block in blocks:
        match block.kind:
            case "thinking":
                entries.append({"thinking": block.size, "signature": block.signature})
            case "redacted_thinking":
                entries.append({"redacted": block.data})
            case "text":
                entries.append({"text": block.size})
            case "tool_use":
                entries.append({"call": block.call})
            case _:
                pass  # what a later version of the dialect has
    if not any("thinking" in entry or "redacted" in entry for entry in entries):
        return ""
    return state_of({"from": origin.name, "blocks": entries})


def tools(specs: Iterable[ToolSpec]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [
        {
            "name": t.name,
            "description": t.description,
            "input_schema": {"type": "object", **t.parameters},
        }
        for t in specs
    ]
    if found:
        found[-1]["cache_control"] = MARK
    return found


def system(text: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": text, "cache_control": MARK}] if text.strip() else []


class Turn(TypedDict):
    """One message on the wire."""

    role: str
    content: list[dict[str, object]]


def messages(history: Iterable[Message], origin: Origin, thoughts: bool) -> list[Turn]:
    """`history` on the wire; `thoughts`: whether those that `origin` had go with it.

    The last two messages of the person (results are among them) bear marks: the server finds what
    it kept at the last request, and keeps what is new, however many calls a step had.
    """
    wire = _Wire(origin, thoughts)
    for message in history:
        wire.add(message)
    wire.end()
    for turn in [turn for turn in wire.turns if turn["role"] == "user"][-2:]:
        turn["content"][-1]["cache_control"] = MARK
    return wire.turns


def starts_with_thought(wired: list[Turn]) -> bool:
    """Whether the turn that goes on may do so thinking: models that think with a budget want its
    first answer to begin with a thought, and one of another model does not. A new turn is free."""
    first: Turn | None = None
    for turn in reversed(wired):
        if turn["role"] == "assistant":
            first = turn
        elif any(block["type"] != "tool_result" for block in turn["content"]):
            break
    return first is None or first["content"][0]["type"] in ("thinking", "redacted_thinking")


@dataclass(slots=True)
class _Wire:
    origin: Origin
    thoughts: bool
    turns: list[Turn] = field(default_factory=list)
    _open: list[tuple[str, str]] = field(default_factory=list)
    """Calls of the newest answer that have no result yet: their ids, ours and on the wire."""
    _taken: set[str] = field(default_factory=set)

    def add(self, message: Message) -> None:
        match message:
            case UserMessage():
                self._of("user").extend(_said(message))
            case ToolMessage():
                self._result(message)
            case AssistantMessage():
                self._answer(message)

    def end(self) -> None:
        last: Turn = self.turns[-1] if self.turns else {"role": "", "content": []}
        if any(block["type"] not in ("tool_result", "tool_use") for block in last["content"]):
            if last["role"] == "user":
                self._settle()
            elif not self._open:
                self._of("user").append({"type": "text", "text": GO_ON})

    def _settle(self) -> None:
        """Calls that nobody waits for any more have a result all the same."""
        for _, id in self._open:
            self._put_result(
                {"type": "tool_result", "tool_use_id": id, "content": NO_RESULT, "is_error": True}
            )
        self._open = []

    def _of(self, role: str) -> list[dict[str, object]]:
        """The blocks of the newest message, which is `role`'s."""
        if not self.turns or self.turns[-1]["role"] != role:
            self.turns.append({"role": role, "content": []})
        return self.turns[-1]["content"]

    def _answer(self, message: AssistantMessage) -> None:
        blocks = _answered(message, self.origin, self.thoughts)
        if not blocks:
            return  # it was cut before it said anything
        self._settle()
        if not self.turns:
            self._of("user").append(
                {"type": "text", "text": EMPTY}
            )  # the first word is the person's
        for block in blocks:
            if block["type"] == "tool_use":
                given = str(block["id"])
                block["id"] = sent = self._id(given)
                self._open.append((given, sent))
        self._of("assistant").extend(blocks)

    def _id(self, given: str) -> str:
        found = _UNFIT.sub("_", given) or "call"
        while found in self._taken:
            found += "_"
        self._taken.add(found)
        return found

    def _result(self, message: ToolMessage) -> None:
        place = next((place for place in self._open if place[0] == message.call_id), None)
        if place is None:
            said = f"[{message.name}]\n{message.content}"  # nobody asked for it any more
            self._of("user").append({"type": "text", "text": said})
            return
        self._open.remove(place)
        found: dict[str, object] = {"type": "tool_result", "tool_use_id": place[1]}
        if message.content.strip():
            found["content"] = message.content
            if message.content.startswith("Error ["):
                found["is_error"] = True
        self._put_result(found)

    def _put_result(self, result: dict[str, object]) -> None:
        """Results stand before all words of their message."""
        blocks = self._of("user")
        blocks.insert(sum(1 for block in blocks if block["type"] == "tool_result"), result)


def _said(message: UserMessage) -> list[dict[str, object]]:
    found = [_image(image) for image in message.images]
    if message.text.strip() or not found:
        found.append({"type": "text", "text": message.text if message.text.strip() else EMPTY})
    return found


def _image(image: Image) -> dict[str, object]:
    if not image.data:
        return {"type": "text", "text": f"[the image {image.name} is not there any more]"}
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": image.media, "data": image.data},
    }


def _answered(message: AssistantMessage, origin: Origin, thoughts: bool) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    thought = said = 0
    for block in _kept(message, origin):
        match block.kind:
            case "redacted_thinking":
                if thoughts:
                    found.append({"type": block.kind, "data": block.data})
            case "thinking":
                text = message.reasoning[thought : thought + block.size]
                thought += block.size
                if thoughts and (block.signature or not origin.strict):
                    found.append(
                        {"type": block.kind, "thinking": text, "signature": block.signature}
                    )
            case "text":
                text = message.text[said : said + block.size]
                said += block.size
                if text.strip():
                    found.append({"type": block.kind, "text": text})
            case _:
                found.append(_call(message.calls[block.call]))
    return found if any(block["type"] in ("text", "tool_use") for block in found) else []


def _call(call: ToolCall) -> dict[str, object]:
    name = _UNFIT.sub("_", call.name)[:128] or "unknown"
    return {
        "type": "tool_use",
        "id": call.id,
        "name": name,
        "input": arguments_object(call.arguments),
    }


def _kept(message: AssistantMessage, origin: Origin) -> list[Block]:
    """The blocks of an answer in their order: as they were, if `origin` wrote it, else words, then
    calls."""
    calls = list(range(len(message.calls)))
    plain = [Block("text", len(message.text)), *(Block("tool_use", call=n) for n in calls)]
    if not message.state or message.provider != origin.provider:
        return plain
    try:
        state = json.loads(message.state)
    except (ValueError, RecursionError):
        return plain
    if (
        not isinstance(state, dict)
        or state.get("from") != origin.name
        or not isinstance(state.get("blocks"), list)
    ):
        return plain
    blocks = [block for entry in state["blocks"] if (block := _block(entry))]
    whole = (
        len(blocks) == len(state["blocks"])
        and sum(b.size for b in blocks if b.kind == "thinking") == len(message.reasoning)
        and sum(b.size for b in blocks if b.kind == "text") == len(message.text)
        and [b.call for b in blocks if b.kind == "tool_use"] == calls
    )
    return blocks if whole else plain


def _block(data: object) -> Block | None:
    """One entry of what was stored; None where it is none."""
    match data:
        case {"thinking": size, "signature": str(signature)}:
            return Block("thinking", count(size), signature)
        case {"redacted": str(redacted)}:
            return Block("redacted_thinking", data=redacted)
        case {"text": size}:
            return Block("text", count(size))
        case {"call": int(number)}:
            return Block("tool_use", call=number)
        case _:
            return None
