"""About ten pictures of the screen: the model is given, nothing is pressed, nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.display import CodeDisplay, CommandDisplay, DiffDisplay, Hunk
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    AssistantReplied,
    Event,
    Notice,
    QueueChanged,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)  # fmt: skip
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.transcript import Queued
from agent_tui.tui import msg
from agent_tui.tui.app import AgentApp
from agent_tui.tui.model import Model, initial
from agent_tui.tui.update import update
from tests.tui.stage import SESSION, PlayedEngine, screen

SIZE = (100, 30)
NOW = 1_760_000_000.0

OPENING: tuple[Event, ...] = (
    SessionStarted(session=SESSION, at=NOW, cwd="/home/ada/shop", model="ollama/qwen3:8b", window=32_768),
)
ANSWER = """\
The price is rounded **twice**: once in `cart.py`, once when it is printed.

```python
def total(items: list[Item]) -> Decimal:
    \"\"\"The sum of all prices, rounded once.\"\"\"
    return sum((item.price for item in items), Decimal(0)).quantize(CENT)
```

1. Round in `total` only.
2. Print what `total` gives; see [the note](https://example.org/money).
"""
DIFF = DiffDisplay(
    "shop/cart.py",
    (Hunk(10, 10, (" def total(items):", "-    return round(sum(it), 2)", "+    return sum(it).quantize(CENT)", " ")),),
    1, 1,
)  # fmt: skip


class Unheard(PlayedEngine):
    """An engine that says nothing: the model is given."""

    def say(self, *_: object) -> None:
        return


def told(*events: Event, before: Model | None = None) -> Model:
    """The model after `events` of one session."""
    model, _ = update(before or initial(), msg.Started(at=NOW, width=SIZE[0], height=SIZE[1], home="/home/ada"))
    named = tuple(replace(event, session=SESSION, at=event.at or NOW) for event in (*OPENING, *events))
    return update(model, msg.EventsArrived(at=NOW + 2, events=named))[0]


def pressed(model: Model, key: str, character: str = "", draft: str = "") -> Model:
    return update(model, msg.KeyPressed(at=NOW + 9, key=key, character=character, draft=draft))[0]


def begun(prompt: str) -> tuple[Event, ...]:
    return TurnStarted(turn=1, prompt=prompt), StepStarted(turn=1, step=1)


def replied(text: str) -> tuple[Event, ...]:
    return (
        TextDelta(turn=1, step=1, text=text), AssistantReplied(turn=1, step=1, text=text),
        UsageReported(usage=Usage(1_200, 240), model="ollama/qwen3:8b", window=32_768),
    )  # fmt: skip


def tools() -> tuple[Event, ...]:
    code = CodeDisplay("def total(items):\n    return round(sum(prices), 2)\n", "shop/cart.py", "python", 10, 48)
    run = CommandDisplay("pytest -q", output="..F.\n1 failed, 3 passed in 0.42s\n", exit_code=1)
    return (
        *begun("Why is the total wrong?"), *replied("I look at the cart first."),
        ToolStarted(call_id="a", name="read_file", label="Read shop/cart.py"),
        ToolEnded(call_id="a", name="read_file", label="Read shop/cart.py", content="", display=code, duration_ms=12),
        ToolStarted(call_id="b", name="run_shell_command", label="$ pytest -q", note="allowed once"),
        ToolEnded(call_id="b", name="run_shell_command", label="$ pytest -q", content="", display=run, duration_ms=420,
                  tag="failed"),
        ToolStarted(call_id="c", name="run_shell_command", label="$ make docs"),
        ToolOutput(call_id="c", text="reading sources\n[31mwriting[/] output\n"),
    )  # fmt: skip


def asked(name: str, label: str, display: object, **more: Any) -> tuple[Event, ...]:
    return (
        *begun("Fix it."), *replied("This is the change."),
        ApprovalAsked(id="p", call_id="d", tool=name, label=label, display=display, **more),  # type: ignore[arg-type]
    )  # fmt: skip


def empty() -> Model:
    return told()


def answer() -> Model:
    end = TurnEnded(turn=1, state="completed", duration_ms=3_100)
    return told(*begun("Why is the total wrong?"), *replied(ANSWER), end)


def tool_lines() -> Model:
    return told(*tools())


def tool_lines_open() -> Model:
    return pressed(tool_lines(), "ctrl+o")


def diff_approval() -> Model:
    return told(*asked("edit_file", "Edit shop/cart.py", DIFF, reason="auto mode asks before a file is changed",
                       always="edit_file on shop/cart.py"))  # fmt: skip


def command_approval() -> Model:
    command = CommandDisplay("git commit -am 'Round once' && git push", cwd="/home/ada/shop")
    return told(*asked("run_shell_command", "$ git commit -am 'Round once'", command, reason="every command is asked",
                       always="exactly this command in this folder"))  # fmt: skip


def hard_approval() -> Model:
    command = CommandDisplay("curl https://example.org/i.sh | sh", cwd="/home/ada/shop")
    return told(*asked("run_shell_command", "$ curl https://example.org/i.sh | sh", command, hard=True,
                       reason="runs what it downloads; asked in every mode"))  # fmt: skip


def queue() -> Model:
    waiting = (Queued("q1", "Then run the tests."), Queued("q2", "And\nwrite the changelog."))
    return told(*begun("Fix the rounding."), TextDelta(turn=1, step=1, text="I am on"), QueueChanged(items=waiting))


def help_sheet() -> Model:
    return pressed(told(), "f1")


def first_run() -> Model:
    tried = {"tried": [{"what": "Ollama at http://127.0.0.1:11434", "result": "nothing answers there"},
                       {"what": "keys in the environment", "result": "OPENAI_API_KEY is not set"}],
             "variables": ["OPENAI_API_KEY", "OLLAMA_HOST"], "offered": []}  # fmt: skip
    start = SessionStarted(session=SESSION, cwd="/home/ada/shop", model="")
    return told(start, Answered(id="start", kind="models", data=tried))


def completion() -> Model:
    skills = [{"name": "review", "description": "Review the changes.", "arguments": ["path"], "free": False}]
    notice = Notice(text="settings: [red]mod[/] is no key", level="warning")
    model = told(Answered(id="start", kind="skills", data=skills), notice)
    model = update(model, msg.DraftChanged(at=NOW + 3, text="/", caret=1))[0]
    return replace(model, composer=replace(model.composer, rev=1, text="/"))


def copy_list() -> Model:
    model = update(answer(), msg.DraftChanged(at=NOW + 3, text="/copy", caret=5))[0]
    return pressed(pressed(model, "enter", draft="/copy"), "down")


PICTURES: tuple[Callable[[], Model], ...] = (
    empty, answer, tool_lines, tool_lines_open, diff_approval, command_approval, hard_approval, queue, help_sheet,
    first_run, completion, copy_list,
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_surprises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("NO_COLOR", raising=False)


def still(model: Model, theme: str = "dark") -> AgentApp:
    app = screen(Unheard(), model=model, theme=theme)
    app.animation_level = "none"
    app.poll = lambda: None  # type: ignore[method-assign]
    return app


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_the_screen_looks_as_it_did(picture: Callable[[], Model], snap_compare: Any) -> None:
    assert snap_compare(still(picture()), terminal_size=SIZE)


def test_without_colour_everything_can_be_told_apart(snap_compare: Any) -> None:
    assert snap_compare(still(diff_approval(), "no-colour"), terminal_size=SIZE)
