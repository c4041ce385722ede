"""Rewinds, names and restored files in the fold, and in what the model is sent."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.agent.session.history import GO_ON, History
from agent_tui.agent.session.record import Standing
from agent_tui.protocol.events import (
    AssistantReplied,
    Cleared,
    DraftSaved,
    Event,
    FilesRestored,
    Forked,
    Labelled,
    Notice,
    Partial,
    QueueChanged,
    Rewound,
    SessionStarted,
    ShellEnded,
    ShellStarted,
    StepStarted,
    Titled,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.messages import ToolCall, UserMessage
from agent_tui.protocol.session_events import RestoredFile
from agent_tui.protocol.transcript import DividerBlock, NoticeBlock, Queued, UserBlock
from agent_tui.structures import chips
from tests.campaigns import examples
from tests.strategies import sessions

OWN = (ShellStarted, ShellEnded)
"""What a command of the person's does to earlier rows stays: it is not the turn's."""


def numbered(events: Sequence[Event], first: int = 1) -> list[Event]:
    """As a log numbers them."""
    told: list[Event] = []
    for event in events:
        told.append(replace(event, n=first) if event.settled else event)
        first += event.settled
    return told


def plain(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event, OWN)]


def turns(events: Sequence[Event]) -> list[int]:
    return [place for place, event in enumerate(events) if isinstance(event, TurnStarted)]


@settings(deadline=None, max_examples=examples(80))
@given(sessions(), sessions(), st.data())
def test_a_rewind_gives_the_rows_back(
    told: list[Event], more: list[Event], data: st.DataObject
) -> None:
    events = numbered(plain(told))
    place = data.draw(st.sampled_from(turns(events)))
    back = Rewound(events[place].n, n=10_000)
    before, after = fold(events[:place]), fold([*events, back])
    assert (list(after.rows), list(after.marks)) == (
        list(before.abandon().rows),
        list(before.marks),
    )
    assert (after.context_tokens, after.todos, after.state, after.pending, after.streaming) == (
        before.context_tokens,
        before.todos,
        "idle",
        (),
        None,
    )
    assert after.queue == fold(events).queue
    later = numbered(plain(more[1:]), 10_001)
    everything = [*events, back, *later]
    settled = [event for event in everything if event.settled and not isinstance(event, Partial)]
    assert fold(everything) == fold(settled)


@settings(deadline=None, max_examples=examples(80))
@given(sessions(), sessions(), st.data())
def test_a_request_after_a_rewind_is_that_of_a_session_without_it(
    told: list[Event], more: list[Event], data: st.DataObject
) -> None:
    events = numbered(plain(told))
    place = data.draw(st.sampled_from(turns(events)))
    later = numbered(plain(more[1:]), 10_001)
    with_it, without = History(), History()
    for event in (*events, Rewound(events[place].n, n=10_000), *later):
        with_it = with_it.with_event(event)
    for event in (*events[:place], *later):
        without = without.with_event(event)
    assert with_it.request() == without.request()
    assert [n for n, _ in with_it.marks] == [n for n, _ in without.marks]


def test_what_outlives_a_rewind() -> None:
    queue = (Queued("a", "later"),)
    events: list[Event] = [
        TurnStarted(prompt="first", n=1, turn=1),
        Titled("mine", n=2),
        Labelled(1, "good", n=3),
        TurnStarted(prompt="second", n=4, turn=2),
        QueueChanged(items=queue, n=5),
        TurnEnded(state="completed", n=6),
    ]
    after = fold([*events, Rewound(1, n=7)])
    assert (after.title, after.titled_by, after.labels, after.queue, after.draft) == (
        "mine",
        "person",
        {1: "good"},
        queue,
        "first",
    )
    assert fold([*events, DraftSaved("mine", n=7), Rewound(4, n=8)]).draft == "mine"
    assert fold([*events, Rewound(99, n=7)]) == fold(events)
    standing = Standing()
    for event in (*events, Rewound(4, n=7)):
        standing = standing.with_event(event)
    assert (standing.draft, standing.turns, [mark.n for mark in standing.marks]) == (
        "second",
        2,
        [1],
    )


def test_a_prompt_comes_back_with_its_chips() -> None:
    chip = chips.paste_chip(1, "long\n" * 9)
    text, pastes = chips.expand_chips(f"see {chip.label} now", (chip,))
    events: list[Event] = [TurnStarted(text, n=1, turn=1, pastes=pastes), Rewound(1, n=2)]
    after, standing = fold(events), Standing()
    for event in events:
        standing = standing.with_event(event)
    for fold_of in (after, standing):
        assert (fold_of.draft, fold_of.pasted) == (f"see {chip.label} now", (chip,))


def test_an_empty_context_can_be_gone_back_over() -> None:
    events: list[Event] = [
        TurnStarted(prompt="a", n=1),
        AssistantReplied("one", n=2),
        TurnEnded(state="completed", n=3),
        TurnStarted(prompt="b", n=4),
        AssistantReplied("two", n=5),
        TurnEnded(state="completed", n=6),
        Cleared(n=7),
        TurnStarted(prompt="c", n=8),
        TurnEnded(state="completed", n=9),
    ]
    cleared, back = History(), History()
    for event in events:
        cleared = cleared.with_event(event)
    for event in events[:3]:
        back = back.with_event(event)
    assert cleared.with_event(Rewound(4, n=10)).request() == back.request()
    assert cleared.with_event(Rewound(8, n=10)).request() == History().request()


def test_a_models_title_never_replaces_a_persons() -> None:
    events: list[Event] = [
        SessionStarted(),
        TurnStarted(prompt="a prompt"),
        Titled("model's", "model"),
    ]
    assert fold(events).title == "model's"
    assert fold([*events, Titled("mine"), Titled("again", "model")]).title == "mine"
    assert fold([*events, Titled("mine"), Titled(""), Titled("again", "model")]).title == "again"
    labelled = fold([Labelled(1, "a"), Labelled(2, "b"), Labelled(1)])
    assert labelled.labels == {2: "b"}


def test_going_on_shows_no_prompt_and_says_one_only_behind_the_models_words() -> None:
    call = ToolCall("c", "read_file")
    asked: list[Event] = [
        TurnStarted(prompt="go", n=1),
        StepStarted(n=2),
        AssistantReplied(calls=(call,), n=3),
        ToolEnded("c", "read_file", "Read", "Error [interrupted]: unknown", tag="interrupted", n=4),
        TurnEnded(state="cancelled", n=5),
    ]
    on = TurnStarted(prompt="", continued=True, n=9)
    for last, added in ((asked, 0), ([*asked[:-1], AssistantReplied("half of", n=6)], 1)):
        history = History()
        for event in last:
            history = history.with_event(event)
        messages = tuple(history.with_event(on).messages)[len(history.messages) :]
        assert messages == (UserMessage(GO_ON),) * added
    shown = fold([*asked, on])
    assert DividerBlock("continued") in list(shown.rows)
    assert len([block for block in shown.rows if isinstance(block, UserBlock)]) == 1


def test_what_was_done_is_said_in_the_same_words_everywhere() -> None:
    done, gone = (
        RestoredFile("/w/a", "x", "y", outcome="done"),
        RestoredFile("/w/b", "x", outcome="done"),
    )
    kept, bad = (
        RestoredFile("/w/c", outcome="kept"),
        RestoredFile("/w/d", outcome="failed", problem="/w/d: no room"),
    )
    beside = [
        RestoredFile(f"/w/{name}", outcome="beside", beside=f"/w/{name}.orig-1") for name in "efg"
    ]
    many = [RestoredFile(f"/v/{number}", "x", "y", outcome="done") for number in range(1, 5)]
    for files, said in (
        ((done, gone), "Restored a, deleted b. /redo reverses this."),
        ((gone, gone, kept), "Deleted b and b. /redo reverses this. Kept c unchanged."),
        ((beside[0],), "Wrote the earlier version beside it: e.orig-1."),
        (tuple(beside), "Wrote the earlier versions beside them: e.orig-1, f.orig-1 and g.orig-1."),
        (
            (done, bad),
            "Restored a. /redo reverses this. 1 of 2 files could not be restored: /w/d: no room.",
        ),
        ([done, *many], "Restored w/a, v/1, v/2 and 2 more. /redo reverses this."),
        ((RestoredFile("/w/a", "x", "x", outcome="same"),), "No file had to be restored."),
    ):
        assert FilesRestored("i", "undo", (1,), files).summary() == said
    assert FilesRestored("i", "redo", (1,), (done, gone)).summary() == (
        "Changed a again, deleted b. /undo reverses this."
    )


def test_what_was_put_back_is_shown_and_told_to_the_model() -> None:
    files = (RestoredFile("/w/a", outcome="done"), RestoredFile("/w/b", outcome="kept"))
    event = FilesRestored("i", "undo", (1,), files)
    [row] = fold([event]).rows
    assert row == NoticeBlock("info", "Restored a. /redo reverses this. Kept b unchanged.")
    sent = (
        History().with_event(event).with_event(TurnStarted(prompt="next", n=2)).request().messages
    )
    assert (
        isinstance(sent[0], UserMessage) and "/w/a" in sent[0].text and "/w/b" not in sent[0].text
    )
    failed = replace(event, files=(RestoredFile("/w/a", outcome="failed"),))
    assert fold([failed]).rows[0] == NoticeBlock("warning", "1 of 1 file could not be restored.")
    assert len(History().with_event(failed).shell) == 0
    assert fold([Forked("0123456789")]).rows[0] == DividerBlock("forked from session 01234567")
    opened = [Forked("0123456789"), SessionStarted(resumed=True)]
    assert fold(opened).rows[-1] == DividerBlock("forked from session 01234567"), (
        "one line across is enough"
    )
    assert fold([*opened, Notice("x"), SessionStarted(resumed=True)]).rows[-1] == DividerBlock(
        "resumed"
    )


def test_marks_cost_the_same_for_every_turn() -> None:
    """Bytes that the three folds hold for a turn: of the fifth thousand as of the first."""
    shown, history, standing, n = fold([]), History(), Standing(), 0
    sizes: list[int] = []
    tracemalloc.start()
    try:
        for thousand in range(5):
            start = tracemalloc.get_traced_memory()[0]
            for turn in range(thousand * 1_000, thousand * 1_000 + 1_000):
                told: list[Event] = [
                    TurnStarted(prompt=f"prompt {turn}", turn=turn + 1),
                    StepStarted(),
                    AssistantReplied(f"answer {turn}"),
                    TurnEnded(state="completed"),
                ]
                for event in told:
                    n += 1
                    event = replace(event, n=n)
                    shown, history, standing = (
                        event.apply(shown),
                        history.with_event(event),
                        standing.with_event(event),
                    )
            sizes.append(tracemalloc.get_traced_memory()[0] - start)
    finally:
        tracemalloc.stop()
    assert sizes[4] < 1.5 * sizes[0], sizes
    assert len(shown.marks) == len(history.marks) == len(standing.marks) == 5_000
    assert len(fold([Rewound(shown.marks[2_500].n)], shown).marks) == 2_500
