"""What is said of the models to choose from beyond what their servers list: prices, and which were used last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent_tui.agent import setting_up
from agent_tui.agent.catalogue import sessions
from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.answers import Efforts, ModelFacts, Offer
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import _effort_told as effort
from agent_tui.providers import _prices, choose

USED = 10


async def facts(offered: Sequence[ModelInfo], config: EngineConfig) -> dict[str, ModelFacts]:
    """What is known of each model, by name."""
    addresses: dict[str, str] = {}
    for info in offered:
        if (name := info.name.partition("/")[0]) not in addresses:
            addresses[name] = await _address(info.name, config)
    found: dict[str, ModelFacts] = {}
    for info in offered:
        provider, _, model = info.name.partition("/")
        price = _prices.named(provider, model, addresses[provider], config.settings.prices)
        found[info.name] = ModelFacts(
            None if price is None else (price.input, price.output),
            price is not None and price.sure,
            effort.cycle(effort.levels(provider, model, info.thinking)),
        )
    return found


def unset(config: EngineConfig) -> tuple[Offer, ...]:
    """The providers that cannot be asked what they offer, and what each needs before."""
    offers = setting_up.offers(config)
    return tuple(replace(one, said=choose.needs(one.name, config)) for one in offers if one.needs)


def efforts(info: ModelInfo, config: EngineConfig) -> Efforts:
    """What each level of effort means to a model, which of them the key goes through, and what it does unasked."""
    provider, _, model = info.name.partition("/")
    found = effort.levels(provider, model, info.thinking)
    known = config.settings.providers.get(provider)
    own = known.options.get("think") if known is not None else None
    auto = "thinks by its own default" if own is None else f"as `think` of {provider} says: {own}"
    if len({one.shown.about for one in found}) == 1:  # a script
        auto = found[0].shown.about
    return Efforts(info.name, auto, tuple(one.shown for one in found), effort.cycle(found))


async def _address(name: str, config: EngineConfig) -> str:
    try:
        provider = choose.make(name, config)
    except LookupError:
        return ""
    try:
        return str(getattr(provider, "base_url", ""))
    finally:
        await provider.close()


def used(config: EngineConfig) -> tuple[str, ...]:
    """The models of the newest sessions, the last first."""
    newest = sorted(sessions(config).sessions, key=lambda one: -one.at)
    return tuple(dict.fromkeys(one.model for one in newest if one.model))[:USED]
