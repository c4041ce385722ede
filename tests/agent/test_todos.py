"""The todo list in a session: kept, told, taken back, given back after an end and after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.history import History
from agent_tui.cli import replay
from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    Cleared,
    Event,
    Rewound,
    TodoChanged,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.messages import UserMessage
from agent_tui.protocol.ops import Clear, Continue, Fork, Rewind
from agent_tui.sessions.log.copies import trim
from agent_tui.sessions.log.store import read
from tests.agent.driving import PATIENCE, Place
from tests.sessions.logs import turn, write

FIRST = (TodoItem("look", "active"), TodoItem("mend"))
SECOND = (TodoItem("look", "done"), TodoItem("mend", "active"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def todos(items: tuple[TodoItem, ...]) -> dict[str, Any]:
    """A call that sets `items`."""
    words = {"open": "pending"}
    listed = [{"text": item.text, "state": words.get(item.state, item.state)} for item in items]
    return {"call": "update_todos", "arguments": {"todos": listed}}


def script(place: Place) -> str:
    return place.script(
        [todos(FIRST)], [{"text": "one"}], [todos(SECOND)], [{"text": "two"}], [{"text": "three"}]
    )


def log_of(place: Place, session: str) -> list[Event]:
    return read(place.home / "sessions" / f"{session}.jsonl")[0]


@pytest.mark.parametrize("mode", ["auto", "plan"])
def test_nobody_is_asked_and_the_list_comes_back(place: Place, mode: str) -> None:
    model = script(place)
    with place.engine(model, mode=mode) as driver:
        driver.turn("first")
        assert driver.transcript().todos == FIRST
        assert not driver.all(ApprovalAsked)
        driver.turn("second")
        assert driver.transcript().todos == SECOND
        [_, ended] = driver.all(ToolEnded)
        session = driver.events[0].session
    assert ended.content == "The todo list is saved: 1 of 2 done."
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None and driver.restored.todos == SECOND


def test_a_rewind_and_a_fork_have_the_list_of_then_and_clear_none(place: Place) -> None:
    model = script(place)
    with place.engine(model) as driver:
        driver.turn("first")
        driver.turn("second")
        session = driver.events[0].session
        second = driver.all(TurnStarted)[1].n
        driver.send(Fork(second))
        copy = driver.until(Answered, lambda event: event.kind == "forked").data.id
        driver.send(Rewind(second))
        driver.until(Rewound)
        assert driver.transcript().todos == FIRST
        driver.send(Clear())
        driver.until(Cleared)
        assert driver.transcript().todos == ()
    assert fold(log_of(place, copy)).todos == FIRST
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None and driver.restored.todos == ()


def test_bad_arguments_leave_the_list_as_it_was(place: Place) -> None:
    bad = {"call": "update_todos", "arguments": {"todos": [1] * 50}}
    with place.engine(place.script([todos(FIRST)], [bad], [{"text": "ok"}])) as driver:
        driver.turn("go")
        said = driver.all(ToolEnded)[1]
        assert driver.transcript().todos == FIRST
    assert (
        said.tag == "invalid_arguments"
        and "; and 45 more. A call should be: update_todos(" in said.content
    )


def test_a_secret_in_it_is_hidden_in_the_log_too(place: Place) -> None:
    key = "sk-test-abcdefghijklmnop0123456789"
    model = place.script([todos((TodoItem(f"use {key}"),))], [{"text": "ok"}])
    with place.engine(model, environment={"OPENAI_API_KEY": key}) as driver:
        driver.turn("go")
        [item] = driver.transcript().todos
        [changed] = driver.all(TodoChanged)
    assert key not in item.text and changed.items == (item,)
    assert all(
        key not in json.dumps(line) for line in place.log_lines() if line["type"] == "todo_changed"
    )


def test_what_was_at_a_moment_names_the_list(place: Place) -> None:
    with place.engine(script(place)) as driver:
        driver.turn("first")
        driver.turn("second")
        session, second = driver.events[0].session, driver.all(TurnStarted)[1].n
    events = log_of(place, session)
    before, after = (
        replay.describe_record(events, second),
        replay.describe_record(events, events[-1].n),
    )
    assert "todo list, 0 of 2 done" in before and "in work: `look`" in before
    assert "todo list, 1 of 2 done" in after and "done: `look`" in after


# -- a session that was made smaller


def told(events: list[Event]) -> str:
    """All that the person's side of the next request says."""
    history = History()
    for event in events:
        history = history.with_event(event)
    history = history.with_event(TurnStarted(prompt="go on", n=10_000))
    return "\n".join(
        message.text for message in history.messages if isinstance(message, UserMessage)
    )


def test_a_smaller_session_keeps_it_and_the_model_is_told(place: Place) -> None:
    model = script(place)
    with place.engine(model) as driver:
        driver.turn("first")
        driver.turn("second")
        driver.turn("third")
        session = driver.events[0].session
    made = trim(place.home / "sessions", session, 1)
    events = log_of(place, made.id)
    assert fold(events).todos == SECOND
    assert told(events).startswith("[Your todo list]\n- done: look\n- active: mend")
    assert "todo list]" not in told(log_of(place, session)), "the call itself tells of it"


def number(events: list[Event], prompt: int) -> int:
    """The record with which a turn of such a log begins, the header being the first."""
    return 2 + [isinstance(event, TurnStarted) * event.turn for event in events].index(prompt)


@pytest.mark.parametrize(
    ("gone", "held"),
    [("rewound", FIRST), ("all rewound", ()), ("cleared", ()), ("no such", SECOND)],
)
def test_a_smaller_session_has_the_list_that_held(
    tmp_path: Path, gone: str, held: tuple[TodoItem, ...]
) -> None:
    events = [*turn(1, "a"), TodoChanged(FIRST), *turn(2, "b"), TodoChanged(SECOND)]
    to = {"rewound": number(events, 2), "all rewound": number(events, 1), "no such": 5}
    events.append(Rewound(to[gone]) if gone in to else Cleared())
    path = write(tmp_path, "one", *events, *turn(3, "c"), *turn(4, "d"))
    made = trim(tmp_path, "one", 1)
    assert fold(read(path)[0]).todos == fold(read(tmp_path / f"{made.id}.jsonl")[0]).todos == held


# -- a kill


@pytest.mark.parametrize("kill_at", [1, 2])
def test_after_a_kill_the_list_is_there(place: Place, kill_at: int) -> None:
    """The kill comes with the list that was acknowledged last."""
    waits = {"text": "so ", "repeat": 2_000, "delay": 0.01}
    model = place.script([todos(FIRST)], [todos(SECOND)], [waits], name="kill.json")
    argv = [sys.executable, "-m", "tests.agent.kill_program", str(place.root), model, "", "1"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as child:
        assert child.stdout is not None
        seen = 0
        for line in child.stdout:
            kinds = {record["n"]: record["type"] for record in place.log_lines() if record.get("c")}
            seen += kinds.get(int(line)) == "todo_changed"
            if seen == kill_at:
                child.kill()
                break
        child.wait(PATIENCE)
    [path] = (place.home / "sessions").glob("*.jsonl")
    wanted = [event.items for event in log_of(place, path.stem) if isinstance(event, TodoChanged)][
        -1
    ]
    assert wanted in (FIRST, SECOND)[kill_at - 1 :]
    ends = place.script(
        [todos(FIRST)], [todos(SECOND)], [{"text": "done"}], [{"text": "done"}], name="kill.json"
    )
    with place.engine(ends, resume=path.stem) as driver:
        assert driver.restored is not None and driver.restored.todos == wanted
        driver.send(Continue())
        driver.until(TurnEnded, lambda end: end.state == "completed")
        assert driver.transcript().todos == SECOND
