"""`/btw`: a question on the side. Its answer is a sheet over the transcript, and no part of the session's context."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.events import AsideDelta, AsideEnded
from agent_tui.protocol.ops import AskAside, CancelAside
from agent_tui.tui.aside import Aside
from agent_tui.tui.effects import Copy
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import holding
from agent_tui.tui.update.step import Step, send, toast

PAGE: Final = 10
LETTERS: Final = "cq"
"""Those that answer, where nothing follows: copy, close."""
SHORTEST_LINE: Final = 12
"""Characters that a line of the sheet holds at least: how far it can be scrolled."""


def ask(model: Model, question: str) -> Step:
    """Ask, beside a turn or without one; the question before it is given up."""
    if model.gone:
        return toast(model, "the engine has stopped: nothing can answer", "bad")
    id = f"aside-{model.queries + 1}"
    model = replace(model, queries=model.queries + 1, aside=Aside(id, question), overlay=Overlay("aside"))
    return send(model, AskAside(id, question))


def again(model: Model) -> Step:
    """The last question and its answer once more."""
    if model.aside is None:
        return toast(model, "type a question after it: /btw what is a monad?")
    return replace(model, overlay=Overlay("aside")), ()


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
    seen = event.state == "cancelled" or (model.overlay is not None and model.overlay.kind == "aside")
    return (model, ()) if seen else toast(model, "your side question is answered: /btw shows it")


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. None: not a key for it. Words are for the prompt, and give nothing up."""
    aside = model.aside
    if msg.key == "escape" or aside is None:
        return _closed(model)
    if msg.key == "enter" and aside.state != "asking":
        return _closed(model)
    if msg.key in ("up", "down", "pageup", "pagedown"):
        by = (PAGE if "page" in msg.key else 1) * (1 if "down" in msg.key else -1)
        most = aside.text.count("\n") + len(aside.text) // SHORTEST_LINE
        return replace(model, overlay=replace(overlay, scroll=max(0, min(overlay.scroll + by, most)))), ()
    if msg.sure and msg.character in LETTERS:
        return answered(model, msg.character)
    return holding.type_or_hold(model, msg, LETTERS)


def answered(model: Model, letter: str) -> Step | None:
    """`letter` came and nothing behind it. None: it was text."""
    if letter == "c":
        return (model, (Copy(model.aside.text),)) if model.aside is not None and model.aside.text else None
    return _closed(model)


def _closed(model: Model) -> Step:
    """The sheet is closed; what is still asked is given up."""
    asking = model.aside is not None and model.aside.state == "asking"
    model = replace(model, overlay=None)
    return send(model, CancelAside()) if asking else (model, ())
