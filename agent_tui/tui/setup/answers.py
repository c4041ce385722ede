"""What the engine says while a provider is set up, and the step that comes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import SetupOutcome
from agent_tui.tui.core.model import Model, SettingUp
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import model_pull
from agent_tui.tui.setup.rows import outcome
from agent_tui.tui.setup.steps import after, by_itself, put, state_of

KEPT: Final = "not sent yet: press Enter to send"


def heard(model: Model, id: str) -> Step:
    """The engine told of a step."""
    state, found = state_of(model), outcome(model)
    if state is None or not state.waits or state.waits != id:
        return model, ()
    match found.state:
        case "no_key":
            return composer.write(put(model, replace(state, waits="", note=found.said)), ""), ()
        case "asking" | "starting" if state.step == "key":
            model = composer.leave(model) if model.composer.asks("sheet") else model
            return put(
                model, replace(after(state, "asking"), back=replace(state, waits=""), waits=id)
            ), ()
        case "answered":
            return by_itself(
                model, replace(_known(state, found), step="model", waits="", at=0, query="")
            ), ()
        case "failed" | "down":
            return _failed(model, state, found)
        case "kept":
            return _kept(model)
        case _:
            return model, ()


def _known(state: SettingUp, found: SetupOutcome) -> SettingUp:
    """With what the engine found out: whose API it is, and where that begins."""
    return replace(
        state, provider=found.provider, label=found.label, address=found.address, keyed=found.key
    )


def _failed(model: Model, state: SettingUp, found: SetupOutcome) -> Step:
    """A key that was typed and is refused is typed again; all else has its own sheet."""
    typed = found.key or bool(found.address)
    if state.step == "asking" and found.kind == "auth" and typed:
        state = _known(state, found)
        before = (
            state.back
            if state.back is not None and state.back.step != "key"
            else state.back and state.back.back
        )
        again = SettingUp(
            "key", state.provider, state.label, state.address, note=found.said, back=before
        )
        return by_itself(model, again), ()
    return by_itself(model, replace(state, step="failed", waits="", at=0)), ()


def _kept(model: Model) -> Step:
    """The transcript says what was kept, the header which model it is now."""
    model = replace(model, overlay=None)
    return toast(model, KEPT) if composer.own(model).strip() else (model, ())


def pulled(model: Model) -> Step:
    """The engine said how far a model has come."""
    state, found = state_of(model), model_pull.told(model)
    if state is None or state.step != "pulling" or found is None:
        return model, ()
    match found.state:
        case "done":
            typed = state.back or SettingUp()
            return by_itself(
                model,
                replace(after(state, "scope"), model=f"ollama/{state.model}", back=typed.back),
            ), ()
        case "failed":
            return by_itself(model, replace(state, step="failed", model="", note=found.said)), ()
        case "down":
            return by_itself(model, state), ()
        case _:
            return model, ()
