"""Overlays: which view draws which, and the first-run screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_tui.protocol.transcript import Answers
from agent_tui.registry import late
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.update import composer
from agent_tui.tui.update.overlay import ALT, FIRST_RUN, calls
from agent_tui.tui.view.aside import aside_view
from agent_tui.tui.view.copies import copies_view
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.pastes import paste_view, private_view
from agent_tui.tui.view.queued import queued_view
from agent_tui.tui.view.settings import settings_view

if TYPE_CHECKING:
    from agent_tui.protocol.answers import Models
    from agent_tui.tui.sheets import draw
    from agent_tui.tui.view import going_back, pulling, setting_up, todo
else:
    draw = late("agent_tui.tui.sheets.draw")
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
READ: Final = "Keys are read when the program starts"
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
        return draw.sheet_view(model, model.overlay)
    calling = calls(model)
    return _overlay(model.overlay, t.answers, bool(composer.own(model).strip()) and not calling, calling)


@lazy
def _overlay(overlay: Overlay | None, answers: Answers, kept: bool, calling: bool) -> OverlayView | None:
    """`calling`: the cursor is in the list of commands above it."""
    if overlay is None:
        return None
    if overlay.kind == "private":
        return private_view(answers.private, overlay.scroll)
    keys = (key_name(ALT + item.key) if kept else item.key for item in FIRST_RUN)  # letters are the prompt's then
    options = tuple(Option(key, item.label, item.detail) for key, item in zip(keys, FIRST_RUN, strict=True))
    lines = _first_run(answers.models, overlay.note, (NEEDED, WAYS, BLANK))
    if kept:
        lines = (*lines, BLANK, (Span(KEPT),))
    at = -1 if calling else overlay.selected
    return OverlayView("No model yet", lines, options, at, "Esc closes", overlay.scroll, reads=True)


def _first_run(found: Models | None, note: str, head: Lines = ()) -> Lines:
    lines: list[tuple[Span, ...]] = [(Span(note, "warning"),)] if note else []  # what failed follows it
    lines += [(Span("Already tried:", "dim"),)] if head else []
    tried = found.tried if found is not None else ()
    for one in tried:
        lines.append((Span("  ✗  ", "bad"), Span(f"{one.what}: "), Span(one.result, "dim")))
    if found is not None and found.variables:
        named = any(name in f"{one.what} {one.result}" for one in tried for name in found.variables)
        names = () if named else (Span(", from "), Span(", ".join(found.variables), "accent"))
        lines += [BLANK, (Span(READ), *names, Span("."))]
    return (*head, *lines)


def no_models(found: Models | None) -> Lines:
    """Why there is no model to choose."""
    head = (Span("No configured server offers a model; ", "warning"), *WAYS[2:])
    return (head, *_first_run(found, ""))
