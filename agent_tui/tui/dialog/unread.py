"""How much of what is asked about was in view: what nobody could read is not allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.registry import late
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import AskedShown, KeyPressed
from agent_tui.tui.dialog.offers import DECLINES, GRANTS, Offer

with late():
    from agent_tui.present import displays

READABLE: Final = 20
"""Columns below which a command or a diff cannot be read."""
ROWS: Final = 5
"""Rows below which neither what is asked about nor the answers are in view."""
TOO_NARROW: Final = "too narrow to show what is asked"
TOO_LOW: Final = "too low to show what is asked"
READ_ON: Final = "read to the end first"
UNREAD: Final = f"{key_name('pagedown')}: {READ_ON}"
READ_OTHERS: Final = "read the others first"
UNREAD_OTHERS: Final = f"→: {READ_OTHERS}"


def mark_viewed_at(model: Model, msg: KeyPressed) -> Model:
    """Keep how much of what is asked about was in view when `msg` was pressed."""
    page, lines = msg.asked
    return model if msg.blind or not lines else note_view(model, page, lines)


def mark_viewed(model: Model, msg: AskedShown) -> Model:
    """Keep how much of what is asked about is in view, before any key tells."""
    dialog = model.dialog
    if dialog is None or dialog.id != msg.id or not msg.lines:
        return model
    if not dialog.painted:
        model = replace(
            model, dialog=replace(dialog, painted=True, shown_at=max(dialog.shown_at, msg.at))
        )
    return note_view(model, msg.page, msg.lines)


def note_view(model: Model, page: int, lines: int) -> Model:
    """`page` of the `lines` of what is asked about are in view."""
    dialog = model.dialog
    if dialog is None:
        return model
    unseen = max(0, lines - page - dialog.scroll)
    if dialog.unseen is not None:
        unseen = min(unseen, dialog.unseen)
    if unseen == dialog.unseen:
        return model
    read = model.read if unseen else model.read | {dialog.id}
    model = replace(model, dialog=replace(dialog, unseen=unseen), read=read)
    told = not unseen and model.toast is not None and model.toast.text == UNREAD
    return replace(model, toast=None) if told else model


def unread(model: Model, *ids: str) -> bool:
    """Whether one of these questions is about a command whose end has never been in view."""
    return any(
        isinstance(one, Approval)
        and one.id in ids
        and one.id not in model.read
        and displays.kind_of(one.display).runs
        for one in model.transcript.questions
    )


def why_too_small(model: Model) -> str:
    """Why nothing can be allowed on this screen; empty: it can."""
    if 0 < model.width < READABLE:
        return TOO_NARROW
    return TOO_LOW if 0 < model.height < ROWS else ""


def why_unreadable(model: Model, question: Approval | Question, offer: Offer) -> str:
    """Why it cannot be allowed yet; empty: it can. Nothing is allowed on a screen that is too
    small to show it, and no command whose end nobody has seen: the last line is where the harm
    would be hidden."""
    if offer.choice in DECLINES:
        return ""
    if small := why_too_small(model):
        return small
    if offer.choice not in GRANTS:
        return ""
    if unread(model, question.id):
        return UNREAD
    return UNREAD_OTHERS if unread(model, *offer.also) else ""
