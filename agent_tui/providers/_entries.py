"""What an entry of a server's list tells of a model. Each server has words of its own, and most have few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agent_tui.providers._translate import count

_WINDOWS: Final = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")


@dataclass(frozen=True, slots=True)
class Told:
    """0 and None: nothing was told."""

    window: int = 0
    tools: bool | None = None
    thinking: bool | None = None
    images: bool | None = None
    chats: bool = True


UNTOLD: Final = Told()


def told(entry: dict[str, Any]) -> Told:
    """Moonshot says it in the entry, Mistral and Azure in `capabilities`, OpenRouter in lists of what a model takes."""
    able, built, meta = (_inner(entry, key) for key in ("capabilities", "architecture", "meta"))
    takes, parameters = built.get("input_modalities"), entry.get("supported_parameters")
    return Told(
        next((n for place in (entry, meta) for name in _WINDOWS if (n := count(place.get(name)))), 0),
        tools=_first(able.get("function_calling"), *_has(parameters, "tools")),
        thinking=_first(entry.get("supports_reasoning"), able.get("reasoning"), *_has(parameters, "reasoning")),
        images=_first(entry.get("supports_image_in"), able.get("vision"), *_has(takes, "image")),
        chats=able.get("completion_chat") is not False and able.get("embeddings") is not True,
    )


def _inner(entry: dict[str, Any], key: str) -> dict[str, Any]:
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def _has(words: Any, word: str) -> Iterator[bool]:
    if isinstance(words, list):
        yield word in words


def _first(*said: Any) -> bool | None:
    return next((one for one in said if isinstance(one, bool)), None)
