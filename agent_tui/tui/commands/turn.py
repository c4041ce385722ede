"""Talk to a turn and end it: send, steer, stop."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.registry import late
from agent_tui.tui import commands
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.effects import CopySelection, Quit
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.dialog import answer_keys, answering
from agent_tui.tui.prompt import composer, queue, submit
from agent_tui.tui.transcript import state

with late():
    from agent_tui.tui.sheets import opening

TWICE_SECONDS: Final = 1.0
"""So soon after it was pressed, the same key means more."""
QUIT_SECONDS: Final = 2.0
"""So long the words stand that the same key again quits, and so long it does."""
ENDED_SECONDS: Final = 0.5
"""So soon after a turn came to its end, a key that stops is meant for it: nobody reacts faster."""
ENDED: Final = "the turn had just ended"


def _send_label(now: Situation) -> str:
    if now.reading:
        return ""
    if now.draft and now.runs:
        return "run"
    if now.draft:
        return "queue" if now.running else "send"
    if now.queued:
        return "steer" if now.running else "resume the queue" if now.paused else ""
    return "" if now.running else "send"


@command(keys=("enter", "ctrl+s"), slash=False, label=_send_label, rank=10)
def send(model: Model, _: str) -> Step:
    """Send the prompt, or queue it while the agent runs. With an empty prompt Enter steers with the
    oldest queued prompt, or resumes a paused queue."""
    return submit.submit(model, model.composer.draft)


def _steer_label(now: Situation) -> str:
    return (
        "steer" if now.running and now.draft and not now.runs else ""
    )  # with an empty prompt Enter does


@command(keys=("alt+s",), slash=False, label=_steer_label, rank=20)
def steer(model: Model, _: str) -> Step:
    """Steer: send the prompt, or the oldest queued one, into the running turn at its next step."""
    return submit.steer(model, model.composer.draft)


def _came_late(model: Model) -> bool:
    """Whether a key was meant to stop what has ended meanwhile. Who pressed it before knows that
    something stopped, and wants more."""
    return model.at - model.ended_at < ENDED_SECONDS and model.since_same > TWICE_SECONDS


def _guard_begun(model: Model) -> Step | None:
    """What has just begun because Esc answered a question is not stopped by the next one, or by a
    finger that rests on it. None: it is meant."""
    if not answer_keys.has_just_decided(model):
        return None
    if model.repeated:
        return replace(model, decided_at=model.at), ()
    return toast(replace(model, decided_at=float("-inf")), answering.STOPS_AGAIN)


@command(keys=("escape",), slash=False, rank=15)
def stop(model: Model, _: str) -> Step:
    """Interrupt the running turn. What was written stays, and the queue pauses. If something is
    open, Esc closes that first. Twice: clear the prompt (it is in the history); on an empty prompt,
    rewind."""
    if model.composer.purpose is not None:
        return opening.dismiss_purpose(model)
    if model.composer.editing is not None:
        return queue.leave_edit(model)
    if (
        not answer_keys.has_just_decided(model)
        and (unseen := opening.show_unseen(model)) is not None
    ):
        return unseen
    if model.can_stop:
        return _guard_begun(model) or answering.leave_question(replace(model, stopped_at=model.at))
    if _came_late(model):
        return toast(model, ENDED)
    if model.at - model.stopped_at <= TWICE_SECONDS:
        return replace(model, stopped_at=model.at), ()  # one more of a row of them
    if model.reading.mark >= 0:
        return state.unmark(model), ()
    if model.repeated:
        return model, ()  # a finger rests on it
    if not len(model.transcript.marks) and not model.composer.draft:
        return model, ()
    if model.at - model.esc_at > TWICE_SECONDS:
        return replace(model, esc_at=model.at), ()
    model = replace(model, esc_at=float("-inf"))
    if not model.composer.draft:
        return commands.find("rewind").run(model, "")
    return (
        (model, ()) if model.vim else composer.empty_prompt(model)
    )  # vim's own Esc may well come twice


def _stop_all_label(now: Situation) -> str:
    if not now.queued:
        return ""
    return "stop and clear" if now.running else "clear the queue"


@command(keys=("ctrl+x",), slash=False, label=_stop_all_label, rank=25)
def stop_all(model: Model, _: str) -> Step:
    """Interrupt the running turn and clear the queue."""
    if model.can_stop:
        emptied = queue.empty_queue(model)
        return then(emptied, answering.stop(emptied[0], clear_queue=True))
    if model.queue:
        return queue.clear(model)
    return toast(model, ENDED) if _came_late(model) else (model, ())


def _interrupt_label(now: Situation) -> str:
    if now.running:
        return ""
    return "clear" if now.draft else "quit (twice)"


@command(keys=("ctrl+c",), slash=False, label=_interrupt_label, rank=40)
def interrupt(model: Model, _: str) -> Step:
    """Copy the selection, interrupt the turn, clear the prompt, or quit (press it twice): the first
    that applies. While a question is open, the words in the prompt are cleared first. The history
    keeps them."""
    if model.selection:
        return model, (CopySelection(),)
    if model.repeated:
        return model, ()  # a finger rests on it
    if model.composer.editing is not None and model.composer.purpose is None:
        return queue.leave_edit(model)
    asked = model.dialog is not None or model.is_held
    if model.can_stop and not (asked and model.composer.draft):
        return answering.stop(model)
    if _came_late(model):
        return toast(model, ENDED)
    if model.composer.draft:
        again = f"; {commands.key_of('interrupt', model.keys)} again stops"
        emptied = composer.empty_prompt(model, again if model.busy else "")
        return answering.mark_cleared(emptied[0]), emptied[1]
    if model.at - model.quit_at <= QUIT_SECONDS:
        return model, (Quit(),)
    text = f"press {commands.key_of('interrupt', model.keys)} again to quit"
    return toast(replace(model, quit_at=model.at), text, seconds=QUIT_SECONDS)
