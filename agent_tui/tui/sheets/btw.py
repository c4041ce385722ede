"""`/btw`: a question on the side. Its answer is no part of the session's context."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import AskAside, CancelAside
from agent_tui.tui.commands.base import command
from agent_tui.tui.core import words
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Aside, Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.sheets import Action, Body, Sheet
from agent_tui.tui.sheets.opening import open_sheet

NOT_KEPT: Final = "not in the context"


def _asking(model: Model) -> bool:
    return model.aside is not None and model.aside.state == "asking"


def _body(model: Model, _: Overlay, __: int) -> Body:
    return _answer(model.aside) if model.aside is not None else Body()


@lazy
def _answer(aside: Aside) -> Body:
    lines = ((Span(words.one_line(aside.question, 400)),), ())
    return Body(lines, aside.text, below=(_standing(aside),))


def _standing(aside: Aside) -> tuple[Span, ...]:
    """Where the answer stands, in words."""
    if aside.state == "asking":
        return (Span("answering …" if aside.text else "asking …", "dim"),)
    if aside.problem:
        return (Span(aside.problem, "bad"),)
    sent, written = (words.tokens(count, aside.estimated) for count in aside.tokens)
    given_up = "interrupted · " if aside.state == "cancelled" else ""
    return (Span(f"{given_up}{sent} tokens sent, {written} written · {NOT_KEPT}", "dim"),)


def _has_text(model: Model, _: Overlay, __: Entry) -> bool:
    return model.aside is not None and bool(model.aside.text)


def _is_settled(model: Model, _: Overlay, __: Entry) -> bool:
    return not _asking(model)


def _copy(model: Model, _: Overlay, __: Entry) -> Step:
    return model, (Copy(model.aside.text),) if model.aside is not None else ()


def _leave(model: Model, _: Overlay) -> Step:
    """What is still asked is given up."""
    return send(model, CancelAside()) if _asking(model) else (model, ())


def _close(model: Model, overlay: Overlay, _: Entry) -> Step:
    return _leave(model, overlay)


@command(argument="[question]", rank=53)
def btw(model: Model, args: str) -> Step:
    """Ask a side question, also while the agent works. It knows the session, uses no tools, and
    stays out of the context. Esc cancels it; /btw alone shows the last answer again."""
    if not args:
        if model.aside is None:
            return toast(model, "type a question after it: /btw what is a monad?")
        return _show(model)
    if model.gone:
        return toast(model, "the engine has stopped: nothing can answer", "bad")
    id = f"aside-{model.queries + 1}"
    shown = _show(replace(model, aside=Aside(id, args)))
    return then(shown, send(shown[0], AskAside(id, args)))


def _show(model: Model) -> Step:
    """Open it for the newest question, whose answer it waits for."""
    shown, effects = open_sheet(model, "btw")
    waits = model.aside.id if model.aside is not None else ""
    return replace(shown, overlay=shown.overlay and replace(shown.overlay, query=waits)), effects


SHEET: Final = Sheet(
    "Side question",
    actions=(
        Action(
            "copy",
            ("c",),
            "copy",
            _copy,
            _has_text,
            needs_row=False,
            closes=False,
            typed="c",
            needs_enter=True,
        ),
        Action("close", ("enter",), "close", _close, _is_settled, needs_row=False, hidden=True),
        Action("quit", ("q",), "close", _close, needs_row=False, hidden=True),
    ),
    commands=(btw,),
    typing="prompt",
    body=_body,
    leave=_leave,
    broad=False,
    is_ready=lambda model, _: not _asking(model),
    esc=lambda model, _: "cancel" if _asking(model) else "close",
)
