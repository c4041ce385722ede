"""One key: to the overlay, the dialog or the completion list if one of them is open, else to its command."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.effects import ClearSelection, Type
from agent_tui.tui.model import Model
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import completion, composer, dialog, holding, overlay, recall, search
from agent_tui.tui.update.step import Step, then, toast

THROUGH = frozenset((
    "interrupt", "stop-all", "page-up", "page-down", "to-top", "to-end", "expand", "mouse", "open", "message-up",
    "message-down", "fold-up", "fold-down",
))  # fmt: skip
"""Commands whose keys work while a dialog or an overlay is open."""
ASKED = THROUGH | frozenset(("send", "steer", "stop", "mode"))
"""Commands whose keys work while the prompt is used for something else than the model."""


MOVES = frozenset(("up", "down", "pageup", "pagedown"))
"""Keys that are aimed at a list as soon as one is open: the Enter after them is not typing."""


def pressed(model: Model, msg: KeyPressed) -> Step:
    """A key that was bound or grabbed."""
    if msg.key in overlay.WHEEL:
        return overlay.paged(model, msg) or (model, ())
    before = model.last_key
    aimed = msg.key in MOVES and (model.covered or model.asking)
    model = replace(model, last_key=before if aimed else msg.at, selection=msg.selection, seen=msg.seen)
    if msg.draft != model.composer.draft:
        model = composer.changed(model, msg.draft, len(msg.draft))
    if model.asking:
        model = dialog.looked(model, msg)
    if model.held is not None:
        alone = msg.draft in ("", model.held.character)  # what was typed is one letter: no word
        if msg.key == "enter" and (alone or (model.held.due == inf and msg.at - before >= holding.HOLD_SECONDS)):
            return (model, ()) if model.held.on else _answered(model)
        first = holding.interrupted(model, msg)
        if msg.key == "enter":
            return first
        text = bool(first[1])  # else the letter was meant, and so is what comes after it
        return then(first, _unheld(first[0], msg, before if text else -inf))
    return _unheld(model, msg, before)


def rested(model: Model) -> Step:
    """Some time has passed: a key that was held may answer now."""
    held = model.held
    if held is None:
        return model, ()
    waiting = holding.waits(model, held)
    return _answered(model) if waiting is None else waiting


def settled(model: Model) -> Step:
    """What a held key would answer may be gone by now: then it was text."""
    held = model.held
    if held is None:
        return model, ()
    here = model.asking and model.dialog is not None and model.dialog.id == held.on
    return (model, ()) if here or (not held.on and model.covered and _holds(model)) else holding.released(model)


def released(model: Model) -> Step:
    """Text came while a key was held: it is text too."""
    return holding.released(model)


def _answered(model: Model) -> Step:
    held = model.held
    assert held is not None
    free = replace(model, held=None)
    taken = dialog.answered(free, held) if held.on else overlay.answered(free, held)
    return holding.released(model) if taken is None else taken


def _unheld(model: Model, msg: KeyPressed, before: float) -> Step:
    if msg.key != "escape" or not msg.selection:
        return _routed(model, msg, before)
    if not (model.running or model.covered or model.asking):
        return model, (ClearSelection(),)
    return then((model, (ClearSelection(),)), _routed(model, msg, before))  # one Esc always stops


def _routed(model: Model, msg: KeyPressed, before: float) -> Step:
    if (turned := overlay.paged(model, msg)) is not None:
        return turned
    name = commands.bindings(model.keys).get(msg.key)
    if (model.covered and not _calls(model, msg.key)) or model.asking:
        taken = overlay.pressed(model, msg, before) if model.covered else dialog.pressed(model, msg, before)
        if taken is not None:
            return taken
        if name in THROUGH or (name == "leave" and model.covered and not msg.draft):
            return commands.find(name).run(model, "")
        if name == "mode" and not model.covered:
            return _answer_first(model, msg.key)
        edits = name is None and (not model.covered or _first_run(model))
        return (model, (Type(msg.character, msg.key),)) if edits else (model, ())
    if model.recall is not None and (recalled := recall.pressed(model, msg)) is not None:
        return recalled
    chosen = search.pressed(model, msg) if model.search is not None else completion.pressed(model, msg)
    if chosen is not None:
        return chosen
    if name is None and msg.key == "enter":  # the person sends with another key
        asked = model.composer.purpose is not None
        return commands.find("send").run(model, "") if asked else (model, (Type("\n", "ctrl+j"),))
    for_prompt = bool(msg.draft) or model.composer.purpose is not None
    if name is None or (msg.key in commands.when_empty(model.keys) and for_prompt):
        return model, (Type(msg.character, msg.key),)
    if model.composer.purpose is not None and name not in ASKED:
        return model, ()
    if name == "mode" and model.dialog is not None:
        return _answer_first(model, msg.key)
    return commands.find(name).run(model, "")


def _calls(model: Model, key: str) -> bool:
    """Whether `key` is for the command that is written under a sheet."""
    if key == "escape":
        return bool(completion.shown(model)) and overlay.calls(model)
    return key not in ("pageup", "pagedown") and overlay.calls(model)


def _answer_first(model: Model, key: str) -> Step:
    """A mode is no answer, and what is asked now was asked under the old one."""
    return toast(model, f"answer first: {key_name(key)} changes the mode after that")


def _holds(model: Model) -> bool:
    """Whether the sheet has letters that may begin a word of the prompt."""
    return model.overlay is not None and model.overlay.kind in ("first_run", "aside", "paste", "private")


def _first_run(model: Model) -> bool:
    """Whether the sheet is the one under which a prompt can be written."""
    return model.overlay is not None and model.overlay.kind == "first_run"
