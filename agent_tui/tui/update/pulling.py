"""`/pull`: a model that is fetched onto the local Ollama, and the sheet with its bar."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from agent_tui.protocol.answers import PullProgress, PullState
from agent_tui.protocol.ops import Pull
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import holding
from agent_tui.tui.update.step import Step, send, toast

UNDER_WAY: Final = frozenset(("pulling", "starting"))
JUST: Final = 0.3
"""So soon after it was asked whether Ollama may be started, no Enter was an answer."""


def told(model: Model) -> PullProgress | None:
    """What the engine said last of a model that is fetched; None: nothing yet."""
    return model.transcript.answers.pull


def state(model: Model) -> PullState | Literal[""]:
    """How that stands; empty: nothing was said yet."""
    found = told(model)
    return found.state if found is not None else ""


def ask(model: Model, name: str) -> Step:
    """Fetch `name`; the sheet shows how it goes."""
    if model.gone:
        return toast(model, "the engine has stopped: nothing can be downloaded", "bad")
    return send(replace(model, overlay=Overlay("pull", on=name, query="pull")), Pull(name))


def again(model: Model) -> Step:
    """The sheet of what is being fetched once more."""
    found = told(model)
    if found is None or found.state not in UNDER_WAY:
        return toast(model, "name the model, such as /pull qwen3:8b", "warning")
    return replace(model, overlay=Overlay("pull", on=found.model)), ()


def heard(model: Model, data: PullProgress) -> Step:
    """The engine said how it goes. The transcript says what came of it: the sheet has done its work."""
    now = model.overlay
    shown = now if now is not None and now.kind == "pull" else None
    if data.state in UNDER_WAY:
        return model if shown is None else replace(model, overlay=replace(shown, query="")), ()
    if data.state == "down":
        if shown is None:
            return toast(model, f"{data.said}: /pull {data.model} tries again", "warning")
        return replace(model, overlay=replace(shown, query="", shown_at=model.at)), ()
    return model if shown is None else replace(model, overlay=None), ()


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. Words are for the prompt, and stop nothing. None: not a key for it."""
    down = state(model) == "down"
    if msg.key == "escape":
        closed = replace(model, overlay=None)
        return (closed, ()) if down else send(closed, Pull(overlay.on, "stop"))
    if msg.key == "enter" and down:
        if msg.blind or msg.at - overlay.shown_at < JUST:
            return model, ()
        return send(replace(model, overlay=replace(overlay, query="pull")), Pull(overlay.on, "serve"))
    if msg.key == "enter":
        return toast(replace(model, overlay=None), f"{overlay.on} is still downloading: /pull shows it")
    return holding.type_or_hold(model, msg, "")
