"""The prompt queue: when its next prompt goes out. The engine keeps it, and never uses an id twice."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.ops import QueueEdit, Steer, Submit
from agent_tui.tui.model import InFlight, Model
from agent_tui.tui.update.step import Step, send, toast


def dispatch(model: Model) -> Step:
    """Send the oldest queued prompt, if the agent is free for it. Once: until its turn begins it is in flight."""
    transcript = model.transcript
    waiting = model.queue
    free = transcript.state == "idle" and not transcript.pending and not transcript.paused and bool(transcript.model)
    if not waiting or not free or model.in_flight is not None or not model.started or model.gone:
        return model, ()
    first = waiting[0]
    model = replace(model, in_flight=InFlight(first.text, first.id), taken=model.taken | {first.id})
    return send(model, Submit(first.text, queue_id=first.id))


def settled(model: Model) -> Model:
    """Forget what was taken once the engine's queue no longer holds it."""
    if not model.taken:
        return model
    left = model.taken & {item.id for item in model.transcript.queue}
    return model if left == model.taken else replace(model, taken=left)


def steer_oldest(model: Model) -> Step:
    """The oldest queued prompt enters the running turn."""
    first = model.queue[0]
    return send(replace(model, taken=model.taken | {first.id}), Steer(queue_id=first.id))


def clear(model: Model) -> Step:
    """Empty the queue."""
    return send(emptied(model), QueueEdit("clear")) if model.queue else toast(model, "the queue is empty")


def emptied(model: Model) -> Model:
    """What waits now is as good as gone: nothing of it is sent or taken back any more."""
    return replace(model, taken=model.taken | {item.id for item in model.transcript.queue})


def resume(model: Model) -> Step:
    return send(model, QueueEdit("resume"))
