"""The models that answer in the place of one that failed: `fallback` of the settings, in order, always announced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent_tui.agent.models import Models
from agent_tui.protocol.events import Event, Notice
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import choose
from agent_tui.providers.base import Failed, FailureKind, Provider

OWN_FAULT: Final[tuple[FailureKind, ...]] = ("overflow", "bad_request")
"""What lies in the request: another model would have the same to say."""


@dataclass(frozen=True, slots=True)
class Other:
    """A model that answers instead."""

    provider: Provider
    info: ModelInfo


class Fallbacks:
    """The models of the chain, each made once, when it is first needed."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._made: dict[str, Other] = {}

    def chain(self, first: str, emit: Callable[[Event], None]) -> Chain:
        """The chain of one turn, which begins with the model `first` again."""
        return Chain(self, [name for name in self._models.config.settings.fallback if name != first], first, emit)

    async def make(self, name: str) -> Other | str:
        """The model `name`; or why it is not there."""
        if name not in self._made:
            choice = await choose.choose(name, self._models.config, self._models.unlock)
            if choice.provider is None:
                return "; ".join(tried.result for tried in choice.tried)
            info = choice.info or ModelInfo(f"{choice.provider.name}/{choice.provider.model}")
            self._made[name] = Other(choice.provider, info)
        return self._made[name]

    async def close(self) -> None:
        made, self._made = self._made, {}
        for other in made.values():
            await other.provider.close()


class Chain:
    """Which models are left in a turn."""

    def __init__(self, fallbacks: Fallbacks, names: list[str], first: str, emit: Callable[[Event], None]) -> None:
        self._fallbacks, self._names, self._emit = fallbacks, names, emit
        self._asked = {first}

    @property
    def more(self) -> bool:
        return bool(self._names)

    async def next(self, failed: Failed) -> Other | None:
        """Who answers now that one `failed`, for the rest of the turn; None: nobody."""
        while self._names and failed.kind not in OWN_FAULT:
            name = self._names.pop(0)
            found = await self._fallbacks.make(name)
            if isinstance(found, Other):
                if found.info.name in self._asked:
                    continue  # the one that failed, under another name of its
                self._asked.add(found.info.name)
                said = f"{failed.text}. In this turn {found.info.name} answers instead."
                self._emit(Notice(said, "warning", "" if failed.may_pass else failed.hint))  # nobody is to try again
                return found
            self._emit(Notice(f"{name} cannot answer instead: {found}", "warning"))
        return None
