"""Which model a session runs on: chosen at the start, changed by the person, told as events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_tui.agent import offers
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.record import Record
from agent_tui.agent.stored_keys import Fresh
from agent_tui.protocol.events import Answered, ErrorRaised, ModelChanged, Notice
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import choose
from agent_tui.providers.base import Provider
from agent_tui.settings import Settings

WAYS = "/models lists what there is, /setup sets up a provider"
NO_TOOLS = "This model does not say that it can call tools: it may only be able to talk."


class Models:
    """The provider in use, and how to get another."""

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.provider: Provider | None = None
        self.info = ModelInfo("")
        self.tried: tuple[choose.Tried, ...] = ()
        self.offered: tuple[str, ...] = ()
        """What the servers had when they were asked last."""
        self.fresh: Fresh | None = None
        """The configuration with the keys that are stored now: one may have been kept meanwhile."""
        self._missed: dict[str, bool] = {}
        """What was wrong with the stored keys, and whether the person was told."""

    @property
    def _world(self) -> tuple[Mapping[str, str], Path, Path]:
        return self.config.environment, self.config.cwd, self.config.folders.data

    async def first(self, wanted: str) -> choose.Choice:
        """The model to start with: the one that is wanted, else what is there."""
        choice = await choose.choose(wanted, self.config.settings, *self._world, self.unlock)
        await self._take(choice)
        return choice

    async def unlock(self, names: Iterable[str] | None = None) -> Settings:
        """The settings with the stored keys of the providers `names`; None: of all."""
        if (fresh := self.fresh) is not None:
            config, missed = await fresh(names)
            self._missed = dict.fromkeys(missed, False) | self._missed
            if fresh is self.fresh:  # else a provider was set up meanwhile
                self.config = config
        return self.config.settings

    def tell_missed(self, record: Record) -> None:
        """What was wrong with the stored keys, once."""
        for line in [line for line, told in self._missed.items() if not told]:
            self._missed[line] = True
            record.emit(Notice(line, "warning"))

    async def change(self, record: Record, name: str, base_url: str) -> None:
        """Change to `name`, to what answers at `base_url`, or (neither given) look again. A failure changes nothing."""
        before = self.info.name
        if base_url:
            choice = await choose.connect(base_url, await self.unlock(("compatible", "ollama")), *self._world)
        else:
            choice = await choose.choose(name, self.config.settings, *self._world, self.unlock)
        self.tell_missed(record)
        if choice.provider is None:
            self.tried = choice.tried
            record.emit(self.told("start"))
            if before and (name or base_url):  # without a model, the screen that `told` brings up says it
                said = "; ".join(f"{tried.what}: {tried.result}" for tried in choice.tried)
                record.emit(ErrorRaised(f"No model: {said}", "unknown_model", WAYS))
            return
        if base_url:
            record.emit(Notice(self._keep(choice.provider, base_url)))
        await self.adopt(record, choice if base_url else choice.noted(self._unlisted(choice)))

    def _unlisted(self, choice: choose.Choice) -> str:
        """Said of a hosted model that its server did not offer when it was asked; one nearby, and any Ollama, is
        asked with each choice."""
        if choice.info is None or choice.provider is None or choice.provider.name == "ollama":
            return ""
        if choose.is_near(str(getattr(choice.provider, "base_url", ""))):
            return ""
        head = f"{choice.provider.name}/"
        return choose.unlisted(choice.info.name, [name for name in self.offered if name.startswith(head)])

    async def adopt(self, record: Record, choice: choose.Choice) -> None:
        """The session runs on what was chosen, from the next request on."""
        before = self.info.name
        await self._take(choice)
        if self.info.name != before:
            record.emit(ModelChanged(self.info.name, self.info.window, self.info.window_assumed))
            self.tell_efforts(record)
            if self.info.note:
                record.emit(Notice(self.info.note))
            if self.info.tools is False:
                record.emit(Notice(NO_TOOLS, "warning"))
        if self.provider is not None:
            await self.provider.prepare()

    async def offer(self, record: Record, id: str) -> None:
        """Answer the query for what each server has."""
        offered, self.tried = await choose.offered(await self.unlock(), *self._world)
        self.tell_missed(record)
        self.offered = tuple(one.name for one in offered)
        told = self.told(id, offered)
        more = {"facts": await offers.facts(offered, self.config), "used": offers.used(self.config)}
        record.emit(replace(told, data={**told.data, **more, "unset": offers.unset(self.config)}))

    def tell_efforts(self, record: Record) -> None:
        """How hard the model can be asked to think: the screen has to know it before a key is pressed."""
        if self.info.name:
            record.emit(Answered(id="start", kind="efforts", data=offers.efforts(self.info, self.config)))

    def told(self, id: str, offered: tuple[ModelInfo, ...] = ()) -> Answered:
        return Answered(
            id=id,
            kind="models",
            data={
                "model": self.info.name,
                "offered": [_told(one) for one in offered],
                "tried": [{"what": tried.what, "result": tried.result} for tried in self.tried],
                "variables": list(choose.KEY_VARIABLES),
                "aliases": dict(self.config.settings.aliases),
            },
        )

    def _keep(self, provider: Provider, base_url: str) -> str:
        """How an address that was typed is there at the next start too."""
        address, file = getattr(provider, "base_url", base_url), self.config.folders.config / "config.toml"
        return (
            f"The next start does not know this address. To keep it, choose it in /setup, or write into {file}:\n"
            f'[providers.{provider.name}]\nbase_url = "{address}"'
        )

    async def close(self) -> None:
        if self.provider is not None:
            await self.provider.close()

    async def _take(self, choice: choose.Choice) -> None:
        self.tried = choice.tried
        if choice.provider is None:
            return
        old, self.provider = self.provider, choice.provider
        self.info = choice.info or ModelInfo(f"{choice.provider.name}/{choice.provider.model}")
        if old is not None:
            await old.close()


def _told(model: ModelInfo) -> dict[str, Any]:
    """One of a list. `room`: what is used of a window that could be larger."""
    less = {"room": model.window} if 0 < model.window < model.window_max else {}
    window = model.window_max or model.window
    return {"name": model.name, "window": window, **less, "tools": model.tools, "where": model.where}
