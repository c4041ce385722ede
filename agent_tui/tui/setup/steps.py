"""From one step of setting up a provider to another."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.core.model import Model, Purpose, SettingUp, Step
from agent_tui.tui.core.picker import Picker
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import model_pull
from agent_tui.tui.sheets import control

ASKS: Final = frozenset(("address", "key", "pull"))
"""Steps at which something is typed."""


def state_of(model: Model) -> SettingUp | None:
    """The step that is shown, with the row of the cursor and what was typed."""
    now = model.overlay
    if now is None or not isinstance(now.state, SettingUp):
        return None
    picker = now.picker
    return now.state if picker is None else replace(now.state, at=picker.at, query=picker.query)


def waits(model: Model) -> bool:
    """Whether what is shown now is not the last word: somebody is being asked."""
    state = state_of(model)
    if state is None:
        return False
    found = model.transcript.answers.setup
    match state.step:
        case "provider":
            return found is None or found.looking
        case "asking" | "keeping":
            return True
        case "pulling":
            return model_pull.state(model) in model_pull.UNDER_WAY
        case _:
            return bool(state.waits)


def depth(state: SettingUp) -> int:
    """How many times Esc goes back until it has left."""
    return 1 + (depth(state.back) if state.back is not None else 0)


def after(state: SettingUp, step: Step) -> SettingUp:
    return replace(state, step=step, at=0, query="", note="", waits="", back=state)


def put(model: Model, state: SettingUp) -> Model:
    now = model.overlay
    assert now is not None
    picker = Picker(query=state.query, touched=True)
    shown = control.refresh(
        replace(model, overlay=replace(now, state=state, picker=picker, scroll=0))
    )[0]
    return control.put_cursor(shown, state.at)


def by_itself(model: Model, state: SettingUp) -> Model:
    """The sheet of a step that came by itself: a key that was on its way is not meant for it."""
    model = at(model, state)
    assert model.overlay is not None
    return replace(model, overlay=replace(model.overlay, shown_at=model.at))


def at(model: Model, state: SettingUp) -> Model:
    """The sheet of a step; where something is to be typed, the prompt is for that."""
    if model.composer.asks("sheet"):
        model = composer.leave(model)
    model = put(model, state)
    if state.step not in ASKS:
        return model
    model = composer.ask(
        model, Purpose("sheet", _label(state), secret=state.step == "key", sends="continue")
    )
    return (
        composer.prefill(model, state.address)
        if state.step == "address" and state.address
        else model
    )


def _label(state: SettingUp) -> str:
    if state.step == "key":
        return f"Key for {state.label}: hidden as you type"
    if state.step == "pull":
        return "Model to download, such as qwen3:8b"
    return f"Address of {state.label} (http://host:port)"
