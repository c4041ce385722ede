"""Leaving while not all of the session is on disk: a question first, and what the person chose."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import SaveOutcome
from agent_tui.protocol.ops import Save
from agent_tui.tui.core.effects import Quit
from agent_tui.tui.core.model import Model, Purpose
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.sheets.control import open_for

WHERE: Final = "Write the session to this file or folder"
SECONDS: Final = 8.0


def ask_first(step: Step) -> Step:
    """`step`; but where its end would lose something, it asks what is to be done instead."""
    model, effects = step
    if model.leaving == "sure" or model.gone:  # an engine that is gone saves nothing
        return step
    unsent = model.transcript.saving.problem and model.composer.saved.strip()
    if not (model.transcript.is_unsaved or unsent):
        return step
    rest = tuple(effect for effect in effects if not isinstance(effect, Quit))
    return then((model, rest), open_for(replace(model, leaving=""), "unsaved", unasked=False))


def choose(model: Model, choice: str) -> Step:
    """What the person chose."""
    match choice:
        case "again":
            return send(replace(model, leaving="saves"), Save())
        case "elsewhere":
            asked = composer.ask(model, Purpose("save", WHERE, sends="save"))
            return composer.write(asked, f"{model.transcript.cwd.rstrip('/')}/"), ()
        case _:
            return replace(model, leaving="sure"), (Quit(),)


def follow(model: Model, data: SaveOutcome) -> Step:
    """The session was saved, and the person leaves; or it could not be: the question comes again."""
    if model.leaving != "saves":
        return model, ()
    model = replace(model, leaving="")
    if not data.problem:
        return model, (Quit(),)
    step = toast(model, f"still not saved: {data.problem}", "bad", SECONDS)
    return then(step, open_for(step[0], "unsaved", unasked=False))
