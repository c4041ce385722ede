"""A yes that holds for all edits from then on: where the engine offers it, and what still asks
after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ModeChanged,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, SetMode, Submit
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def create(name: str) -> dict[str, Any]:
    return {"call": "create_file", "arguments": {"path": name, "content": "hello\n"}}


COMMAND = {"call": "run_shell_command", "arguments": {"command": "env echo one"}}


def asked(driver: Driver) -> ApprovalAsked:
    return driver.until(ApprovalAsked)


@pytest.mark.parametrize("mode", ["auto", "manual"])
def test_after_it_changes_run_and_commands_and_protected_names_ask(place: Place, mode: str) -> None:
    model = place.script(
        [create("a.txt"), create("b.txt"), COMMAND, create(".envrc")], [{"text": "done"}]
    )
    with place.engine(model) as driver:
        driver.send(SetMode(mode))
        driver.until(ModeChanged)
        driver.send(Submit("go"))
        first = asked(driver)
        assert (first.mode, first.hard) == ("accept-edits", False)
        second, command, protected = asked(driver), asked(driver), asked(driver)
        assert ("env echo one" in command.label, command.mode) == (True, "")
        assert (".envrc" in protected.label, protected.mode) == (True, "")
        driver.send(SetMode(first.mode))
        driver.send(Answer(first.id, "once"))
        needless = driver.until(ApprovalAnswered, lambda event: event.id == second.id)
        assert (needless.choice, needless.by) == ("once", "rule"), "the mode allows it now"
        driver.until(ToolEnded, lambda event: event.call_id == second.call_id)
        assert (place.cwd / "b.txt").exists()
        driver.send(Answer(command.id, "no"))
        driver.send(Answer(protected.id, "no"))
        driver.until(TurnEnded)
        assert [event.tag for event in driver.all(ToolEnded)] == ["ok", "ok", "denied", "denied"]
