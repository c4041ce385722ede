"""The picture in the README: the real app on an engine that says what a short session says. See
docs/generate.py."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Final

from agent_tui.paths import shipped_folder
from agent_tui.protocol.display import CodeDisplay, CommandDisplay, Match, MatchesDisplay
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    Event,
    FileChanged,
    Restored,
    SessionStarted,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import Op
from agent_tui.tools.support.diff import diff
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.widgets.theme import load_theme

SIZE: Final = (100, 35)
HOME: Final = "/home/you"
FONTS: Final = "ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', Consolas, monospace"
PROMPT: Final = "The summary of an empty cart crashes. Please fix it."
BEFORE: Final = """\
def summary(prices: list[float]) -> str:
    mean = sum(prices) / len(prices)
    return f"{len(prices)} items, {mean:.2f} each"
"""
AFTER: Final = BEFORE.replace("/ len(prices)\n", "/ max(1, len(prices))\n")
FOUND: Final = """\
An empty cart has no mean: `len(prices)` is **0** there, and line 2 divides by it:

```python
mean = sum(prices) / len(prices)   # ZeroDivisionError
```
"""
COMMAND: Final = "python -m pytest tests/test_cart.py -q"


class Played:
    """An engine that has said everything already."""

    def __init__(self, said: tuple[Event, ...]) -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        self._said = said

    def start(self, wake: Callable[[], None]) -> None:
        for event in self._said:
            self.events.put(event)
        self.resting = False
        wake()

    def send(self, op: Op) -> None:
        """Nobody acts here: a picture is taken."""

    def stop(self, timeout: float) -> None:
        """There is no thread to end."""


def session(now: float) -> tuple[Event, ...]:
    """What the engine says, the last of it at `now`."""
    begun = now - 14
    found = MatchesDisplay(
        "summary", (Match("shop/checkout.py", 31, "    print(summary(cart.prices))"),) * 3, 3
    )
    change = diff("shop/cart.py", BEFORE, AFTER)
    command = CommandDisplay(COMMAND, f"{HOME}/shop")
    return (
        SessionStarted(session="s", cwd=f"{HOME}/shop", model="ollama/qwen3:8b", window=32_768),
        TurnStarted(PROMPT, at=begun, turn=1),
        StepStarted(at=begun, turn=1, step=1),
        AssistantReplied("", turn=1, step=1),
        ToolStarted("1", "read_file", "Read shop/cart.py", at=begun),
        ToolEnded(
            "1",
            "read_file",
            "Read shop/cart.py",
            BEFORE,
            CodeDisplay(BEFORE, "shop/cart.py", "python"),
            4,
        ),
        ToolStarted("2", "grep_files", "Search summary in shop", at=begun),
        ToolEnded("2", "grep_files", "Search summary in shop", "", found, 11),
        StepStarted(at=begun, turn=1, step=2),
        AssistantReplied(FOUND, turn=1, step=2),
        ToolStarted("3", "edit_file", "Edit shop/cart.py", note="allowed once", at=begun),
        FileChanged("3", "shop/cart.py", change),
        ToolEnded("3", "edit_file", "Edit shop/cart.py", "", change, 6),
        UsageReported(Usage(5_210, 384), "ollama/qwen3:8b", "ollama", 9_100, 32_768, turn=1),
        StepStarted(at=begun, turn=1, step=3),
        AssistantReplied("", turn=1, step=3),
        ApprovalAsked(
            "a",
            "4",
            "run_shell_command",
            f"Run {COMMAND}",
            "auto mode asks before every command",
            command,
            "this command, in this folder",
            at=now,
        ),
    )


def picture() -> str:
    """The SVG."""
    with _home(HOME):
        return _without_fonts(asyncio.run(_drawn()))


async def _drawn() -> str:
    app = AgentApp(
        Played(session(time.time())), load_theme("dark", (shipped_folder("themes"),)), at_once=True
    )
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(3):  # the engine's words, a tick, the layout that follows
            await pilot.pause(0.2)
        return app.export_screenshot(title="agent-tui", simplify=True)


def _without_fonts(svg: str) -> str:
    """The picture with fonts that every machine has: nothing is fetched when it is looked at."""
    svg = re.sub(r"\s*@font-face\s*\{[^}]*\}", "", svg)
    return re.sub(r"font-family:\s*(?!ui-monospace)[^;}]+", f"font-family: {FONTS}", svg)


@contextmanager
def _home(path: str) -> Iterator[None]:
    """Somebody's home folder, so that the picture shows nobody's."""
    before = os.environ.get("HOME")
    os.environ["HOME"] = path
    try:
        yield
    finally:
        if before is None:
            del os.environ["HOME"]
        else:
            os.environ["HOME"] = before
