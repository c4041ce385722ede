"""Keys in a row that began before something appeared, and never pause: they allow, undo, delete and
save nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import ApprovalAsked, QuestionAsked
from agent_tui.protocol.ops import Answer, Delete, RestoreFiles, Resume, Rewind, SetModel, WriteFile
from agent_tui.tui.core.effects import Copy, Quit, WriteSecret, WriteSetting
from tests.answers import answer_event
from tests.campaigns import examples
from tests.tui.play import Play
from tests.tui.test_update_copying import NEW, OLD, talk
from tests.tui.test_update_going_back import FREE, answer, command, worked
from tests.tui.test_update_sessions import locked
from tests.tui.test_update_settings import opened as settings_opened

DONE = (
    Delete,
    Resume,
    RestoreFiles,
    Rewind,
    SetModel,
    WriteFile,
    Copy,
    Quit,
    WriteSecret,
    WriteSetting,
)
YES = ("once", "always", "yes", "continue", "say", "no", "stop")
LETTERS = "yanmecs1234wdkjqr hello"
KEY = st.one_of(
    st.sampled_from(["enter", "enter", "up", "down", "left", "right", "escape"]),
    st.sampled_from(LETTERS),
)
GAP = st.one_of(st.sampled_from([0.02, 0.03, 0.05, 0.12, 0.3, 0.35, 0.4]), st.floats(0.02, 0.4))
STREAM = st.lists(st.tuples(KEY, GAP), min_size=2, max_size=40)
HAMMERED = st.builds(lambda key, gap, times: [(key, gap)] * times, KEY, GAP, st.integers(2, 60))


def _approval(**more: object) -> Event:
    return ApprovalAsked(id="a", call_id="c", tool="t", label="make", session="s", **more)  # type: ignore[arg-type]


def _question(kind: str) -> Event:
    options = ("Yes", "No") if kind == "confirm" else ()
    return QuestionAsked(id="a", text="Really?", options=options, kind=kind, session="s")  # type: ignore[arg-type]


QUESTIONS: dict[str, Callable[[], Event]] = {
    "approval": _approval,
    "always": lambda: _approval(always="make"),
    "mode": lambda: _approval(mode="accept-edits", always="edits"),
    "hard": lambda: _approval(hard=True),
    **{kind: partial(_question, kind) for kind in ("confirm", "budget", "price", "stuck")},
}


def _press(play: Play, stream: list[tuple[str, float]]) -> None:
    for key, gap in stream:
        play.press("space" if key == " " else key, after=gap, rests=False)


def _nothing(play: Play) -> None:
    """Nothing was done that nobody meant; that keys came to rest adds nothing to it."""
    done = [effect for effect in play.effects if isinstance(effect, DONE)]
    done_ops = [op for op in play.ops if isinstance(op, DONE)]
    answers = [op for op in play.ops if isinstance(op, Answer) and op.choice in YES]
    assert not done and not done_ops and not answers


@pytest.mark.parametrize("kind", QUESTIONS)
@settings(max_examples=examples(60), deadline=None)
@given(stream=st.one_of(STREAM, HAMMERED), before=KEY)
def test_a_stream_answers_no_question(
    kind: str, stream: list[tuple[str, float]], before: str
) -> None:
    play = Play()
    play.begin()
    _press(play, [(before, 1.0)])
    play.feed(QUESTIONS[kind](), after=0.05)
    play.effects.clear()
    _press(play, stream)
    _nothing(play)


@pytest.mark.parametrize("kind", ["locked", "no_model"])
@settings(max_examples=examples(60), deadline=None)
@given(stream=st.one_of(STREAM, HAMMERED), before=KEY)
def test_a_stream_takes_nothing_in_what_comes_by_itself(
    kind: str, stream: list[tuple[str, float]], before: str
) -> None:
    play = Play(model="" if kind == "no_model" else "fake/model")
    _press(play, [(before, 1.0)])
    if kind == "locked":
        locked(play)
        play.model = replace(play.model, last_key=play.at)
    else:
        play.feed(answer_event("m", "models", {"model": "", "problem": "none"}), after=0.05)
    play.effects.clear()
    _press(play, stream)
    _nothing(play)


def _undo() -> Play:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    return play


def _copy() -> Play:
    play = Play()
    play.feed(*talk(OLD), *talk(NEW))
    play.type("/copy")
    play.press("escape", "enter")
    return play


@pytest.mark.parametrize(
    "opened", [_undo, _copy, lambda: settings_opened("")[0]], ids=["undo", "copy", "settings"]
)
@settings(max_examples=examples(60), deadline=None)
@given(stream=st.one_of(STREAM, HAMMERED))
def test_a_stream_does_nothing_in_a_sheet_that_was_asked_for(
    opened: Callable[[], Play], stream: list[tuple[str, float]]
) -> None:
    play = opened()
    play.effects.clear()
    play.model = replace(play.model, last_key=play.at, last_name="enter")  # that opened it
    _press(play, stream)
    _nothing(play)
