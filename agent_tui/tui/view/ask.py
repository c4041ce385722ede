"""The dialog: an approval or a question above the prompt."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.tui import commands
from agent_tui.tui.kinds import OwnKeys
from agent_tui.tui.look import Look
from agent_tui.tui.model import Dialog, Model, Purpose
from agent_tui.tui.regions import DialogView, FooterView, Option
from agent_tui.tui.update.dialog import READ_ON, nearest, offers, unread
from agent_tui.tui.view.lazy import lazy

TITLES: Final = {
    "budget": "The budget is reached",
    "price": "No price is known",
    "stuck": "The agent goes round in circles",
}
"""What a question is about."""
NARROW: Final = 32
"""Columns below which the footer has no room for the names of two keys that scroll."""


def dialog_view(model: Model) -> DialogView | None:
    return _dialog(model.question, model.dialog, model.composer.purpose, len(model.transcript.pending), model.look)


@lazy
def _dialog(
    question: Approval | Question | None, state: Dialog | None, purpose: Purpose | None, pending: int, look: Look
) -> DialogView | None:
    if question is None or state is None:
        return None
    if isinstance(question, Question):
        if question.kind == "skill_argument":
            return None
        title = TITLES[question.kind]
        reason, display, warning = question.text, None, True
    else:
        title, reason, display, warning = _title(question), question.reason, question.display, question.hard
    offered = () if purpose is not None else offers(question)
    options = tuple(
        Option(one.keys[0], one.label, one.detail, also="".join(one.keys[1:]), short=one.brief) for one in offered
    )
    return DialogView(
        title, reason, display, options, min(state.selected, max(0, len(options) - 1)), warning,
        f"1 of {pending}" if pending > 1 else "", state.scroll, look, unread(question, state), question.id,
    )  # fmt: skip


def asked_footer(model: Model) -> FooterView:
    """The keys while something is asked."""
    dialog = model.dialog
    hidden = dialog is not None and (dialog.scroll > 0 or bool(dialog.unseen))
    back = dialog is not None and dialog.scroll > 0 and not dialog.unseen
    return _footer(nearest(model), model.keys, hidden, back, 0 < model.width < NARROW)


@lazy
def _footer(nearest: tuple[str, str], own: OwnKeys, hidden: bool, back: bool, narrow: bool) -> FooterView:
    """`hidden`: a part of what is asked about is out of view, so that what scrolls it is said before what the cursor
    shows by itself. `back`: the part above, and the end has been in view."""
    way = ("PgUp", "↑") if back else ("PgDn", "↓")
    scroll, choose = way if narrow else ("PgUp/PgDn", "scroll"), ("↑↓", "choose")
    moves = (choose,) if nearest[1] == READ_ON else (scroll, choose) if hidden else (choose, scroll)
    named = (nearest, *moves, (commands.key_of("stop", own), "stop the turn"))
    return FooterView(tuple(pair for pair in named if pair[0]))


def _title(asked: Approval) -> str:
    if asked.hard:
        return f"This cannot be taken back: {asked.label}"
    return f"Allow this? {asked.label}"
