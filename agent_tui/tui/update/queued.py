"""The queue panel: the prompts that wait, and the keys that edit, move, remove, send and pause them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import QueueEdit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui import commands
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import composer, queue
from agent_tui.tui.update.step import Step, send, toast

UP: Final = frozenset(("up", "k"))
DOWN: Final = frozenset(("down", "j"))
RAISE: Final = frozenset(("alt+up", "shift+up", "K"))
LOWER: Final = frozenset(("alt+down", "shift+down", "J"))
EDIT: Final = frozenset(("enter", "e"))
REMOVE: Final = frozenset(("d", "delete", "backspace"))
STEERED: Final = "it is being steered into the turn; d cancels"


def opened(model: Model) -> Model:
    """The panel, with the cursor on the prompt that is next."""
    return replace(model, overlay=Overlay("queue", on=model.listed[0].id))


def is_open(model: Model) -> bool:
    """Whether the panel shows the queue, which then stands nowhere else."""
    return model.covered and model.overlay is not None and model.overlay.kind == "queue"


def place(model: Model) -> int:
    """Where the cursor is: on the prompt that it was put on, else as near to its old place as there is one."""
    overlay, listed = model.overlay, model.listed
    if overlay is None or not listed:
        return 0
    at = next((number for number, item in enumerate(listed) if item.id == overlay.on), overlay.selected)
    return max(0, min(at, len(listed) - 1))


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the panel is open. None: not a key for it."""
    key = msg.key if msg.key.startswith(("alt+", "ctrl+", "shift+")) else msg.character or msg.key
    key = key if key.isprintable() else msg.key
    if key in ("escape", "q") or commands.bindings(model.keys).get(msg.key) == "queue":
        return replace(model, overlay=None), ()
    if key == "p":
        return _paused(model)
    listed = model.listed
    if not listed:
        return None
    if key in UP | DOWN | {"home", "end", "pageup", "pagedown"} or (key.isdecimal() and key != "0"):
        return _on(model, overlay, _target(key, place(model), len(listed))), ()
    item = listed[place(model)]
    if not overlay.on or overlay.on == item.id:
        return _acted(_on(model, overlay, place(model)), item, key)
    if key in RAISE | LOWER | EDIT | REMOVE | {"s", "i"}:
        return toast(_on(model, overlay, place(model)), "that prompt was just sent")
    return None


def _on(model: Model, overlay: Overlay, at: int) -> Model:
    return replace(model, overlay=replace(overlay, selected=at, on=model.listed[at].id))


def _target(key: str, at: int, count: int) -> int:
    if key in UP | DOWN:
        return (at + (1 if key in DOWN else -1)) % count
    if key in ("home", "pageup"):
        return 0
    return count - 1 if key in ("end", "pagedown") else min(int(key), count) - 1


def _acted(model: Model, item: Queued, key: str) -> Step | None:
    if key in REMOVE:
        return queue.remove(model, item)
    if key not in RAISE | LOWER | EDIT | {"s", "i"}:
        return None
    if item.steer:
        return toast(model, STEERED)
    if key in EDIT:
        return composer.edit(replace(model, overlay=None), item), ()
    if key in RAISE | LOWER:
        return send(model, QueueEdit("up" if key in RAISE else "down", id=item.id))
    model = replace(model, overlay=None) if len(model.listed) == 1 else model
    return queue.send_now(model, item) if key == "s" else queue.stop_and_send(model, item)


def _paused(model: Model) -> Step:
    if not model.listed:
        return toast(model, "the queue is empty: nothing to pause")
    return queue.resume(model) if model.transcript.paused else queue.pause(model)


def state(model: Model, item: Queued, number: int) -> str:
    """In one word or two, what becomes of the prompt that stands at `number` among those with a turn of their own."""
    if item.steer:
        return "at the next step"
    if queue.held(model, item.id):
        return "being edited"
    if model.transcript.paused:
        return "paused"
    return "next" if number == 0 else "waits"
