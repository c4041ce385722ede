"""Writes the log of a long session, as the program itself would have: for benchmarks that open one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from agent_tui.protocol.codec import encode
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    Cleared,
    SessionStarted,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.sessions.log.store import log_path

WORDS = "the loop reads each event once and folds it into a value that nothing else may change "
FUNCTIONS = "".join(
    f"def f{n}(x: int) -> int:\n    return x * {n}  # a comment\n" for n in range(5)
)
ID = "00000000-0000-4000-8000-000000000000"
TURN_BLOCKS = 10
"""Blocks of one turn: prompt, text, tool, paragraph, list, code, heading, quote, paragraph, end."""


def write_session(home: Path, blocks: int) -> None:
    """A session of `work` in `home` that shows `blocks` blocks (a multiple of ten), and one
    divider.

    The context was cleared at its end, as it must have been in a session of that length.
    """
    folder = home / "agent-tui" / "sessions"
    folder.mkdir(parents=True, mode=0o700)
    numbers = count(1)
    with log_path(folder, ID).open("wb") as file:
        for event in _events(str(home / "work"), blocks // TURN_BLOCKS):
            file.write(encode(replace(event, n=next(numbers), session=ID)))


def _events(cwd: str, turns: int) -> Iterator[Event]:
    at = 1_700_000_000.0
    yield SessionStarted(cwd=cwd, model="openai/bench", at=at)
    for turn in range(1, turns + 1):
        for event in _turn(turn):
            at += 1
            yield replace(event, turn=turn, at=at)
    yield Cleared(turn=turns, at=at)


def _turn(n: int) -> Iterator[Event]:
    call = ToolCall(f"call-{n}", "run_shell_command", '{"command": "ls"}')
    label = f"ls src/{n}"
    yield TurnStarted(prompt=f"question {n}: {WORDS * 2}")
    yield StepStarted(step=1)
    yield AssistantReplied(step=1, text=f"{n} {WORDS * 3}", calls=(call,), stop_reason="tool_calls")
    yield ToolStarted(
        step=1, call_id=call.id, name=call.name, label=label, arguments=call.arguments
    )
    yield ToolEnded(
        step=1,
        call_id=call.id,
        name=call.name,
        label=label,
        content="a\nb\n",
        duration_ms=12,
        display=CommandDisplay(label, output="a\nb\n"),
    )
    yield StepStarted(step=2)
    yield AssistantReplied(
        step=2,
        text=f"{n} {WORDS * 4}\n\n- {n} {WORDS}\n- **two** {WORDS}\n- `three`\n\n```python\n# {n}\n{FUNCTIONS}```\n\n"
        f"## Heading {n}\n\n> {n} {WORDS}\n\n{WORDS * 2}{n}\n",
    )
    yield TurnEnded(state="completed", duration_ms=1200, steps=2)
