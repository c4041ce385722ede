"""How a question stands when it comes into view: as at first, as it was answered, or as it was left
for another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.tui.core.model import Dialog, Model
from agent_tui.tui.dialog.offers import DECLINES, Offer, alike, offers

NONE: Final = -1
"""The row of the cursor where no answer is chosen."""


def keep_tabs(model: Model) -> Model:
    """Forget what is not asked any more."""
    still = {one.id for one in model.transcript.questions}
    tabs = {id: tab for id, tab in model.tabs.items() if id in still}
    return replace(model, read=model.read & still, tabs=tabs)


def as_left(model: Model, question: Approval | Question) -> Dialog:
    """How a question that comes into view stands: as it was answered, or as the person left it. The
    times are for the caller."""
    fresh = Dialog(question.id, model.at, default_row(question))
    if isinstance(question, Question) and question.answered:
        return replace(fresh, marked=question.picks if question.multi else ())
    left = model.tabs.get(question.id)
    if left is None:
        return fresh
    ways = offers(question, alike(question, model.transcript.questions))
    keys = [one.keys[0] for one in ways]
    gone = bool(left.offer) and left.offer not in keys  # another one is in its place
    row = declining_row(ways) if gone else keys.index(left.offer) if left.offer else left.selected
    # where it would answer more than when it was chosen, it has to be chosen again
    grew = row in range(len(ways)) and bool(set(ways[row].also) - set(left.stood_for))
    return replace(
        fresh,
        selected=row,
        marked=left.marked,
        scroll=left.scroll,
        refuses=left.refuses or gone,
        refused_at=model.at if grew else left.refused_at,
        moved_at=left.moved_at,
    )


def declining_row(offered: Sequence[Offer]) -> int:
    """The first answer that allows nothing."""
    rows = (place for place, one in enumerate(offered) if one.choice in DECLINES)
    return next(rows, NONE)


def default_row(question: Approval | Question) -> int:
    """The option under the cursor at first: for what would be kept, it is the no; for what cannot
    be taken back there is none."""
    if isinstance(question, Question) and question.answered:
        count = len(question.options)  # behind them are the own words, and the no
        return question.picks[0] if question.picks else count + (not question.words)
    if isinstance(question, Question):
        return 1 if question.kind in ("confirm", "skill") else 0
    return NONE if question.hard else 0
