"""What tests of the screen share: an engine that only records and plays, and a stage for it without
a terminal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from textual.pilot import Pilot

from agent_tui.boot.terminal import Early
from agent_tui.paths import shipped_folder
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    AssistantReplied,
    ModeChanged,
    SessionStarted,
    StepStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Cancel, Op, SaveDraft, SetMode, Submit
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.runtime.history import PromptHistory
from agent_tui.tui.widgets.theme import load_theme

SESSION = "0b0e1c5a-0000-4000-8000-000000000001"


class PlayedEngine:
    """Records Ops and says what `react` puts on the queue; by default it answers prompts with their
    own words."""

    def __init__(
        self, react: Callable[[PlayedEngine, Op], None] | None = None, model: str = "fake/echo"
    ) -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        self.ops: list[Op] = []
        self.started = 0
        self.stopped = False
        self.turn = 0
        self.model = model
        self._react = react or echo
        self._wake: Callable[[], None] = lambda: None

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self.started += 1
        self.say(SessionStarted(session=SESSION, cwd="/work/shop", model=self.model, window=32_768))

    def send(self, op: Op) -> None:
        self.ops.append(op)
        self._react(self, op)

    def stop(self, timeout: float) -> None:  # noqa: ARG002
        self.stopped = True

    def say(self, *events: Event | Restored) -> None:
        for event in events:
            self.events.put(event)
            if self.resting:
                self.resting = False
                self._wake()

    def asked(self, *, drafts: bool = False) -> list[Op]:
        """The Ops so far, without the drafts."""
        return [op for op in self.ops if drafts or not isinstance(op, SaveDraft)]

    def begin(self, prompt: str, queue_id: str = "") -> None:
        self.turn += 1
        self.say(
            TurnStarted(
                session=SESSION, at=time.time(), turn=self.turn, prompt=prompt, queue_id=queue_id
            ),
            StepStarted(session=SESSION, turn=self.turn, step=1),
        )

    def answer(self, text: str, calls: tuple[ToolCall, ...] = ()) -> None:
        self.say(
            TextDelta(session=SESSION, turn=self.turn, step=1, text=text),
            AssistantReplied(session=SESSION, turn=self.turn, step=1, text=text, calls=calls),
        )

    def end(self, state: Any = "completed") -> None:
        self.say(TurnEnded(session=SESSION, turn=self.turn, state=state, duration_ms=40, steps=1))


def echo(engine: PlayedEngine, op: Op) -> None:
    """Answer every prompt with its own words."""
    match op:
        case Submit():
            engine.begin(op.text, op.queue_id)
            engine.answer(f"You said: {op.text}")
            engine.end()
        case SetMode():
            engine.say(ModeChanged(session=SESSION, mode=op.mode))
        case Cancel():
            engine.end("cancelled")
        case _:
            return


def screen(
    engine: PlayedEngine,
    *,
    model: Model | None = None,
    history: Path | None = None,
    prompt: str = "",
    theme: str = "dark",
    early: Early | None = None,
    at_once: bool = True,
) -> AgentApp:
    """The real app on `engine`."""
    return AgentApp(
        engine,
        load_theme(theme, (shipped_folder("themes"),)),
        history=PromptHistory(history) if history else None,
        prompt=prompt,
        early=early,
        at_once=at_once,
        model=model,
    )


Play = Callable[[Pilot[int], AgentApp], Awaitable[None]]


def play(
    engine: PlayedEngine, steps: Play, size: tuple[int, int] = (80, 24), **given: Any
) -> AgentApp:
    """Run `steps` on the screen, without a terminal."""
    app = screen(engine, **given)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(pilot, app)

    asyncio.run(run())
    return app


def text(app: AgentApp) -> str:
    """What is on the screen."""
    return "\n".join(
        "".join(part.text for part in line) for line in app.screen._compositor.render_strips()
    )


async def until(seen: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end, "it never happened"
        await asyncio.sleep(0.01)


def hold(engine: PlayedEngine, op: Op) -> None:
    """Begin a turn and leave it running."""
    if isinstance(op, Submit):
        engine.begin(op.text, op.queue_id)
    else:
        echo(engine, op)
