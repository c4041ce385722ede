"""Setting up a provider: the rows of each step, from one step to another, and what an answer of the
engine does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import Offer, ProviderGroup, SetupOffers, SetupOutcome
from agent_tui.structures.tone import Tone
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.setup_state import SettingUp, SetupStep
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import model_words
from agent_tui.tui.sheets import cursor, opening

ELSEWHERE: Final = "elsewhere"
"""A server that is known by its address alone."""
AHEAD: Final = "ahead"
"""The id of a field for a key of which nobody knows yet whether it is needed."""
FETCH: Final = "fetch"
"""A model that Ollama does not have yet."""
SESSION: Final = Entry("session", "in this session only", "your default stays")
GROUPS: Final[Mapping[ProviderGroup, str]] = {
    "ready": "Configured", "nearby": "On this machine", "service": "With your API key",
}  # fmt: skip
UNREADABLE: Final = frozenset(("unknown_model", "bad_request", "malformed", "server"))
"""What comes of asking something that is no server of models."""
ASKING: Final = SetupOutcome("asking")


def overview(model: Model) -> SetupOffers | None:
    """The providers there are, as the engine told them last; None: it has not yet."""
    return model.transcript.answers.setup


def offer(model: Model, name: str) -> Offer | None:
    """What the engine told of a provider."""
    found = overview(model)
    return (
        next((one for one in found.offers if one.name == name), None) if found is not None else None
    )


def pulls(model: Model, state: SettingUp) -> bool:
    """Whether the provider at hand could download a model here."""
    known = offer(model, state.provider)
    return known is not None and known.pulls and not state.address


def outcome(model: Model) -> SetupOutcome:
    """What came of the last step."""
    return model.transcript.answers.setup_step or ASKING


def rows(model: Model, state: SettingUp) -> tuple[Entry, ...]:
    match state.step:
        case "provider":
            return tuple(_providers(model))
        case "failed":
            return tuple(_ways(model, state))
        case "model":
            return tuple(_models(model, state))
        case "pulling" if model_words.state(model) == "down":
            return (Entry("serve", "start `ollama serve`", "keeps running after agent-tui"),)
        case "place":
            return (
                Entry("keyring", "in the keyring", "unlocked by your login"),
                Entry("file", "in a file", "credentials.toml, only for you"),
            )
        case "scope":
            return (
                Entry("user", "in every project", "config.toml"),
                Entry("project", "in this project", ".agent-tui/config.toml"),
                *(() if model.alone else (_session_row(state),)),
            )
        case _:
            return ()


def _session_row(state: SettingUp) -> Entry:
    """What was typed for a server is saved in any case."""
    typed = state.address or state.keyed
    return replace(SESSION, detail="the server is saved") if typed else SESSION


def takes_key(model: Model, state: SettingUp) -> bool:
    """Whether the provider at hand takes a key, as far as anybody said: only then it is of use to
    offer one."""
    if state.step == "model" and state.keyed:
        return True
    name = state.provider
    if state.step == "provider":
        shown = rows(model, state)
        name = shown[min(state.at, len(shown) - 1)].id if shown else ""
    one = offer(model, name)
    return one is not None and (
        one.needs == "key" or (not one.needs and bool(one.key or one.kind == "auth"))
    )


def _providers(model: Model) -> Iterator[Entry]:
    found = overview(model)
    offers = found.offers if found is not None else ()
    nearer = [one for one in offers if one.group != "service"]
    yield from map(_provider, nearer)
    if found is not None:  # people with a server of their own would not look below all services
        yield Entry(
            ELSEWHERE, "another server", "its address: Ollama's API, or OpenAI's", group="Elsewhere"
        )
    yield from (_provider(one) for one in offers if one not in nearer)


def _provider(one: Offer) -> Entry:
    tone: Tone = "warning" if one.state == "failed" and one.group == "ready" else "normal"
    return Entry(one.name, one.label, _state(one), group=GROUPS[one.group], tone=tone)


def _state(one: Offer) -> str:
    """How a provider stands, in a few words."""
    key = f" · key from {one.key}" if one.key else ""
    near, kind = one.group == "nearby", one.kind
    match one.state:
        case "looking":
            return f"looking …{key}"
        case "ok":
            return f"{count(one.models, 'model') if one.models else 'no models yet'}{key}"
        case "down":
            return "not running, can be started"
        case "failed" if kind == "auth":
            return f"rejects its key{key}" if key else "needs a key"
        case "failed" if near and kind == "unreachable":
            return "not running"
        case "failed" if near and kind in UNREADABLE:
            return "another program runs there"
        case "failed":
            return f"does not answer{key}"
        case "":
            return "at your own address" if one.needs == "address" else ""


def _ways(model: Model, state: SettingUp) -> Iterator[Entry]:
    """What to do where a provider could not be asked, or a choice could not be kept."""
    found = outcome(model)
    kind, down = found.kind, found.state == "down"
    if state.model:
        if kind == "unknown_model" and pulls(model, state):
            name = state.model.removeprefix(f"{state.provider}/")
            yield Entry(FETCH, f"download {name}", "from Ollama's library")
        yield Entry("again", "try again")
        yield Entry("models", "choose another model")
    elif kind == "pull" and pulls(model, state):
        yield Entry(FETCH, "download a model", "type its name again")
    else:
        if down:
            yield Entry("serve", "start `ollama serve`", "keeps running after agent-tui")
        if kind == "auth":
            yield Entry("key", "type another key")
        yield Entry("again", "try again")
        known = offer(model, state.provider)
        if known is None or known.placed:
            yield Entry("address", "type its address")
        elif kind != "auth":
            yield Entry("key", "type another key")
    yield Entry("providers", "choose another provider")


def _models(model: Model, state: SettingUp) -> Iterator[Entry]:
    """What the server offers, what is proposed in front."""
    found, head = outcome(model), f"{state.provider}/"
    names, first = found.models, found.first
    for name in (first, *(name for name in names if name != first)):
        if name:
            usual = "proposed" if name == first and len(names) != 1 else ""
            yield Entry(name, name.removeprefix(head), usual)


def typed_rows(model: Model, state: SettingUp) -> Iterator[Entry]:
    """What was typed, whatever the server offers; and a model that Ollama does not have yet."""
    found, typed, head = outcome(model), state.query.strip(), f"{state.provider}/"
    if typed and " " not in typed and not {typed, f"{head}{typed}"} & {found.first, *found.models}:
        yield Entry(f"{head}{typed.removeprefix(head)}", f"use “{typed}”", "it is not listed")
    if pulls(model, state):
        yield Entry(
            FETCH,
            "download another model …" if found.models else "download a model …",
            "such as qwen3:8b",
        )


ASKS: Final = frozenset(("address", "key", "pull"))
"""Steps at which something is typed."""


def state_of(model: Model) -> SettingUp | None:
    """The step that is shown, with the row of the cursor and what was typed."""
    now = model.overlay
    if now is None or not isinstance(now.state, SettingUp):
        return None
    picker = now.picker
    return now.state if picker is None else replace(now.state, at=picker.at, query=picker.query)


def waits(model: Model) -> bool:
    """Whether what is shown now is not the last word: somebody is being asked."""
    state = state_of(model)
    if state is None:
        return False
    found = model.transcript.answers.setup
    match state.step:
        case "provider":
            return found is None or found.looking
        case "asking" | "keeping":
            return True
        case "pulling":
            return model_words.state(model) in model_words.UNDER_WAY
        case _:
            return bool(state.waits)


def depth(state: SettingUp) -> int:
    """How many times Esc goes back until it has left."""
    return 1 + (depth(state.back) if state.back is not None else 0)


def state_after(state: SettingUp, step: SetupStep) -> SettingUp:
    return replace(state, step=step, at=0, query="", note="", waits="", back=state)


def with_setup(model: Model, state: SettingUp) -> Model:
    now = model.overlay
    assert now is not None
    picker = Picker(query=state.query, touched=True)
    shown = opening.refresh(
        replace(model, overlay=replace(now, state=state, picker=picker, scroll=0))
    )[0]
    return cursor.put_cursor(shown, state.at)


def by_itself(model: Model, state: SettingUp) -> Model:
    """The sheet of a step that came by itself: a key that was on its way is not meant for it."""
    model = show_step(model, state)
    assert model.overlay is not None
    return replace(model, overlay=replace(model.overlay, shown_at=model.at))


def show_step(model: Model, state: SettingUp) -> Model:
    """The sheet of a step; where something is to be typed, the prompt is for that. A key that was
    typed while nobody knew whether one is needed stays in it."""
    is_key = state.step == "key"
    asks = Purpose("sheet", _label(state), secret=is_key, sends="continue")
    if is_key and is_ahead(model):
        shown = with_setup(model, state)
        return replace(shown, composer=replace(model.composer, purpose=asks))
    if model.composer.asks("sheet"):
        model = composer.leave(model)
    model = with_setup(model, state)
    if state.step not in ASKS:
        return model
    model = composer.ask(model, asks)
    return (
        composer.prefill(model, state.address)
        if state.step == "address" and state.address
        else model
    )


def hide_ahead(model: Model, name: str) -> Model:
    """Nobody knows yet whether the provider called `name` needs a key: what is typed or pasted
    meanwhile may be one, and is hidden and kept nowhere."""
    label = f"Key for {one_line(name, 30)}: hidden as you type"
    return composer.ask(model, Purpose("sheet", label, AHEAD, secret=True, sends="continue"))


def is_ahead(model: Model) -> bool:
    """Whether the prompt hides what may be a key."""
    return model.composer.purpose is not None and model.composer.purpose.id == AHEAD


def _label(state: SettingUp) -> str:
    if state.step == "key":
        return f"Key for {state.label}: hidden as you type"
    if state.step == "pull":
        return "Model to download, such as qwen3:8b"
    return f"Address of {state.label} (http://host:port)"


KEPT: Final = "not sent yet: press Enter to send"


def on_setup_event(model: Model, id: str) -> Step:
    """The engine told of a step."""
    state, found = state_of(model), outcome(model)
    if state is None or not state.waits or state.waits != id:
        return model, ()
    match found.state:
        case "no_key":
            return composer.write(
                with_setup(model, replace(state, waits="", note=found.said)), ""
            ), ()
        case "asking" | "starting" if state.step == "key":
            model = composer.leave(model) if model.composer.asks("sheet") else model
            return with_setup(
                model,
                replace(state_after(state, "asking"), back=replace(state, waits=""), waits=id),
            ), ()
        case "answered":
            return by_itself(
                model, replace(_known(state, found), step="model", waits="", at=0, query="")
            ), ()
        case "failed" | "down":
            return _failed(model, state, found)
        case "kept":
            return _kept(model)
        case _:
            return model, ()


def _known(state: SettingUp, found: SetupOutcome) -> SettingUp:
    """With what the engine found out: whose API it is, and where that begins."""
    return replace(
        state, provider=found.provider, label=found.label, address=found.address, keyed=found.key
    )


def _failed(model: Model, state: SettingUp, found: SetupOutcome) -> Step:
    """A key that was typed and is refused is typed again; all else has its own sheet."""
    typed = found.key or bool(found.address)
    if state.step == "asking" and found.kind == "auth" and typed:
        state = _known(state, found)
        before = (
            state.back
            if state.back is not None and state.back.step != "key"
            else state.back and state.back.back
        )
        again = SettingUp(
            "key", state.provider, state.label, state.address, note=found.said, back=before
        )
        return by_itself(model, again), ()
    return by_itself(model, replace(state, step="failed", waits="", at=0)), ()


def _kept(model: Model) -> Step:
    """The transcript says what was kept, the header which model it is now."""
    model = replace(model, overlay=None)
    return toast(model, KEPT) if composer.own_draft(model).strip() else (model, ())


def on_pull_progress(model: Model) -> Step:
    """The engine said how far a model has come."""
    state, found = state_of(model), model_words.pull_progress(model)
    if state is None or state.step != "pulling" or found is None:
        return model, ()
    match found.state:
        case "done":
            typed = state.back or SettingUp()
            return by_itself(
                model,
                replace(
                    state_after(state, "scope"),
                    model=f"{state.provider}/{state.model}",
                    back=typed.back,
                ),
            ), ()
        case "failed":
            return by_itself(model, replace(state, step="failed", model="", note=found.said)), ()
        case "down":
            return by_itself(model, state), ()
        case _:
            return model, ()
