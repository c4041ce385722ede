"""Deltas of one poll become one event each; joining changes nothing that is seen."""

from __future__ import annotations

from collections import deque
from queue import SimpleQueue

from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    Notice,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolOutput,
    ToolStarted,
    TurnStarted,
    fold,
)
from agent_tui.tui.runtime import engine_client

BEGIN = [
    TurnStarted(turn=1, prompt="p"), ToolStarted(call_id="a", name="n", label="l"),
    ToolStarted(call_id="b", name="n", label="l"), StepStarted(turn=1, step=1),
]  # fmt: skip


def test_adjacent_deltas_of_the_same_thing_are_one() -> None:
    joined = engine_client.join(
        [
            TextDelta(at=1.0, text="a"),
            TextDelta(at=2.0, text="b"),
            Notice(text="n"),
            TextDelta(text="c"),
            ThinkingDelta(text="x"),
            ThinkingDelta(text="y"),
            ToolOutput(call_id="a", text="1"),
            ToolOutput(call_id="a", text="2"),
            ToolOutput(call_id="b", text="3"),
            ToolArgsDelta(index=0, text="{"),
            ToolArgsDelta(index=0, text="}", name="n"),
            ToolArgsDelta(index=1, text="{"),
            TextDelta(text="d", step=2),
        ]
    )
    assert joined == (
        TextDelta(at=1.0, text="ab"),
        Notice(text="n"),
        TextDelta(text="c"),
        ThinkingDelta(text="xy"),
        ToolOutput(call_id="a", text="12"),
        ToolOutput(call_id="b", text="3"),
        ToolArgsDelta(index=0, text="{}", name="n"),
        ToolArgsDelta(index=1, text="{"),
        TextDelta(text="d", step=2),
    )


def deltas() -> st.SearchStrategy[Event]:
    text = st.text("ab \n#`-", max_size=4)
    return st.one_of(
        st.builds(TextDelta, text=text, turn=st.just(1), step=st.just(1)),
        st.builds(ThinkingDelta, text=text, turn=st.just(1), step=st.just(1)),
        st.builds(ToolOutput, call_id=st.sampled_from("ab"), text=text),
        st.builds(
            ToolArgsDelta, index=st.integers(0, 2), text=text, name=st.sampled_from(["", "n"])
        ),
        st.builds(Notice, text=text),
    )


@given(st.lists(deltas(), max_size=40))
def test_joined_events_fold_into_the_same_transcript(events: list[Event]) -> None:
    joined = [event for event in engine_client.join(events) if isinstance(event, Event)]
    whole, one = fold([*BEGIN, *events]), fold([*BEGIN, *joined])
    assert (list(whole.rows), whole.live(), whole.streaming) == (
        list(one.rows),
        one.live(),
        one.streaming,
    )


def test_a_flood_is_taken_in_bounded_parts() -> None:
    queue: SimpleQueue[Event | Restored] = SimpleQueue()
    held: engine_client.Held = deque()
    for _ in range(engine_client.MOST + 5):
        queue.put(TextDelta(text="x"))
    assert len(engine_client.drain(queue, held)) == engine_client.MOST
    assert len(engine_client.drain(queue, held)) == 5
    assert engine_client.drain(queue, held) == []


@given(
    st.lists(st.text("ab\n", max_size=9).map(lambda text: TextDelta(text=text * 700)), max_size=9)
)
def test_a_long_answer_is_taken_in_parts_that_are_the_whole(deltas: list[TextDelta]) -> None:
    queue: SimpleQueue[Event | Restored] = SimpleQueue()
    for delta in deltas:
        queue.put(delta)
    held: engine_client.Held = deque()
    parts: list[str] = []
    while taken := engine_client.drain(queue, held):
        parts.append("".join(event.text for event in taken if isinstance(event, TextDelta)))
    assert "".join(parts) == "".join(delta.text for delta in deltas)
    assert all(
        part.count("\n") <= engine_client.MOST_LINES and len(part) <= engine_client.MOST_CHARS
        for part in parts
    )


def test_events_that_cannot_be_joined_are_taken_in_smaller_parts() -> None:
    queue: SimpleQueue[Event | Restored] = SimpleQueue()
    for number in range(3 * engine_client.MOST_RUNS):
        queue.put(ThinkingDelta(text="x") if number % 2 else TextDelta(text="x"))
    assert len(engine_client.drain(queue, deque())) == engine_client.MOST_RUNS
