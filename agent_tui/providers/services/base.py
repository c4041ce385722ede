"""A provider's declaration. Models come and go: names of them were compared with the makers' pages
on 2026-11-22."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from agent_tui.settings.values import Setting
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vocabulary import EFFORTS

THREE: Final = ("low", "medium", "high")
"""The levels of thinking that everybody with levels knows."""
Fields = Mapping[str, object]
"""A part of a request."""
Words = Callable[[str], Fields]
"""What a request says for one of `EFFORTS`."""


@frozen
class Quirks:
    """How a server differs from OpenAI's own.

    `typed`: every schema must have a type; `worded`: no message may be empty; `spoken`: words of a
    person never follow
    a result directly; `turns`: messages of a person that follow each other are one; `short_ids`:
    ids of calls are nine
    letters and digits; `usage_asked`: it knows `stream_options`; `think_tags`: thoughts may stand
    in the text.
    """

    typed: bool = False
    worded: bool = False
    spoken: bool = False
    turns: bool = False
    short_ids: bool = False
    usage_asked: bool = True
    think_tags: bool = True


PLAIN: Final = Quirks()


@frozen
class Known:
    """What is known of a family of models by their names, where no server says it. 0 and None: it
    is not."""

    window: int = 0
    images: bool | None = None
    patches: bool = False
    """They were trained on the format of `apply_patch`."""


@frozen
class Service:
    """A provider, as it is known before anybody asks it.

    `role`: a `service` is asked once it has a key or an address, what is `found` by other means,
    and `played` is a
    script in place of a model. Of the variables the first that is set counts. `prefixes` begin the
    names of its
    models, `short` is what people call it. Where no model is named the newest of `families` is
    taken that the service
    lists (patterns of names, the version a group), else `model`, else the first that is listed.
    """

    name: str
    label: str
    dialect: str
    """The module of `agent_tui/providers` that speaks to it."""
    keys: tuple[str, ...] = ()
    """Variables with its key."""
    urls: tuple[str, ...] = ()
    """Variables with its address."""
    versions: tuple[str, ...] = ()
    """Variables with the version of its API."""
    prefixes: tuple[str, ...] = ()
    model: str = ""
    base_url: str = ""
    families: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    role: Literal["service", "found", "played"] = "service"
    near: bool = False
    """People run it on their own machine: it needs no key and costs nothing there."""
    placed: bool = False
    """It has no address of its own: each customer has one."""
    pulls: bool = False
    """A program of this machine that downloads its models, and that we can start."""
    told_prices: bool = False
    """Its list of models says what they cost."""
    quirks: Quirks = PLAIN
    effort: Mapping[str, Words] | None = None
    """Which of its models can be told how hard to think (patterns of names), and in which words."""
    wants_thoughts: tuple[str, ...] = ()
    """Its models (patterns of names) that refuse an answer in a history without what was thought
    for it."""
    known: Mapping[str, Known] | None = None
    """Its makers' models, by patterns of names: the first that fits counts, wherever one is served.
    """
    speaks: str = "Chat Completions"
    """What its API is called."""
    usual: str = "the first listed"
    """Which model is taken where neither `families` nor `model` names one."""
    gen_ai: str = ""
    """What OpenTelemetry's conventions call it, where that is something else."""
    common: tuple[str, ...] = ("base_url", "api_key")
    """What it uses of the settings that all providers have."""
    options: Mapping[str, Setting] | None = None
    """Its other settings, as they are listed; None: those of any server, not listed."""
    rank: int = 40
    """Its place among all."""

    @property
    def is_played(self) -> bool:
        return self.role == "played"

    @property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """Which variables set which of its settings."""
        return {"api_key": self.keys, "base_url": self.urls, "api_version": self.versions}

    def key(self, environment: Mapping[str, str]) -> str:
        return _first(self.keys, environment)

    def url(self, environment: Mapping[str, str]) -> str:
        return _first(self.urls, environment)

    def version(self, environment: Mapping[str, str]) -> str:
        return _first(self.versions, environment)

    def usual_model(self, listed: Sequence[str]) -> str:
        """The model where none is named, given the names that the service lists."""
        for family in self.families:
            found = {
                name: match for name in listed if (match := re.fullmatch(family, name)) is not None
            }
            if found:
                return max(
                    found,
                    key=lambda name: [
                        int(n) for one in found[name].groups() for n in one.split(".")
                    ],
                )
        return self.model if self.model in listed or not listed else listed[0]


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    return next((value for name in names if (value := environment.get(name, "").strip())), "")


def nearest_level(wanted: str, levels: tuple[str, ...]) -> str:
    """The level of `levels` that is nearest to what is `wanted`; the lower of two."""
    place = EFFORTS.index(wanted)
    return min(levels, key=lambda level: (abs(EFFORTS.index(level) - place), EFFORTS.index(level)))
