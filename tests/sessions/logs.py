"""Logs for tests, as the store writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    FileChanged,
    RequestSent,
    SessionStarted,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import ToolCall, Usage
from agent_tui.sessions.log.store import Store


def turn(
    number: int, prompt: str, answer: str = "done", output: str = "a\nb\n", at: float = 0.0
) -> Iterator[Event]:
    """A turn of two steps: a command, a changed file, an answer."""
    at = at or 1_000.0 * number
    call = ToolCall(f"call-{number}", "run_shell_command", '{"command": "ls"}')
    yield TurnStarted(prompt, turn=number, at=at)
    yield StepStarted(
        "<environment>\nGit branch: topic/x...origin/topic/x [ahead 1]\n</environment>",
        turn=number,
        step=1,
    )
    yield RequestSent("ollama/qwen3:8b", turn=number, step=1, at=at + 1)
    yield AssistantReplied(
        "", "I think. Therefore.", (call,), turn=number, step=1, at=at + 2, thinking_ms=400
    )
    yield UsageReported(
        Usage(100, 10, 40), "ollama/qwen3:8b", duration_ms=900, turn=number, step=1, at=at + 2
    )
    yield ToolStarted(call.id, call.name, "ls src", call.arguments, turn=number, step=1, at=at + 3)
    yield FileChanged(
        call.id,
        f"src/part{number}.py",
        DiffDisplay(f"src/part{number}.py", ()),
        turn=number,
        step=1,
        at=at + 3,
    )
    yield ToolEnded(call.id, call.name, "ls src", output, None, 250, turn=number, step=1, at=at + 4)
    yield StepStarted(turn=number, step=2, at=at + 4)
    yield RequestSent("ollama/qwen3:8b", turn=number, step=2, at=at + 4)
    yield AssistantReplied(answer, turn=number, step=2, at=at + 5)
    yield UsageReported(
        Usage(200, 20), "ollama/qwen3:8b", duration_ms=1_100, turn=number, step=2, at=at + 5
    )
    yield TurnEnded("completed", 5_000, 2, turn=number, at=at + 6)


def write(
    folder: Path, id: str, *events: Event, cwd: str = "/work/here", began: float = 500.0
) -> Path:
    """The log of a session with `events`."""
    store = Store.create(folder, id)
    for event in (SessionStarted(cwd=cwd, model="ollama/qwen3:8b", session=id, at=began), *events):
        store.append(event)
    store.close()
    last = max(event.at for event in events) if events else began
    os.utime(store.path, (last, last))  # as if it had been written then
    return store.path
