"""What can be chosen at each step of setting up a provider, from what the engine has told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry
from agent_tui.tui.regions import Tone
from agent_tui.tui.setting_up import SettingUp
from agent_tui.tui.update.session_lists import listed
from agent_tui.tui.wording import count

ELSEWHERE: Final = "elsewhere"
"""A server that is known by its address alone."""
FETCH: Final = "fetch"
"""A model that Ollama does not have yet."""
NEARBY: Final = ("ollama", "lmstudio", "vllm", "llamacpp")
GROUPS: Final[Mapping[str, str]] = {
    "ready": "Configured", "nearby": "On this machine", "service": "With a key of yours",
}  # fmt: skip
UNREADABLE: Final = frozenset(("unknown_model", "bad_request", "malformed", "server"))
"""What comes of asking something that is no server of models."""
OLLAMA: Final = "ollama"


def overview(model: Model) -> Mapping[str, Any]:
    """The providers there are, as the engine told them last."""
    return _answer(model, "setup")


def outcome(model: Model) -> Mapping[str, Any]:
    """What came of the last step."""
    return _answer(model, "setup_step")


def _answer(model: Model, kind: str) -> Mapping[str, Any]:
    data = model.transcript.answers.get(kind)
    return data if isinstance(data, Mapping) else {}


def rows(model: Model, state: SettingUp) -> tuple[Entry, ...]:
    match state.step:
        case "provider":
            return tuple(_providers(model))
        case "failed":
            return tuple(_ways(model, state))
        case "model":
            return tuple(_models(model, state))
        case "place":
            return (
                Entry("keyring", "in the keyring", "behind your login"),
                Entry("file", "in a file", "credentials.toml, for you alone"),
            )
        case "scope":
            more = "nothing is written" if not (state.keyed or state.address) else "it is not the default"
            return (
                Entry("user", "in every project", "config.toml"),
                Entry("project", "in this project", ".agent-tui/config.toml"),
                Entry("session", "in this session only", more),
            )
        case _:
            return ()


def keyed(model: Model, state: SettingUp) -> bool:
    """Whether the provider at hand takes a key, as far as anybody said: only then it is of use to offer one."""
    if state.step == "model" and state.keyed:
        return True
    name = state.provider
    if state.step == "provider":
        shown = rows(model, state)
        name = shown[min(state.at, len(shown) - 1)].id if shown else ""
    one: Mapping[str, Any] = next((one for one in listed(overview(model), "offers") if one.get("name") == name), {})
    return one.get("needs") == "key" or (not one.get("needs") and bool(one.get("key") or one.get("kind") == "auth"))


def _providers(model: Model) -> Iterator[Entry]:
    for one in listed(overview(model), "offers"):
        name, group = str(one.get("name", "")), str(one.get("group", ""))
        bad = one.get("state") == "failed" and group == "ready"
        tone: Tone = "warning" if bad else "normal"
        yield Entry(name, str(one.get("label") or name), _state(one), group=GROUPS.get(group, ""), tone=tone)
    if overview(model):
        yield Entry(ELSEWHERE, "another server", "its address: Ollama's API, or OpenAI's", group="Elsewhere")


def _state(one: Mapping[str, Any]) -> str:
    """How a provider stands, in a few words."""
    key = f" · key from {one['key']}" if one.get("key") else ""
    near, kind = one.get("group") == "nearby", one.get("kind")
    number = one.get("models")
    match one.get("state"):
        case "looking":
            return f"looking …{key}"
        case "ok":
            return f"{count(number, 'model') if isinstance(number, int) and number else 'no models yet'}{key}"
        case "down":
            return "not running, can be started"
        case "failed" if kind == "auth":
            return f"refuses its key{key}" if key else "wants a key"
        case "failed" if near and kind == "unreachable":
            return "not running"
        case "failed" if near and kind in UNREADABLE:
            return "something else runs there"
        case "failed":
            return f"does not answer{key}"
        case _:
            return "at an address of yours" if one.get("needs") == "address" else ""


def _ways(model: Model, state: SettingUp) -> Iterator[Entry]:
    """What to do where a provider could not be asked, or a choice could not be kept."""
    found = outcome(model)
    kind, down = found.get("kind"), found.get("state") == "down"
    if state.model:
        if state.provider == OLLAMA and kind == "unknown_model" and not state.address:
            yield Entry(FETCH, f"fetch {state.model.removeprefix('ollama/')}", "from Ollama's library")
        yield Entry("again", "try again")
        yield Entry("models", "choose another model")
    elif state.provider == OLLAMA and kind == "pull":
        yield Entry(FETCH, "fetch a model", "type its name once more")
    else:
        if down:
            yield Entry("serve", "start `ollama serve`", "it goes on when agent-tui ends")
        if kind == "auth":
            yield Entry("key", "type another key")
        yield Entry("again", "try again")
        if not state.provider or state.provider in (*NEARBY, "compatible", "azure"):
            yield Entry("address", "type its address")
        elif kind != "auth":
            yield Entry("key", "type another key")
    yield Entry("providers", "choose another provider")


def _models(model: Model, state: SettingUp) -> Iterator[Entry]:
    """What the server offers, as far as it fits what was typed; and what was typed, whatever it offers."""
    found, typed = outcome(model), state.query.strip()
    head = f"{state.provider}/"
    names = [str(name) for name in found.get("models") or ()]
    first = str(found.get("first", ""))
    words = typed.lower().split()
    for name in (first, *(name for name in names if name != first)):
        if name and all(word in name.lower() for word in words):
            usual = "proposed" if name == first and len(names) != 1 else ""
            yield Entry(name, name.removeprefix(head), usual)
    if typed and len(words) == 1 and not {typed, f"{head}{typed}"} & {first, *names}:
        yield Entry(f"{head}{typed.removeprefix(head)}", f"use “{typed}”", "it is not listed")
    if state.provider == OLLAMA and not state.address:
        yield Entry(FETCH, "fetch another model …" if names else "fetch a model …", "such as qwen3:8b")
