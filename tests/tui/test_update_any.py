"""Any Msgs in any order: nothing raises, no draft is lost, and only one thing asks at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.answers import AnswerData
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import Answered, ApprovalAsked, QuestionAsked, SessionStarted, fold
from agent_tui.protocol.ops import Choice
from agent_tui.structures import chips
from agent_tui.tui.commands import COMMANDS, bindings
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.core.msg import (
    AskedShown,
    BranchRead,
    ChipClicked,
    CommandCalled,
    Copied,
    DraftChanged,
    DraftEdited,
    EffectFailed,
    EventsArrived,
    FocusChanged,
    GroundTold,
    HistoryAsked,
    HistoryLoaded,
    KeyPressed,
    Msg,
    OptionClicked,
    Pasted,
    PromptRecalled,
    QuestionAnswered,
    Resized,
    Scrolled,
    Started,
    Submitted,
    Ticked,
    ToastExpired,
    Toggled,
    Yielded,
)
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.campaigns import examples
from tests.strategies import asides, events, instances, sessions

KEYS = (*bindings(), "up", "down", "tab", "backspace", "space", *"yan1234scmrdq/xeijkJKp")
DRAFTS = st.sampled_from(
    [
        "",
        "a",
        "/",
        "/mo",
        "/mode ",
        "/mode plan",
        "/nope",
        "/review",
        "two\nlines",
        "/usr/bin",
        "/btw why",
        "/queue",
        "/setup",
    ]
)
STARTED = SessionStarted(session="s", model="fake/model")
ASKED = st.sampled_from(
    [
        ApprovalAsked(id="1", call_id="1", tool="t", label="l", always="x", session="s"),
        ApprovalAsked(id="2", call_id="2", tool="t", label="l", hard=True, session="s"),
        QuestionAsked(id="3", kind="stuck", text="round and round", session="s"),
        QuestionAsked(id="4", kind="skill_argument", text="/x needs <y>", session="s"),
        QuestionAsked(id="5", kind="skill", text="Use /x?", options=("yes",), session="s"),
    ]
)
TOLD = st.builds(
    Answered, id=st.sampled_from(["start", "model-1", "setup-1", "setup-2"]),
    data=st.one_of([instances(kind) for kind in get_args(AnswerData)]),
)  # fmt: skip
ARRIVED: st.SearchStrategy[Sequence[Event | Restored]] = st.one_of(
    st.lists(events() | asides | ASKED | TOLD | st.just(STARTED), max_size=4),
    sessions(),
    sessions().map(lambda told: [Restored(fold(told)), STARTED]),
)


OTHERS = (Yielded, DraftEdited, FocusChanged, GroundTold, BranchRead)


def _key(key: str, draft: str, selection: bool) -> KeyPressed:
    return KeyPressed(key, key if len(key) == 1 else "", draft, selection)


MSGS: st.SearchStrategy[Msg] = st.one_of(
    st.builds(_key, st.sampled_from(KEYS), DRAFTS, st.booleans()),
    ARRIVED.map(lambda told: EventsArrived(tuple(told))),
    st.builds(DraftChanged, DRAFTS),
    st.builds(Submitted, DRAFTS),
    st.builds(CommandCalled, st.sampled_from([one.name for one in COMMANDS]), DRAFTS),
    st.builds(
        QuestionAnswered,
        st.sampled_from("01234"),
        st.sampled_from(get_args(Choice)),
        st.sampled_from(["", "auto"]),
        DRAFTS,
        st.booleans(),
    ),
    st.builds(PromptRecalled, st.integers(-1, 9)),
    st.builds(Pasted, DRAFTS | st.sampled_from(["x\n" * 9, "/tmp/a.png", "y" * 60_000])),
    st.builds(OptionClicked, st.integers(-1, 9)),
    st.builds(
        ChipClicked, st.sampled_from(["", "[Pasted\u00a0text\u00a0#1\u00a0·\u00a09\u00a0lines]"])
    ),
    st.builds(HistoryAsked, st.sampled_from([-1, 1]), DRAFTS),
    st.builds(HistoryLoaded, st.lists(DRAFTS, max_size=3).map(tuple)),
    st.builds(Resized, st.integers(0, 300), st.integers(0, 100)),
    st.builds(Started, st.integers(1, 300), st.integers(1, 100), DRAFTS),
    st.builds(Toggled, st.integers(-2, 9)),
    st.builds(Scrolled, st.booleans()),
    st.builds(Copied, st.integers(0, 9)),
    st.builds(ToastExpired, st.integers(0, 9)),
    st.builds(EffectFailed, DRAFTS),
    st.just(Ticked()),
    st.builds(AskedShown, st.sampled_from("1234"), st.integers(0, 9), st.integers(0, 9)),
    *map(instances, OTHERS),
)


def _draft(model: Model) -> str:
    composer = model.composer
    if composer.editing is not None:
        return composer.editing.stash
    return composer.draft if composer.purpose is None else composer.stash


def _edited(model: Model) -> str:
    """The words of the queued prompt that is being edited, as they would go back."""
    composer = model.composer
    if composer.editing is None:
        return ""
    return chips.expand(
        composer.draft if composer.purpose is None else composer.stash, composer.chips
    )


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(MSGS, st.sampled_from([0.0, 0.1, 0.4, 2.0])), max_size=25))
def test_any_msgs_in_any_order(told: list[tuple[Msg, float]]) -> None:
    model, at = initial(), 1_000.0
    shown = view(model)
    for msg, after in told:
        at += after
        before, shown_before = model, shown
        model, _ = update(model, replace(msg, at=at))
        shown = view(model)
        again = view(model)
        assert (
            shown.header is again.header
            and shown.transcript is again.transcript
            and shown.footer is again.footer
        )
        assert not (shown.dialog is not None and shown.overlay is not None)
        if isinstance(msg, EventsArrived | Ticked | Resized | Toggled | ToastExpired) and _draft(
            before
        ):
            assert _draft(model) == _draft(before)
        if (
            isinstance(msg, EventsArrived | Ticked | Resized | Toggled | ToastExpired)
            and _edited(before).strip()
        ):
            assert _edited(model) == _edited(before) or _edited(before) in model.composer.history
        if shown.prompt.rev != shown_before.prompt.rev:
            assert shown.prompt.text == model.composer.draft
