"""Setting up a provider: which there are, what one answers, and keeping what was chosen. For the
screen (`setups`) and for `agent-tui setup`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field, replace
from typing import Final, TypeVar
from urllib.parse import urlsplit

from agent_tui.protocol.answers import Needs, Offer, ProviderGroup
from agent_tui.protocol.setup_op import KeyPlace, SetupScope
from agent_tui.providers.base import Failed
from agent_tui.providers.choosing import choose, keys
from agent_tui.providers.facts import presets
from agent_tui.providers.services import service_of
from agent_tui.providers.services.compatible import COMPATIBLE
from agent_tui.safety import credentials
from agent_tui.settings.layers import Configuration, Flags
from agent_tui.settings.store import Refused, Store
from agent_tui.settings.table import ProviderSettings, Settings
from agent_tui.structures.frozen import frozen

TYPED: Final = "what you typed"
Of = TypeVar("Of", bound=Configuration)
NOT_THERE: Final = ("bad_request", "malformed", "unknown_model")
"""What a server says that was asked in the wrong place: of two failures the other one says more."""


@frozen
class Attempt:
    """A provider that is asked, at `address` and with `key` where those were typed. Without a name:
    whatever answers at the address."""

    name: str
    address: str = ""
    key: str = field(default="", repr=False)


def label(name: str) -> str:
    return service_of(name).label


def offers(configuration: Configuration) -> tuple[Offer, ...]:
    """All that can be chosen: what is set up, what may run nearby, the other services. With the
    stored keys."""
    own = (name for name, given in configuration.settings.providers.items() if given.base_url)
    ready = [name for name in presets.SERVICES if choose.is_set(name, configuration)]
    known = (
        *ready,
        *(name for name in own if name not in (*ready, *presets.NEARBY, *presets.PLAYED)),
    )
    groups: tuple[tuple[ProviderGroup, tuple[str, ...]], ...] = (
        ("ready", known),
        ("nearby", presets.NEARBY),
        ("service", tuple(presets.SERVICES)),
    )
    found: dict[str, Offer] = {}
    for group, names in groups:
        for name in names:
            where, needs = keys.key_source(name, configuration), _needs(name, configuration)
            service = service_of(name)
            placed = service.near or service.placed or service.role == "found"
            offer = Offer(name, service.label, group, where, needs, placed=placed)
            found.setdefault(name, replace(offer, pulls=service.pulls))
    return tuple(found.values())


def _needs(name: str, configuration: Configuration) -> Needs:
    own, service = configuration.settings.providers.get(name, ProviderSettings()), service_of(name)
    if service.placed and not (own.base_url or service.url(configuration.environment)):
        return "address"
    return "key" if choose.needs(name, configuration) else ""


def no_key(typed: str) -> str:
    """Why that is no key; empty: it may be one."""
    if not typed:
        return "nothing was typed"
    fits = typed.isascii() and typed.isprintable() and " " not in typed
    return "" if fits else "not a key: it has spaces or characters that no key has"


def attempt_configuration(attempt: Attempt, configuration: Of) -> Of:
    """`configuration` with what was typed. A key goes to no other address than the one that it was
    kept for."""
    name, service, settings = attempt.name, service_of(attempt.name), configuration.settings
    own = settings.providers.get(name, ProviderSettings())
    before = own.base_url or (
        service.url(configuration.environment) if service.role == "service" else ""
    )
    if attempt.address and attempt.address != before:
        moved = bool(before) or not service.placed  # there, a key came before the address
        own = replace(own, base_url=attempt.address)
        own = replace(own, api_key="", key_from="") if moved else own
    if attempt.key:
        own = replace(own, api_key=attempt.key, key_from=TYPED)
    return replace(
        configuration, settings=replace(settings, providers={**settings.providers, name: own})
    )


async def probe_attempt(
    attempt: Attempt, configuration: Configuration, seconds: float
) -> tuple[Attempt, choose.Found]:
    """What the provider offers, or why nothing; and the attempt as it is to be kept: its address is
    that of the API."""
    places = [attempt]
    if attempt.address and not service_of(attempt.name).placed:
        names = choose.servers_at(attempt.name, attempt.address)
        places = [
            replace(attempt, name=_name_of(name, at, configuration.settings), address=at)
            for name, at in names
        ]
    failed: list[tuple[Attempt, Failed]] = []
    for place in places:
        found = await choose.asked_for_models(
            place.name, attempt_configuration(place, configuration), seconds
        )
        meant = (
            attempt.name or not service_of(place.name).pulls
        )  # who refuses all that is asked has not said that it is one
        if not isinstance(found, Failed) or (found.kind == "auth" and meant):
            return place, found
        failed.append((place, found))
    if not failed:
        return attempt, Failed(
            "bad_request", f"{attempt.address!r} is not an address", "write it as http://host:port"
        )
    return min(
        failed,
        key=lambda one: (
            service_of(one[0].name).pulls and one[0].name != attempt.name,
            one[1].kind in NOT_THERE,
        ),
    )


def _name_of(name: str, address: str, settings: Settings) -> str:
    """A second server that is known by its address alone gets a name of its own: the first one
    stays."""
    if name != COMPATIBLE.name or settings.providers.get(name, ProviderSettings()).base_url in (
        "",
        address,
    ):
        return name
    known = next(
        (own for own, given in settings.providers.items() if given.base_url == address), ""
    )
    at = urlsplit(address)
    return known or "-".join(re.findall(r"[a-z0-9]+", f"{at.hostname or ''} {at.port or ''}"))


def first_of(name: str, models: tuple[str, ...]) -> str:
    """The model that is proposed: the usual one, else the first that is listed; empty: there is
    none."""
    found = service_of(name).usual_model([model.removeprefix(f"{name}/") for model in models])
    return f"{name}/{found}" if found else ""


def resolve_model(name: str, typed: str) -> str:
    """The model that is meant by what was typed for the provider; empty: that is no name."""
    if not typed or any(map(str.isspace, typed)):
        return ""
    return typed if typed.startswith(f"{name}/") else f"{name}/{typed}"


def keep(
    now: Configuration, attempt: Attempt, model: str, place: KeyPlace, scope: SetupScope
) -> tuple[str, ...]:
    """Keep the address and the key, where they were typed, and the model as the default of `scope`:
    all, or where that cannot be done nothing. A default comes with the address that it needs, if
    the session alone (`now`) knows it. What was done, line by line. Raises Refused, Unusable."""
    store, folder = (
        Store(replace(now, flags=Flags())),
        now.folders.config,
    )  # the next start has other flags
    address = attempt.address or (
        "" if scope == "session" else _known_now_only(store, attempt.name, now.settings)
    )
    undo: list[Callable[[], object]] = []
    said: list[str] = []

    def write(key: str, value: str, project: bool) -> None:
        before = store.own_value(key, project)
        store.write(key, value, project)
        undo.append(lambda: store.put(key, before, project))

    try:
        if address:
            write(f"providers.{attempt.name}.base_url", address, False)
            said.append(f"The address {address} is saved in {store.path().name}.")
        if scope == "session":
            said.append(f"{model} is the model of this session.")
        else:
            write("model", model, scope == "project")
            whose = "in this project" if scope == "project" else "now"
            said.append(f"{model} is your model {whose} ({_place_of(store, scope)}).")
        if attempt.key:
            said.insert(
                0,
                f"The key is saved in {credentials.save(folder, attempt.name, attempt.key, place)}.",
            )
    except (Refused, credentials.Unusable):
        for step in reversed(undo):
            step()
        raise
    return (*said, *_wins(store, attempt, scope))


def _known_now_only(store: Store, name: str, now: Settings) -> str:
    """The address of the provider that the next start would not know; empty: there is none."""
    address, kept = (
        settings.providers.get(name, ProviderSettings()).base_url
        for settings in (now, store.read().settings)
    )
    return "" if address == kept else address


def _place_of(store: Store, scope: SetupScope) -> str:
    return (
        f"{store.path(True).parent.name}/{store.path(True).name}"
        if scope == "project"
        else store.path().name
    )


def _wins(store: Store, attempt: Attempt, scope: SetupScope) -> list[str]:
    """What stands above that which was kept."""
    loaded, said = store.read(), list[str]()
    now = loaded.values.get("model")
    if scope != "session" and now is not None and now.layer != scope:
        said.append(f"But {now.source} overrides it here.")
    above = keys.key_source(attempt.name, store.place.with_settings(loaded.settings))
    if attempt.key and above:
        said.append(f"But the key in {above} overrides it.")
    return said
