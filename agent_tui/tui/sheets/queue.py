"""`/queue`: the prompts that wait. Its command is in `commands/prompt.py`: the footer names its
key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from agent_tui.protocol.ops import QueueEdit
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips, mention
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt import queue as waiting
from agent_tui.tui.sheets import CLOSES, Action, Body, Run, Sheet

STEERED: Final = "it is being steered into the turn; d cancels"
AROUND: Final = 12
"""Cells of the screen beside a prompt and its state."""
LEAST_TEXT: Final = 34
"""Cells of a prompt below which its state stands in front of it: that must not be cut off."""
EMPTY: Final = "The queue is empty. Prompts that you send while the agent works wait here."


def _title(model: Model, _: Overlay) -> str:
    steers = len(model.waiting_prompts) - len(model.queue)
    more = f", {steers} at the next step" if steers else ""
    return (
        f"Queued prompts ({len(model.queue)}){more}{', paused' if model.transcript.paused else ''}"
    )


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    number = 0
    for place, item in enumerate(model.waiting_prompts):
        text = one_line(mention.display_mentions(chips.fold_pastes(item.text, item.pastes)))
        key = str(place + 1) if place < 9 else ""
        state = _state(model, item, number)
        narrow = model.width - AROUND - len(state) < LEAST_TEXT
        yield Entry(
            item.id, f"{state}: {text}" if narrow else text, "" if narrow else state, key=key
        )
        number += not item.steer


def _state(model: Model, item: Queued, number: int) -> str:
    """In one word or two, what becomes of the prompt that stands at `number` among those with a
    turn of their own."""
    if item.steer:
        return "at the next step"
    if waiting.is_held(model, item.id):
        return "being edited"
    return "next" if number == 0 and not model.transcript.paused else "waits"


def _body(model: Model, _: Overlay, __: int) -> Body:
    """What becomes of the queue."""
    if not model.waiting_prompts:
        return Body(((Span(EMPTY),),))
    if model.transcript.paused:  # the title says it, and the key that resumes
        return Body()
    when = "when this turn ends" if model.is_running else "now"
    return Body(((Span(f"The next is sent {when}."),),))


def _item(model: Model, row: Entry) -> Queued:
    return next(item for item in model.waiting_prompts if item.id == row.id)


def _edit(model: Model, _: Overlay, row: Entry) -> Step:
    item = _item(model, row)
    return (
        toast(model, STEERED) if item.steer else composer.edit(replace(model, overlay=None), item)
    )


def _move(way: Literal["up", "down"]) -> Run:
    def move(model: Model, _: Overlay, row: Entry) -> Step:
        return (
            toast(model, STEERED)
            if _item(model, row).steer
            else send(model, QueueEdit(way, id=row.id))
        )

    return move


def _remove(model: Model, _: Overlay, row: Entry) -> Step:
    return waiting.remove(model, _item(model, row))


def _send_now(model: Model, _: Overlay, row: Entry) -> Step:
    item = _item(model, row)
    return toast(model, STEERED) if item.steer else waiting.send_now(_left(model), item)


def _stop_and_send(model: Model, _: Overlay, row: Entry) -> Step:
    item = _item(model, row)
    return toast(model, STEERED) if item.steer else waiting.stop_and_send(_left(model), item)


def _left(model: Model) -> Model:
    """The panel goes with the last prompt."""
    return replace(model, overlay=None) if len(model.waiting_prompts) == 1 else model


def _pause(model: Model, _: Overlay, __: Entry) -> Step:
    if not model.waiting_prompts:
        return toast(model, "the queue is empty: nothing to pause")
    return waiting.resume(model) if model.transcript.paused else waiting.pause(model)


def _rests(model: Model, _: Overlay, __: Entry) -> bool:
    return not model.is_running


def _runs(model: Model, _: Overlay, __: Entry) -> bool:
    return model.is_running


SHEET: Final = Sheet(
    _title,
    _rows,
    (
        Action("edit", ("enter", "e"), "edit", _edit, closes=False, typed="e", needs_enter=True),
        Action(
            "send",
            ("s",),
            lambda model, _: "steer" if model.is_running else "send now",
            _send_now,
            closes=False,
            typed="s",
            needs_enter=True,
        ),
        Action(
            "stop",
            ("i",),
            "stop and send",
            _stop_and_send,
            _runs,
            closes=False,
            typed="i",
            needs_enter=True,
        ),
        Action(
            "now",
            ("i",),
            "send now",
            _stop_and_send,
            _rests,
            closes=False,
            hidden=True,
            needs_enter=True,
        ),
        Action(
            "up",
            ("alt+up", "shift+up", "K"),
            "move up",
            _move("up"),
            closes=False,
            typed="u",
            at_once=True,
        ),
        Action(
            "down",
            ("alt+down", "shift+down", "J"),
            "move down",
            _move("down"),
            closes=False,
            typed="l",
            at_once=True,
        ),
        Action(
            "remove",
            ("d", "delete", "backspace"),
            "remove",
            _remove,
            closes=False,
            typed="d",
            needs_enter=True,
        ),
        Action(
            "pause",
            ("p",),
            lambda model, _: "resume" if model.transcript.paused else "pause",
            _pause,
            needs_row=False,
            closes=False,
            typed="p",
            needs_enter=True,
        ),
        replace(CLOSES, keys=("q",)),
    ),
    typing="acts",
    body=_body,
    shows=frozenset(("queue",)),
    keys_in_body=True,
    gone="that prompt was just sent",
    live=lambda model: (
        model.transcript.queue,
        model.taken,
        model.edits,
        model.transcript.paused,
        model.composer.editing,
        model.is_running,
        model.width,
    ),
)
