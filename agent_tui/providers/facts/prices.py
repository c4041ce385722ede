"""What a model costs: by the person's own prices, else by what its server's list says, else by the
data that comes with the program (`prices.toml`).

A model of one's own machine costs nothing. Of any other that is not listed no price is known, and
none is made up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, Protocol, TypedDict, runtime_checkable

from agent_tui.protocol.messages import Usage
from agent_tui.providers import services
from agent_tui.providers.base import Provider
from agent_tui.providers.wire.http import host_of, is_near
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

FILE: Final = Path(__file__).with_name("prices.toml")
MILLION: Final = 1_000_000
_ELSEWHERE: Final = late.pattern(r"[:-]cloud$")
"""How the names of models end that Ollama passes on."""
_DATED: Final = late.pattern(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest|00\d)$")
"""What may stand behind a model's name without its being another one."""


@frozen
class Price:
    """Dollars for a million tokens. `sure`: it is no guess. `over`: from so large a prompt on, that
    price holds."""

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    cache_write: float | None = None
    sure: bool = False
    over: tuple[int, Price] | None = None

    def cost(self, usage: Usage) -> tuple[float, bool]:
        """Dollars for `usage`, and whether they are an estimate."""
        if self.over is not None and usage.prompt_tokens > self.over[0]:
            return self.over[1].cost(usage)
        read = min(usage.cached_tokens, usage.prompt_tokens)
        written = min(usage.cache_write_tokens, usage.prompt_tokens - read)
        cached = self.input if self.cached is None else self.cached
        write = self.input if self.cache_write is None else self.cache_write
        dollars = (
            (usage.prompt_tokens - read - written) * self.input + read * cached + written * write
        )
        dollars += usage.completion_tokens * self.output
        guessed = usage.estimated or not self.sure or (read > 0 and self.cached is None)
        return round(dollars / MILLION, 8), guessed and dollars > 0


FREE: Final = Price(sure=True)
_TOLD: Final[dict[str, dict[str, Price]]] = {}
"""What servers said since the program began, by their addresses. Never sure: who answers behind one
may charge else."""


@runtime_checkable
class Listing(Protocol):
    """A provider whose list of models says what they cost."""

    async def learn_prices(self) -> None: ...


def was_list_read(address: str) -> bool:
    """Whether the server's list was read."""
    return address in _TOLD


def tell(address: str, entries: Iterable[object]) -> None:
    """Take the prices from a server's list of models, where it has some: dollars for one token, as
    text."""
    _TOLD.setdefault(address, {}).update(
        (entry["id"], price)
        for entry in entries
        if isinstance(entry, dict)
        and isinstance(entry.get("id"), str)
        and (price := _each(entry.get("pricing")))
    )


def _each(given: object) -> Price | None:
    """The price of a model in OpenRouter's terms; None where it has none, or another for every
    request."""
    if not isinstance(given, dict):
        return None
    names = ("prompt", "completion", "input_cache_read", "input_cache_write")
    read, written, cached, kept = (_dollars(given.get(name)) for name in names)
    return None if read is None or written is None else Price(read, written, cached, kept)


def _dollars(text: object) -> float | None:
    """For a million tokens; None for what is no price (-1: it depends)."""
    try:
        each = float(text) if isinstance(text, str | int | float) else -1.0
    except (ValueError, OverflowError):
        return None
    return round(each * MILLION, 6) if 0 <= each < 1 else None


def price_of(provider: Provider, own: Mapping[str, Mapping[str, float]]) -> Price | None:
    """The price of a provider's model; None: not known. `own`: the person's, by
    `<provider>/<model>` or `<provider>/*`."""
    address = getattr(provider, "base_url", "")
    return find_price(
        provider.name, provider.model, address if isinstance(address, str) else "", own
    )


def find_price(
    provider: str, model: str, address: str, own: Mapping[str, Mapping[str, float]]
) -> Price | None:
    given = own.get(f"{provider}/{model}") or own.get(f"{provider}/*")
    if given is not None:
        return parse_price({**given, "sure": True})
    service = services.service_of(provider)
    # A program that runs models itself costs nothing nearby. Another server may only pass on what
    # is asked.
    if service.is_played or (service.near and is_near(address) and not _ELSEWHERE.search(model)):
        return FREE
    if (said := _TOLD.get(address, {}).get(model)) is not None:
        return said
    listed = _listed().get(provider)
    if listed is None or host_of(address) not in listed["hosts"]:
        return None
    models, name = listed["models"], model.removeprefix("models/").lower()
    found = models.get(name) or models.get(_DATED.sub("", name))
    return parse_price(found) if found is not None else None


def parse_price(data: Mapping[str, object]) -> Price:
    over = data.get("over")
    dear = (
        (int(over["tokens"]), parse_price({**over, "sure": data.get("sure", False)}))
        if isinstance(over, Mapping)
        else None
    )
    rates = {name: float(rate) for name, rate in data.items() if isinstance(rate, int | float)}
    read, written, sure = rates["input"], rates["output"], bool(data.get("sure"))
    return Price(read, written, rates.get("cached"), rates.get("cache_write"), sure, dear)


def date() -> str:
    """The day of the prices that come with the program."""
    return _file()[0]


def _listed() -> Mapping[str, _Service]:
    return _file()[1]


class _Service(TypedDict):
    """Where these prices hold, and for which models."""

    hosts: list[str]
    models: dict[str, dict[str, object]]


@cache
def _file() -> tuple[str, Mapping[str, _Service]]:
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return str(data.pop("date")), data
