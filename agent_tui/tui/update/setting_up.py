"""`/setup`: a provider is set up step by step. Each step is a sheet; the engine asks servers and writes files."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import Offer
from agent_tui.protocol.ops import Pull
from agent_tui.protocol.setup_op import KeyPlace, SetUp, SetupScope
from agent_tui.structures.visible import is_text
from agent_tui.tui.effects import SendKey
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.setting_up import SettingUp
from agent_tui.tui.update import composer, pulling
from agent_tui.tui.update.setup_rows import ELSEWHERE, FETCH, offer, overview, rows
from agent_tui.tui.update.setup_steps import ASKS, after, at, put, state_of
from agent_tui.tui.update.step import Step, send, then, toast

LOOK: Final = "setup"
PAGE: Final = 10
JUST: Final = 0.3
"""So soon after a sheet changed by itself, no Enter was an answer to it."""
SLOW: Final = 2.0
"""The same for one that came before the sheet was painted."""
EMPTIES: Final = ("ctrl+u", "ctrl+w", "ctrl+backspace", "alt+backspace")


def opened(model: Model, wants: Offer | None = None) -> Step:
    """Show which providers there are; or ask at once for what the one needs that `wants` tells of."""
    if model.busy:
        return toast(model, "Esc interrupts the running turn first", "warning")
    if model.gone:
        return toast(model, "setup is not possible: the engine has stopped", "bad")
    if model.transcript.reading:
        return toast(model, "this session is read only: use /setup in another one", "warning")
    if model.composer.purpose is not None:
        model = composer.leave(model)
    shown, effects = send(replace(model, overlay=Overlay("setup", setup=SettingUp())), SetUp(LOOK, "look"))
    if wants is None:
        return shown, effects
    state = SettingUp(provider=wants.name, label=wants.label)
    return at(shown, after(state, "address" if wants.needs == "address" else "key")), effects


# -- keys


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while a sheet of it is open and nothing is typed. None: not a key for it."""
    state = overlay.setup
    if state is None:
        return replace(model, overlay=None), ()
    if msg.key == "escape":
        return back(model)
    shown = rows(model, state)
    here = min(state.at, max(0, len(shown) - 1))
    moves = {"up": here - 1, "down": here + 1, "pageup": here - PAGE, "pagedown": here + PAGE, "home": 0, "end": 10**6}
    if msg.key in moves:
        place = max(0, min(moves[msg.key], len(shown) - 1))
        return put(model, replace(state, at=place)), ()
    early = msg.at - overlay.shown_at < (SLOW if msg.blind else JUST)
    if msg.key == "enter":
        if state.step in ASKS:
            return at(model, state), ()  # the prompt was left by another way
        return _enter(model, state, shown[here].id if shown else "") if not early else (model, ())
    if msg.key == "f2" and state.step == "provider":
        return _key_of(model, state, shown[here].id if shown else "")
    if msg.key == "f2" and state.step == "model":
        return at(model, after(state, "key")), ()
    return _searched(model, state, msg) if state.step == "model" else None


def _searched(model: Model, state: SettingUp, msg: KeyPressed) -> Step | None:
    if msg.key == "backspace":
        query = state.query[:-1]
    elif msg.key in EMPTIES:
        query = ""
    elif is_text(msg.character):
        query = state.query + msg.character
    else:
        return None
    return put(model, replace(state, query=query, at=0)), ()


def _enter(model: Model, state: SettingUp, chosen: str) -> Step:
    """The row `chosen` is taken."""
    match state.step:
        case "provider" if chosen:
            return _chosen(model, state, chosen)
        case "failed" if chosen:
            return _way(model, state, chosen)
        case "model" if chosen == FETCH:
            return at(model, after(state, "pull")), ()
        case "model" if chosen:
            wanted = replace(state, model=chosen)
            known = overview(model)
            free = wanted.keyed and known is not None and known.keyring
            return at(model, after(wanted, "place" if free else "scope")), ()
        case "place" if chosen:
            place: KeyPlace = "file" if chosen == "file" else "keyring"
            return at(model, after(replace(state, place=place), "scope")), ()
        case "scope" if chosen:
            return _keep(model, state, chosen)
        case "pulling" if pulling.state(model) == "down":
            return send(model, Pull(state.model, "serve"))
        case _:
            return model, ()


def _chosen(model: Model, state: SettingUp, name: str) -> Step:
    """A provider: what it needs is asked for first."""
    if name == ELSEWHERE:
        return at(model, after(replace(state, provider="", label="the server"), "address")), ()
    known = offer(model, name)
    state = replace(state, provider=name, label=known.label if known is not None else name)
    if known is not None and known.needs:
        return at(model, after(state, known.needs)), ()
    return _ask(model, state)


def _key_of(model: Model, state: SettingUp, name: str) -> Step:
    """Another key for a provider that has one."""
    known = offer(model, name)
    if known is None or name == ELSEWHERE:
        return model, ()
    state = replace(state, provider=name, label=known.label)
    return at(model, after(state, "address" if known.needs == "address" else "key")), ()


def _way(model: Model, state: SettingUp, chosen: str) -> Step:
    """What is done about a failure. It is no step to return to."""
    before = state.back or SettingUp()
    match chosen:
        case "again" if state.model and before.step == "scope":
            return at(model, before), ()
        case "models":
            models = _last(state, "model")
            return (at(model, models), ()) if models is not None else back(model)
        case "key" | "address":
            step = before if before.step == chosen else replace(after(state, chosen), back=before)  # it is typed anew
            return at(model, step), ()
        case "serve" | "again":
            return _ask(model, state, before, serve=chosen == "serve")
        case "fetch" if state.model:
            return _fetch(model, replace(state, back=before.back), state.model)
        case "fetch":
            return at(model, replace(after(state, "pull"), back=before)), ()
        case _:
            first = _last(state, "provider") or SettingUp()
            return at(model, first), ()


def _last(state: SettingUp, step: str) -> SettingUp | None:
    """The step of that kind which was left last."""
    now: SettingUp | None = state
    while now is not None and now.step != step:
        now = now.back
    return now


# -- what is typed


def answered(model: Model, text: str) -> Step:
    """The prompt was sent while it held an address, a key (of which nothing is known here) or a name."""
    state = state_of(model)
    if state is None or state.step not in ASKS:
        return composer.leave(model), ()
    said = text.strip()
    if state.waits:
        return model, ()  # it is being looked at
    if not said:
        return toast(model, "type it, or press Esc to go back")
    if state.step == "key":
        model, id = _id(model)
        asked = SetUp(id, "ask", state.provider, state.address)
        return put(model, replace(state, waits=id, note="")), (SendKey(asked),)
    if state.step == "pull":
        return _fetch(composer.leave(model), state, said)
    state = replace(state, address=said, note="")
    known = offer(model, state.provider)
    if known is not None and known.needs == "address" and not known.key:
        return at(model, after(state, "key")), ()
    return _ask(composer.leave(model), state)


# -- the way back


def back(model: Model) -> Step:
    """Esc: one step back; from the first it leaves. What is under way is given up, except for what is being written."""
    state = state_of(model)
    if state is None:
        return replace(composer.leave(model), overlay=None), ()
    stops = (SetUp(LOOK, "stop"),) if state.step != "keeping" and (state.waits or state.step == "asking") else ()
    if state.step == "pulling":
        under_way = pulling.state(model) in pulling.UNDER_WAY
        model, gives_up = send(model, *((Pull(state.model, "stop"),) if under_way else ()))
    else:
        model, gives_up = send(model, *stops)
    if state.step == "keeping" or state.back is None:
        return then((model, gives_up), _left(model, state))
    return at(model, replace(state.back, note="")), gives_up


def _left(model: Model, state: SettingUp) -> Step:
    """The sheets are closed; where there is no model yet, the first screen is there again."""
    if model.composer.asks("setup"):
        model = composer.leave(model)
    first = model.started and not model.transcript.model
    model = replace(model, overlay=Overlay("first_run", shown_at=model.at) if first else None)
    if state.step == "keeping":
        return toast(model, f"{state.model} is still being saved")
    return send(model, SetUp(LOOK, "leave"))


# -- small moves


def _fetch(model: Model, state: SettingUp, named: str) -> Step:
    """The model is fetched; Esc goes back behind the step that named it."""
    name = named.removeprefix("ollama/")
    return send(put(model, after(replace(state, model=name), "pulling")), Pull(name))


def _ask(model: Model, state: SettingUp, before: SettingUp | None = None, serve: bool = False) -> Step:
    model, id = _id(model)
    asking = replace(after(state, "asking"), waits=id, back=before or state)
    return send(put(model, asking), SetUp(id, "ask", state.provider, state.address, serve=serve))


def _keep(model: Model, state: SettingUp, chosen: str) -> Step:
    model, id = _id(model)
    scope: SetupScope = "project" if chosen == "project" else "session" if chosen == "session" else "user"
    op = SetUp(id, "keep", state.provider, model=state.model, place=state.place, scope=scope)
    return send(put(model, replace(after(state, "keeping"), waits=id)), op)


def _id(model: Model) -> tuple[Model, str]:
    return replace(model, queries=model.queries + 1), f"setup-{model.queries + 1}"
