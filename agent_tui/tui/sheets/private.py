"""What a private command (`!!`) put out. Nothing else holds it."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import AnswerData, PrivateOutput
from agent_tui.structures.visible import visible
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt.pastes import text_lines
from agent_tui.tui.sheets import CLOSES, Body, Sheet
from agent_tui.tui.sheets.opening import open_sheet

SAID: Final = "private · not saved · not sent to the model"


def _title(model: Model, _: Overlay) -> str:
    found = model.transcript.answers.private
    return f"!! {visible(found.command).partition(chr(10))[0][:80]}" if found is not None else "!!"


def _body(model: Model, _: Overlay, __: int) -> Body:
    found = model.transcript.answers.private
    return _output(found) if found is not None else Body()


@lazy
def _output(found: PrivateOutput) -> Body:
    return Body(((Span(found.said, "dim"),), *(text_lines(found.output) if found.output else ())))


def _on_answer(model: Model, _: str, data: AnswerData) -> Step | None:
    if not isinstance(data, PrivateOutput):
        return None
    busy = model.dialog is not None or model.overlay is not None
    return (model, ()) if busy else open_sheet(model, "private", unasked=True)


SHEET: Final = Sheet(
    _title,
    actions=(CLOSES,),
    typing="below",
    body=_body,
    broad=False,
    hears=(PrivateOutput,),
    on_answer=_on_answer,
    note=lambda _, __: SAID,
)
