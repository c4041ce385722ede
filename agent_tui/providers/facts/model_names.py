"""What is known of hosted models by their names, where no server says it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from agent_tui.providers.services import all_services
from agent_tui.providers.services.base import Known
from agent_tui.structures import late

WINDOW: Final = 128_000
"""Tokens of a window where nothing is known."""
ANSWER: Final = 4_096
"""Tokens of an answer where nothing is known of a hosted model: its server may have a smaller
number, or none."""


def known_of(model: str) -> Known:
    """Of the first family that `model` is of; a router's names have the maker in front."""
    name = model.rpartition("/")[2].lower()
    return next((known for pattern, known in _patterns() if pattern.match(name)), Known())


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Known], ...]:
    each = (service.known or {} for service in all_services().values())
    return tuple((re.compile(name), known) for rows in each for name, known in rows.items())


WEAK: Final = 9.0
"""Billions of parameters up to which a model often errs in nested JSON."""
_SIZE: Final = late.pattern(r"(?<![\d.a-z])(?:(\d+)x)?e?(\d+(?:\.\d+)?)b(?![a-z\d])")
_WEAK: Final = late.pattern(
    r"(gemma-?\d?:latest|gemma3$|llama3\.[12]$|llama3\.2:latest|phi-?[34](\.5)?-?:?mini"
    r"|(tiny|smol)\w*|mistral(:latest)?$)"
)
"""Small models whose names do not say their size."""


def is_weak(model: str) -> bool:
    """Whether nested JSON is too much for a model, by the size in its name (`qwen3:8b`), or by its
    name alone."""
    name = model.rpartition("/")[2].lower()
    sizes = [float(size) * int(times or 1) for times, size in _SIZE.findall(name)]
    return max(sizes) <= WEAK if sizes else _WEAK.match(name) is not None
