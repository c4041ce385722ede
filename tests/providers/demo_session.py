"""A session with the demo: the history grows as the engine would let it grow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.base import CallChunk, Finished, ProviderSetup, StreamItem, TextChunk
from agent_tui.providers.demo import create

FACTS = "\n\n<environment>\nDate: 2026-01-01 (Thursday)\nGit: not a repository\n</environment>"

Tools = Callable[[ToolCall], str]


def works(_: ToolCall) -> str:
    return "ok"


@dataclass
class Answer:
    text: str
    calls: tuple[ToolCall, ...]
    state: str

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]

    @property
    def arguments(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.calls[0].arguments)
        return data


@dataclass
class Session:
    """A history that grows as the engine would let it grow."""

    data: Path
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.demo = create("tour", ProviderSetup(data=self.data, options={"pace": 0}))

    def streamed(self) -> list[StreamItem]:
        async def all_of_it() -> list[StreamItem]:
            return [item async for item in self.demo.stream(Request("", tuple(self.messages)))]

        return asyncio.run(all_of_it())

    def answer(self) -> Answer:
        *parts, end = self.streamed()
        assert isinstance(end, Finished)
        text = "".join(part.text for part in parts if isinstance(part, TextChunk))
        written = ["" for _ in end.calls]
        for part in parts:
            if isinstance(part, CallChunk):
                written[part.index] += part.text
        assert written == [call.arguments for call in end.calls]
        assert end.stop_reason == ("tool_calls" if end.calls else "stop")
        self.messages.append(
            AssistantMessage(text, calls=end.calls, provider="demo", state=end.state)
        )
        return Answer(text, end.calls, end.state)

    def say(self, text: str, facts: str = "") -> None:
        self.messages.append(UserMessage(text + facts))

    def asked(self, text: str) -> Answer:
        self.say(text)
        return self.answer()

    def results(self, answer: Answer, tools: Tools = works) -> None:
        self.messages.extend(ToolMessage(call.id, call.name, tools(call)) for call in answer.calls)

    def play(self, tools: Tools = works, until: str = "") -> list[Answer]:
        """Answers until a turn ends, or until the one with the words `until` (its calls have no
        results then)."""
        answers: list[Answer] = []
        while True:
            answers.append(self.answer())
            if not answers[-1].calls or (until and until in answers[-1].text):
                return answers
            self.results(answers[-1], tools)

    def interrupted(self, characters: int) -> str:
        """The next answer, broken off after so many characters."""
        text = "".join(item.text for item in self.streamed() if isinstance(item, TextChunk))[
            :characters
        ]
        self.messages.append(AssistantMessage(text, provider="demo"))
        return text
