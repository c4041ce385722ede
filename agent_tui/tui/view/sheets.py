"""Overlays: help, lists, the first-run screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_tui.tui import commands
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.model import Model, Overlay, OwnKeys
from agent_tui.tui.regions import Option, OverlayView, Span
from agent_tui.tui.update import skills
from agent_tui.tui.update.overlay import items
from agent_tui.tui.view.aside import aside_view
from agent_tui.tui.view.copies import copies_view
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.pastes import paste_view, private_view
from agent_tui.tui.view.queued import queued_view
from agent_tui.tui.view.settings import settings_view
from agent_tui.tui.view.words import one_line

Lines = tuple[tuple[Span, ...], ...]

PROMPT_KEYS = (
    ("Ctrl+J", "A new line; Shift+Enter where the terminal tells it from Enter, or a backslash before Enter."),
    ("↑ ↓", "Move, then earlier prompts. On an empty prompt ↑ takes the last queued prompt back for editing."),
    ("Tab", "Complete what follows a slash."),
)
BLANK: tuple[Span, ...] = ()
TITLE_CELLS: Final = 32
NAME_CELLS: Final = 48
"""The widest first column of a list. What is longer is cut, or pushes its words away."""


def overlay_view(model: Model) -> OverlayView | None:
    t = model.transcript
    if model.overlay is not None and model.overlay.kind == "paste":
        return paste_view(model.overlay, model.composer.chips)
    if model.overlay is not None and model.overlay.kind == "settings":
        return settings_view(model, model.overlay)
    if model.overlay is not None and model.overlay.kind == "aside":
        return aside_view(model.overlay, model.aside)
    if model.overlay is not None and model.overlay.kind == "queue":
        return queued_view(model)
    return _overlay(model.overlay, t.answers, model.keys)


@lazy
def _overlay(overlay: Overlay | None, answers: Mapping[str, Any], own: OwnKeys) -> OverlayView | None:
    if overlay is None:
        return None
    found = items(overlay.kind, answers, overlay.shown_at)
    widest = TITLE_CELLS if overlay.kind == "sessions" else NAME_CELLS
    options = tuple(Option(item.key, one_line(item.label, widest), item.detail) for item in found)
    selected = min(overlay.selected, max(0, len(options) - 1))
    footer = "Esc closes"
    match overlay.kind:
        case "help":
            return OverlayView("Keys and commands", _help(own), scroll=overlay.scroll, footer=footer)
        case "first_run":
            return OverlayView("No model yet", _first_run(answers, overlay.note), options, selected, footer)
        case "models":
            return OverlayView("Models", _models(answers, overlay.query, options), options, selected, footer)
        case "sessions":
            return OverlayView("Sessions", (), options, selected, "Esc begins a new one")
        case "skills":
            return OverlayView("Skills", _skills(answers), scroll=overlay.scroll, footer=footer)
        case "copy":
            return copies_view(overlay)
        case "private":
            return private_view(answers.get("private"), overlay.scroll)
        case "settings" | "paste" | "queue" | "aside":  # they need more than the others
            return None


def _row(name: str, text: str, width: int = 12) -> tuple[Span, ...]:
    return (Span(f"{name:<{width}}  ", "accent"), Span(text))


def _heading(text: str) -> tuple[Span, ...]:
    return (Span(text, "dim"),)


def _help(own: OwnKeys) -> Lines:
    keyed = [command for command in commands.COMMANDS if commands.keys_of(command.name, own)]
    slashed = [command for command in commands.COMMANDS if command.slash]
    width = max((len(_keys(command, own)) for command in keyed), default=0)
    return (
        _heading("Keys"),
        *(_row(_keys(command, own), command.help, width) for command in keyed),
        *(_row(key, text, width) for key, text in PROMPT_KEYS),
        BLANK,
        _heading("Commands"),
        *(_row(f"/{command.name} {command.argument}".rstrip(), command.help, width) for command in slashed),
    )


def _keys(command: Command, own: OwnKeys) -> str:
    return " ".join(map(key_name, commands.keys_of(command.name, own)))


def _first_run(answers: Mapping[str, Any], note: str) -> Lines:
    data = answers.get("models")
    found: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    tried, variables = found.get("tried"), found.get("variables")
    lines: list[tuple[Span, ...]] = [(Span("agent-tui needs a model that can call tools. This was tried:"),)]
    for entry in tried if isinstance(tried, list | tuple) else ():
        if isinstance(entry, Mapping):
            what, result = str(entry.get("what", "")), str(entry.get("result", ""))
            lines.append((Span("  ✗  ", "bad"), Span(f"{what}: "), Span(result, "dim")))
    if isinstance(variables, list | tuple) and variables:
        named = Span(", ".join(map(str, variables)), "accent")
        lines += [BLANK, (Span("Keys are read when the program starts, from "), named, Span("."))]
    return (*lines, BLANK, (Span(note, "warning"),)) if note else tuple(lines)


def _models(answers: Mapping[str, Any], query: str, options: tuple[Option, ...]) -> Lines:
    if query:
        return ((Span("looking …", "dim"),),)
    if len(options) > 1:  # more than the way to another address
        return ()
    return ((Span("No server that is set up offers a model. ", "warning"),), *_first_run(answers, "")[1:])


def _skills(answers: Mapping[str, Any]) -> Lines:
    listed = skills.listed(answers)
    if not listed:
        return ((Span("There are no skills yet." if "skills" in answers else "looking …", "dim"),),)
    called = [f"/{skill.get('name', '')} {skills.hint(skill)}".rstrip() for skill in listed]
    width = min(NAME_CELLS, max(map(len, called)))
    return tuple(_skill(name, skill, width) for name, skill in zip(called, listed, strict=True))


def _skill(name: str, skill: Mapping[str, Any], width: int) -> tuple[Span, ...]:
    source = Span(f"  {skill.get('source', '')}".rstrip(), "dim")
    return (*_row(name, one_line(str(skill.get("description", ""))), width), source)
