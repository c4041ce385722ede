"""The prompt queue: when its next prompt goes out, and what a person does to what waits. The engine
keeps it, and never uses an id twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.ops import Cancel, QueueEdit, Steer, Submit
from agent_tui.protocol.tool_events import at_work
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips
from agent_tui.tui.core.model import InFlight, Model
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer

ANSWER_FIRST: Final = "answer the question first"


def dispatch(model: Model) -> Step:
    """Send the oldest queued prompt, if the agent is free for it. Once: until its turn begins it is
    in flight."""
    transcript = model.transcript
    waiting = model.queue
    busy = (
        transcript.state != "idle"
        or at_work(transcript)
        or transcript.questions
        or transcript.paused
        or model.is_held
        or model.holds_queue
    )
    if (
        not waiting
        or busy
        or not transcript.model
        or model.in_flight is not None
        or not model.started
        or model.gone
    ):
        return model, ()
    first = waiting[0]
    if is_held(model, first.id):
        return model, ()  # it waits for its editor, and what is behind it keeps its order
    return send(_taken(model, first), Submit(first.text, queue_id=first.id))


def is_held(model: Model, id: str) -> bool:
    """Whether the prompt is being edited: the agent must not take it."""
    editing = model.composer.editing
    return editing is not None and editing.id == id


def _taken(model: Model, item: Queued) -> Model:
    return replace(model, in_flight=InFlight(item.text, item.id), taken=model.taken | {item.id})


def settle_queue(model: Model) -> Step:
    """Forget what was taken or edited once the engine's queue says so too; leave an edit whose
    prompt has gone."""
    editing = model.composer.editing
    if not (model.taken or model.edits or editing):
        return model, ()
    there = {item.id: item for item in model.transcript.queue}
    taken = frozenset(model.taken & there.keys())
    waiting = (edit for edit in model.edits if edit.id in there)
    edits = tuple(edit for edit in waiting if not _same(there[edit.id], edit))
    if (taken, edits) != (model.taken, model.edits):
        model = replace(model, taken=taken, edits=edits)
    if editing is None or editing.id in there:
        return model, ()
    step = composer.abandon_edit(model)
    return then(step, toast(step[0], "the edited prompt was already sent; ↑ brings your text back"))


def _same(one: Queued, other: Queued) -> bool:
    return (one.text, one.pastes) == (other.text, other.pastes)


def put_back(model: Model, text: str, steers: bool = False) -> Step:
    """The prompt that was edited has its place in the queue again, with the words `text`; `steers`:
    it enters the running turn with them."""
    editing, (text, pastes) = model.composer.editing, chips.expand_chips(text, model.composer.chips)
    item = next(
        (item for item in model.waiting_prompts if editing is not None and item.id == editing.id),
        None,
    )
    if item is None:
        return composer.leave_edit(model), ()
    if not text.strip():
        return toast(model, "the prompt is empty: Esc cancels, Alt+Q lists the queue")
    step: Step = (composer.leave_edit(model), ())
    edited = replace(item, text=text, pastes=pastes)
    if not _same(edited, item):
        edits = (*(edit for edit in model.edits if edit.id != item.id), edited)
        step = send(replace(step[0], edits=edits), QueueEdit("edit", item.id, text, pastes))
    return then(step, steer(step[0], item) if steers else dispatch(step[0]))


def leave_edit(model: Model) -> Step:
    """The prompt that was edited stays as it was; other words for it are kept in the history. It is
    not sent by that: where no turn runs, the queue pauses."""
    step = composer.abandon_edit(model)
    if model.busy or not step[0].queue:
        return step
    return then(step, pause(step[0]))


def steer(model: Model, item: Queued) -> Step:
    """A queued prompt enters the running turn at its next step."""
    return send(replace(model, taken=model.taken | {item.id}), Steer(queue_id=item.id))


def send_now(model: Model, item: Queued) -> Step:
    """A queued prompt begins its turn, whatever stands before it; while a turn runs, it enters that
    one."""
    if model.is_running:
        return steer(model, item)
    if not model.started or not model.transcript.model:
        return toast(model, "there is no model yet", "warning")
    if model.is_held:
        return toast(model, ANSWER_FIRST)
    return send(_taken(_at_end(model), item), Submit(item.text, queue_id=item.id))


def stop_and_send(model: Model, item: Queued) -> Step:
    """The running turn ends here, and a queued prompt begins the next; what else waits goes on as
    it did."""
    if model.transcript.state == "idle":
        return send_now(model, item)
    goes_on = () if model.transcript.paused else (QueueEdit("resume"),)
    return send(_taken(model, item), Cancel(), Submit(item.text, queue_id=item.id), *goes_on)


def remove(model: Model, item: Queued) -> Step:
    """A prompt leaves the queue; it is in the history."""
    step = composer.remember(replace(model, taken=model.taken | {item.id}), item.text)
    step = then(step, send(step[0], QueueEdit("remove", id=item.id)))
    return then(step, toast(step[0], "removed; it is in the history"))


def pause(model: Model) -> Step:
    return send(model, QueueEdit("pause"))


def steer_oldest(model: Model) -> Step:
    """The oldest queued prompt enters the running turn."""
    return steer(model, model.queue[0])


def say_empty(model: Model) -> Step:
    """Say that nothing waits, or that what does cannot be reached yet."""
    return toast(model, composer.OPENS_LATER if model.early else "the queue is empty")


def clear(model: Model) -> Step:
    """Empty the queue."""
    if not model.queue:
        return say_empty(model)
    step = empty_queue(model)
    return then(step, send(step[0], QueueEdit("clear")))


def empty_queue(model: Model) -> Step:
    """What waits now is as good as gone: nothing of it is sent or taken back any more. The history
    has it."""
    gone = model.waiting_prompts
    step: Step = (
        replace(model, taken=model.taken | {item.id for item in model.transcript.queue}),
        (),
    )
    if not gone:
        return step
    for item in gone:
        step = then(step, composer.remember(step[0], item.text))
    removed = (
        f"removed {count(len(gone), 'queued prompt')}: {composer.way_back(step[0], len(gone))}"
    )
    return then(step, toast(step[0], removed))


def resume(model: Model) -> Step:
    """The next prompt goes out, and its answer is in view."""
    return send(_at_end(model), QueueEdit("resume"))


def _at_end(model: Model) -> Model:
    return replace(model, reading=model.reading.at_end())
