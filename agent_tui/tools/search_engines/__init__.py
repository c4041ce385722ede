"""Services that search the web: one file each, which exposes `ENGINE`. The first for which the
person has a key or an address is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agent_tui import registry
from agent_tui.structures.frozen import frozen


@frozen
class Request:
    """What is sent: a body is posted."""

    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@frozen
class Hit:
    title: str
    url: str
    text: str = ""


@frozen
class Engine:
    """`variable` holds its key, or its address. `request` asks it for so many hits for some words;
    `read` finds them in its answer. Raises KeyError, TypeError or AttributeError where that is
    something else."""

    name: str
    rank: int
    variable: str
    request: Callable[[str, str, int], Request]
    read: Callable[[Any], list[Hit]]
    is_own: bool = False
    """The person names its address, which may be in a network of theirs."""


def chosen_engine(environment: Mapping[str, str]) -> Engine | None:
    """The engine for which the environment has what it needs."""
    every = [registry.load(__name__, name, "ENGINE") for name in registry.names(__name__)]
    ready = (one for one in every if environment.get(one.variable, "").strip())
    return min(ready, key=lambda one: one.rank, default=None)
