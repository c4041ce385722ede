"""Our messages as Gemini's `contents`: roles user and model, calls and results as parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final, Literal

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
from agent_tui.providers.base import CallChunk, Failed, Finished
from agent_tui.providers.dialects.translate import (
    CallIds,
    Parts,
    WholeText,
    arguments_object,
    arguments_of,
    count,
    drop_surrogates,
    name_in,
    state_of,
    text_in,
)
from agent_tui.providers.wire import failures
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

UNSIGNED: Final = "skip_thought_signature_validator"
"""In place of a signature for a call that this model did not write: documented for histories that
come from another."""
_SIGNS: Final = late.pattern(r"gemini-(?![12](\D|$))")


def wants_signatures(model: str) -> bool:
    """Whether `model` refuses a call without its signature: all from Gemini 3 on do."""
    return _SIGNS.match(model.rpartition("/")[2]) is not None


def contents(messages: Iterable[Message], provider: str, model: str) -> list[dict[str, object]]:
    """`messages` on the wire. The results of one answer's calls are one content, in the order of
    the calls."""
    found: list[dict[str, object]] = []
    order: list[str] = []
    own: set[str] = set()
    for are_results, group in groupby(messages, lambda message: isinstance(message, ToolMessage)):
        if are_results:
            results = [message for message in group if isinstance(message, ToolMessage)]
            results.sort(
                key=lambda result: (
                    order.index(result.call_id) if result.call_id in order else len(order)
                )
            )
            found.append({"role": "user", "parts": [_result(result, own) for result in results]})
            continue
        for message in group:
            if isinstance(message, UserMessage):
                found.append({"role": "user", "parts": _asked(message)})
            elif isinstance(message, AssistantMessage):
                runs = runs_of(message, provider, model)
                order = [call.id for call in message.calls]
                own |= _own_ids(message.calls, runs)
                if parts := _answered(message, runs, wants_signatures(model)):
                    found.append({"role": "model", "parts": parts})
    return found


def _asked(given: UserMessage) -> list[dict[str, object]]:
    shown: list[dict[str, object]] = [
        {"inlineData": {"mimeType": image.media, "data": image.data}} for image in given.images
    ]
    return [{"text": given.text}, *shown] if given.text or not shown else shown


def _result(given: ToolMessage, own: set[str]) -> dict[str, object]:
    key = "error" if given.content.startswith("Error [") else "output"
    wired: dict[str, object] = {"name": given.name, "response": {key: given.content}}
    return {"functionResponse": {"id": given.call_id, **wired} if given.call_id in own else wired}


def _own_ids(calls: tuple[ToolCall, ...], runs: tuple[Run, ...]) -> set[str]:
    """The ids that are the server's own: it knows no others, and matches those by their order."""
    marks = (run.size for run in runs if run.kind == "call")
    return {call.id for call, mark in zip(calls, marks, strict=False) if mark}


def _answered(
    given: AssistantMessage, runs: tuple[Run, ...], signs: bool
) -> list[dict[str, object]]:
    """The parts of an answer; none for one that was cut before it said anything."""
    if not runs:
        text = [Run("text", len(given.text))] if given.text else []
        runs = (*text, *(Run("call", 0) for _ in given.calls))
    found: list[dict[str, object]] = []
    calls = iter(given.calls)
    text_at = thought_at = 0
    first_call = True
    for run in runs:
        part: dict[str, object]
        signature = run.signature
        if run.kind == "call":
            part = _call(next(calls), bool(run.size))
            if signs and first_call:  # of calls in parallel, the first one is signed
                signature = signature or UNSIGNED
            first_call = False
        elif run.kind == "text":
            part = {"text": given.text[text_at : text_at + run.size]}
            text_at += run.size
        else:
            part = {"text": given.reasoning[thought_at : thought_at + run.size], "thought": True}
            thought_at += run.size
            if not signature:
                continue  # thoughts are for the person; the model reads its signatures
        found.append({**part, "thoughtSignature": signature} if signature else part)
    return found


def _call(call: ToolCall, own: bool) -> dict[str, object]:
    wired = {"name": call.name, "args": arguments_object(call.arguments)}
    return {"functionCall": {"id": call.id, **wired} if own else wired}


REASONS: Final[Mapping[str, StopReason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "FUNCTION_CALL": "stop",
    "TOOL_CALLS": "stop",
    "LENGTH": "length",
    "CONTENT_FILTER": "refusal",  # who imitates it
    **dict.fromkeys(
        (
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "ESCALATION",
            "MODEL_ARMOR",
        ),
        "refusal",
    ),
}
UNREADABLE: Final = (
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
)
"""The model wrote what its server could not read. Another try mostly does."""
UNSAID: Final = ("", "FINISH_REASON_UNSPECIFIED")


class GeminiAnswer:
    def __init__(self, request: Request, place: failures.Place, model: str) -> None:
        self._place = place
        self._model = model
        self._ids = CallIds(request)
        self._words: Mapping[Kind, WholeText] = {"text": WholeText(), "thought": WholeText()}
        self._calls: list[ToolCall] = []
        self._runs = Runs()
        self._usage: dict[str, object] = {}
        self._reason: StopReason | None = None
        self._why = ""

    @property
    def has_ended(self) -> bool:
        return self._reason is not None

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        if isinstance(usage := payload.get("usageMetadata"), dict):
            self._usage |= usage  # each counts all that came so far; not every one has every number
        feedback = payload.get("promptFeedback")
        if isinstance(feedback, dict) and (blocked := text_in(feedback.get("blockReason"))):
            self._reason = "refusal"
            self._why = self._refused(blocked, feedback, "blockReasonMessage")
        candidates = payload.get("candidates")
        candidate = candidates[0] if isinstance(candidates, list) and candidates else None
        if not isinstance(candidate, dict):
            return
        content = candidate.get("content")
        given = content.get("parts") if isinstance(content, dict) else None
        for part in given if isinstance(given, list) else ():
            if isinstance(part, dict):
                self._part(part, parts)
        reason = text_in(candidate.get("finishReason")).upper()
        if reason in UNSAID:
            return
        if reason not in REASONS:
            parts.add(self._broken(reason, text_in(candidate.get("finishMessage"))))
            return
        if REASONS[reason] == "refusal":
            self._why = self._refused(reason, candidate, "finishMessage")
        self._reason = REASONS[reason]

    def _refused(self, reason: str, told: dict[str, object], words: str) -> str:
        """Why nothing is said: the server's reason, what its filters stopped at, and its own
        words."""
        ratings = told.get("safetyRatings")
        rated = (
            [one for one in ratings if isinstance(one, dict)] if isinstance(ratings, list) else []
        )
        blocked = ", ".join(
            text_in(one.get("category")) for one in rated if one.get("blocked") is True
        )
        return failures.reason(self._place, reason, blocked, told.get(words))

    def _broken(self, reason: str, said: str) -> Failed:
        """An end that is no end of an answer."""
        said = self._place.clean_text(said)
        tail = f": {said}" if said else ""
        if reason in UNREADABLE:
            text = f"the model wrote a call that {self._place.server_label} could not read ({reason}){tail}"
            return Failed(
                "malformed", text, "try again, or choose another model with /model", may_pass=True
            )
        if reason == "MISSING_THOUGHT_SIGNATURE":
            text = f"{self._place.server_label} reports a missing signature in the conversation ({reason}){tail}"
            return Failed("bad_request", text, "/clear starts over, /model chooses another model")
        return failures.from_payload(
            self._place, {"message": f"the model stopped ({reason}){tail}"}
        )

    def _part(self, part: dict[str, object], parts: Parts) -> None:
        signature = text_in(part.get("thoughtSignature"))
        if isinstance(call := part.get("functionCall"), dict):
            for chunk in self._call(call, signature):
                parts.add(chunk)
            return
        if not isinstance(given := part.get("text", "" if signature else None), str):
            return  # what the server ran or drew itself
        kind: Kind = "thought" if part.get("thought") is True else "text"
        text = self._words[kind].feed(given)
        self._runs.add(kind, len(text), signature)
        if text and kind == "thought":
            parts.add_thinking(text)
        elif text:
            parts.add_text(text)

    def _call(self, data: dict[str, object], signature: str) -> tuple[CallChunk, ...]:
        args, wired = data.get("args"), text_in(data.get("id"))
        text = drop_surrogates(
            args if isinstance(args, str) else arguments_of({} if args is None else args)
        )
        if self._ids.is_same_call(wired, name := name_in(data.get("name")), text):
            return ()
        call = ToolCall(self._ids.take(wired), name, text)
        self._calls.append(call)
        self._runs.add("call", 1 if wired == call.id else 0, signature)
        return (CallChunk(len(self._calls) - 1, call.arguments, call.id, call.name),)

    def rest(self, parts: Parts) -> None:
        rest = self._words["text"].close()
        self._runs.add("text", len(rest))
        parts.add_text(rest)

    def finish(self) -> Finished:
        reason = self._reason or "stop"
        if reason == "stop" and self._calls:
            reason = "tool_calls"
        why = self._why if reason == "refusal" else ""
        return Finished(
            reason, tuple(self._calls), self._counted(), self._runs.state(self._model), why
        )

    def _counted(self) -> Usage | None:
        """Tokens as the server counts them: what is cached is part of the prompt, what is thought
        is written too."""
        names = (
            "promptTokenCount",
            "toolUsePromptTokenCount",
            "candidatesTokenCount",
            "thoughtsTokenCount",
        )
        prompt, tools, answer, thoughts = (count(self._usage.get(name)) for name in names)
        if not (prompt or answer or thoughts):
            return None
        cached = count(self._usage.get("cachedContentTokenCount"))
        return Usage(prompt + tools, answer + thoughts, cached, reasoning_tokens=thoughts)


Kind = Literal["text", "thought", "call"]


@frozen
class Run:
    """One part. `size`: the length of its text; of a call, 1 where its id is the server's own, else
    0."""

    kind: Kind
    size: int
    signature: str = ""


class Runs:
    """The parts of an answer as they come. Text without a signature goes together; a signed part
    stays alone."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._kind: Kind | None = None
        self._size = 0
        """Of the text, or the thought, that may still go on; it is not among the runs yet."""

    def add(self, kind: Kind, size: int, signature: str = "") -> None:
        if kind == self._kind and not signature:
            self._size += size
        elif kind == "call" or signature:
            self._settle()
            self._runs.append(Run(kind, size, signature))
        elif size:
            self._settle()
            self._kind, self._size = kind, size

    def _settle(self) -> None:
        if self._kind is not None:
            self._runs.append(Run(self._kind, self._size))
        self._kind = None

    def state(self, model: str) -> str:
        """Empty where nothing of it is worth keeping."""
        self._settle()
        if not any(run.signature or (run.kind == "call" and run.size) for run in self._runs):
            return ""
        parts = [
            [run.kind, run.size, run.signature] if run.signature else [run.kind, run.size]
            for run in self._runs
        ]
        return state_of({"model": model, "parts": parts})


def runs_of(given: AssistantMessage, provider: str, model: str) -> tuple[Run, ...]:
    """The parts of `given`; empty where it is another's (signatures hold for one model), or does
    not fit any more."""
    if given.provider != provider or not given.state:
        return ()
    try:
        kept = json.loads(given.state)
    except (ValueError, RecursionError):
        return ()
    parts = kept.get("parts") if isinstance(kept, dict) and kept.get("model") == model else None
    runs = tuple(run for part in parts if (run := _run(part))) if isinstance(parts, list) else ()
    sizes = {
        kind: sum(run.size for run in runs if run.kind == kind) for kind in ("text", "thought")
    }
    calls = sum(run.kind == "call" for run in runs)
    fits = (sizes["text"], sizes["thought"], calls) == (
        len(given.text),
        len(given.reasoning),
        len(given.calls),
    )
    return runs if fits else ()


def _run(part: object) -> Run | None:
    match part:
        case ["text" | "thought" | "call" as kind, int(size), *rest] if size >= 0:
            return Run(kind, size, rest[0] if rest and isinstance(rest[0], str) else "")
    return None
