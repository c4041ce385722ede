"""Sheets over the transcript: help, lists to choose from, the first-run screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.ops import Query, Resume, SetModel
from agent_tui.structures.frozen import frozen
from agent_tui.tui import commands
from agent_tui.tui.effects import Quit, Type
from agent_tui.tui.model import Model, Overlay, OverlayKind, Purpose
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import aside, composer, copying, pastes, queued, settings, skills
from agent_tui.tui.update.step import Step, send
from agent_tui.tui.wording import ago

PAGE: Final = 10
BURST_SECONDS: Final = 0.3
"""A key answers only so long after the key before it, and after a sheet that nobody asked for appeared."""
UNASKED: Final = frozenset(("first_run", "sessions"))
DEMO: Final = "demo/tour"
ADDRESS_LABEL: Final = "Address of a model server (http://host:port)"


@frozen
class Item:
    """One line of a list: the key that takes it, what it is, and what it stands for."""

    key: str
    label: str
    detail: str
    value: str


ADDRESS: Final = Item("a", "enter a server address", "Ollama, or what speaks OpenAI's protocol", "address")


def show(model: Model, kind: OverlayKind) -> Model:
    return replace(model, overlay=Overlay(kind))


def close(model: Model) -> Model:
    return replace(model, overlay=None)


def ask_models(model: Model) -> Step:
    """The list of models: opened at once, filled when the servers have answered."""
    id = f"models-{model.queries + 1}"
    model = replace(model, queries=model.queries + 1, overlay=Overlay("models", query=id))
    return send(model, Query(id, "models"))


def items(kind: OverlayKind, answers: Any, now: float = 0.0) -> tuple[Item, ...]:
    """What there is to choose from in an overlay of `kind`, given the answers of the engine; `now` for ages."""
    if kind == "first_run":
        return (
            Item("r", "look again", "after you started a server", "retry"),
            ADDRESS,
            Item("d", "the demo", "needs no server; it is not a language model", "demo"),
            Item("q", "quit", "", "quit"),
        )
    if kind == "models":
        data = answers.get("models")
        used = data.get("model") if isinstance(data, dict) else ""
        offered = _list(answers, "models", "offered")
        return (*(_model_item(number, model, used) for number, model in enumerate(offered)), ADDRESS)
    if kind == "sessions":
        found = _list(answers, "sessions", "")
        new = Item("n", "a new session", "", "")
        return (*(_session_item(number, session, now) for number, session in enumerate(found)), new)
    return ()


def _list(answers: Any, kind: str, name: str) -> list[dict[str, Any]]:
    """The list of objects in the answer to `kind`; empty if it has another shape."""
    data = answers.get(kind)
    if name and isinstance(data, dict):
        data = data.get(name)
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list | tuple) else []


def _number(index: int) -> str:
    return str(index + 1) if index < 9 else ""


def _model_item(index: int, offered: dict[str, Any], used: Any) -> Item:
    name, window = str(offered.get("name", "")), offered.get("window")
    words = [f"{window // 1000}k window" if isinstance(window, int) and window >= 1000 else ""]
    words.append("no tools" if offered.get("tools") is False else "")
    words.append("in use" if name and name == used else "")
    return Item(_number(index), name, " · ".join(word for word in words if word), name)


def _session_item(index: int, session: dict[str, Any], now: float) -> Item:
    turns, at = session.get("turns", 0), session.get("at")
    when = ago(now - at) if isinstance(at, int | float) and now else ""
    words = (when, f"{turns} turn{'' if turns == 1 else 's'}", str(session.get("cwd", "")))
    title = str(session.get("title") or session.get("id", ""))
    return Item(_number(index), title, " · ".join(word for word in words if word), str(session.get("id", "")))


def pressed(model: Model, msg: KeyPressed, before: float) -> Step | None:
    """A key while an overlay is open; `before` is when the key before it was pressed. None: not a key for it."""
    overlay = model.overlay
    if overlay is None:
        return None
    if overlay.kind == "copy":
        return copying.pressed(model, overlay, msg)
    if overlay.kind == "aside":
        return aside.pressed(model, overlay, msg)
    if overlay.kind == "queue":
        return queued.pressed(model, overlay, msg)
    if overlay.kind in ("paste", "private"):
        return pastes.pressed(model, overlay, msg)
    if overlay.kind == "settings":
        return settings.pressed(model, overlay, msg)
    choices = items(overlay.kind, model.transcript.answers, overlay.shown_at)
    if msg.key in ("pageup", "pagedown") or (msg.key in ("up", "down") and not choices):
        by = (PAGE if "page" in msg.key else 1) * (1 if "down" in msg.key else -1)
        scroll = max(0, min(overlay.scroll + by, _lines(model, overlay.kind)))
        return replace(model, overlay=replace(overlay, scroll=scroll)), ()
    if overlay.kind in UNASKED and msg.key != "escape":
        burst = msg.blind or min(msg.at - overlay.shown_at, msg.at - before) < BURST_SECONDS
        if msg.character.isprintable() and msg.character and (burst or all(i.key != msg.character for i in choices)):
            return model, (Type(msg.character, msg.key),)
        if burst and msg.key == "enter":
            return model, ()
    if msg.key in ("up", "down"):
        selected = (overlay.selected + (1 if msg.key == "down" else -1)) % len(choices)
        return replace(model, overlay=replace(overlay, selected=selected)), ()
    again = overlay.kind == "help" and commands.bindings(model.keys).get(msg.key) == "help"
    if msg.key == "escape" or again or (msg.character == "q" and not choices):
        return _left(model, overlay)
    chosen = next((item for item in choices if msg.character and item.key == msg.character), None)
    if chosen is None and msg.key == "enter" and choices:
        chosen = choices[min(overlay.selected, len(choices) - 1)]
    return None if chosen is None else _choose(model, overlay, chosen.value)


def _lines(model: Model, kind: OverlayKind) -> int:
    """About how many lines a sheet without choices has: where scrolling ends."""
    answers = model.transcript.answers
    return 3 * (len(commands.COMMANDS) if kind == "help" else len(skills.listed(answers)))


def _left(model: Model, overlay: Overlay) -> Step:
    """Esc. Leaving the list of sessions begins a new one: there is no other to go back to."""
    return send(close(model), Resume("")) if overlay.kind == "sessions" and not model.started else (close(model), ())


def _choose(model: Model, overlay: Overlay, value: str) -> Step:
    if value == ADDRESS.value:
        return composer.ask(model, Purpose("address", ADDRESS_LABEL)), ()
    if overlay.kind == "models":
        return send(close(model), SetModel(value))
    if overlay.kind == "sessions":
        return send(close(model), Resume(value))
    match value:
        case "retry":
            return send(replace(model, overlay=replace(overlay, note="looking …")), SetModel(""))
        case "demo":
            return send(replace(model, overlay=replace(overlay, note="starting the demo …")), SetModel(DEMO))
        case _:
            return model, (Quit(),)
