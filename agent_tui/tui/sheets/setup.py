"""`/setup`: a provider is set up step by step. Each step is a list, or something that is typed; the
engine asks servers and writes files."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import AnswerData, PullProgress, SetupOffers, SetupOutcome
from agent_tui.protocol.ops import Pull
from agent_tui.protocol.setup_op import KeyPlace, SetUp, SetupScope
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import SendKey
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.setup_state import SettingUp
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import model_words
from agent_tui.tui.screen.session_actions import BUSY
from agent_tui.tui.screen.setup_steps import (
    ASKS,
    ELSEWHERE,
    FETCH,
    hide_ahead,
    is_ahead,
    offer,
    on_pull_progress,
    on_setup_event,
    outcome,
    overview,
    rows,
    show_step,
    state_after,
    state_of,
    takes_key,
    typed_rows,
    waits,
    with_setup,
)
from agent_tui.tui.screen.setup_words import step_lines
from agent_tui.tui.sheets import TAKES, Action, Body, Sheet, opening

LOOK: Final = "setup"
HIGH: Final = 16


# -- what is shown


def _title(_: Model, overlay: Overlay) -> str:
    state = overlay.state if isinstance(overlay.state, SettingUp) else SettingUp()
    return (
        f"Set up {one_line(state.label, 30)}" if state.label and state.back else "Set up a provider"
    )


def _rows(model: Model, _: Overlay) -> tuple[Entry, ...]:
    state = state_of(model)
    return rows(model, state) if state is not None else ()


def _arrange(model: Model, overlay: Overlay, picker: Picker, _: bool) -> Picker:
    """What was typed can be taken as a name, whatever the server offers; a model can be fetched."""
    state = overlay.state
    if not isinstance(state, SettingUp) or state.step != "model":
        return picker
    return replace(
        picker, shown=(*picker.shown, *typed_rows(model, replace(state, query=picker.query)))
    )


def _body(model: Model, overlay: Overlay, cells: int) -> Body:
    state = overlay.state
    if not isinstance(state, SettingUp):
        return Body()
    down = model_words.state(model) == "down"
    return Body(
        step_lines(
            state, overview(model), outcome(model), model_words.pull_progress(model), down, cells
        )
    )


def _esc(model: Model, overlay: Overlay) -> str:
    state = overlay.state
    if (
        isinstance(state, SettingUp)
        and state.step in ("asking", "pulling")
        and model_words.state(model) != "down"
    ):
        return "stop"
    first = not isinstance(state, SettingUp) or state.step in ("provider", "keeping")
    return "close" if first else "back"


# -- opening it, and its actions


def _refuse(model: Model) -> str:
    if model.gone:
        return "setup is not possible: the engine has stopped"
    return (
        "this session is read only: use /setup in another one" if model.transcript.reading else ""
    )


def open_setup(model: Model, name: str = "") -> Step:
    """Show which providers there are; or go on at once with the one that is called `name`: by what
    is known of it already, else as soon as the engine has told of it. With `ELSEWHERE` the address
    is asked for, and Esc leaves."""
    if _refuse(model):
        return opening.open_sheet(model, "setup")
    if model.composer.purpose is not None:
        model = composer.leave(model)
    opened = opening.open_sheet(model, "setup", note=name)
    shown, effects = then(opened, send(opened[0], SetUp(LOOK, "look")))
    if name == ELSEWHERE:
        return show_step(shown, replace(_elsewhere(SettingUp()), back=None)), effects
    told = model.transcript.answers.models
    unset = (told.unset or ()) if told is not None else ()
    wants = next((one for one in unset if one.name == name), None)
    if wants is None:
        return (hide_ahead(shown, name) if name else shown), effects
    state = SettingUp(provider=wants.name, label=wants.label)
    return show_step(
        shown, state_after(state, "address" if wants.needs == "address" else "key")
    ), effects


def _asks_again(_: Model, overlay: Overlay, __: Entry) -> bool:
    """Something is to be typed, and the prompt was left by another way."""
    return isinstance(overlay.state, SettingUp) and overlay.state.step in ASKS


def _ask_again(model: Model, _: Overlay, __: Entry) -> Step:
    state = state_of(model)
    return (show_step(model, state), ()) if state is not None else (model, ())


def _key_label(_: Model, overlay: Overlay) -> str:
    chosen = isinstance(overlay.state, SettingUp) and overlay.state.step == "model"
    return "type another key" if chosen else "type a key"


def _takes_key(model: Model, _: Overlay, __: Entry) -> bool:
    state = state_of(model)
    return state is not None and state.step in ("provider", "model") and takes_key(model, state)


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    """The row is taken."""
    state, chosen = state_of(model), row.id
    assert state is not None
    match state.step:
        case "provider" if chosen:
            return _chosen(model, state, chosen)
        case "failed" if chosen:
            return _way(model, state, chosen)
        case "model" if chosen == FETCH:
            return show_step(model, state_after(state, "pull")), ()
        case "model" if chosen:
            wanted = replace(state, model=chosen)
            known = overview(model)
            free = wanted.keyed and known is not None and known.keyring
            return show_step(model, state_after(wanted, "place" if free else "scope")), ()
        case "place" if chosen:
            place: KeyPlace = "file" if chosen == "file" else "keyring"
            return show_step(model, state_after(replace(state, place=place), "scope")), ()
        case "scope" if chosen:
            return _keep(model, state, chosen)
        case "pulling":
            return send(model, Pull(state.model, "serve"))
        case _:
            return model, ()


def _chosen(model: Model, state: SettingUp, name: str) -> Step:
    """A provider: what it needs is asked for first."""
    if name == ELSEWHERE:
        return show_step(model, _elsewhere(state)), ()
    known = offer(model, name)
    state = replace(state, provider=name, label=known.label if known is not None else name)
    if known is not None and known.needs:
        return show_step(model, state_after(state, known.needs)), ()
    return _ask(model, state)


def _elsewhere(state: SettingUp) -> SettingUp:
    """The address of a server is asked for that no provider is known for."""
    return state_after(replace(state, provider="", label="the server"), "address")


def _type_key(model: Model, _: Overlay, row: Entry) -> Step:
    """Another key for a provider that has one, or for the one at hand."""
    state, name = state_of(model), row.id
    assert state is not None
    if state.step == "model":
        return show_step(model, state_after(state, "key")), ()
    known = offer(model, name)
    if known is None or name == ELSEWHERE:
        return model, ()
    state = replace(state, provider=name, label=known.label)
    return show_step(
        model, state_after(state, "address" if known.needs == "address" else "key")
    ), ()


def _way(model: Model, state: SettingUp, chosen: str) -> Step:
    """What is done about a failure. It is no step to return to."""
    before = state.back or SettingUp()
    match chosen:
        case "again" if state.model and before.step == "scope":
            return show_step(model, before), ()
        case "models":
            models = _last(state, "model")
            return (show_step(model, models), ()) if models is not None else step_back(model)
        case "key" | "address":
            step = (
                before
                if before.step == chosen
                else replace(state_after(state, chosen), back=before)
            )  # it is typed anew
            return show_step(model, step), ()
        case "serve" | "again":
            return _ask(model, state, before, serve=chosen == "serve")
        case "fetch" if state.model:
            return _fetch(model, replace(state, back=before.back), state.model)
        case "fetch":
            return show_step(model, replace(state_after(state, "pull"), back=before)), ()
        case _:
            first = _last(state, "provider") or SettingUp()
            return show_step(model, first), ()


def _last(state: SettingUp, step: str) -> SettingUp | None:
    """The step of that kind which was left last."""
    now: SettingUp | None = state
    while now is not None and now.step != step:
        now = now.back
    return now


# -- what is typed


def _begin_address(model: Model, overlay: Overlay) -> Step:
    """After a wrong address, words are a better one: three rows are not searched."""
    state, query = state_of(model), overlay.picker.query if overlay.picker is not None else ""
    if state is None or state.step != "failed" or not query:
        return model, ()
    if not any(row.id == "address" for row in rows(model, state)):
        return model, ()
    step = _way(model, state, "address")
    return composer.write(step[0], query), step[1]


def _on_text(model: Model, text: str) -> Step:
    """The prompt was sent while it held an address, a key (of which nothing is known here) or a
    name."""
    state = state_of(model)
    if state is None or state.step not in ASKS:
        return (model if is_ahead(model) else composer.leave(model)), ()
    said = text.strip()
    if state.waits:
        return model, ()  # it is being looked at
    if not said:
        return toast(model, "type it, or press Esc to go back")
    if state.step == "key":
        model, id = _id(model)
        asked = SetUp(id, "ask", state.provider, state.address)
        return with_setup(model, replace(state, waits=id, note="")), (SendKey(asked),)
    if state.step == "pull":
        return _fetch(composer.leave(model), state, said)
    state = replace(state, address=said, note="")
    known = offer(model, state.provider)
    if known is not None and known.needs == "address" and not known.key:
        return show_step(model, state_after(state, "key")), ()
    return _ask(composer.leave(model), state)


# -- the way back


def step_back(model: Model) -> Step:
    """Esc: one step back; from the first it leaves. What is under way is given up, except for what
    is being written."""
    state = state_of(model)
    if state is None:
        return replace(composer.leave(model), overlay=None), ()
    stops = (
        (SetUp(LOOK, "stop"),)
        if state.step != "keeping" and (state.waits or state.step == "asking")
        else ()
    )
    if state.step == "pulling":
        under_way = model_words.state(model) in model_words.UNDER_WAY
        model, gives_up = send(model, *((Pull(state.model, "stop"),) if under_way else ()))
    else:
        model, gives_up = send(model, *stops)
    if state.step == "keeping" or state.back is None:
        return then((model, gives_up), _left(model, state))
    return show_step(model, replace(state.back, note="")), gives_up


def _left(model: Model, state: SettingUp) -> Step:
    """The sheets are closed; where there is no model yet, the first screen is there again."""
    if model.composer.asks("sheet"):
        model = composer.leave(model)
    first = model.started and not model.transcript.model
    model = replace(model, overlay=None)
    if first:
        model, _ = opening.open_for(model, "no_model")
    if state.step == "keeping":
        return toast(model, f"{state.model} is still being saved")
    return send(model, SetUp(LOOK, "leave"))


def _on_answer(model: Model, id: str, data: AnswerData) -> Step | None:
    """What the engine says of a step; all else is no business of it."""
    if state_of(model) is None:
        return None
    match data:
        case SetupOffers():
            shown, effects = opening.refresh(model)
            return then((shown, effects), _take_named(shown, data))
        case SetupOutcome():
            return on_setup_event(model, id)
        case PullProgress():
            return on_pull_progress(model)
        case _:
            return None


def _take_named(model: Model, told: SetupOffers) -> Step:
    """Go on with the provider that the sheet was opened for. What needs no key is known once the
    stored keys are: then somebody is asked."""
    state, overlay = state_of(model), model.overlay
    assert state is not None and overlay is not None
    name = overlay.note.lower()
    found = next((o for o in told.offers if name in (o.name.lower(), o.label.lower())), None)
    asks = found is not None and found.state == "looking"
    if asks or not any(one.state for one in told.offers):
        return model, ()
    model = replace(model, overlay=replace(overlay, note=""))
    step: Step = model, ()
    if found is not None and state.step == "provider":
        step = _chosen(model, state, found.name)
    if is_ahead(step[0]):  # it needs none, or is not known
        step = composer.leave(step[0]), step[1]
    return step


# -- small moves


def _fetch(model: Model, state: SettingUp, named: str) -> Step:
    """The model is fetched; Esc goes back behind the step that named it."""
    name = named.removeprefix(f"{state.provider}/")
    return send(with_setup(model, state_after(replace(state, model=name), "pulling")), Pull(name))


def _ask(
    model: Model, state: SettingUp, before: SettingUp | None = None, serve: bool = False
) -> Step:
    model, id = _id(model)
    asking = replace(state_after(state, "asking"), waits=id, back=before or state)
    return send(
        with_setup(model, asking), SetUp(id, "ask", state.provider, state.address, serve=serve)
    )


def _keep(model: Model, state: SettingUp, chosen: str) -> Step:
    if model.busy:
        return toast(model, BUSY, "warning")
    model, id = _id(model)
    scope: SetupScope = (
        "project" if chosen == "project" else "session" if chosen == "session" else "user"
    )
    op = SetUp(id, "keep", state.provider, model=state.model, place=state.place, scope=scope)
    return send(with_setup(model, replace(state_after(state, "keeping"), waits=id)), op)


def _id(model: Model) -> tuple[Model, str]:
    return replace(model, queries=model.queries + 1), f"setup-{model.queries + 1}"


@command(rank=54)
def setup(model: Model, args: str) -> Step:
    """Set up a provider step by step: its name, its key or address, a test, and your model. Nothing
    is saved before the last step. Esc goes one step back. /setup openai begins with that one."""
    return open_setup(model, args.strip())


SHEET: Final = Sheet(
    _title,
    _rows,
    (
        Action("take", TAKES, "take", _take, closes=False),
        Action(
            "type",
            ("enter",),
            "type it",
            _ask_again,
            _asks_again,
            needs_row=False,
            closes=False,
            hidden=True,
        ),
        Action("key", ("f2",), _key_label, _type_key, _takes_key, closes=False, typed="k"),
    ),
    (setup,),
    body=_body,
    begin=lambda _: SettingUp(),
    states=(SettingUp,),
    arrange=_arrange,
    refuse=_refuse,
    hears=(SetupOffers, SetupOutcome, PullProgress),
    on_answer=_on_answer,
    on_typed=_begin_address,
    on_text=_on_text,
    on_esc=step_back,
    esc=_esc,
    broad=False,
    high=HIGH,
    shows=frozenset(("pull",)),
    not_pasted="not pasted: choose a provider first",
    is_ready=lambda model, _: not waits(model),
)
