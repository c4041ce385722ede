"""A main agent with two below it at once, on the real engine, log and files: everything is where it
belongs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings

from agent_tui.agent.session.history import History
from agent_tui.agent.session.record import Record, Standing
from agent_tui.agent.turn.agent_run import AgentRun
from agent_tui.protocol.answers import UndoPlan
from agent_tui.protocol.codec import decode
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    FilesRestored,
    Rewound,
    StepStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.ops import Answer, Cancel, Query, RestoreFiles, Rewind, Submit
from agent_tui.protocol.transcript import Child, TextBlock, ToolBlock, Transcript
from agent_tui.sessions.export import export
from agent_tui.sessions.index.listing import recent
from agent_tui.sessions.index.search import search_logs
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log.fork import fork
from agent_tui.sessions.log.store import Store
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult
from tests.agent.driving import Driver, Place
from tests.campaigns import examples
from tests.strategies import trees


class Task(LenientArguments):
    name: str
    prompt: str


def tool_of(run: AgentRun) -> Tool[Task]:
    async def work(args: Task, ctx: ToolContext) -> ToolResult:
        state, said = await run.finish(run.start(args.name, ctx.call_id), args.prompt)
        return ToolResult(f"{state}: {said}")

    return Tool("task", "Starts an agent.", Task, "read", lambda args: f"task {args.name}", work)


@pytest.fixture(autouse=True)
def _agents_can_start_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a tool for it will do."""
    first: Callable[..., None] = AgentRun.__init__

    def made(self: AgentRun, *args: Any, **more: Any) -> None:
        first(self, *args, **more)
        self.executor.tools = {**self.executor.tools, "task": tool_of(self)}

    monkeypatch.setattr(AgentRun, "__init__", made)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def task(name: str, prompt: str) -> dict[str, Any]:
    return {"call": "task", "arguments": {"name": name, "prompt": prompt}}


def write(path: str, content: str = "new\n") -> dict[str, Any]:
    return {"call": "create_file", "arguments": {"path": path, "content": content}}


def shell(command: str) -> dict[str, Any]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


USED = {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def branches(**items: list[Any]) -> dict[str, Any]:
    return {
        "branches": [
            {"when": when.replace("_", " "), "items": told} for when, told in items.items()
        ]
    }


def script(place: Place) -> str:
    """Two children that write at once, one of which starts a third; each makes a file."""
    slow = {"text": "one two three four ", "chunk": 4, "delay": 0.01, "repeat": 3}
    first = branches(
        split_it=[{"text": "Splitting."}, task("left", "go left"), task("right", "go right"), USED],
        go_left=[slow, write("left.txt"), USED],
        go_right=[slow, task("deep", "dig down"), USED],
        dig_down=[write("deep.txt"), USED],
    )
    second = branches(
        split_it=[{"text": "All joined."}, USED],
        go_left=[slow, {"text": "left done"}, USED],
        go_right=[slow, {"text": "right done"}, USED],
        dig_down=[{"text": "deep done"}, USED],
    )
    third = branches(again=[{"text": "Once more."}, USED])
    return place.script(first, second, third)


def logged(place: Place) -> list[Event]:
    [path] = (place.home / "sessions").glob("*.jsonl")
    return [decode(line) for line in path.read_bytes().splitlines()]


def children(t: Transcript) -> dict[str, Child]:
    found: dict[str, Child] = {}
    for row in t.rows:
        for child in row.children if isinstance(row, ToolBlock) else ():
            found |= {child.agent: child, **children(child.seen)}
    return found


def said(t: Transcript) -> str:
    return "".join(row.text for row in t.rows if isinstance(row, TextBlock))


def main_ended(event: TurnEnded) -> bool:
    return event.is_main


def worked(driver: Driver) -> Transcript:
    driver.send(Submit("split it"))
    driver.until(TurnEnded, main_ended)
    return driver.transcript()


def test_a_tree_at_work_is_on_record_and_seen_live_and_after_a_resume(place: Place) -> None:
    model = script(place)
    with place.engine(model, mode="accept-edits") as driver:
        live = worked(driver)
        order = [event.agent for event in driver.all(TextDelta) if not event.is_main]
    assert any(one != other for one, other in zip(order, order[2:], strict=False)), (
        "they speak by turns"
    )
    assert list(children(live)) == ["left-1", "right-1", "right-1/deep-1"]
    assert {name: child.end for name, child in children(live).items()} == dict.fromkeys(
        children(live), "completed"
    )
    assert said(live) == "Splitting.All joined." and len(live.marks) == 1 and live.state == "idle"
    assert said(children(live)["right-1/deep-1"].seen) == "deep done"
    results = [event.content for event in driver.all(ToolEnded) if event.is_main]
    assert [result.partition(":")[0] for result in results] == [
        "completed"
    ] * 2 and "left done" in "".join(results)
    told = logged(place)
    assert {event.trace for event in told if isinstance(event, StepStarted)} == {told[-1].trace}, (
        "one trace for all"
    )
    assert fold(told).rows[:] == live.rows[:]
    [session] = {event.session for event in told}
    with place.engine(model, resume=session) as again:
        assert again.restored is not None and children(again.restored) == children(live)
        again.send(Submit("again"))
        again.until(TurnEnded, main_ended)
        assert "Once more." in said(again.transcript()), (
            "the model's messages are the main agent's alone"
        )
        begun = [event.turn for event in again.all(TurnStarted)]
    assert begun == [2]


def test_figures_lists_search_exports_and_forks_count_the_tree_once(place: Place) -> None:
    with place.engine(script(place), mode="accept-edits") as driver:
        live = worked(driver)
    told, folder = logged(place), place.home / "sessions"
    found = stats(told)
    assert (found.turns, found.steps, found.tokens_in, found.tokens_out) == (1, 8, 800, 80)
    assert [(share.name, share.count, share.tokens_in) for share in found.by_turn] == [
        ("1", 8, 800)
    ]
    assert found.ends == {"completed": 1} and len(found.files) == 2
    [one] = recent(folder, place.cwd)
    assert (one.title, one.turns) == ("split it", 1)
    [hit] = search_logs(folder, "deep done").hits
    assert hit.turn == 1
    html, markdown = export(told, "html"), export(told, "md")
    for document in (html, markdown):
        places = [
            document.index(word)
            for word in ("Splitting.", "left-1", "right-1", "deep done", "All joined.")
        ]
        assert places == sorted(places)
    assert [
        record["agent"]
        for record in json.loads(export(told, "json"))["events"]
        if record.get("agent")
    ]
    copy = fork(folder, told[0].session)
    copied = [decode(line) for line in (folder / f"{copy}.jsonl").read_bytes().splitlines()]
    assert children(fold(copied)).keys() == children(live).keys()


def test_the_turn_that_started_them_is_undone_and_rewound_with_all_that_they_did(
    place: Place,
) -> None:
    with place.engine(script(place), mode="accept-edits") as driver:
        live = worked(driver)
        made = {place.cwd / "left.txt", place.cwd / "deep.txt"}
        assert all(path.exists() for path in made)
        assert {path.rpartition("/")[2] for path in live.marks[0].files} == {"left.txt", "deep.txt"}
        driver.send(Query("u", "undo"))
        plan = driver.until(Answered, lambda event: event.id == "u").data
        assert isinstance(plan, UndoPlan) and len(plan.files) == 2
        assert [turn.n for turn in plan.turns] == [live.marks[0].n]
        driver.send(RestoreFiles(live.marks[0].n))
        driver.until(FilesRestored)
        assert not any(path.exists() for path in made)
        driver.send(Rewind(live.marks[0].n))
        driver.until(Rewound)
        after = driver.transcript()
    assert children(after) == {} and said(after) == "" and after.draft == "split it"


def test_a_question_of_a_child_has_its_name_and_one_answer_answers_one(place: Place) -> None:
    asking = branches(
        split_it=[task("left", "go left"), task("right", "go right")],
        go_left=[write("left.txt")],
        go_right=[write("right.txt")],
    )
    end = branches(split_it=["done"], go_left=["left done"], go_right=["right done"])
    with place.engine(place.script(asking, end), mode="auto") as driver:
        driver.send(Submit("split it"))
        asked = {
            event.agent: event
            for event in (driver.until(ApprovalAsked), driver.until(ApprovalAsked))
        }
        assert asked.keys() == {"left-1", "right-1"}
        t = driver.transcript()
        assert {one.agent for one in t.questions} == asked.keys() and t.pending == ()
        driver.send(Answer(asked["right-1"].id, "once"))
        assert driver.until(ApprovalAnswered).agent == "right-1"
        driver.until(TurnEnded, lambda event: event.agent == "right-1")
        assert [one.agent for one in driver.transcript().questions] == ["left-1"]
        assert (place.cwd / "right.txt").exists() and not (place.cwd / "left.txt").exists()
        driver.send(Answer(asked["left-1"].id, "no"))
        driver.until(TurnEnded, main_ended)
        assert driver.transcript().questions == () and not (place.cwd / "left.txt").exists()


@pytest.mark.parametrize("how", ["cancel", "stop"])
def test_what_ends_the_main_agent_ends_all_below_it(place: Place, how: str) -> None:
    hanging = branches(
        split_it=[task("left", "go left"), task("right", "go right")],
        go_left=["half of it", {"hang": True}],
        go_right=[shell("sleep 60")],
    )
    with place.engine(place.script(hanging), mode="accept-all") as driver:
        driver.send(Submit("split it"))
        driver.until(TextDelta, lambda event: event.agent == "left-1")
        if how == "cancel":
            driver.send(Cancel())
            driver.until(TurnEnded, main_ended)
    told = logged(place)
    ends = [(event.agent, event.state) for event in told if isinstance(event, TurnEnded)]
    assert sorted(ends[:2]) == [("left-1", "cancelled"), ("right-1", "cancelled")]
    assert ends[2:] == [("main", "cancelled")]
    t = fold(told)
    assert t.state == "idle" and said(children(t)["left-1"].seen) == "half of it"


def test_after_a_kill_each_agent_is_settled_and_none_runs_again(place: Place) -> None:
    with place.engine(script(place), mode="accept-edits") as driver:
        worked(driver)
    told = logged(place)
    [path] = (place.home / "sessions").glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    deep = [
        n
        for n, event in enumerate(told)
        if event.agent == "right-1/deep-1" and isinstance(event, StepStarted)
    ]
    cut = deep[0] + 1
    path.write_bytes(b"".join(lines[:cut]))
    with place.engine("scripted/script.json", resume=path.stem) as again:
        assert again.restored is not None
        ends = {name: child.end for name, child in children(again.restored).items()}
    assert ends["right-1"] == ends["right-1/deep-1"] == "interrupted" and ends["left-1"] in (
        "completed",
        "interrupted",
    )
    settled = [event for event in logged(place)[cut:] if isinstance(event, TurnEnded)]
    assert settled[0].agent == "right-1/deep-1" and settled[-1].is_main
    assert again.restored.state == "idle" and len(again.restored.marks) == 1


def test_a_new_agent_never_gets_the_name_of_an_earlier_one(place: Place) -> None:
    first = branches(split_it=[task("left", "go left")], go_left=["done"])
    later = branches(split_it=["ok"], more=[task("left", "go left")])
    model = place.script(first, later, branches(more=["ok"]), branches(more=["ok"]))
    with place.engine(model) as driver:
        worked(driver)
        [session] = {event.session for event in logged(place)}
    script_of_two = place.script(
        branches(go_left=["done"]),
        branches(),
        branches(more=[task("left", "go left")]),
        branches(more=["ok"]),
    )
    with place.engine(script_of_two, resume=session) as again:
        again.send(Submit("more"))
        again.until(TurnEnded, main_ended)
        assert set(children(again.transcript())) == {"left-1", "left-2"}


def test_a_failing_child_is_a_result_and_no_more(place: Place) -> None:
    failing = branches(
        split_it=[task("left", "go left")],
        go_left=[{"fail": "bad_request", "text": "no such thing"}],
    )
    with place.engine(
        place.script(failing, branches(split_it=["It failed."])), mode="auto"
    ) as driver:
        t = worked(driver)
    assert children(t)["left-1"].end == "error" and said(t) == "It failed."
    assert [event.state for event in driver.all(TurnEnded)] == ["error", "completed"]


def test_one_agent_at_a_time_changes_something(place: Place) -> None:
    """So what a command changed is told apart from what others change meanwhile."""
    both = branches(
        split_it=[task("left", "go left"), task("right", "go right")],
        go_left=[shell("date +%s%N > a; sleep 0.2; date +%s%N >> a")],
        go_right=[shell("date +%s%N > b; sleep 0.2; date +%s%N >> b")],
    )
    end = branches(split_it=["done"], go_left=["done"], go_right=["done"])
    with place.engine(place.script(both, end), mode="accept-all") as driver:
        worked(driver)
    (a, b), (c, d) = sorted(
        [int(at) for at in (place.cwd / name).read_text().split()] for name in "ab"
    )
    assert a < b <= c < d


@settings(deadline=None, max_examples=examples(100))
@given(trees())
def test_what_the_engine_folds_of_a_tree_is_the_main_agents(told: list[Event]) -> None:
    """The model's messages, the queue, the draft, the places of a rewind: as if there were no other
    agent."""

    def folded(events: list[Event]) -> tuple[History, Standing]:
        record = Record("s", cast("Store", None), lambda _: None)
        record.replay(events)
        return record.history, record.standing

    settled = [event for event in told if event.settled]
    assert folded(settled) == folded([event for event in settled if event.is_main])


@settings(deadline=None, max_examples=examples(100))
@given(trees())
def test_the_figures_of_a_tree_are_the_sum_of_its_agents(told: list[Event]) -> None:
    whole = stats(told)
    agents = {event.agent for event in told}
    alone = [
        stats(replace(event, agent="main") for event in told if event.agent == agent)
        for agent in agents
    ]
    for figure in ("tokens_in", "tokens_out", "steps", "requests", "tool_calls"):
        assert getattr(whole, figure) == sum(getattr(one, figure) for one in alone), figure
    main = stats(event for event in told if event.is_main)
    assert (whole.turns, whole.ends) == (main.turns, main.ends)
    assert {share.name for share in whole.by_turn} <= {str(mark.turn) for mark in fold(told).marks}
