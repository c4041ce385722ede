"""Which question the dialog shows, and what stays of it while questions come, go and change."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from agent_tui.protocol.transcript import Question
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.dialog.answer_keys import (
    has_just_decided,
    ways,
)
from agent_tui.tui.dialog.tabs import as_left, declining_row, keep_tabs
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.key_guards import (
    IDLE_SECONDS,
)

WAITS: Final = "a question waits: finish here first"


def follow(model: Model, at: float, listed: bool = False) -> Step:
    """Show the first open question, if it is another than before; leave a purpose whose question is
    gone. `listed`: a list of what may be completed is open. Where one takes the place of another
    that the person has not answered, no Enter that was meant for that answers it."""
    question = model.question
    purpose = model.composer.purpose
    if question is not None and purpose is not None and purpose.secret:
        waits = model.toast is not None and model.toast.text == WAITS
        return (model, ()) if waits else toast(model, WAITS)  # no key of a secret may go elsewhere
    answers = purpose is not None and purpose.kind in composer.FOR_MODEL
    if purpose is not None and answers and (question is None or question.id != purpose.id):
        left = composer.leave_message(model)
        return then(left, follow(left[0], at, True))
    was = model.dialog
    if was is not None and not was.answered and not _is_open(model, was.id):
        model = replace(model, dropped_at=at)
    if question is None:
        return (model if was is None else replace(model, dialog=None)), ()
    interrupts = model.overlay is not None or model.composer.purpose is not None or listed
    leaves = model.composer.editing is not None or model.vim not in ("", "normal")
    guards_esc = interrupts or leaves or has_just_decided(model)
    model = model if model.overlay is None else replace(model, overlay=None)
    if model.dialog is not None and model.dialog.id == question.id:
        return model, ()
    model = keep_tabs(model)
    model, effects = (
        composer.leave_field(model) if model.composer.purpose is not None else (model, ())
    )  # an address was being typed: questions come first
    drafted = bool(model.composer.draft.strip())
    replaced = at - model.dropped_at < IDLE_SECONDS
    idle = model.idle_enter and at - model.last_key < IDLE_SECONDS
    stood = as_left(model, question)
    dialog = replace(
        stood,
        id=question.id,
        shown_at=at,
        interrupts=interrupts,
        listed=listed,
        drops_keys=purpose is not None and purpose.kind in composer.SEARCHES,
        guards_esc=guards_esc,
        drafted=drafted,
        refused_at=at if idle or replaced else stood.refused_at,
    )
    model = replace(model, dialog=dialog)
    if isinstance(question, Question) and question.kind == "skill_argument":
        model = composer.ask(model, Purpose("argument", question.text, question.id))
    return model, effects


def _is_open(model: Model, id: str) -> bool:
    return any(one.id == id for one in model.transcript.questions)


def turn(model: Model, step: int) -> Step:
    """Look at the next open question, or the one before: each can be answered first."""
    pending, question = model.transcript.questions, model.question
    if question is None or len(pending) < 2:
        return model, ()
    place = (pending.index(question) + step) % len(pending)
    if (dialog := model.dialog) is not None:
        offered = ways(model)
        chosen = offered[dialog.selected] if dialog.selected in range(len(offered)) else None
        left = dialog
        if chosen is not None:
            left = replace(dialog, offer=chosen.keys[0], stood_for=chosen.also)
        model = replace(model, tabs={**model.tabs, question.id: left})
    model, effects = follow(replace(model, asked=pending[place].id), model.at)
    dialog = model.dialog
    if dialog is not None and dialog.refused_at == -inf:
        model = replace(model, dialog=replace(dialog, moved_at=model.at))
    return model, effects


def keep_rows(before: Model, model: Model) -> Model:
    """The cursor, and an Enter that waits, stay on their answer where others come or go above it.
    Where it has gone itself, they are on one that allows nothing; where it stands for more calls
    than when it was chosen, it has to be chosen again."""
    dialog, held = model.dialog, model.held
    if before.dialog is None or dialog is None or before.dialog.id != dialog.id:
        return model
    was, now = ways(before), ways(model)
    names, there = [one.keys[0] for one in was], [one.keys[0] for one in now]
    if was == now or not now:
        return model
    no = declining_row(now)

    def place_of(row: int) -> int:
        if row not in range(len(names)):
            return row
        return there.index(names[row]) if names[row] in there else no

    gone = dialog.selected in range(len(names)) and names[dialog.selected] not in there
    moved = replace(dialog, selected=place_of(dialog.selected), refuses=dialog.refuses or gone)
    if held is not None and held.on == dialog.id:
        held = replace(held, row=place_of(held.row))
    before_it = was[dialog.selected].also if dialog.selected in range(len(was)) else ()
    if moved.selected in range(len(now)) and set(now[moved.selected].also) - set(before_it):
        moved = replace(moved, refused_at=model.at)
        held = None if held is not None and held.on == dialog.id else held
    return replace(model, dialog=moved, held=held)


def show_again(model: Model) -> Model:
    """What is open was out of sight: keys of the shell may follow, Enter among them."""
    dialog, overlay, at = model.dialog, model.overlay, model.at
    return replace(
        model,
        dialog=dialog and replace(dialog, shown_at=at, refused_at=at, moved_at=-inf),
        overlay=overlay and replace(overlay, shown_at=at),
        held=None if dialog is not None else model.held,
    )
