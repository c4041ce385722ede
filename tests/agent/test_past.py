"""Going back in a session: rewind, fork, names, going on; driven through the real engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import Refused
from agent_tui.protocol.events import (
    Answered,
    DraftSaved,
    ErrorRaised,
    Labelled,
    Notice,
    RequestSent,
    Rewound,
    SessionStarted,
    Titled,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import (
    Cancel,
    Continue,
    Fork,
    Label,
    Rename,
    Resume,
    Rewind,
    SaveDraft,
    Submit,
)
from agent_tui.protocol.transcript import DividerBlock, UserBlock
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def starts(driver: Driver) -> list[int]:
    return [event.n for event in driver.all(TurnStarted)]


def test_a_rewind_takes_back_turns_and_gives_back_the_prompt(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}], [{"text": "again"}])
    with place.engine(model) as driver:
        driver.turn("first")
        driver.turn("second")
        seen = driver.transcript()
        second = starts(driver)[1]
        driver.send(Rewind(second))
        driver.until(Rewound)
        after = driver.transcript()
        assert [block.text for block in after.rows if isinstance(block, UserBlock)] == ["first"]
        assert (after.draft, after.state, len(after.marks), after.title) == (
            "second",
            "idle",
            1,
            seen.title,
        )
        driver.turn("other")
        requests = [event.messages for event in driver.all(RequestSent)]
        session = driver.events[0].session
    assert requests[2] == requests[1]
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None
        prompts = [block.text for block in driver.restored.rows if isinstance(block, UserBlock)]
    assert prompts == ["first", "other"]


def test_no_rewind_while_a_turn_runs_nor_to_what_is_no_turn(place: Place) -> None:
    model = place.script(
        [{"text": "one"}], [{"call": "run_shell_command", "arguments": {"command": "sleep 30"}}]
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("first")
        driver.send(Rewind(99))
        assert "no such turn" in driver.until(Notice).text
        driver.send(Submit("second"))
        driver.until(ToolStarted)
        driver.send(Rewind(starts(driver)[0]))
        assert "running" in driver.until(Notice).text
        driver.send(Cancel())
        driver.until(TurnEnded)
    assert not driver.all(Rewound)


def test_a_fork_is_another_session_that_can_be_opened(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}], [{"text": "three"}])
    with place.engine(model) as driver:
        driver.turn("first")
        driver.turn("second")
        parent = driver.events[0].session
        driver.send(Fork(starts(driver)[1]))
        made = driver.until(Answered, lambda event: event.kind == "forked").data
        assert (made.parent, made.problem) == (parent, "")
        driver.send(Resume(made.id))
        begun = driver.until(SessionStarted)
        assert driver.restored is not None and begun.session == made.id and begun.resumed
        copy = driver.restored
        assert [block.text for block in copy.rows if isinstance(block, UserBlock)] == ["first"]
        assert copy.draft == "second" and copy.rows[-1] == DividerBlock(
            f"forked from session {parent[:8]}"
        )
        assert driver.turn("elsewhere").state == "completed"
    sessions = place.home / "sessions"
    heads = {
        path.stem: json.loads(path.read_bytes().splitlines()[0])
        for path in sessions.glob("*.jsonl")
    }
    assert heads[made.id]["parent"] == parent and heads[made.id]["session"] == made.id
    assert "parent" not in heads[parent]
    assert not list(sessions.glob(".*"))


def test_a_fork_of_nothing_says_so(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.send(Fork())
        made = driver.until(Answered, lambda event: event.kind == "forked").data
    assert made.id == "" and "no prompt yet" in made.problem


def test_titles_and_labels_come_back(place: Place) -> None:
    model = place.script([{"text": "one"}])
    with place.engine(model) as driver:
        driver.turn("first")
        driver.send(Rename("  My\n title "))
        assert driver.until(Titled).title == "My title"
        turn = starts(driver)[0]
        driver.send(Label(turn, "good"))
        driver.until(Labelled)
        session = driver.events[0].session
    with place.engine(model, resume=session) as driver:
        restored = driver.transcript()
    assert (restored.title, restored.titled_by, restored.labels) == (
        "My title",
        "person",
        {turn: "good"},
    )


def interrupted(place: Place, edit: Callable[[list[bytes]], list[bytes]]) -> tuple[str, str]:
    """A session whose log ends where a kill would have left it."""
    call = {"call": "run_shell_command", "arguments": {"command": "echo ran >> ran.txt"}}
    model = place.script([call], [{"text": "done"}], [{"text": "went on"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("do it")
        session = driver.events[0].session
    path = place.home / "sessions" / f"{session}.jsonl"
    path.write_bytes(b"".join(edit(path.read_bytes().splitlines(keepends=True))))
    return model, session


def kind(line: bytes) -> Any:
    return json.loads(line)["type"]


def test_an_interrupted_turn_goes_on_without_a_prompt_and_without_the_call(place: Place) -> None:
    def before_the_result(lines: list[bytes]) -> list[bytes]:
        return lines[: [kind(line) for line in lines].index("tool_started") + 1]

    model, session = interrupted(place, before_the_result)
    with place.engine(model, resume=session, mode="accept-all") as driver:
        driver.send(Continue())
        begun = driver.until(TurnStarted)
        assert begun.continued and begun.prompt == ""
        assert driver.until(TurnEnded).state == "completed"
        assert not driver.all(ErrorRaised)
        shown = driver.transcript()
    assert [block.text for block in shown.rows if isinstance(block, UserBlock)] == ["do it"]
    assert DividerBlock("continued") in list(shown.rows)
    assert (place.cwd / "ran.txt").read_text() == "ran\n"


def test_there_is_nothing_to_go_on_with_in_a_new_session(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        for again, said in ((False, "continue"), (True, "retry")):
            driver.send(Continue(again=again))
            told = driver.until(Answered, lambda event: isinstance(event.data, Refused)).data
            assert told == Refused(f"there is nothing to {said}")
        assert not driver.all(Notice), "the transcript is for the conversation"


def test_a_copy_has_the_prompt_as_it_is_at_that_moment(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.turn("first")
        driver.send(SaveDraft("/rename tea"))
        driver.until(DraftSaved)
        driver.send(SaveDraft(""))  # it was a command, and was obeyed
        driver.send(Fork())
        copy = driver.until(Answered, lambda event: event.kind == "forked").data.id
    with place.engine("", resume=copy) as driver:
        assert driver.restored is not None and driver.restored.draft == ""
