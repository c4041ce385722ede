"""What is said of the models to choose from beyond what their servers list: prices, and which were used last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_tui.agent import setting_up
from agent_tui.agent.catalogue import sessions_told
from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import _effort_told as effort
from agent_tui.providers import _prices, choose

USED = 10


async def facts(offered: Sequence[ModelInfo], config: EngineConfig) -> dict[str, dict[str, Any]]:
    """Of each model: dollars for a million tokens read and written (None: not known), whether that is sure, and what
    the model can do."""
    addresses: dict[str, str] = {}
    for info in offered:
        if (name := info.name.partition("/")[0]) not in addresses:
            addresses[name] = await _address(info.name, config)
    found: dict[str, dict[str, Any]] = {}
    for info in offered:
        provider, _, model = info.name.partition("/")
        price = _prices.named(provider, model, addresses[provider], config.settings.prices)
        found[info.name] = {
            "price": None if price is None else [price.input, price.output],
            "sure": price is not None and price.sure, "thinking": info.thinking, "images": info.images,
            "efforts": list(effort.cycle(effort.levels(provider, model, info.thinking))),
        }  # fmt: skip
    return found


def unset(config: EngineConfig) -> list[dict[str, str]]:
    """The providers that cannot be asked what they offer, and what each needs before."""
    given = config.settings, config.environment
    return [
        {"name": one.name, "label": one.label, "needs": one.needs, "said": choose.needs(one.name, *given)}
        for one in setting_up.offers(*given)
        if one.needs
    ]


def efforts(info: ModelInfo, config: EngineConfig) -> dict[str, Any]:
    """What each level of effort means to a model, which of them the key goes through, and what it does unasked."""
    provider, _, model = info.name.partition("/")
    found = effort.levels(provider, model, info.thinking)
    known = config.settings.providers.get(provider)
    own = known.options.get("think") if known is not None else None
    auto = "thinks as much as it likes" if own is None else f"as `think` of {provider} says: {own}"
    if len({one.about for one in found}) == 1:  # a script
        auto = found[0].about
    return {
        "model": info.name, "auto": auto, "levels": [{"level": one.name, "about": one.about} for one in found],
        "cycle": list(effort.cycle(found)),
    }  # fmt: skip


async def _address(name: str, config: EngineConfig) -> str:
    try:
        provider = choose.make(name, config.settings, config.environment, config.cwd, config.folders.data)
    except LookupError:
        return ""
    try:
        return str(getattr(provider, "base_url", ""))
    finally:
        await provider.close()


def used(config: EngineConfig) -> list[str]:
    """The models of the newest sessions, the last first."""
    data: list[dict[str, Any]] = sessions_told(config).data
    newest = sorted(data, key=lambda one: -float(one["at"]))
    return list(dict.fromkeys(str(one["model"]) for one in newest if one["model"]))[:USED]
