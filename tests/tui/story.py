"""What pictures of the screen share: the model is given, the engine says nothing, nothing moves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from textual.pilot import Pilot

from agent_tui.protocol.display import Display
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.update import update
from tests.tui.stage import SESSION, PlayedEngine, screen

NOW = 1_760_000_000.0
OPENING = SessionStarted(
    session=SESSION, at=NOW, cwd="/home/ada/shop", model="ollama/qwen3:8b", window=32_768
)
Then = Callable[[Pilot[Any]], Awaitable[None]]


@dataclass(frozen=True)
class Story:
    """What is seen, by the name of the function that makes the model; `then` is done on the screen."""

    name: str
    model: Callable[[], Model]
    size: tuple[int, int] = (100, 30)
    theme: str = "dark"
    then: Then | None = None


class Stories(list[Story]):
    """The stories of a module, in order."""

    def add(self, **how: Any) -> Callable[[Callable[[], Model]], Callable[[], Model]]:
        def take(model: Callable[[], Model]) -> Callable[[], Model]:
            self.append(Story(model.__name__, model, **how))
            return model

        return take

    def each(self) -> pytest.MarkDecorator:
        return pytest.mark.parametrize("story", self, ids=lambda story: story.name)


def compare(story: Story, snap: Any) -> None:
    """Hold the picture of `story` to the one that was looked at."""
    width, height = story.size
    model = update(story.model(), msg.Resized(at=NOW + 9, width=width, height=height))[0]
    app = still(model, story.theme)
    before = None if story.then is None else _done(story.then)
    assert snap(app, terminal_size=story.size, run_before=before)


def _done(then: Then) -> Then:
    async def run(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await then(pilot)
        await pilot.pause()

    return run


class Unheard(PlayedEngine):
    """An engine that says nothing: the model is given."""

    def say(self, *_: object) -> None:
        return


def still(model: Model, theme: str = "dark") -> AgentApp:
    app = screen(Unheard(), model=model, theme=theme)
    app.animation_level = "none"
    app.poll = lambda: None  # type: ignore[method-assign]
    return app


def told(*events: Event, before: Model | None = None, at: float = NOW + 2) -> Model:
    """The model after `events` of one session."""
    if before is None:
        before, _ = update(initial(), msg.Started(at=NOW, width=100, height=30, home="/home/ada"))
        events = (OPENING, *events)
    return update(before, arrived(*events, at=at))[0]


def arrived(*events: Event, at: float = NOW + 2) -> msg.EventsArrived:
    named = tuple(replace(event, session=SESSION, at=event.at or NOW) for event in events)
    return msg.EventsArrived(at=at, events=named)


def pressed(model: Model, *keys: str, draft: str = "") -> Model:
    for number, key in enumerate(keys):  # no finger rests on one
        model = update(model, msg.KeyPressed(at=NOW + 9 + number / 5, key=key, draft=draft))[0]
    return model


def typed(model: Model, text: str) -> Model:
    """`text` in the prompt, as the widget would show it."""
    model = update(model, msg.DraftChanged(at=NOW + 3, text=text, caret=len(text)))[0]
    return replace(model, composer=replace(model.composer, rev=model.composer.rev + 1, text=text))


def looked(model: Model, **how: Any) -> Model:
    """`model` with another look."""
    return replace(model, look=replace(model.look, **how))


def begun(prompt: str) -> tuple[Event, ...]:
    return TurnStarted(turn=1, prompt=prompt), StepStarted(turn=1, step=1)


def replied(text: str, **more: Any) -> tuple[Event, ...]:
    return (
        TextDelta(turn=1, step=1, text=text),
        AssistantReplied(turn=1, step=1, text=text, **more),
        UsageReported(usage=Usage(1_200, 240), model="ollama/qwen3:8b", window=32_768),
    )


def answered(prompt: str, text: str) -> tuple[Event, ...]:
    """A whole turn without tools."""
    return (
        *begun(prompt),
        *replied(text),
        TurnEnded(turn=1, state="completed", duration_ms=3_100, at=NOW + 3),
    )


def did(
    label: str, display: Display | None, ms: int = 12, note: str = "", **more: Any
) -> tuple[Event, ...]:
    """A call that has ended."""
    name = {"Read": "read_file", "Search": "grep_files", "Run": "run_shell_command"}.get(
        label.split()[0], "edit_file"
    )
    return (
        ToolStarted(call_id=label, name=name, label=label, note=note),
        ToolEnded(
            call_id=label,
            name=name,
            label=label,
            content="",
            display=display,
            duration_ms=ms,
            **more,
        ),
    )
