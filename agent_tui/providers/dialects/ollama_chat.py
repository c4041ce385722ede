"""The dialect of Ollama's `/api/chat`: our messages to its own, its lines to our stream."""

from __future__ import annotations

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
from agent_tui.providers.dialects.translate import (
    CallIds,
    Parts,
    WholeText,
    arguments_object,
    arguments_of,
    count,
    drop_surrogates,
    name_in,
    text_in,
)


def message(given: Message) -> dict[str, object]:
    match given:
        case UserMessage():
            shown = {"images": [image.data for image in given.images]} if given.images else {}
            return {"role": "user", "content": given.text, **shown}
        case ToolMessage():
            return {
                "role": "tool",
                "content": given.content,
                "tool_name": given.name,
                "tool_call_id": given.call_id,
            }
        case AssistantMessage():
            wired: dict[str, object] = {"role": "assistant", "content": given.text}
            if given.reasoning and given.provider == "ollama":
                wired["thinking"] = given.reasoning
            if given.calls:
                wired["tool_calls"] = [
                    {
                        "id": call.id,
                        "function": {
                            "name": call.name,
                            "arguments": arguments_object(call.arguments),
                        },
                    }
                    for call in given.calls
                ]
            return wired


class OllamaAnswer:
    def __init__(self, request: Request) -> None:
        self._ids = CallIds(request)
        self._text = WholeText()
        self._thinking = WholeText()
        self._calls: list[ToolCall] = []
        self._end: dict[str, object] | None = None

    @property
    def has_ended(self) -> bool:
        return self._end is not None

    def add(self, payload: dict[str, object], parts: Parts) -> None:
        if self._end is not None:
            return
        if payload.get("done") is True:
            self._end = payload
        message = payload.get("message")
        if not isinstance(message, dict):
            return
        if (thought := text_in(message.get("thinking"))) and (
            thought := self._thinking.feed(thought)
        ):
            parts.add_thinking(thought)
        if (text := text_in(message.get("content"))) and (text := self._text.feed(text)):
            parts.add_text(text)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            for chunk in self._call(call) if isinstance(call, dict) else ():
                parts.add(chunk)

    def _call(self, data: dict[str, object]) -> tuple[CallChunk, ...]:
        function = data.get("function")
        function = function if isinstance(function, dict) else {}
        arguments = function.get("arguments")
        text = drop_surrogates(
            arguments
            if isinstance(arguments, str)
            else arguments_of({} if arguments is None else arguments)
        )
        name, wired = name_in(function.get("name")), text_in(data.get("id"))
        if self._ids.is_same_call(wired, name, text):
            return ()
        call = ToolCall(self._ids.take(wired), name, text)
        self._calls.append(call)
        return (CallChunk(len(self._calls) - 1, call.arguments, call.id, call.name),)

    def rest(self, parts: Parts) -> None:
        parts.add_text(self._text.close())

    def finish(self) -> Finished:
        end = self._end or {}
        prompt, completion = count(end.get("prompt_eval_count")), count(end.get("eval_count"))
        reason: StopReason = (
            "length"
            if end.get("done_reason") == "length"
            else "tool_calls"
            if self._calls
            else "stop"
        )
        # A prompt that came whole from the cache is reported as nothing: then the number is not the
        # whole truth.
        usage = Usage(prompt, completion, estimated=not prompt) if prompt or completion else None
        return Finished(reason, tuple(self._calls), usage)
