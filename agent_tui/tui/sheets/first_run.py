"""There is no model yet: what was tried, and the ways to one. Words for the model can be typed
below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import AnswerData, Models
from agent_tui.protocol.ops import SetModel
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.effects import Quit, Type
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    ALT,
    BURST_SECONDS,
    is_command,
    is_meant,
    is_quiet,
)
from agent_tui.tui.screen.model_words import NEEDED, WAYS, tried_lines
from agent_tui.tui.screen.setup_steps import ELSEWHERE
from agent_tui.tui.sheets import Action, Body, Lines, Sheet, opening

DEMO: Final = "demo/tour"
QUITS: Final = "press Enter to quit"
KEPT: Final = "Your prompt is kept until there is a model."
STILL: Final = "Still no model. Tried:"
NEEDS_EMPTY: Final = (
    Span("For "),
    Span("/models", "accent"),
    Span(", empty the prompt first."),
)
ROWS: Final = (
    Entry("setup", "set up a provider", "step by step, as /setup", key="k"),
    Entry("address", "enter a server address", "Ollama or OpenAI's API", key="a"),
    Entry("retry", "look again", "after you started a server", key="r"),
    Entry("demo", "the demo", "a script, needs no server", key="d"),
    Entry("quit", "quit", "leave agent-tui", key="q"),
)


@frozen
class Tried:
    """`note`: what is being done, or came of it."""

    note: str = ""


def _tried(overlay: Overlay) -> Tried:
    return overlay.state if isinstance(overlay.state, Tried) else Tried()


def _kept(model: Model) -> bool:
    """Whether words for the model stand in the prompt: letters are the prompt's then."""
    return bool(composer.own_draft(model).strip()) and not is_command(model.composer.draft)


def _in_lines(model: Model) -> bool:
    """Whether commands are lines: there is no prompt with words that they would follow."""
    return commands.key_of("stop", model.keys) == "/stop"


def _rows(model: Model, _: Overlay) -> tuple[Entry, ...]:
    if _in_lines(model) or not _kept(model):
        return ROWS
    return tuple(replace(one, key=key_name(ALT + one.key)) for one in ROWS)


def _body(model: Model, overlay: Overlay, _: int) -> Body:
    ways = NEEDS_EMPTY if _kept(model) and not _in_lines(model) else WAYS
    return _words(model.transcript.answers.models, _tried(overlay).note, _kept(model), ways)


@lazy
def _words(found: Models | None, note: str, kept: bool, ways: tuple[Span, ...]) -> Body:
    blank: Lines = ((),)
    lines = (NEEDED, ways, *blank, *tried_lines(found, note, "Already tried:"))
    return Body((*lines, *blank, (Span(KEPT),)) if kept else lines)


def _on_first_key(model: Model, overlay: Overlay, msg: KeyPressed, before: float) -> Step | None:
    """A key, before the list has it. None: it is one like in every list."""
    letter = msg.key.removeprefix(ALT)
    chosen = next((item for item in ROWS if item.key == letter), None)
    if is_text(msg.character) and not msg.key.startswith(ALT):
        burst = msg.blind or msg.at - overlay.shown_at < BURST_SECONDS or not is_quiet(msg, before)
        words = msg.draft not in ("", msg.character)  # the same letter may have gone there too soon
        if chosen is None or burst or words:
            typed: Step = (model, (Type(msg.character, msg.key),))
            early = (
                chosen is not None and not msg.draft
            )  # perhaps it was meant for the sheet: say where it went
            said = f"{msg.character} is in the prompt now; press it again to choose"
            return then(typed, toast(model, said)) if early else typed
    if msg.key == "enter" and not is_meant(model, msg, overlay.shown_at, before):
        return model, ()
    if chosen is None:
        return None
    ends = chosen.id == "quit"
    held = key_guards.hold_key(model, msg, chosen.id, waits=ends)
    return then(held, toast(held[0], QUITS)) if ends else held


def _take_letter(model: Model, overlay: Overlay, letter: str) -> Step | None:
    """Nothing followed a letter that was held."""
    chosen = next((item for item in ROWS if item.key == letter.removeprefix(ALT)), None)
    if chosen is None:
        return None
    again = model.composer.draft == letter  # it had gone into the prompt before
    return _do(composer.write(model, "") if again else model, overlay, chosen)


def _label(_: Model, overlay: Overlay) -> str:
    chosen = overlay.picker.chosen_entry if overlay.picker is not None else None
    return "quit" if chosen is not None and chosen.id == "quit" else "take"


def _do(model: Model, overlay: Overlay, row: Entry) -> Step:
    now = _tried(overlay)
    match row.id:
        case "address":
            return commands.find("setup").run(model, ELSEWHERE)
        case "retry":
            noted = replace(overlay, state=replace(now, note="looking …"))
            return send(replace(model, overlay=noted), SetModel(""))
        case "setup":
            return commands.find("setup").run(model, "")
        case "demo":
            noted = replace(overlay, state=replace(now, note="starting the demo …"))
            return send(replace(model, overlay=noted), SetModel(DEMO))
        case _:
            return model, (Quit(),)


def _on_answer(model: Model, _: str, data: AnswerData) -> Step | None:
    """There is no model: what was tried is said."""
    if not isinstance(data, Models):
        return None
    before = (
        model.overlay if model.overlay is not None and model.overlay.kind == "first_run" else None
    )
    state = _tried(before) if before is not None else Tried()
    opened = opening.open_sheet(model, "first_run", unasked=True)
    noted = replace(state, note=STILL if state.note else "")
    overlay = opened[0].overlay and replace(opened[0].overlay, state=noted)
    return replace(opened[0], overlay=overlay), opened[1]


SHEET: Final = Sheet(
    "No model yet",
    _rows,
    (Action("take", ("enter",), _label, _do, closes=False),),
    typing="below",
    body=_body,
    begin=lambda _: Tried(),
    states=(Tried,),
    on_first_key=_on_first_key,
    on_letter=_take_letter,
    opens_for="no_model",
    on_answer=_on_answer,
    broad=False,
    live=lambda model: (_kept(model),),
)
