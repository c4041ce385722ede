"""What a model's server says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import Provider, ProviderError
from agent_tui.providers.dialects.translate import count
from agent_tui.providers.services import service_of
from agent_tui.providers.wire.http import is_near
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_EDITION: Final = late.pattern(r"([-:@](latest|\d{4}.*|\d{3}))?")
"""What a list may have behind a name that means the same model without it."""


def describe_unlisted(name: str, names: Collection[str]) -> str:
    """Said of a model that is not among the `names` of its server's list; empty: it is, or there is
    no such list (Azure's has what could be deployed). The model is taken all the same: not every
    list is whole."""
    if not names or service_of(name.partition("/")[0]).placed:
        return ""
    if any(one.startswith(name) and _EDITION.fullmatch(one[len(name) :]) for one in names):
        return ""
    near = get_close_matches(name, names, n=1)
    there = f": the closest name is {near[0]}." if near else "; /models lists the models."
    return f"{name} is not on its server's list{there}"


async def complete_from_list(provider: Provider, base_url: str, known: ModelInfo) -> ModelInfo:
    """`known`, or of a server nearby what its list says, and that it is not on it; a hosted one is
    not asked before the first prompt. Raises ProviderError where nobody listens or the key is
    refused."""
    if not is_near(base_url):
        return known
    try:
        offered = await provider.models()
    except ProviderError as error:
        if error.failed.kind in ("unreachable", "timeout", "auth"):
            raise
        return known  # it has no list: that is no reason not to try
    note = describe_unlisted(known.name, [info.name for info in offered])
    return next((info for info in offered if info.name == known.name), replace(known, note=note))


_WINDOWS: Final = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx",
)


@frozen
class Told:
    """0 and None: nothing was told."""

    window: int = 0
    tools: bool | None = None
    thinking: bool | None = None
    images: bool | None = None
    chats: bool = True


UNTOLD: Final = Told()


def entry_facts(entry: dict[str, object]) -> Told:
    """Moonshot says it in the entry, Mistral and Azure in `capabilities`, OpenRouter in lists of
    what a model takes."""
    able, built, meta = (_inner(entry, key) for key in ("capabilities", "architecture", "meta"))
    takes, parameters = built.get("input_modalities"), entry.get("supported_parameters")
    return Told(
        next(
            (n for place in (entry, meta) for name in _WINDOWS if (n := count(place.get(name)))), 0
        ),
        tools=_first(able.get("function_calling"), *_has(parameters, "tools")),
        thinking=_first(
            entry.get("supports_reasoning"), able.get("reasoning"), *_has(parameters, "reasoning")
        ),
        images=_first(entry.get("supports_image_in"), able.get("vision"), *_has(takes, "image")),
        chats=able.get("completion_chat") is not False and able.get("embeddings") is not True,
    )


def _inner(entry: dict[str, object], key: str) -> dict[str, object]:
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def _has(words: object, word: str) -> Iterator[bool]:
    if isinstance(words, list):
        yield word in words


def _first(*said: object) -> bool | None:
    return next((one for one in said if isinstance(one, bool)), None)
