"""Drives the real engine (thread, loop, log, tools) with a scripted model: send Ops, wait for
events."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.paths import Folders
from agent_tui.protocol.events import ErrorRaised, Event, Restored, SessionStarted, TurnEnded, fold
from agent_tui.protocol.ops import Op, Submit
from agent_tui.protocol.transcript import Transcript
from agent_tui.settings.table import (
    AgentSettings,
    PermissionSettings,
    SandboxSettings,
    Settings,
    ToolSettings,
)
from agent_tui.settings.trust import ThisRun

E = TypeVar("E", bound=Event)
PATIENCE = 20.0


@dataclass
class Driver:
    worker: Worker
    config: EngineConfig
    events: list[Event] = field(default_factory=list)
    restored: Transcript | None = None
    position: int = 0
    patience: float = PATIENCE
    """Seconds that `until` waits."""

    def send(self, op: Op) -> None:
        self.worker.send(op)

    def until(self, kind: type[E], when: Callable[[E], bool] = lambda _: True) -> E:
        """The next event of `kind` that fits, waiting for it."""
        deadline = time.monotonic() + self.patience
        while True:
            while self.position < len(self.events):
                event = self.events[self.position]
                self.position += 1
                if isinstance(event, kind) and when(event):
                    return event
            try:
                event_or_restored = self.worker.events.get(
                    timeout=max(0.01, deadline - time.monotonic())
                )
            except queue.Empty:
                seen = [type(event).__name__ for event in self.events]
                raise AssertionError(f"no {kind.__name__}; there were {seen}") from None
            if isinstance(event_or_restored, Restored):
                self.restored = event_or_restored.transcript
            else:
                self.events.append(event_or_restored)

    def turn(self, prompt: str) -> TurnEnded:
        self.send(Submit(prompt))
        return self.until(TurnEnded)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def transcript(self) -> Transcript:
        return fold(self.events, self.restored)


@contextmanager
def running(config: EngineConfig) -> Iterator[Driver]:
    """An engine whose session is open; it is stopped in the end."""
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    try:
        driver.until(SessionStarted)
        yield driver
    finally:
        driver.worker.stop(60)


@dataclass
class Place:
    """A folder to work in and a home for the program, under tmp_path. `trusts`: the person trusts
    what projects there bring."""

    root: Path
    trusts: bool = True

    @property
    def cwd(self) -> Path:
        return self.root / "work"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def script(self, *steps: Any, name: str = "script.json") -> str:
        """Write a script of `steps`; returns the model's name."""
        self.cwd.mkdir(parents=True, exist_ok=True)
        (self.cwd / name).write_text(json.dumps({"steps": list(steps)}))
        return f"scripted/{name}"

    def config(
        self,
        model: str,
        mode: str = "auto",
        resume: str = "",
        interactive: bool = True,
        agent: AgentSettings | None = None,
        tools: ToolSettings | None = None,
        environment: dict[str, str] | None = None,
        permissions: PermissionSettings | None = None,
        sandbox: str = "auto",
    ) -> EngineConfig:
        self.cwd.mkdir(parents=True, exist_ok=True)
        settings = Settings(
            model,
            mode,
            agent=agent or AgentSettings(),
            tools=tools or ToolSettings(),
            permissions=permissions or PermissionSettings(),
            sandbox=SandboxSettings(sandbox),
        )
        basics = {"HOME": str(self.root / "user"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        return EngineConfig(
            settings=settings,
            cwd=self.cwd.resolve(),
            folders=Folders(self.home, self.home, self.home / "logs"),
            environment={**basics, **(environment or {})},
            resume=resume,
            interactive=interactive,
            mode_given=not resume,
            this_run=ThisRun(map(str, self.root.resolve().iterdir()) if self.trusts else ()),
        )

    @contextmanager
    def engine(self, model: str, **options: Any) -> Iterator[Driver]:
        config = self.config(model, **options)
        with running(config) as driver:
            assert not driver.all(ErrorRaised), driver.all(ErrorRaised)
            yield driver

    def log_lines(self) -> list[dict[str, Any]]:
        [path] = (self.home / "sessions").glob("*.jsonl")
        return [json.loads(line) for line in path.read_bytes().splitlines()]
