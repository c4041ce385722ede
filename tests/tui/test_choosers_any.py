"""One law over all keys, paces and questions that come and go: what a person last chose to refuse is
never allowed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked
from agent_tui.protocol.ops import Answer
from agent_tui.tui.core.msg import AskedShown, OptionClicked
from agent_tui.tui.dialog.answer_keys import ways
from agent_tui.tui.dialog.offers import DECLINES, GRANTS
from tests.campaigns import examples
from tests.tui.play import Play

REFUSES = ("n", "3", "m", "4", "alt+n", "alt+m")
ALLOWS = ("y", "1", "a", "2", "alt+y", "alt+a", "t", "f", "p", "e")
MOVES = ("up", "down", "left", "right", "home", "end", "pagedown")
OTHERS = (
    "tab",
    "backspace",
    "x",
    "space",
    "ctrl+p",
    "ctrl+u",
    "ctrl+c",
    "f1",
    "f12",
    "j",
    "shift+tab",
)
GAPS = (0.05, 0.12, 0.2, 0.3, 0.4, 0.55, 0.7, 0.9, 1.2, 1.7, 2.2)


class Person(Play):
    """`refused`: the questions for which the last key that was to choose an answer was a no."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.begin()
        if chance.random() < 0.2:
            self.model = replace(self.model, vim="normal")
        self.chance, self.number = chance, 0
        self.refused = dict[str, bool]()
        self.did = list[object]()

    def ask(self) -> None:
        self.number += 1
        name = f"q{self.number}"
        folder = self.chance.choice(("", "make …"))
        shown = self.chance.choice((None, CommandDisplay("make", "/w", "")))
        asked = ApprovalAsked(
            id=name, call_id=name, tool="t", label="t", always="this", folder=folder,
            display=shown, session="s",
        )  # fmt: skip
        self.feed(asked, after=self.chance.choice((0.01, 0.2, 1.0)))
        if self.chance.random() < 0.8:
            self.say(AskedShown(name, 1, 1), after=0.01)
        self.did.append(f"asked {name}")

    def settle(self) -> None:
        """Another front end answers, or a rule does."""
        if (question := self.model.question) is not None:
            self.feed(ApprovalAnswered(id=question.id, choice="no", session="s"), after=0.1)
            self.did.append(f"gone {question.id}")

    def key(self) -> None:
        kind = self.chance.choices((REFUSES, ALLOWS, MOVES, OTHERS, ("enter",)), (5, 1, 3, 4, 6))[0]
        key, gap = self.chance.choice(kind), self.chance.choice(GAPS)
        question, dialog, words = self.model.question, self.model.dialog, self.text
        in_line = self.model.composer.purpose is not None
        self.did.append((key, gap))
        self.press(key, after=gap, rests=self.chance.random() < 0.6)
        self.judge()
        in_line = in_line or self.model.composer.purpose is not None  # a Tab was held
        if question is None or dialog is None or dialog.id != question.id or in_line:
            return
        now = self.model.dialog
        if key in REFUSES and (not words or key.startswith("alt+")):
            self.refused[question.id] = True
        elif key in ALLOWS:
            self.refused[question.id] = False
        elif key in ("up", "down") and now is not None and now.selected != dialog.selected:
            self.refused[question.id] = False  # they see the row

    def click(self) -> None:
        """On an answer of the question that is in view."""
        question, shown = self.model.question, self.view.dialog
        if question is None or shown is None or not shown.options:
            return
        row, gap = self.chance.randrange(len(shown.options)), self.chance.choice(GAPS)
        declines = ways(self.model)[row].choice in DECLINES
        self.did.append((f"click {row}", gap))
        self.say(OptionClicked(row), after=gap)
        self.judge()
        now = self.model.dialog
        if declines:
            self.refused[question.id] = True
        elif now is not None and now.moved_at == self.at:
            self.refused[question.id] = False

    def judge(self) -> None:
        for op in self.take():
            if isinstance(op, Answer):
                assert op.choice not in GRANTS or not self.refused.get(op.id), self.did
                self.feed(ApprovalAnswered(id=op.id, choice=op.choice, session="s"), after=0.05)


def people(seed: int, count: int) -> Iterator[Person]:
    for number in range(count):
        yield Person(random.Random(f"{seed} {number}"))


@pytest.mark.parametrize("seed", range(4))
def test_what_was_refused_last_is_never_allowed(seed: int) -> None:
    for person in people(seed, examples(400)):
        for _ in range(person.chance.randrange(3)):
            person.key()
        person.ask()
        for _ in range(person.chance.randrange(2, 10)):
            roll = person.chance.random()
            if roll < 0.1 and person.number < 3:
                person.ask()
            elif roll < 0.13:
                person.settle()
            elif roll < 0.2:
                person.click()
            else:
                person.key()
