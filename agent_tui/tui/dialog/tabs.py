"""How a question stands when it comes into view: as at first, as it was answered, or as it was left
for another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.tui.core.model import Model

NONE: Final = -1
"""The row of the cursor where no answer is chosen."""


def keep_tabs(model: Model) -> Model:
    """Forget what is not asked any more."""
    still = {one.id for one in model.transcript.questions}
    tabs = {id: tab for id, tab in model.tabs.items() if id in still}
    return replace(model, read=model.read & still, tabs=tabs)


def as_left(model: Model, question: Approval | Question) -> tuple[int, tuple[int, ...], int]:
    """The row of the cursor, the marked ones and the first line in view of a question that comes
    into view: as it was answered, or as the person left it."""
    row = default_row(question)
    if not isinstance(question, Question) or not question.call_id:
        return row, (), 0
    if question.answered:
        return row, question.picks if question.multi else (), 0
    left = model.tabs.get(question.id)
    return (row, (), 0) if left is None else (left.selected, left.marked, left.scroll)


def default_row(question: Approval | Question) -> int:
    """The option under the cursor at first: for what would be kept, it is the no; for what cannot
    be taken back there is none."""
    if isinstance(question, Question) and question.answered:
        count = len(question.options)  # behind them are the own words, and the no
        return question.picks[0] if question.picks else count + (not question.words)
    if isinstance(question, Question):
        return 1 if question.kind == "confirm" else 0
    return NONE if question.hard else 0
