"""What the worker hosts: a session at work, or one that is read along while another program works
at it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor as Pool
from dataclasses import replace
from logging import Logger
from typing import Protocol

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.opening import open_agent
from agent_tui.agent.session.agent import Agent
from agent_tui.agent.session.following import Reader
from agent_tui.agent.session.record import Sink
from agent_tui.agent.session.sinks import Sinks
from agent_tui.protocol.events import Directory, Event
from agent_tui.protocol.ops import Op
from agent_tui.sessions.log.fork import fork
from agent_tui.settings.table import ProviderSettings
from agent_tui.temporary import PrivateFolder


class Hosted(Protocol):
    """One session, as the worker holds it."""

    reads: bool
    """It is only read along."""

    @property
    def session(self) -> str: ...
    @property
    def run(self) -> str:
        """What its new records are stamped with; empty where it makes none."""
        ...

    @property
    def is_behind(self) -> bool:
        """Its log has not all records that were told."""
        ...

    @property
    def busy(self) -> bool:
        """Something runs that another session must not end."""
        ...

    @property
    def model_and_mode(self) -> tuple[str, str]:
        """Its model and mode; empty where there is none."""
        ...

    @property
    def providers(self) -> Mapping[str, ProviderSettings]:
        """The servers that it knows: one may have been set up since the start."""
        ...

    @property
    def directories(self) -> tuple[Directory, ...]:
        """The folders beside its own that it works in."""
        ...

    def handle(self, op: Op) -> None: ...
    def say(self, event: Event) -> None: ...
    async def end(self) -> None:
        """It is left in order."""
        ...


class AtWork:
    """A session that this program works at. `scratch`: the folder of one that is off the record."""

    reads = False

    def __init__(self, agent: Agent, scratch: PrivateFolder | None) -> None:
        self.agent, self._scratch = agent, scratch

    @property
    def session(self) -> str:
        return self.agent.record.session

    @property
    def run(self) -> str:
        return self.agent.record.run

    @property
    def is_behind(self) -> bool:
        return self.agent.record.store.is_behind

    @property
    def busy(self) -> bool:
        return self.agent.turns.busy or self.agent.undo.busy

    @property
    def model_and_mode(self) -> tuple[str, str]:
        return self.agent.models.info.name, self.agent.record.standing.mode

    @property
    def providers(self) -> Mapping[str, ProviderSettings]:
        return self.agent.models.config.settings.providers

    @property
    def directories(self) -> tuple[Directory, ...]:
        return self.agent.record.standing.directories

    def handle(self, op: Op) -> None:
        self.agent.handle(op)

    def say(self, event: Event) -> None:
        self.agent.record.emit(event)

    async def end(self) -> None:
        await self.agent.undo.close()
        await self.agent.close()
        if (watch := self.agent.turns.executor.watch) is not None:
            await watch.close()
        self.agent.record.close()
        if self._scratch is not None:
            self._scratch.cleanup()


async def open_hosted(
    config: EngineConfig, tell: Sink, pool: Pool, log: Logger, sinks: Sinks
) -> Hosted:
    """Open the session that `config` names, as it says. Raises SessionLocked, OSError."""
    if config.resume and config.how == "read":
        return await Reader.open(config, tell, pool)
    if config.resume and config.how == "fork":
        folder, session = config.folders.sessions, config.resume
        own = await asyncio.get_running_loop().run_in_executor(pool, fork, folder, session)
        config = replace(config, resume=own)
    scratch = None
    if config.otr:
        scratch = PrivateFolder(config.environment.get("XDG_RUNTIME_DIR", ""))
        config = replace(config, scratch=scratch.path)
    try:
        return AtWork(await open_agent(config, tell, pool, log, sinks), scratch)
    except BaseException:
        if scratch is not None:
            scratch.cleanup()
        raise
