"""The one observer of a session: hears every event behind the screen, and makes of it what can be
watched from outside.

Six happenings (agent start, request, response, tool, agent end, error), each a line in the
program's log and a count; and operations (a turn, a request, a tool's call) with their times. What
was said is in none of it, unless the person wants that told.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from logging import Logger
from typing import Any, Final

from agent_tui.agent.session.record import Record
from agent_tui.agent.session.sinks import Sinks
from agent_tui.protocol.event import MAIN
from agent_tui.protocol.events import (
    AsideEnded,
    AssistantReplied,
    ErrorRaised,
    Event,
    RequestFailed,
    RequestSent,
    Restored,
    Retrying,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.providers.services import service_of
from agent_tui.telemetry import operations
from agent_tui.telemetry.operations import OTHER, Happening, Operation, Value

AGENT: Final = "agent-tui"


@dataclass(slots=True)
class _Watched:
    """What of one agent is under way."""

    turn: Operation | None = None
    request: Operation | None = None
    tools: dict[str, ToolStarted] = field(default_factory=dict)


class Observer:
    """Hears the events of `record` once they were told. `scrub` hides keys; `content`: whether what
    was said is told. Without `sinks` there is the log alone."""

    def __init__(
        self,
        record: Record,
        log: Logger,
        sinks: Sinks | None,
        scrub: Callable[[str], str],
        content: bool,
    ) -> None:
        self._record, self._log, self._sinks, self._scrub = record, log, sinks, scrub
        self._content = content and sinks is not None
        self._agents = {MAIN: _Watched()}
        self._now = self._agents[MAIN]
        """Of the agent whose event is heard."""
        self._told, record.tell = record.tell, self.hear

    def hear(self, event: Event | Restored) -> None:
        self._told(event)
        if isinstance(event, Restored):
            return
        self._now = self._agents.setdefault(event.agent, _Watched())
        match event:
            case TextDelta() | ThinkingDelta() | ToolArgsDelta():
                request = self._now.request
                if request is not None and request.first_chunk is None:
                    self._now.request = replace(
                        request, first_chunk=max(0.0, event.at - request.began)
                    )
            case TurnStarted():
                self._started(event)
            case RequestSent():
                self._sent(event)
            case AssistantReplied():
                self._replied(event)
            case UsageReported():
                self._used(event)
            case RequestFailed():
                self._gave_up(event)
            case Retrying():
                self._failed(event, event.kind or OTHER, retry=True)
            case ErrorRaised():
                self._failed(event, event.kind)
            case ToolStarted():
                self._now.tools[event.call_id] = event
            case ToolEnded():
                self._ran(event)
            case AsideEnded() if event.model:  # else nobody was asked
                self._aside(event)
            case TurnEnded():
                self._ended(event)
            case _:
                return

    # -- a turn

    def _started(self, event: TurnStarted) -> None:
        self._happened("agent_start", event, continued=event.continued)
        self._now.request, self._now.tools = None, {}
        # without its number: it is in metrics, too
        name = (
            AGENT
            if event.is_main
            else event.agent.rpartition("/")[2].rpartition("-")[0] or event.agent
        )
        self._now.turn = Operation(
            "invoke_agent",
            name,
            event.trace,
            event.at,
            attributes={**_whose(event), "gen_ai.agent.name": name},
            below=not event.is_main,
        )
        if self._sinks is not None and event.is_main:
            self._sinks.on_begin(self._now.turn)

    def _ended(self, event: TurnEnded) -> None:
        if self._now.request is not None:  # it was broken off before anything came
            self._finish(
                replace(
                    self._now.request, ended=self._now.request.ended or event.at, error=event.state
                )
            )
            self._now.request = None
        self._happened(
            "agent_end", event, state=event.state, steps=event.steps, duration_ms=event.duration_ms
        )
        if self._now.turn is not None:
            error = "" if event.state == "completed" else event.state
            self._finish(replace(self._now.turn, ended=event.at, error=error))
            self._now.turn = None
        if not event.is_main:
            del self._agents[event.agent]

    # -- a request to the model

    def _sent(self, event: RequestSent) -> None:
        self._happened(
            "request", event, model=event.model, messages=event.messages, attempt=event.attempt
        )
        content = (
            operations.request_fields(self._record.history_of(event.agent).request(), self._scrub)
            if self._content
            else {}
        )
        began = _chat(event, event.model, event.at)
        self._now.request = replace(
            began,
            attributes={**began.attributes, "agent_tui.attempt": event.attempt},
            content=content,
        )

    def _replied(self, event: AssistantReplied) -> None:
        if (request := self._now.request) is None:
            return
        content = dict(request.content)
        if self._content:
            said = operations.answer_field(
                event.text, self._scrub, event.stop_reason, event.reasoning, event.calls
            )
            content["gen_ai.output.messages"] = said
        attributes = {**request.attributes, "gen_ai.response.finish_reasons": (event.stop_reason,)}
        error = (
            event.stop_reason if event.stop_reason in ("cancelled", "interrupted", "error") else ""
        )
        self._now.request = replace(
            request, ended=event.at, attributes=attributes, content=content, error=error
        )

    def _used(self, event: UsageReported) -> None:
        if event.purpose:
            done = _by(
                _took(_beside(event, event.model, event.duration_ms), event.usage),
                event.answered_by,
            )
            self._happened("request", event, model=event.model, purpose=event.purpose)
            self._answered(event, done, event.usage, event.purpose)
        elif self._now.request is not None:
            done = _by(_took(self._now.request, event.usage), event.answered_by)
            if done.error == "error":  # what it was comes next
                self._now.request = done
            else:
                self._answered(event, done, event.usage)
                self._now.request = None

    def _aside(self, event: AsideEnded) -> None:
        done = _by(_beside(event, event.model, event.duration_ms), event.answered_by)
        done = _took(done, event.usage) if event.usage != Usage() else done
        if self._content:
            asked, said = (
                operations.prompt_field(event.question, self._scrub),
                operations.answer_field(event.text, self._scrub),
            )
            done = replace(
                done, content={"gen_ai.input.messages": asked, "gen_ai.output.messages": said}
            )
        self._happened("request", event, model=event.model, purpose="aside")
        if event.state == "error":
            error = event.kind or OTHER
            self._happened("error", event, error=error, purpose="aside")
            self._finish(replace(done, error=error))
        else:
            error = "" if event.state == "completed" else event.state
            self._answered(event, replace(done, error=error), event.usage, "aside")

    def _answered(self, event: Event, done: Operation, usage: Usage, purpose: str = "") -> None:
        self._happened(
            "response",
            event,
            model=done.attributes["agent_tui.model"],
            error=done.error,
            purpose=purpose,
            duration_ms=round(done.seconds * 1000),
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            estimated=usage.estimated,
            finish_reason=" ".join(_texts(done.attributes.get("gen_ai.response.finish_reasons"))),
        )
        self._finish(done)

    def _gave_up(self, event: RequestFailed) -> None:
        """One that the turn goes on without: it ended before another model was even made."""
        if event.purpose:
            self._happened("request", event, model=event.model, purpose=event.purpose)
            self._happened("error", event, error=event.kind, purpose=event.purpose)
            self._finish(replace(_beside(event, event.model, event.duration_ms), error=event.kind))
        elif self._now.request is not None:
            self._now.request = replace(
                self._now.request, ended=self._now.request.began + event.duration_ms / 1000
            )
            self._failed(event, event.kind)

    def _failed(self, event: Event, kind: str, retry: bool = False) -> None:
        self._happened("error", event, error=kind, retry=retry)
        if (
            self._now.request is not None and event.turn
        ):  # else it came of something beside the turn
            self._finish(
                replace(self._now.request, ended=self._now.request.ended or event.at, error=kind)
            )
            self._now.request = None

    # -- a call of a tool

    def _ran(self, event: ToolEnded) -> None:
        started = self._now.tools.pop(event.call_id, None)
        name = OTHER if event.tag == "unknown_tool" else event.name  # a name that the model made up
        error = "" if event.tag == "ok" else event.tag
        self._happened(
            "tool", event, tool=name, call=event.call_id, duration_ms=event.duration_ms, error=error
        )
        content = {"gen_ai.tool.call.result": self._scrub(event.content)} if self._content else {}
        if self._content and started is not None:
            content["gen_ai.tool.call.arguments"] = self._scrub(started.arguments)
        attributes: dict[str, Value] = {
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.call_id,
        }
        self._finish(
            Operation(
                "execute_tool",
                name,
                event.trace,
                started.at if started is not None else event.at,
                event.at,
                error,
                {**_whose(event), **attributes},
                content,
            )
        )

    # -- telling

    def _finish(self, done: Operation) -> None:
        if self._sinks is not None:
            self._sinks.on_end(done)

    def _happened(self, what: Happening, event: Event, **facts: Any) -> None:
        ids = {
            "session": event.session,
            "run": event.run,
            "trace": event.trace,
            "turn": event.turn,
            "step": event.step,
        }
        if not event.is_main:
            ids["agent"] = event.agent
        told = {key: fact for key, fact in facts.items() if fact not in ("", False)}
        self._log.info("%s %s", what, json.dumps({**ids, **told}))
        if self._sinks is not None:
            self._sinks.on_happening(what)


def _whose(event: Event) -> dict[str, Value]:
    return {
        "gen_ai.conversation.id": event.session,
        "agent_tui.run": event.run,
        "agent_tui.turn": event.turn,
        "agent_tui.step": event.step,
    }


def _chat(event: Event, model: str, began: float) -> Operation:
    """A request to `model`, which is `<provider>/<model>`."""
    provider, _, name = model.partition("/")
    attributes: dict[str, Value] = {
        "gen_ai.provider.name": service_of(provider).gen_ai or provider or OTHER,
        "gen_ai.request.model": name or model,
        "agent_tui.model": model,
    }
    return Operation(
        "chat", name or model, event.trace, began, attributes={**_whose(event), **attributes}
    )


def _beside(event: Event, model: str, duration_ms: int) -> Operation:
    """A request beside a turn, of which one event tells when it is over."""
    return replace(_chat(event, model, event.at - duration_ms / 1000), ended=event.at)


def _by(request: Operation, model: str) -> Operation:
    """With the model that answered, as its server calls it."""
    return (
        replace(request, attributes={**request.attributes, "gen_ai.response.model": model})
        if model
        else request
    )


def _took(request: Operation, usage: Usage) -> Operation:
    """With what it took; an estimate is marked, and in no metric."""
    tokens = (usage.prompt_tokens, usage.completion_tokens)
    if usage.estimated:
        guessed = {"gen_ai.usage.input_tokens": tokens[0], "gen_ai.usage.output_tokens": tokens[1]}
        return replace(
            request, attributes={**request.attributes, **guessed, "agent_tui.usage.estimated": True}
        )
    more = {
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
    }
    known = {key: count for key, count in more.items() if count}
    return replace(request, tokens=tokens, attributes={**request.attributes, **known})


def _texts(value: Value | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
