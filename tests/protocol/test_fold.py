"""The one fold: deltas and partials never change where it ends, and no point of it is out of
bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.answers import Jobs, Skills
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    Cleared,
    DraftSaved,
    ErrorRaised,
    Event,
    ModeChanged,
    ModelChanged,
    Notice,
    Partial,
    QuestionAnswered,
    QuestionAsked,
    QueueChanged,
    RequestSent,
    Restored,
    Retrying,
    SessionStarted,
    SteerSeen,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    fold,
)
from agent_tui.protocol.messages import SkillInfo, ToolCall, Usage
from agent_tui.protocol.transcript import (
    LIVE_TAIL,
    Answers,
    Block,
    CallBlock,
    DividerBlock,
    NoticeBlock,
    Queued,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    Transcript,
    TurnBlock,
    UserBlock,
)
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.chips import Paste
from tests.campaigns import examples
from tests.strategies import asides, chunked, events, markdown, sessions, texts

TURN = TurnStarted(turn=1, prompt="do it", at=10.0)
STEP = StepStarted(step=1)


def settled(told: list[Event]) -> list[Event]:
    return [event for event in told if event.settled]


def shown(t: Transcript) -> list[Block]:
    return [*t.rows, *t.live()]


def answer_text(t: Transcript) -> str:
    return "".join(block.text for block in shown(t) if isinstance(block, TextBlock))


# ------------------------------------------------------------------------------------------ the law


@settings(deadline=None, max_examples=examples(150))
@given(sessions())
def test_folding_all_is_folding_the_settled(told: list[Event]) -> None:
    assert fold(told) == fold(settled(told))
    assert fold(told) == fold(event for event in settled(told) if not isinstance(event, Partial))


@settings(deadline=None, max_examples=examples(60))
@given(sessions(), st.data())
def test_the_law_holds_at_every_settled_answer(told: list[Event], data: st.DataObject) -> None:
    ends = [i for i, event in enumerate(told) if isinstance(event, AssistantReplied | TurnEnded)]
    cut = data.draw(st.sampled_from(ends)) + 1
    assert fold(told[:cut]) == fold(settled(told[:cut]))


@settings(deadline=None, max_examples=examples(60))
@given(sessions(), st.data())
def test_a_fold_goes_on_from_where_another_stopped(told: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(told)))
    middle = fold(told[:cut])
    assert Restored(middle).apply(Transcript(draft="gone")) is middle
    assert fold(told[cut:], middle) == fold(told)


@settings(deadline=None, max_examples=examples(60))
@given(sessions(), st.booleans())
def test_no_prefix_raises_and_all_of_it_can_be_shown(told: list[Event], crashed: bool) -> None:
    """A crash cuts a log anywhere; then only the settled events and partials are there."""
    t = Transcript()
    for event in settled(told) if crashed else told:
        t = event.apply(t)
        for block in shown(t):
            assert block is not None
        assert all(isinstance(t.rows[row], ToolBlock) for row in t.open_tools.values())


@settings(deadline=None, max_examples=examples(150))
@given(st.lists(events(), max_size=12))
def test_no_sequence_of_events_raises_whatever_its_order(told: list[Event]) -> None:
    """A log of a newer version, or one that a person edited, may hold anything."""
    assert isinstance(fold(told), Transcript)
    assert isinstance(fold(told).live(), tuple)


# --------------------------------------------------------------------------- streamed text and rows


@settings(deadline=None)
@given(markdown, st.data())
def test_chunked_is_whole(text: str, data: st.DataObject) -> None:
    streams = [[TextDelta(text=part) for part in data.draw(chunked(text))] for _ in range(2)]
    one, other = (fold([TURN, STEP, *stream]) for stream in streams)
    whole = fold([TURN, STEP, TextDelta(text=text)])
    assert shown(one) == shown(other) == shown(whole)
    assert answer_text(whole) == text
    ends = [fold([TURN, STEP, *stream, AssistantReplied(text=text)]) for stream in streams]
    assert ends[0] == ends[1] == fold([TURN, STEP, AssistantReplied(text=text)])


@settings(deadline=None)
@given(markdown, st.data())
def test_partials_alone_bring_back_what_was_streamed(text: str, data: st.DataObject) -> None:
    parts = data.draw(chunked(text))
    partials, offset = list[Event](), 0
    for part in parts:
        partials.append(Partial(text=part, offset=offset))
        offset += len(part)
    kept = data.draw(st.integers(0, len(partials)))
    t = fold([TURN, STEP, *partials[:kept]])
    assert answer_text(t) == "".join(parts[:kept])
    assert shown(t) == shown(fold([TURN, STEP, *(TextDelta(text=part) for part in parts[:kept])]))


def test_a_partial_beside_its_deltas_adds_nothing() -> None:
    told = [TURN, STEP, ThinkingDelta(text="hm"), TextDelta(text="one "), TextDelta(text="two")]
    t = fold(told)
    assert Partial(text="one two", thinking="hm").apply(t) == t
    later = Partial(text=" three", offset=7).apply(t)
    assert answer_text(later) == "one two three"
    assert Partial(text="lost", offset=99).apply(t) == t


@settings(deadline=None)
@given(st.lists(asides, min_size=1, max_size=4), markdown.filter(bool), texts)
def test_what_is_said_while_an_answer_streams_goes_above_it(
    said: list[Event], text: str, thought: str
) -> None:
    told: list[Event] = [TURN, STEP, ThinkingDelta(text=thought)]
    for event in said:
        told.extend([TextDelta(text=text), event])
    told.append(AssistantReplied(text=text * len(said), reasoning=thought))
    t = fold(told)
    assert t == fold(settled(told))
    kinds = [type(row) for row in t.rows]
    first = kinds.index(TextBlock)
    assert not {NoticeBlock, UserBlock} & set(kinds[first:])
    assert answer_text(t) == text * len(said)


def test_a_settled_answer_that_streamed_keeps_its_rows_by_identity() -> None:
    """Nothing that is on the screen is laid out again when the answer settles."""
    text = "# Title\n\nOne.\n\nTwo.\n"
    before = fold([TURN, STEP, TextDelta(text=text)])
    after = AssistantReplied(text=text).apply(before)
    assert list(after.rows.changed_indices(before.rows)) == [len(before.rows)]
    assert [row.head for row in after.rows if isinstance(row, TextBlock)] == [True, False, False]


def test_an_answer_that_settles_as_another_text_replaces_what_streamed() -> None:
    t = fold([TURN, STEP, TextDelta(text="draft\n\nmore"), AssistantReplied(text="final")])
    assert shown(t)[1:] == [TextBlock("final", head=True)]


def test_thinking_is_one_block_before_the_text() -> None:
    t = fold([TURN, STEP, ThinkingDelta(text="hm", at=11.0), ThinkingDelta(text="m", at=12.0)])
    assert shown(t)[1:] == [ThinkingBlock("hmm", 3, live=True)]
    t = TextDelta(text="Yes", at=13.5).apply(t)
    assert shown(t)[1:] == [ThinkingBlock("hmm", 3, 2500), TextBlock("Yes", head=True)]
    t = AssistantReplied(text="Yes", reasoning="hmm", thinking_ms=2400).apply(t)
    assert shown(t)[1:] == [ThinkingBlock("hmm", 3, 2400), TextBlock("Yes", head=True)]


def test_an_empty_delta_after_thinking_is_nothing() -> None:
    t = fold([TURN, STEP, ThinkingDelta(text="hm")])
    assert TextDelta(text="").apply(t) == t


def test_long_thinking_and_output_keep_their_end() -> None:
    long = "x" * LIVE_TAIL + "end"
    t = fold([TURN, STEP, ThinkingDelta(text=long)])
    assert shown(t)[-1] == ThinkingBlock(long[-LIVE_TAIL:], len(long), live=True)
    t = fold(
        [TURN, ToolStarted(call_id="c", name="n", label="l"), ToolOutput(call_id="c", text=long)]
    )
    block = t.tool("c")
    assert block is not None and block.tail == long[-LIVE_TAIL:]


def test_arguments_stream_per_call_and_absurd_indices_are_ignored() -> None:
    t = fold(
        [
            TURN,
            STEP,
            ToolArgsDelta(index=1, name="b", text="{"),
            ToolArgsDelta(index=0, name="a", text="x"),
        ]
    )
    t = ToolArgsDelta(index=1, text="}").apply(t)
    assert t.live() == (
        CallBlock("a", ArgumentStream().feed("x")),
        CallBlock("b", ArgumentStream().feed("{}")),
    )
    for index in (-1, -5, 10**9):
        assert ToolArgsDelta(index=index, name="c", text="y").apply(t) == t


def test_a_retry_starts_the_answer_over() -> None:
    told: list[Event] = [
        TURN,
        STEP,
        RequestSent(model="m"),
        TextDelta(text="half\n\nof it"),
        Retrying(attempt=2, delay_s=1.5, reason="server busy", at=20.0),
    ]
    t = fold(told)
    assert t.retry is not None and (t.retry.attempt, t.retry.until) == (2, 21.5)
    t = RequestSent(model="m", attempt=2).apply(t)
    assert t.retry is None
    t = fold([TextDelta(text="whole")], t)
    assert answer_text(t) == "whole"


@pytest.mark.parametrize(
    "end", [TurnEnded(state="error"), TurnStarted(turn=2, prompt="again"), StepStarted(step=2)]
)
def test_what_streamed_and_never_settled_is_taken_back(end: Event) -> None:
    told = [TURN, STEP, TextDelta(text="lost\n\nwords"), end]
    assert fold(told) == fold(settled(told))


# ----------------------------------------------------------------- queue, draft, mode, model, usage


def test_the_queue_is_folded_whole_and_prompts_leave_it_when_they_start() -> None:
    items = (Queued("1", "first"), Queued("2", "second"), Queued("3", "third"))
    t = fold([QueueChanged(items=items, paused=True)])
    assert (t.queue, t.paused) == (items, True)
    t = fold([QueueChanged(items=items), TurnStarted(turn=1, prompt="first", queue_id="1")])
    assert (t.queue, t.paused) == (items[1:], False)
    t = SteerSeen(text="second", queue_id="2").apply(t)
    assert t.queue == items[2:]
    assert t.rows[-1] == UserBlock("second", steer=True)
    assert TurnStarted(turn=2, prompt="typed").apply(t).queue == items[2:], (
        "a typed prompt leaves the queue alone"
    )


def test_a_prompt_says_what_of_it_was_pasted() -> None:
    pastes = (Paste(4, 7, 2),)
    t = fold([TurnStarted("see abc", turn=1, pastes=pastes), SteerSeen("see abd", pastes=pastes)])
    assert list(t.rows) == [
        UserBlock("see abc", pastes=pastes),
        UserBlock("see abd", steer=True, pastes=pastes),
    ]
    assert t.marks[0].pastes == pastes


@given(st.lists(asides, max_size=20))
def test_draft_mode_and_queue_are_the_last_that_was_said(said: list[Event]) -> None:
    t = fold([SessionStarted(session="s", mode="auto"), *said])
    modes = [event.mode for event in said if isinstance(event, ModeChanged)]
    drafts = [event.text for event in said if isinstance(event, DraftSaved)]
    assert t.mode == (modes or ["auto"])[-1]
    assert t.draft == (drafts or [""])[-1]
    assert t.state == "idle"


def test_the_header_of_a_run_and_its_resumption() -> None:
    start = SessionStarted(session="s", cwd="/p", model="ollama/a", mode="plan", window=8)
    t = fold([start])
    assert (t.session, t.cwd, t.model, t.mode, t.window, len(t.rows)) == (
        "s",
        "/p",
        "ollama/a",
        "plan",
        8,
        0,
    )
    again = replace(start, resumed=True)
    assert fold([start, again]) == t, "nothing was there to resume"
    assert fold([start, Notice(text="x"), again]).rows[-1] == DividerBlock("resumed")
    t = ModelChanged(model="openai/b", window=16).apply(t)
    assert (t.model, t.window) == ("openai/b", 16)


def test_usage_counts_the_context_and_the_turn() -> None:
    told = [
        TURN,
        UsageReported(usage=Usage(100, 20), window=4096),
        UsageReported(usage=Usage(150, 5, estimated=True)),
    ]
    t = fold(told)
    assert (t.context_tokens, t.turn_tokens, t.estimated, t.window) == (155, 25, True, 4096)
    t = TurnEnded(state="completed", duration_ms=7, steps=2).apply(t)
    assert t.rows[-1] == TurnBlock("completed", 7, 2, 25, True)
    t = Cleared().apply(t)
    assert (t.context_tokens, t.estimated) == (0, False)
    assert t.rows[-1] == DividerBlock("context cleared")


def test_answers_to_queries_are_the_newest_of_their_kind_and_outside_the_law() -> None:
    skills = [Skills((SkillInfo(name, ""),)) for name in "ab"]
    t = fold([Answered("1", skills[0]), Answered("2", skills[1]), Answered("3", Jobs())])
    assert t.answers == Answers(skills=skills[1], jobs=Jobs())
    assert not Answered.settled


def test_the_title_is_the_first_line_of_the_first_prompt() -> None:
    t = fold([TurnStarted(turn=1, prompt="\n fix it\nplease"), TurnStarted(turn=2, prompt="other")])
    assert t.title == "fix it"


# --------------------------------------------------------------------------- states, consent, tools


def test_the_states_of_a_turn_with_a_call_that_asks() -> None:
    show = CommandDisplay("ls")
    told: list[tuple[Event, str]] = [
        (TURN, "running"),
        (STEP, "running"),
        (
            AssistantReplied(calls=(ToolCall("c", "run_shell_command"),), stop_reason="tool_calls"),
            "running",
        ),
        (
            ApprovalAsked(id="a", call_id="c", tool="run_shell_command", label="ls", display=show),
            "waiting_for_input",
        ),
        (ApprovalAnswered(id="a", choice="once"), "running"),
        (
            ToolStarted(call_id="c", name="run_shell_command", label="ls", note="allowed once"),
            "waiting_for_tool",
        ),
        (ToolOutput(call_id="c", text="file\n"), "waiting_for_tool"),
        (
            ToolEnded(
                call_id="c", name="run_shell_command", label="ls", content="file", duration_ms=4
            ),
            "running",
        ),
        (TurnEnded(state="completed"), "idle"),
    ]
    t = Transcript()
    for event, state in told:
        t = event.apply(t)
        assert t.state == state, event
    blocks = [row for row in t.rows if isinstance(row, ToolBlock)]
    assert blocks == [
        ToolBlock("c", "run_shell_command", "ls", "done", 0.0, 4, "ok", note="allowed once")
    ]


@pytest.mark.parametrize(
    ("tag", "state"),
    [
        ("ok", "done"),
        ("denied", "failed"),
        ("cancelled", "cancelled"),
        ("interrupted", "cancelled"),
    ],
)
def test_the_tag_of_a_result_is_the_state_of_its_row(tag: str, state: str) -> None:
    t = fold([TURN, ToolEnded(call_id="c", name="n", label="l", content="", tag=tag)])
    row = t.rows[-1]
    assert isinstance(row, ToolBlock) and row.state == state
    assert not t.open_tools


def test_two_calls_at_once_each_keep_their_row() -> None:
    started = [ToolStarted(call_id=call, name="n", label=call) for call in "ab"]
    t = fold([TURN, *started, ToolOutput(call_id="a", text="A"), ToolOutput(call_id="b", text="B")])
    first, second = t.tool("a"), t.tool("b")
    assert first is not None and second is not None and (first.tail, second.tail) == ("A", "B")
    t = ToolEnded(call_id="b", name="n", label="b", content="").apply(t)
    assert (t.state, list(t.open_tools)) == ("waiting_for_tool", ["a"])
    t = ToolEnded(call_id="a", name="n", label="a", content="").apply(t)
    assert t.state == "running"
    assert [row.label for row in t.rows if isinstance(row, ToolBlock)] == ["a", "b"]


def test_approvals_wait_in_order_and_the_end_of_a_turn_closes_them() -> None:
    asked = [
        ApprovalAsked(id=f"a{n}", call_id=f"c{n}", tool="t", label="l", hard=n == 2) for n in (1, 2)
    ]
    t = fold([TURN, *asked])
    assert [(one.id, getattr(one, "hard", None)) for one in t.pending] == [
        ("a1", False),
        ("a2", True),
    ]
    t = ApprovalAnswered(id="a1", choice="no", text="not now").apply(t)
    assert (t.state, [one.id for one in t.pending]) == ("waiting_for_input", ["a2"])
    t = TurnEnded(state="cancelled").apply(t)
    assert (t.state, t.pending) == ("idle", ())


def test_questions_in_and_outside_of_a_turn() -> None:
    stuck = QuestionAsked(
        id="q", kind="stuck", text="Same call again", options=("stop", "continue", "say")
    )
    t = fold([TURN, stuck])
    assert (t.state, t.pending[0].id) == ("waiting_for_input", "q")
    assert QuestionAnswered(id="q", choice="continue").apply(t).state == "running"
    before = fold([QuestionAsked(id="q", kind="skill_argument", text="file?")])
    assert QuestionAnswered(id="q", choice="no", idle=True).apply(before).state == "idle"


def test_an_error_is_a_row_and_ends_the_wait_for_a_retry() -> None:
    t = fold(
        [
            TURN,
            Retrying(attempt=2, delay_s=1, reason="busy"),
            ErrorRaised(text="down", hint="start it"),
        ]
    )
    assert t.retry is None
    assert t.rows[-1] == NoticeBlock("error", "down", "start it")


def test_a_call_that_starts_in_the_midst_of_an_answer_outlives_it() -> None:
    """No agent of ours does that; a log of another, or one that a person edited, may."""
    call = ToolStarted(call_id="c1", name="read", label="a.py", at=11.0)
    t = fold([TURN, STEP, TextDelta(text="half an answer"), call, StepStarted(step=2), call])
    assert [block.call_id for block in t.rows if isinstance(block, ToolBlock)] == ["c1"]
    assert isinstance(t.rows[t.open_tools["c1"]], ToolBlock)
    assert answer_text(t) == ""


def test_words_given_with_a_yes_stand_beside_the_call() -> None:
    t = ApprovalAsked(
        id="a1", call_id="c1", tool="run_shell_command", label="Run make", reason="it may change"
    ).apply(Transcript())
    t = ApprovalAnswered(id="a1", choice="once", text="use pytest next time").apply(t)
    t = ToolStarted(
        call_id="c1", name="run_shell_command", label="Run make", note="allowed once"
    ).apply(t)
    t = ToolEnded(call_id="c1", name="run_shell_command", label="Run make", content="ok").apply(t)
    block = t.rows[-1]
    assert isinstance(block, ToolBlock)
    assert (block.note, block.words) == ("allowed once", "use pytest next time")
