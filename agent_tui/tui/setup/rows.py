"""What can be chosen at each step of setting up a provider, from what the engine has told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.present.wording import count
from agent_tui.protocol.answers import Offer, ProviderGroup, SetupOffers, SetupOutcome
from agent_tui.tui.core.display_options import Tone
from agent_tui.tui.core.model import Model, SettingUp
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.screen import model_pull

ELSEWHERE: Final = "elsewhere"
"""A server that is known by its address alone."""
FETCH: Final = "fetch"
"""A model that Ollama does not have yet."""
GROUPS: Final[Mapping[ProviderGroup, str]] = {
    "ready": "Configured", "nearby": "On this machine", "service": "With your API key",
}  # fmt: skip
UNREADABLE: Final = frozenset(("unknown_model", "bad_request", "malformed", "server"))
"""What comes of asking something that is no server of models."""
OLLAMA: Final = "ollama"
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
        case "pulling" if model_pull.state(model) == "down":
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
                Entry("session", "in this session only", "your default stays"),
            )
        case _:
            return ()


def keyed(model: Model, state: SettingUp) -> bool:
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
        if state.provider == OLLAMA and kind == "unknown_model" and not state.address:
            yield Entry(
                FETCH, f"download {state.model.removeprefix('ollama/')}", "from Ollama's library"
            )
        yield Entry("again", "try again")
        yield Entry("models", "choose another model")
    elif state.provider == OLLAMA and kind == "pull":
        yield Entry(FETCH, "download a model", "type its name again")
    else:
        if down:
            yield Entry("serve", "start `ollama serve`", "keeps running after agent-tui")
        if kind == "auth":
            yield Entry("key", "type another key")
        yield Entry("again", "try again")
        known = offer(model, state.provider)
        if (
            not state.provider
            or state.provider == "compatible"
            or (known is not None and known.placed)
        ):
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
    if state.provider == OLLAMA and not state.address:
        yield Entry(
            FETCH,
            "download another model …" if found.models else "download a model …",
            "such as qwen3:8b",
        )
