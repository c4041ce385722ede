"""The figures of a session: right sums from its events, alone and from its log."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import (
    ErrorRaised,
    Event,
    FileChanged,
    Notice,
    Retrying,
    StepStarted,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.sessions.index.stats import Stats, lines, stats
from agent_tui.sessions.log.store import read
from tests.campaigns import examples
from tests.sessions.logs import turn, write
from tests.strategies import sessions


def test_all_and_each_step() -> None:
    found = stats((*turn(1, "a", at=100.0), *turn(2, "b", at=200.0)))
    assert (found.turns, found.steps, found.requests, found.tool_calls) == (2, 4, 4, 2)
    assert (found.tokens_in, found.tokens_out, found.cached, found.cost) == (600, 60, 80, None)
    assert (found.provider_ms, found.thinking_ms, found.tool_ms, found.turn_ms) == (
        4_000,
        800,
        500,
        10_000,
    )
    assert (found.began, found.ended, found.wall_ms) == (100.0, 206.0, 106_000)
    assert found.files == ("src/part1.py", "src/part2.py") and found.ends == {"completed": 2}
    first, second, *_ = found.by_step
    assert (first.turn, first.step, first.tokens_in, first.provider_ms, first.tool_ms) == (
        1,
        1,
        100,
        900,
        250,
    )
    assert (first.thought, first.answer, first.files) == (
        "I think. Therefore.",
        "",
        ("src/part1.py",),
    )
    assert [(tool.label, tool.tag, tool.ms) for tool in first.tools] == [("ls src", "ok", 250)]
    assert (second.answer, second.tools) == ("done", ())
    assert [(share.name, share.count, share.ms) for share in found.by_model] == [
        ("ollama/qwen3:8b", 4, 4_000)
    ]
    assert [(share.name, share.count, share.errors) for share in found.by_tool] == [
        ("run_shell_command", 2, 0)
    ]


def test_failures_are_counted_and_refusals_are_none() -> None:
    def ended(tag: str) -> ToolEnded:
        return ToolEnded("c", "t", "l", "", tag=tag, turn=1, step=1)

    events: list[Event] = [
        ended("timeout"),
        ended("denied"),
        ended("cancelled"),
        ended("ok"),
        ErrorRaised("bad", turn=1, step=1),
        Notice("careful", "warning"),
        Retrying(2, 1.0, "reset", turn=1, step=1),
        TurnEnded("error", turn=1),
    ]
    found = stats(events)
    assert (found.errors, found.warnings, found.retries, found.tool_calls) == (2, 1, 1, 4)
    assert found.by_step[0].errors == 2 and found.ends == {"error": 1}


@pytest.mark.parametrize("kind", ["unknown_model", "invalid_arguments"])
def test_a_command_that_was_refused_is_no_error_of_the_session(kind: str) -> None:
    assert stats([ErrorRaised("No model: nosuch", kind)]).errors == 0
    assert stats([ErrorRaised("the server has no such model", kind, turn=1, step=1)]).errors == 1, (
        "a turn failed by it"
    )
    assert stats([ErrorRaised("the disk is full", "pull")]).errors == 1


def test_a_cost_that_is_on_record_is_added() -> None:
    one = UsageReported(Usage(1, 1), "m", turn=1, step=1)
    paid = replace(one, newer={"cost": 0.25})
    assert stats([one]).cost is None
    found = stats([one, paid, replace(paid, step=2)])
    assert (found.cost, found.by_model[0].cost, found.by_step[1].cost) == (0.5, 0.5, 0.25)
    assert dict(lines(found))["cost"] == "$0.50"
    assert "cost" not in dict(lines(stats([replace(one, cost=0.0)]))), "what is free has no price"


def test_nothing_and_what_people_read() -> None:
    assert stats([]) == Stats()
    said = dict(lines(stats(turn(1, "a"))))
    assert said["turns"] == "1 (1 done)" and said["tokens in"] == "300, 40 cached"
    assert said["time with the model"] == "2.0 s" and "errors" not in said and "cost" not in said


def test_the_log_gives_what_the_events_gave(tmp_path: Path) -> None:
    events = [*turn(1, "a"), *turn(2, "b")]
    path = write(tmp_path, "one", *events)
    told = stats(read(path)[0])
    assert (told.by_step, told.by_tool, told.files) == (
        stats(events).by_step,
        stats(events).by_tool,
        stats(events).files,
    )
    assert json.loads(json.dumps(asdict(told)))["by_step"][0]["thought"] == "I think. Therefore."


@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(sessions())
def test_any_session_has_figures(told: list[Event]) -> None:
    found = stats(told)
    assert found.steps == len(found.by_step) and json.dumps(asdict(found))
    assert found.tokens_in == sum(step.tokens_in for step in found.by_step)


def test_a_change_whose_record_names_no_step_belongs_to_the_newest() -> None:
    diff = DiffDisplay("shop.py", ())
    found = stats(
        [
            TurnStarted(prompt="x", turn=1),
            StepStarted(turn=1, step=1),
            StepStarted(turn=1, step=2),
            FileChanged(call_id="1", path="shop.py", diff=diff),
        ]
    )
    assert found.files == ("shop.py",)
    assert [step.files for step in found.by_step] == [(), ("shop.py",)]
