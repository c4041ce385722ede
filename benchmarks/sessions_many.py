"""Logs by the thousand, as the program itself would have written them, with words as people and
programs use them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from agent_tui.protocol.codec import encode
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    ContextBuilt,
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

VOCABULARY = 40_000
RARE = "quinquereme"
"""A word that one session alone holds."""
COMMON = "the"
"""A word that each turn holds."""


def words(random_: random.Random, number: int) -> str:
    """`number` words, few of them often and most of them seldom, as in any text (Zipf)."""
    return " ".join(f"w{int(VOCABULARY ** random_.random())}" for _ in range(number))


def write_many(folder: Path, sessions: int, size: int, seed: int = 1) -> None:
    """`sessions` logs in `folder`, of about `size` bytes in all; the oldest first."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    random_ = random.Random(seed)
    stock = [words(random_, 120) for _ in range(3_000)]
    for number in range(sessions):
        id = f"{number:08x}-0000-4000-8000-000000000000"
        with (folder / f"{id}.jsonl").open("wb") as file:
            numbers = count(1)
            for event in _events(number, size // sessions, random_, stock):
                file.write(encode(replace(event, n=next(numbers), session=id)))
                if file.tell() > size // sessions and isinstance(event, TurnEnded):
                    break


def _events(session: int, size: int, random_: random.Random, stock: list[str]) -> Iterator[Event]:
    at = 1_700_000_000.0 + session * 3_600
    model = "openai/bench"
    yield SessionStarted(cwd=f"/home/someone/project{session % 7}", model=model, at=at)
    yield ContextBuilt(system=stock[0] * min(20, 1 + size // 50_000), hash="0" * 64, at=at)
    for turn in count(1):
        said = RARE if turn == 2 and session == 3 else COMMON
        at += 60
        for event in _turn(turn, said, model, random_, stock):
            yield replace(event, turn=turn, at=at)


def _turn(
    turn: int, said: str, model: str, random_: random.Random, stock: list[str]
) -> Iterator[Event]:
    yield TurnStarted(prompt=f"question {turn}: {said} {random_.choice(stock)[:200]}")
    for step in (1, 2, 3):
        call = ToolCall(f"call-{turn}-{step}", "run_shell_command", '{"command": "make check"}')
        output = "\n".join(random_.choices(stock, k=4))
        yield StepStarted(
            step=step, facts="<environment>\nGit branch: main...origin/main\n</environment>"
        )
        yield RequestSent(step=step, model=model, messages=turn * 4, hash="1" * 64)
        yield AssistantReplied(step=step, text=f"{COMMON} {random_.choice(stock)}", calls=(call,))
        yield UsageReported(step=step, usage=Usage(1_000 * step, 100), model=model, duration_ms=900)
        yield ToolStarted(
            step=step, call_id=call.id, name=call.name, label="make check", arguments=call.arguments
        )
        yield ToolEnded(
            step=step,
            call_id=call.id,
            name=call.name,
            label="make check",
            content=output,
            duration_ms=300,
            display=CommandDisplay("make check", output=output),
        )
    yield AssistantReplied(step=4, text="\n\n".join(random_.choices(stock, k=3)))
    yield TurnEnded(state="completed", duration_ms=4_000, steps=4)
