"""What sub-agents say: it ends in the block of the call that started them, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings

from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    DraftSaved,
    Event,
    FileChanged,
    Notice,
    Partial,
    QueueChanged,
    Rewound,
    SessionStarted,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    fold,
)
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.transcript import (
    Bill,
    Block,
    Child,
    Queued,
    TextBlock,
    ToolBlock,
    Transcript,
    UserBlock,
)
from agent_tui.structures.vec import Vec
from tests.campaigns import examples
from tests.strategies import trees


def of(agent: str, call: str, *told: Event) -> list[Event]:
    return [replace(event, agent=agent, parent_call=call) for event in told]


def call(id: str, name: str = "task") -> ToolStarted:
    return ToolStarted(call_id=id, name=name, label=f"{name} {id}")


def ended(id: str, name: str = "task") -> ToolEnded:
    return ToolEnded(call_id=id, name=name, label=f"{name} {id}", content="found")


def children(t: Transcript) -> dict[str, Child]:
    """All agents below, by their ids."""
    found: dict[str, Child] = {}
    for row in t.rows:
        for child in row.children if isinstance(row, ToolBlock) else ():
            found |= {child.agent: child, **children(child.seen)}
    return found


def own(t: Transcript) -> Transcript:
    """What of `t` is its own agent's."""
    rows = [replace(row, children=()) if isinstance(row, ToolBlock) else row for row in t.rows]
    return replace(t, rows=Vec(cast("list[Block]", rows)), agents={}, questions=t.pending)


PARENT: list[Event] = [
    SessionStarted(session="s", model="m", cwd="/w"), TurnStarted(turn=1, prompt="split it", n=2),
    StepStarted(step=1), AssistantReplied(text="So."), call("c1"), call("c2"),
]  # fmt: skip
CHILD: list[Event] = [TurnStarted(turn=1, prompt="part one", n=9), StepStarted(step=1)]


# ------------------------------------------------------------------------------------------ the law


@settings(deadline=None, max_examples=examples(150))
@given(trees())
def test_folding_all_of_a_tree_is_folding_the_settled(told: list[Event]) -> None:
    settled = [event for event in told if event.settled]
    assert (
        fold(told)
        == fold(settled)
        == fold(event for event in settled if not isinstance(event, Partial))
    )


@settings(deadline=None, max_examples=examples(150))
@given(trees())
def test_the_agent_above_is_as_if_it_had_no_children(told: list[Event]) -> None:
    assert own(fold(told)) == own(fold(event for event in told if event.agent == "main"))


@settings(deadline=None, max_examples=examples(100))
@given(trees())
def test_each_agent_is_as_if_it_were_alone(told: list[Event]) -> None:
    found = children(fold(told))
    assert found.keys() == {
        event.agent for event in told if event.agent != "main" and event.settled
    }
    for agent, child in found.items():
        alone = fold(replace(event, agent="main") for event in told if event.agent == agent)
        same = {name: getattr(child.seen, name) for name in ("session", "cwd", "mode", "model")}
        assert replace(own(child.seen), bill=Bill()) == replace(own(alone), **same, bill=Bill())


# ---------------------------------------------------------------------------------------- its place


def test_two_children_that_speak_in_turn_each_fill_the_block_of_their_call() -> None:
    told = [*PARENT]
    told += of("one", "c1", *CHILD)
    told += of("two", "c2", replace(CHILD[0], prompt="part two"), StepStarted(step=1))
    told += of("one", "c1", TextDelta(text="first "))
    told += of("two", "c2", TextDelta(text="second"))
    told += of("one", "c1", TextDelta(text="and last"), AssistantReplied(text="first and last"))
    t = fold(told)
    one, two = (cast("ToolBlock", row).children[0] for row in tuple(t.rows)[-2:])
    assert list(one.seen.rows) == [UserBlock("part one"), TextBlock("first and last", head=True)]
    assert (two.seen.state, two.seen.live()) == ("running", (TextBlock("second", head=True),))
    assert own(t) == own(fold(PARENT)) and (one.seen.session, one.seen.cwd) == ("s", "/w")


def test_the_result_of_the_call_keeps_its_child_and_the_child_goes_on_behind_it() -> None:
    told = [
        *PARENT,
        *of("one", "c1", *CHILD),
        ended("c1"),
        *of("one", "c1", AssistantReplied(text="later")),
    ]
    block = next(row for row in fold(told).rows if isinstance(row, ToolBlock))
    assert block.state == "done" and block.children[0].seen.rows[-1] == TextBlock(
        "later", head=True
    )
    begun_late = fold([*PARENT, ended("c1"), *of("one", "c1", *CHILD)])
    assert isinstance(row := begun_late.rows[-2], ToolBlock) and row.children[0].agent == "one"


def test_a_grandchild_is_inside_its_child_though_all_calls_have_the_same_id() -> None:
    told = [
        *PARENT,
        *of("one", "c1", *CHILD, call("c1")),
        *of("one/deep", "c1", *CHILD, Notice("here")),
    ]
    t = fold(told)
    one = cast("ToolBlock", t.rows[-2]).children
    assert [child.agent for child in one] == ["one"] and one[0].name == "one"
    inner = cast("ToolBlock", one[0].seen.rows[-1]).children
    assert [(child.agent, child.name, len(child.seen.rows)) for child in inner] == [
        ("one/deep", "deep", 2)
    ]


def test_a_grandchild_without_a_path_is_where_its_call_is() -> None:
    t = fold([*PARENT, *of("one", "c1", *CHILD, call("inner")), *of("deep", "inner", *CHILD)])
    assert set(children(t)) == {"one", "deep"}
    assert "deep" in cast("ToolBlock", t.rows[-2]).children[0].seen.agents


@pytest.mark.parametrize("agent", ["lost", "one/lost"])
def test_an_agent_whose_call_is_not_there_has_a_block_of_its_own(agent: str) -> None:
    """Also one whose path names an agent that is lost: a call of the main agent may have the same
    id."""
    call = "c9" if agent == "lost" else "c1"
    t = fold(
        [
            *PARENT,
            *of(agent, call, *CHILD, TextDelta(text="on"), AssistantReplied(text="on its own")),
        ]
    )
    before = fold(PARENT)
    assert own(replace(t, rows=t.rows.truncate(len(before.rows)))) == own(before)
    block = cast("ToolBlock", t.rows[-1])
    assert (block.call_id, block.label, block.state) == ("", agent, "done")
    assert block.children[0].seen.rows[-1] == TextBlock("on its own", head=True)
    assert fold([*PARENT, *of(agent, call, TextDelta(text="on"))]) == before, (
        "a delta begins nothing"
    )


def test_what_is_the_parents_alone_is_not_touched() -> None:
    queue = QueueChanged(items=(Queued("q", "next"),))
    before = fold([*PARENT, queue, DraftSaved("my draft")])
    said = of(
        "one",
        "c1",
        *CHILD,
        QueueChanged(),
        DraftSaved("its own"),
        TurnEnded(state="completed", steps=1),
    )
    t = fold(said, before)
    assert (
        own(t) == own(before)
        and len(t.marks) == 1
        and (t.draft, t.queue) == ("my draft", queue.items)
    )


# -------------------------------------------------------------------------- sums, questions, rewind


def test_a_childs_cost_counts_once_in_each_agent_above_it() -> None:
    paid = UsageReported(usage=Usage(10, 5), cost=0.25)
    t = fold(
        [
            *PARENT,
            paid,
            *of("one", "c1", *CHILD, paid, call("c1")),
            *of("one/deep", "c1", *CHILD, paid),
        ]
    )
    found = children(t)
    assert [t.bill, found["one"].seen.bill, found["one/deep"].seen.bill] == [
        Bill(0.75),
        Bill(0.5),
        Bill(0.25),
    ]
    assert (t.turn_tokens, found["one"].seen.turn_tokens) == (5, 5), (
        "tokens of a turn are those of its agent"
    )


def test_the_files_of_a_child_are_the_turns_that_started_it() -> None:
    changed = FileChanged("w", "/w/a.py", DiffDisplay("a.py", ()), turn=7)
    later = TurnStarted(turn=2, prompt="more", n=30)
    told = [
        *PARENT,
        *of("one", "c1", *CHILD),
        TurnEnded(state="completed"),
        later,
        *of("one", "c1", changed),
    ]
    assert [list(mark.files) for mark in fold(told).marks] == [["a.py"], []]


def test_questions_of_children_are_the_sessions_with_their_names_and_end_one_by_one() -> None:
    def ask(id: str) -> ApprovalAsked:
        return ApprovalAsked(id=id, call_id=f"w{id}", tool="write_file", label="write")

    told: list[Event] = [*PARENT]
    told += of("one", "c1", *CHILD, ask("a"))
    told += of("two", "c2", *CHILD, ask("b"))
    t = fold(told)
    assert [(asked.id, asked.agent) for asked in t.questions] == [("a", "one"), ("b", "two")]
    assert (t.pending, t.state) == ((), "waiting_for_tool")
    assert children(t)["two"].seen.state == "waiting_for_input"
    t = fold(of("one", "c1", ApprovalAnswered(id="a", choice="once")), t)
    assert [asked.id for asked in t.questions] == ["b"] and children(t)[
        "one"
    ].seen.state == "running"
    t = fold([TurnEnded(state="completed")], t)
    assert [asked.id for asked in t.questions] == ["b"], (
        "a child may outlive the turn that started it"
    )
    assert fold(of("two", "c2", TurnEnded(state="cancelled")), t).questions == ()


def test_behind_a_rewind_a_child_is_shown_no_more_but_still_paid_for() -> None:
    told = [
        *PARENT,
        *of("one", "c1", *CHILD, ApprovalAsked(id="a", call_id="w", tool="x", label="x")),
        Rewound(2),
    ]
    t = fold(told)
    paid = UsageReported(usage=Usage(1, 1), cost=0.5)
    after = fold(of("one", "c1", AssistantReplied(text="still here"), paid, call("c1")), t)
    after = fold(of("one/deep", "c1", *CHILD), after)
    assert (len(after.rows), after.questions, after.bill) == (0, (), Bill(0.5))
