"""Our messages as Gemini's `contents`: roles user and model, calls and results as parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final

from agent_tui.protocol.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agent_tui.providers._gemini_state import Run, runs_of
from agent_tui.providers._translate import arguments_object

UNSIGNED: Final = "skip_thought_signature_validator"
"""In place of a signature for a call that this model did not write: documented for histories that come from another."""
_SIGNS: Final = re.compile(r"gemini-(?![12](\D|$))")


def wants_signatures(model: str) -> bool:
    """Whether `model` refuses a call without its signature: all from Gemini 3 on do."""
    return _SIGNS.match(model.rpartition("/")[2]) is not None


def contents(messages: Iterable[Message], provider: str, model: str) -> list[dict[str, Any]]:
    """`messages` on the wire. The results of one answer's calls are one content, in the order of the calls."""
    found: list[dict[str, Any]] = []
    order: list[str] = []
    own: set[str] = set()
    for are_results, group in groupby(messages, lambda message: isinstance(message, ToolMessage)):
        if are_results:
            results = [message for message in group if isinstance(message, ToolMessage)]
            results.sort(key=lambda result: order.index(result.call_id) if result.call_id in order else len(order))
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


def _asked(given: UserMessage) -> list[dict[str, Any]]:
    shown = [{"inlineData": {"mimeType": image.media, "data": image.data}} for image in given.images]
    return [{"text": given.text}, *shown] if given.text or not shown else shown


def _result(given: ToolMessage, own: set[str]) -> dict[str, Any]:
    key = "error" if given.content.startswith("Error [") else "output"
    wired: dict[str, Any] = {"name": given.name, "response": {key: given.content}}
    return {"functionResponse": {"id": given.call_id, **wired} if given.call_id in own else wired}


def _own_ids(calls: tuple[ToolCall, ...], runs: tuple[Run, ...]) -> set[str]:
    """The ids that are the server's own: it knows no others, and matches those by their order."""
    marks = (run.size for run in runs if run.kind == "call")
    return {call.id for call, mark in zip(calls, marks, strict=False) if mark}


def _answered(given: AssistantMessage, runs: tuple[Run, ...], signs: bool) -> list[dict[str, Any]]:
    """The parts of an answer; none for one that was cut before it said anything."""
    if not runs:
        text = [Run("text", len(given.text))] if given.text else []
        runs = (*text, *(Run("call", 0) for _ in given.calls))
    found: list[dict[str, Any]] = []
    calls = iter(given.calls)
    text_at = thought_at = 0
    first_call = True
    for run in runs:
        part: dict[str, Any]
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


def _call(call: ToolCall, own: bool) -> dict[str, Any]:
    wired = {"name": call.name, "args": arguments_object(call.arguments)}
    return {"functionCall": {"id": call.id, **wired} if own else wired}
