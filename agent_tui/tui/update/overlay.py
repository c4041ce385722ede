"""Sheets over the transcript: which of them a key goes to, and the first-run screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_tui.protocol.ops import SetModel
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.effects import Quit, Type
from agent_tui.tui.held import Held
from agent_tui.tui.model import Model, Overlay, Purpose
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import aside, composer, copying, holding, pastes, queued, settings
from agent_tui.tui.update.step import Step, send, then, toast

if TYPE_CHECKING:
    from agent_tui.protocol.answers import Offer
    from agent_tui.tui.sheets import control
    from agent_tui.tui.update import going_back, pulling, setting_up, todo
else:
    control = late("agent_tui.tui.sheets.control")
    pulling = late("agent_tui.tui.update.pulling")
    setting_up = late("agent_tui.tui.update.setting_up", warm=False)
    going_back = late("agent_tui.tui.update.going_back")
    todo = late("agent_tui.tui.update.todo")

ALT: Final = "alt+"
NOTCH: Final = 3
"""Lines that a notch of the wheel moves."""
WHEEL: Final = ("wheelup", "wheeldown")
BURST_SECONDS: Final = 0.3
"""A key answers only so long after the key before it, and after a sheet that nobody asked for appeared."""
ENTER_SECONDS: Final = 0.6
"""Enter answers so long after what it answers appeared: a letter, which is held for a while, takes no less."""
RUN_SECONDS: Final = 1.0
"""So long after a sheet or a question appeared, keys may still belong to those pressed before it."""
REPEAT_SECONDS: Final = 0.1
"""Keys that come faster are repeated by one that is held down."""
QUITS: Final = "Enter quits"
DEMO: Final = "demo/tour"
ADDRESS_LABEL: Final = "Address of a model server (http://host:port)"


@frozen
class Item:
    """One line of a list: the key that takes it, what it is, and what it stands for."""

    key: str
    label: str
    detail: str
    value: str


FIRST_RUN: Final = (
    Item("k", "set up a provider", "step by step, as /setup", "setup"),
    Item("a", "enter a server address", "Ollama or OpenAI's API", "address"),
    Item("r", "look again", "after you started a server", "retry"),
    Item("d", "the demo", "a script, needs no server", "demo"),
    Item("q", "quit", "Enter confirms", "quit"),
)


def close(model: Model) -> Model:
    return replace(model, overlay=None)


def go_back(model: Model, to: int = 0, redo: bool = False) -> Step:
    """Show what would be taken back, or made again."""
    return going_back.opened(model, to, redo)


def set_up(model: Model, wants: Offer | None = None) -> Step:
    """Set up a provider, step by step: the one that `wants` tells of, else any."""
    return setting_up.opened(model, wants)


def unable(model: Model) -> str:
    """Why nothing can be taken back now; empty: it can."""
    return going_back.unable(model)


def pressed(model: Model, msg: KeyPressed, before: float) -> Step | None:
    """A key while an overlay is open; `before` is when the key before it was pressed. None: not a key for it."""
    overlay = model.overlay
    if overlay is None:
        return None
    if overlay.kind == "copy":
        return copying.pressed(model, overlay, msg)
    if overlay.kind == "aside":
        return aside.pressed(model, overlay, msg)
    if overlay.kind == "going_back":
        return going_back.pressed(model, overlay, msg)
    if overlay.kind == "pull":
        return pulling.pressed(model, overlay, msg)
    if overlay.kind == "setup":
        return setting_up.pressed(model, overlay, msg)
    if overlay.kind == "queue":
        return queued.pressed(model, overlay, msg)
    if overlay.kind == "todo":
        return todo.pressed(model, overlay, msg)
    if overlay.kind in ("paste", "private"):
        return pastes.pressed(model, overlay, msg)
    if overlay.kind == "settings":
        return settings.pressed(model, overlay, msg)
    if overlay.picker is not None:
        return control.on_key(model, overlay, msg)
    return _first_run(model, overlay, msg, before)


def is_meant(model: Model, msg: KeyPressed, shown_at: float, before: float) -> bool:
    """Whether Enter or an arrow is meant for what appeared by itself at `shown_at`. It is not where it ends a word, is
    one of a row of keys that began before, or is repeated by a finger that rests on it. `before`: when the key before
    it was pressed."""
    since = msg.at - shown_at
    pause = BURST_SECONDS if since < RUN_SECONDS else REPEAT_SECONDS
    early = msg.blind or min(since, msg.at - model.typed_at) < BURST_SECONDS
    if msg.key == "enter":
        early = early or since < ENTER_SECONDS or msg.at - model.moved_at < BURST_SECONDS
    return not early and msg.at - before >= pause


def take_clicked(model: Model, option: int) -> Step:
    """The mouse hit a line of the choices of the sheet."""
    overlay = model.overlay
    if overlay is None or overlay.kind != "going_back" or not model.covered:
        return model, ()
    return going_back.take_option(model, option)


def _first_run(model: Model, overlay: Overlay, msg: KeyPressed, before: float) -> Step | None:
    chosen = next((item for item in FIRST_RUN if item.key == msg.key.removeprefix(ALT)), None)
    if is_text(msg.character) and not msg.key.startswith(ALT):
        burst = msg.blind or min(msg.at - overlay.shown_at, msg.at - before) < BURST_SECONDS
        words = msg.draft not in ("", msg.character)  # the same letter may have gone there too soon
        if chosen is None or ((burst or words) and not msg.sure):
            typed: Step = (model, (Type(msg.character, msg.key),))
            early = chosen is not None and not msg.draft  # perhaps it was meant for the sheet: say where it went
            said = f"{msg.character} is in the prompt now; press it again to choose"
            return then(typed, toast(model, said)) if early else typed
    if msg.key == "enter" and not enter_takes(model):
        return commands.find("send").run(model, "")
    if msg.key == "enter" and not is_meant(model, msg, overlay.shown_at, before):
        return model, ()
    if msg.key in ("up", "down"):
        selected = (overlay.selected + (1 if msg.key == "down" else -1)) % len(FIRST_RUN)
        return replace(model, overlay=replace(overlay, selected=selected)), ()
    if msg.key in ("pageup", "pagedown"):
        return model, ()
    if msg.key == "escape":
        return close(model), ()
    if chosen is not None and not msg.sure:
        ends = chosen.value == "quit"
        held = holding.hold_key(model, msg, FIRST_RUN.index(chosen), confirmed=ends)
        return then(held, toast(held[0], QUITS)) if ends else held
    if chosen is None and msg.key == "enter":
        chosen = FIRST_RUN[min(overlay.selected, len(FIRST_RUN) - 1)]
    return None if chosen is None else _choose(model, overlay, chosen.value)


def enter_takes(model: Model) -> bool:
    """Whether Enter is for the row of the first screen: not right after words that were typed under it."""
    overlay = model.overlay
    shown_at = overlay.shown_at if overlay is not None else 0.0
    return not model.composer.draft.strip() or model.moved_at > model.typed_at or model.typed_at <= shown_at


def paged(model: Model, msg: KeyPressed) -> Step | None:
    """The words of the sheet are turned by a page, or a notch of the wheel. None: all of them are in view."""
    now, (page, lines) = model.overlay, msg.asked
    by = {"pageup": -page, "pagedown": page, "wheelup": -NOTCH, "wheeldown": NOTCH}.get(msg.key)
    last = lines - page
    if now is None or model.dialog is not None or by is None or last <= 0:
        return None
    return replace(model, overlay=replace(now, scroll=max(0, min(min(now.scroll, last) + by, last)))), ()


def calls(model: Model) -> bool:
    """Whether a command is being written under the first screen: keys are the prompt's then."""
    draft, now = model.composer.draft, model.overlay
    first = now is not None and now.kind == "first_run" and model.covered
    return first and draft.startswith("/") and "/" not in draft[1:].partition(" ")[0]


def take_held(model: Model, held: Held) -> Step | None:
    """Nothing followed the key that was held, or Enter did. None: the sheet is gone."""
    if model.overlay is None or not model.covered or held.on:
        return None
    if model.overlay.kind == "aside":
        return aside.answered(model, held.character)
    if model.overlay.kind in ("paste", "private"):
        return close(model), ()
    chosen = next((item for item in FIRST_RUN if item.key == held.key.removeprefix(ALT)), None)
    if model.overlay.kind != "first_run" or chosen is None:
        return None
    again = held.character and model.composer.draft == held.character  # it had gone into the prompt before
    return _choose(composer.write(model, "") if again else model, model.overlay, chosen.value)


def _choose(model: Model, overlay: Overlay, value: str) -> Step:
    match value:
        case "address":
            asked = composer.ask(model, Purpose("address", ADDRESS_LABEL))
            return composer.write(asked, overlay.address) if overlay.address else asked, ()
        case "retry":
            return send(replace(model, overlay=replace(overlay, note="looking …")), SetModel(""))
        case "setup":
            return set_up(model)
        case "demo":
            return send(replace(model, overlay=replace(overlay, note="starting the demo …")), SetModel(DEMO))
        case _:
            return model, (Quit(),)
