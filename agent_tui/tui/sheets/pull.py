"""`/pull`: a model that is fetched onto the local Ollama, with its bar."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import AnswerData, PullProgress
from agent_tui.protocol.ops import Pull
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.screen import model_words
from agent_tui.tui.screen.model_words import progress
from agent_tui.tui.sheets import Action, Body, Sheet
from agent_tui.tui.sheets.control import JUST
from agent_tui.tui.sheets.opening import open_sheet


def _is_down(model: Model, _: Overlay, __: Entry) -> bool:
    """Whether Ollama would have to be started first."""
    return model_words.state(model) == "down"


def _goes_on(model: Model, overlay: Overlay, row: Entry) -> bool:
    return not _is_down(model, overlay, row)


def _title(model: Model, overlay: Overlay) -> str:
    return f"Pull {one_line(overlay.note, max(8, model.width - 20))}"


def _body(model: Model, overlay: Overlay, cells: int) -> Body:
    data = None if overlay.query else model_words.pull_progress(model)
    if data is not None and data.state == "down":
        said = one_line(data.said, 200)
        after = f"Once started, it downloads {overlay.note} and keeps running after agent-tui."
        return Body(((Span(f"{said}. It is installed and can be started."),), (), (Span(after),)))
    return Body(progress(data, cells))


def _start(model: Model, overlay: Overlay, _: Entry) -> Step:
    if model.at - overlay.shown_at < JUST:  # so soon after it was asked no Enter was an answer
        return model, ()
    return send(replace(model, overlay=replace(overlay, query="pull")), Pull(overlay.note, "serve"))


def _hide(model: Model, overlay: Overlay, _: Entry) -> Step:
    return toast(model, f"{overlay.note} is still downloading: /pull shows it")


def _leave(model: Model, overlay: Overlay) -> Step:
    return (
        (model, ())
        if model_words.state(model) == "down"
        else send(model, Pull(overlay.note, "stop"))
    )


def _on_answer(model: Model, _: str, data: AnswerData) -> Step | None:
    """The engine said how it goes. The transcript says what came of it: the sheet has done its
    work."""
    if not isinstance(data, PullProgress):
        return None
    now = model.overlay
    shown = now if now is not None and now.kind == "pull" else None
    if data.state in model_words.UNDER_WAY:
        return model if shown is None else replace(model, overlay=replace(shown, query="")), ()
    if data.state == "down":
        if shown is None:
            return toast(model, f"{data.said}: /pull {data.model} tries again", "warning")
        return replace(model, overlay=replace(shown, query="", shown_at=model.at)), ()
    return model if shown is None else replace(model, overlay=None), ()


@command(argument="<name>", rank=54)
def pull(model: Model, args: str) -> Step:
    """Download a model to the local Ollama server and use it: /pull qwen3:8b. Esc stops it; /pull
    alone shows the progress again."""
    if args and model.gone:
        return toast(model, "the engine has stopped: nothing can be downloaded", "bad")
    if args:
        shown, effects = open_sheet(model, "pull", note=args)
        asked = send(
            replace(shown, overlay=shown.overlay and replace(shown.overlay, query="pull")),
            Pull(args),
        )
        return asked[0], (*effects, *asked[1])
    found = model_words.pull_progress(model)
    if found is None or found.state not in model_words.UNDER_WAY:
        return toast(model, "name the model, such as /pull qwen3:8b", "warning")
    return open_sheet(model, "pull", note=found.model)


SHEET: Final = Sheet(
    _title,
    actions=(
        Action(
            "start", ("enter",), "start Ollama", _start, _is_down, needs_row=False, closes=False
        ),
        Action("hide", ("enter",), "hide", _hide, _goes_on, needs_row=False),
    ),
    commands=(pull,),
    typing="prompt",
    body=_body,
    broad=False,
    hears=(PullProgress,),
    on_answer=_on_answer,
    leave=_leave,
    shows=frozenset(("pull",)),
    is_ready=lambda model, _: model_words.state(model) == "down",
    esc=lambda model, _: "close" if model_words.state(model) == "down" else "stop",
)
