"""Answers that tell of models: what the servers offer, what a model can, how one is set up or fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from agent_tui.protocol.messages import ModelInfo
from agent_tui.structures.frozen import frozen

ProviderGroup = Literal["ready", "nearby", "service"]
"""There is a key or an address; it may run on this machine; it wants a key."""
Needs = Literal["", "key", "address"]
SetupState = Literal["asking", "starting", "no_key", "answered", "failed", "down", "keeping", "kept"]
PullState = Literal["starting", "pulling", "down", "done", "failed", "stopped"]


@frozen
class Tried:
    """One place that was looked at: `result` is one line that says how it ended and what to do."""

    what: str
    result: str


@frozen
class Offer:
    """A provider to choose: where its key is from, and what must be typed before it can be asked. What came of asking
    it is in `state` (empty: nobody asked; `down`: Ollama, which can be started), the number of its `models`, the
    `kind` of its failure, and what is `said` of it."""

    name: str
    label: str
    group: ProviderGroup = "service"
    key: str = ""
    needs: Needs = ""
    state: Literal["", "looking", "ok", "down", "failed"] = ""
    models: int = 0
    kind: str = ""
    said: str = ""
    placed: bool = False
    """Its address is the person's to say: it runs nearby, or each customer has one."""


@frozen
class ModelFacts:
    """What its server's list does not say of a model: dollars for a million tokens read and written (None: not known),
    whether that is sure, and the levels of effort that differ."""

    price: tuple[float, float] | None = None
    sure: bool = False
    efforts: tuple[str, ...] = ()


@frozen
class Models:
    """The `model` in use (empty: none), what was `offered` and `tried` for it, and the `variables` that keys are read
    from; `aliases` are the person's own names. To a query also `facts` of each model by name, those `used` last, and
    the providers that are `unset`: they cannot be asked what they offer. None: nobody looked."""

    model: str = ""
    offered: tuple[ModelInfo, ...] = ()
    tried: tuple[Tried, ...] = ()
    variables: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, ModelFacts] | None = None
    used: tuple[str, ...] | None = None
    unset: tuple[Offer, ...] | None = None
    type: ClassVar = "models"


@frozen
class EffortLevel:
    """`level` is one of `EFFORTS`, `about` what it comes to."""

    level: str
    about: str


@frozen
class Efforts:
    """What each level of effort means to `model` (none: it cannot be told), which of them the key goes through
    (`cycle`), and what it does unasked (`auto`)."""

    model: str = ""
    auto: str = ""
    levels: tuple[EffortLevel, ...] = ()
    cycle: tuple[str, ...] = ()
    type: ClassVar = "efforts"


@frozen
class SetupOffers:
    """The providers to choose from. `looking`: some are still being asked; `keyring`: a key can be kept there."""

    offers: tuple[Offer, ...] = ()
    looking: bool = False
    keyring: bool = False
    type: ClassVar = "setup"


@frozen
class SetupOutcome:
    """What came of a step: with the `provider`, its `address` where one was typed or found, the names of its `models`
    and which of them is proposed (`first`); `key`: one was typed, which is never told; `kind` is that of a failure.
    `no_key`: what was typed is none; `down`: Ollama would have to be started."""

    state: SetupState
    provider: str = ""
    label: str = ""
    address: str = ""
    key: bool = False
    models: tuple[str, ...] = ()
    first: str = ""
    said: str = ""
    hint: str = ""
    kind: str = ""
    model: str = ""
    type: ClassVar = "setup_step"


@frozen
class PullProgress:
    """How the fetching of `model` goes. `starting`: Ollama is started; `down`: it would have to be. `done` and `total`
    in bytes, `left` in seconds (0: nobody can say), once they are known."""

    model: str
    state: PullState
    percent: int = 0
    said: str = ""
    hint: str = ""
    done: int | None = None
    total: int | None = None
    left: int | None = None
    type: ClassVar = "pull"
