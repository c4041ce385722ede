"""Overlays: which view draws which, and the first-run screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_tui.registry import late
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.update import composer
from agent_tui.tui.update.overlay import FIRST_RUN, calls
from agent_tui.tui.view.aside import aside_view
from agent_tui.tui.view.copies import copies_view
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.pastes import paste_view, private_view
from agent_tui.tui.view.queued import queued_view
from agent_tui.tui.view.settings import settings_view

if TYPE_CHECKING:
    from agent_tui.tui.view import going_back, pulling, setting_up, todo
else:
    pulling = late("agent_tui.tui.view.pulling")
    setting_up = late("agent_tui.tui.view.setting_up", warm=False)
    going_back = late("agent_tui.tui.view.going_back")
    todo = late("agent_tui.tui.view.todo")

Lines = tuple[tuple[Span, ...], ...]

BLANK: tuple[Span, ...] = ()
NEEDED: Final = (Span("agent-tui needs a model that can call tools."),)
WAYS: Final = (
    Span("/models", "accent"),
    Span(" lists what is there, "),
    Span("/setup", "accent"),
    Span(" adds a provider."),
)
KEPT: Final = "Your prompt is kept until there is a model."


def overlay_view(model: Model) -> OverlayView | None:
    t = model.transcript
    if model.overlay is not None and model.overlay.kind == "paste":
        return paste_view(model.overlay, model.composer.chips)
    if model.overlay is not None and model.overlay.kind == "settings":
        return settings_view(model, model.overlay)
    if model.overlay is not None and model.overlay.kind == "going_back":
        return going_back.going_back_view(model.overlay, model.going_back)
    if model.overlay is not None and model.overlay.kind == "aside":
        return aside_view(model.overlay, model.aside)
    if model.overlay is not None and model.overlay.kind == "copy":
        return copies_view(model.overlay, model.width)
    if model.overlay is not None and model.overlay.kind == "pull":
        return pulling.pulling_view(model, model.overlay)
    if model.overlay is not None and model.overlay.kind == "setup":
        return setting_up.setup_view(model, model.overlay)
    if model.overlay is not None and model.overlay.kind == "queue":
        return queued_view(model)
    if model.overlay is not None and model.overlay.kind == "todo":
        return todo.todo_view(t.todos, model.overlay.scroll)
    if model.overlay is not None and model.overlay.picker is not None:
        from agent_tui.tui.view.picker import picker_view

        return picker_view(model, model.overlay, model.overlay.picker)
    calling = calls(model)
    return _overlay(model.overlay, t.answers, bool(composer.own(model).strip()) and not calling, calling)


@lazy
def _overlay(overlay: Overlay | None, answers: Mapping[str, Any], kept: bool, calling: bool) -> OverlayView | None:
    """`calling`: the cursor is in the list of commands above it."""
    if overlay is None:
        return None
    if overlay.kind == "private":
        return private_view(answers.get("private"), overlay.scroll)
    options = tuple(Option(item.key, item.label, item.detail) for item in FIRST_RUN)
    lines = _first_run(answers, overlay.note, (NEEDED, WAYS, BLANK))
    if kept:
        lines = (*lines, *(() if overlay.note else (BLANK,)), (Span(KEPT),))
    at = -1 if calling else overlay.selected
    return OverlayView("No model yet", lines, options, at, "Esc closes", overlay.scroll, reads=True)


def _first_run(answers: Mapping[str, Any], note: str, head: Lines = ()) -> Lines:
    data = answers.get("models")
    found: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    tried, variables = found.get("tried"), found.get("variables")
    lines: list[tuple[Span, ...]] = [(Span("This was tried:", "dim"),)] if head else []
    for entry in tried if isinstance(tried, list | tuple) else ():
        if isinstance(entry, Mapping):
            what, result = str(entry.get("what", "")), str(entry.get("result", ""))
            lines.append((Span("  ✗  ", "bad"), Span(f"{what}: "), Span(result, "dim")))
    if isinstance(variables, list | tuple) and variables:
        named = Span(", ".join(map(str, variables)), "accent")
        lines += [BLANK, (Span("Keys are read when the program starts, from "), named, Span("."))]
    said = (*head, *lines)
    return (*said, BLANK, (Span(note, "warning"),)) if note else said


def no_models(answers: Mapping[str, Any]) -> Lines:
    """Why there is no model to choose."""
    head = (Span("No server that is set up offers a model; ", "warning"), *WAYS[2:])
    return (head, *_first_run(answers, ""))
