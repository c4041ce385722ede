"""What came for a question on the side, beside the session's context."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.events import AsideDelta, AsideEnded
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast


def told(model: Model, event: AsideDelta | AsideEnded) -> Step:
    """What came for a question that was given up in the meantime is nobody's any more."""
    aside = model.aside
    if aside is None or aside.id != event.id:
        return model, ()
    if isinstance(event, AsideDelta):
        return replace(model, aside=replace(aside, text=aside.text + event.text)), ()
    used = (event.usage.prompt_tokens, event.usage.completion_tokens)
    aside = replace(
        aside, text=event.text, state=event.state, problem=event.problem, tokens=used, estimated=event.usage.estimated
    )
    model = replace(model, aside=aside)
    seen = event.state == "cancelled" or (model.overlay is not None and model.overlay.query == event.id)
    return (model, ()) if seen else toast(model, "your side question is answered: /btw shows it")
