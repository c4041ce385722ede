"""Words typed at any speed while questions come and go: they never answer one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked, TurnEnded
from agent_tui.protocol.ops import Answer
from agent_tui.tui.screen.key_guards import HOLD_SECONDS, TYPING_SECONDS
from tests.answers import answer_event
from tests.tui.play import Play

DIFF = DiffDisplay("a.py", (Hunk(1, 1, ("-one", "+two")),), 1, 1)
WORDS = (
    " every day",
    "yes but first look",
    "also add tests",
    "no, 1 more",
    "mind the gap",
    "say 2",
    "11234",
    "my yyy",
    "so\tit is",
    "y\tyes",
)
GAPS = st.sampled_from((0.002, 0.05, 0.1, 0.16, 0.25, 0.31, 0.4, 0.5, 0.7, 1.0))
"""Seconds from key to key: a burst of a slow line, a fast hand, a finger that looks for each key.
"""


@dataclass(frozen=True)
class Types:
    """A piece of a prompt, a key every `gap` seconds after a `pause`; some keys are taken back
    again."""

    words: str
    gap: float
    pause: float
    deletes: int


@dataclass(frozen=True)
class Asks:
    """A question comes `after` so many seconds."""

    kind: str
    after: float


@dataclass(frozen=True)
class Answers:
    """Another front end answers, or the turn ends."""

    after: float


@dataclass(frozen=True)
class Opens:
    """A list, words in it and arrows; perhaps a question takes it away in the middle. Then Enter."""

    opener: str
    letters: str
    arrows: int
    gap: float
    asked_at: int


TYPES = st.builds(
    Types,
    words=st.sampled_from(WORDS),
    gap=GAPS,
    pause=st.sampled_from((0.0, 0.2, 0.35, 0.9, 2.0)),
    deletes=st.integers(0, 4) | st.just(99),
)
KINDS = st.sampled_from(("consent", "edit", "hard", "stuck", "budget"))
ASKS = st.builds(Asks, KINDS, st.sampled_from((0.0, 0.3, 2.0)))
OPENS = st.builds(
    Opens,
    st.sampled_from(("f1", "ctrl+p", "ctrl+r", "ctrl+f")),
    st.sampled_from(("", "z", "zq", "many", "also")),
    st.integers(0, 2),
    st.sampled_from((0.05, 0.12, 0.25, 0.35, 0.5, 0.9, 1.2)),
    st.integers(0, 6),
)
"""Seconds from key to key are fewer than a person takes to see that the list is gone."""
STEPS = st.lists(
    TYPES | ASKS | st.builds(Answers, st.sampled_from((0.0, 0.3))), min_size=2, max_size=7
)


class Typist(Play):
    """Counts what was typed since the question appeared."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        self.number = 0
        self.typed_since = False

    def ask(self, kind: str, after: float) -> None:
        self.number += 1
        name, session = f"q{self.number}", "s"
        if kind in ("stuck", "budget"):
            asked = QuestionAsked(id=name, kind=kind, text="?", options=("stop",), session=session)  # type: ignore[arg-type]
            self.feed(asked, after=after)
        else:
            call = ApprovalAsked(
                id=name,
                call_id=name,
                tool="t",
                label="it",
                always="" if kind == "hard" else "this",
                hard=kind == "hard",
                display=DIFF,
                mode="accept-edits" if kind == "edit" else "",
                session=session,
            )
            self.feed(call, after=after)
        if self.model.dialog is not None and self.model.dialog.id == name:
            self.typed_since = False

    def leave(self, after: float) -> None:
        if self.model.question is not None:
            self.feed(
                ApprovalAnswered(id=self.model.question.id, choice="no", session="s"), after=after
            )
            self.typed_since = False

    def strike(self, character: str, after: float) -> None:
        """One key: before the next one comes, what is held may answer."""
        quiet = self.text == "" and not self.typed_since
        held = self.model.held
        self.press({" ": "space", "\t": "tab"}.get(character, character), after=after, rests=False)
        if held is not None:
            alone = after >= HOLD_SECONDS
            assert alone or not self.ops, "a letter that another one follows at once is no answer"
        assert not self.ops or quiet or self.was_quiet, (self.text, self.ops)
        self.was_quiet = quiet and self.model.held is not None
        if self.ops:
            self.leave(0.0)
            self.effects.clear()
        self.typed_since = self.typed_since or self.model.held is None

    was_quiet = False
    """The key before this one came on an empty prompt, where nothing had been typed since the
    question appeared."""


@given(STEPS)
def test_no_word_ever_answers_unless_it_is_the_first_letter_on_an_empty_prompt(
    steps: list[Types | Asks | Answers],
) -> None:
    play = Typist()
    for step in steps:
        if isinstance(step, Asks):
            play.ask(step.kind, step.after)
        elif isinstance(step, Answers):
            play.leave(step.after)
        else:
            for number, character in enumerate(step.words):
                play.strike(character, step.gap if number else step.pause or step.gap)
            for _ in range(min(step.deletes, len(play.text))):
                play.strike("backspace", step.gap)


@given(OPENS)
def test_what_is_meant_for_a_list_answers_no_question_that_takes_it_away(step: Opens) -> None:
    play = Typist()
    keys = [step.opener, *step.letters, *["down"] * step.arrows]
    asked_at = len(keys) - min(step.asked_at, len(step.letters) + 1 if not step.arrows else 0)
    for number, key in enumerate(keys):
        if number == asked_at:
            play.ask("consent", after=0.01)
        play.press(key, after=step.gap, rests=False)
    if asked_at == len(keys):
        play.ask("consent", after=0.01)
    play.press("enter", after=step.gap, rests=False)
    assert not [op for op in play.take() if isinstance(op, Answer)]


@pytest.mark.parametrize("gap", [0.05, 0.16, 0.3, 0.4, 0.6, 1.0])
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("place", range(1, 5))
def test_a_question_that_appears_under_the_fingers_gets_no_answer(
    words: str, gap: float, place: int
) -> None:
    play = Typist()
    for number, character in enumerate(words):
        if number == place:
            play.ask("consent", after=0.01)
        play.press("space" if character == " " else character, after=gap, rests=False)
    assert play.take() == [] and play.text == words


@pytest.mark.parametrize("gap", [0.05, 0.16, 0.4, 0.7, 1.0])
@pytest.mark.parametrize("opener", ["f1", "ctrl+l"])
def test_words_that_were_typed_into_a_list_are_none_for_the_question_that_closes_it(
    opener: str, gap: float
) -> None:
    play = Typist()
    play.feed(answer_event("model-1", "models", {"offered": []}, session="s"))
    play.press(opener)
    for character in "many":
        play.press(character, after=gap, rests=False)
    play.take()
    play.ask("consent", after=0.01)
    assert gap < TYPING_SECONDS
    for character in "yany1":
        play.press(character, after=gap, rests=False)
    assert play.take() == [] and play.text == "yany1"


def test_a_turn_that_ends_while_a_letter_is_held_leaves_it_in_the_prompt() -> None:
    play = Typist()
    play.ask("consent", 1.0)
    play.press("y", rests=False)
    play.feed(TurnEnded(state="cancelled", session="s"), after=0.1)
    assert play.take() == [] and play.text == "y"
