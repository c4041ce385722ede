"""Texts as vectors (embeddings), as the servers of OpenAI's API and Ollama make them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from agent_tui.providers.base import Failed, ProviderError, Vector
from agent_tui.providers.dialects.translate import compact
from agent_tui.providers.wire.http import Wire


async def embed(
    wire: Wire, path: str, model: str, texts: Sequence[str], seconds: float
) -> tuple[Vector, ...]:
    """A vector of length 1 for each of `texts`. Raises ProviderError."""
    asked = compact({"model": model, "input": list(texts)}).encode("utf-8", "replace")
    found = _vectors(await wire.ask(path, seconds, model, asked))
    if len(found) != len(texts) or len({len(one) for one in found}) > 1:
        text = f"{wire.place.server_label} sent no embeddings for {model}"
        raise ProviderError(Failed("malformed", text, "is it an embedding model?"))
    return found


def _vectors(data: object) -> tuple[Vector, ...]:
    """Those in an answer, in the order of the texts; empty where something else is in it."""
    told = data if isinstance(data, dict) else {}
    entries, vectors = told.get("data"), told.get("embeddings")  # OpenAI's answer, and Ollama's
    try:
        if isinstance(entries, list):
            by_place = {one.get("index", n): one["embedding"] for n, one in enumerate(entries)}
            vectors = [by_place[number] for number in range(len(entries))]
        return tuple(map(_unit, vectors)) if isinstance(vectors, list) else ()
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError):
        return ()


def _unit(values: Sequence[float]) -> Vector:
    """Raises TypeError, ValueError where these are no numbers, or all of them are 0."""
    length = math.hypot(*values)
    if not (0 < length < math.inf):
        raise ValueError(length)
    return array("f", (value / length for value in values))
