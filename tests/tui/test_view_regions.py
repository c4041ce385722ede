"""A region that did not change is the same object; and what a Msg costs does not grow with the
transcript."""

from __future__ import annotations

import sys
from dataclasses import fields
from types import FrameType

import pytest

from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    QueueChanged,
    SessionStarted,
    StepStarted,
    TextDelta,
    TurnStarted,
)
from agent_tui.protocol.transcript import Block, Queued, TextBlock, ToolBlock, Transcript
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.memo import lazy, lazy_large
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Msg, Ticked, Toggled
from agent_tui.tui.core.regions import View
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.tui.play import Play


def _changed(before: View, after: View) -> set[str]:
    return {f.name for f in fields(View) if getattr(before, f.name) is not getattr(after, f.name)}


def test_a_key_changes_only_what_shows_it() -> None:
    play = Play()
    play.type("a")
    before = play.view
    assert _changed(before, play.type("b")) <= {"prompt"}


def test_a_tick_changes_only_the_clocks() -> None:
    play = Play()
    play.begin()
    play.feed(QueueChanged(items=(Queued("q", "next"),), session="s"))
    before = play.view
    assert _changed(before, play.tick()) == {"transcript", "status"}


def test_a_delta_changes_the_transcript_and_the_status() -> None:
    play = Play()
    play.begin()
    before = play.view
    assert _changed(before, play.feed(TextDelta("words", session="s"))) == {"transcript", "status"}


def test_time_alone_changes_nothing_while_idle() -> None:
    play = Play()
    before = play.view
    assert _changed(before, play.tick(60.0)) == set()


def test_lazy_gives_the_same_object_for_the_same_or_an_equal_result() -> None:
    calls: list[object] = []

    @lazy
    def shown(value: object) -> tuple[str, ...]:
        calls.append(value)
        return (str(value)[:1],)

    one, other = "".join(["ab"]), "".join(["a", "c"])
    first = shown(one)
    assert shown(one) is first
    assert len(calls) == 1
    assert shown(other) is first
    assert len(calls) == 2
    assert shown("x") == ("x",)


def test_lazy_remembers_nothing_as_a_result() -> None:
    calls: list[int] = []

    @lazy
    def nothing(value: int) -> None:
        calls.append(value)

    nothing(1)
    nothing(1)
    assert calls == [1]


def test_lazy_large_does_not_compare_results() -> None:
    @lazy_large
    def shown(value: object) -> list[object]:
        return [value]

    one = object()
    assert shown(one) is shown(one)
    assert shown(1) is not shown(2)


def _long(rows: int) -> Model:
    blocks: list[Block] = [
        TextBlock(f"row {n}\n") if n % 3 else ToolBlock(f"c{n}", "t", "t", "done")
        for n in range(rows)
    ]
    transcript = Transcript(
        session="s", cwd="/w", model="fake/model", window=8_192, rows=Vec(blocks)
    )
    started = SessionStarted(session="s", cwd="/w", model="fake/model", window=8_192)
    turn = (TurnStarted(prompt="go", session="s"), StepStarted(step=1, session="s"))
    model, _ = update(initial(), EventsArrived((Restored(transcript), started, *turn), at=1.0))
    view(model)
    return model


def _work(model: Model, msg: Msg) -> int:
    """Python calls that `msg` costs: a measure of work that does not depend on the machine."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        model, _ = update(model, msg)
        view(model)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "msg",
    [
        DraftChanged("x", 1, at=2.0),
        Ticked(at=2.0),
        Toggled(50, at=2.0),
        EventsArrived(
            (TextDelta("forty characters of text, more or less.\n", session="s", at=2.0),), at=2.0
        ),
    ],
    ids=lambda msg: type(msg).__name__,
)
def test_work_per_msg_does_not_grow_with_the_transcript(msg: Msg) -> None:
    short, long = _work(_long(128), msg), _work(_long(128 * 160), msg)
    assert long <= short + 4
