"""An answer of Gemini: the parts of its events as our stream, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_tui.protocol.messages import Request, StopReason, ToolCall, Usage
from agent_tui.providers import _failures as failures
from agent_tui.providers._gemini_state import Kind, Runs
from agent_tui.providers._parts import Parts
from agent_tui.providers._translate import CallIds, WholeText, arguments_of, count, name_in, text_in, whole
from agent_tui.providers.base import CallChunk, Failed, Finished

REASONS: Final[Mapping[str, StopReason]] = {
    "STOP": "stop", "MAX_TOKENS": "length",
    "FUNCTION_CALL": "stop", "TOOL_CALLS": "stop", "LENGTH": "length", "CONTENT_FILTER": "refusal",  # who imitates it
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
         "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "ESCALATION", "MODEL_ARMOR"),
        "refusal",
    ),
}  # fmt: skip
UNREADABLE: Final = ("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
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
        self._usage: dict[str, Any] = {}
        self._reason: StopReason | None = None
        self._why = ""

    @property
    def ended(self) -> bool:
        return self._reason is not None

    def add(self, payload: dict[str, Any], parts: Parts) -> None:
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

    def _refused(self, reason: str, told: dict[str, Any], words: str) -> str:
        """Why nothing is said: the server's reason, what its filters stopped at, and its own words."""
        ratings = told.get("safetyRatings")
        rated = [one for one in ratings if isinstance(one, dict)] if isinstance(ratings, list) else []
        blocked = ", ".join(text_in(one.get("category")) for one in rated if one.get("blocked") is True)
        return failures.reason(self._place, reason, blocked, told.get(words))

    def _broken(self, reason: str, said: str) -> Failed:
        """An end that is no end of an answer."""
        said = self._place.shown(said)
        tail = f": {said}" if said else ""
        if reason in UNREADABLE:
            text = f"the model wrote a call that {self._place.where} could not read ({reason}){tail}"
            return Failed("malformed", text, "try again, or choose another model with /model", may_pass=True)
        if reason == "MISSING_THOUGHT_SIGNATURE":
            text = f"{self._place.where} reports a missing signature in the conversation ({reason}){tail}"
            return Failed("bad_request", text, "/clear starts over, /model chooses another model")
        return failures.from_payload(self._place, {"message": f"the model stopped ({reason}){tail}"})

    def _part(self, part: dict[str, Any], parts: Parts) -> None:
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
            parts.thinking(text)
        elif text:
            parts.text(text)

    def _call(self, data: dict[str, Any], signature: str) -> tuple[CallChunk, ...]:
        args, wired = data.get("args"), text_in(data.get("id"))
        text = whole(args if isinstance(args, str) else arguments_of({} if args is None else args))
        if self._ids.again(wired, name := name_in(data.get("name")), text):
            return ()
        call = ToolCall(self._ids.take(wired), name, text)
        self._calls.append(call)
        self._runs.add("call", 1 if wired == call.id else 0, signature)
        return (CallChunk(len(self._calls) - 1, call.arguments, call.id, call.name),)

    def rest(self, parts: Parts) -> None:
        rest = self._words["text"].close()
        self._runs.add("text", len(rest))
        parts.text(rest)

    def finished(self) -> Finished:
        reason = self._reason or "stop"
        if reason == "stop" and self._calls:
            reason = "tool_calls"
        why = self._why if reason == "refusal" else ""
        return Finished(reason, tuple(self._calls), self._counted(), self._runs.state(self._model), why)

    def _counted(self) -> Usage | None:
        """Tokens as the server counts them: what is cached is part of the prompt, what is thought is written too."""
        names = ("promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
        prompt, tools, answer, thoughts = (count(self._usage.get(name)) for name in names)
        if not (prompt or answer or thoughts):
            return None
        cached = count(self._usage.get("cachedContentTokenCount"))
        return Usage(prompt + tools, answer + thoughts, cached, reasoning_tokens=thoughts)
