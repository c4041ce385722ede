"""The tools that the model of an agent is offered, from request to request, and how they come on
record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Pool
from typing import Any, Protocol

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.session.record import AgentRecord
from agent_tui.agent.turn import tool_offer, tool_wiring
from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.agent.turn.executor import Executor
from agent_tui.context.prompt import with_tools
from agent_tui.protocol.events import Event, Notice
from agent_tui.protocol.messages import ModelInfo, ToolCall, ToolSpec
from agent_tui.protocol.turn_events import Profile
from agent_tui.providers.base import Provider
from agent_tui.tools.base import Tool, ToolFailure


class Serving(Protocol):
    """What answers an agent's requests now."""

    @property
    def provider(self) -> Provider | None: ...
    @property
    def info(self) -> ModelInfo: ...


class OfferedTools:
    """Those of the agent that `record` is of. `sources`: the person's own tools."""

    def __init__(
        self,
        config: EngineConfig,
        sources: CustomTools,
        pool: Pool,
        record: AgentRecord,
        serving: Serving,
        executor: Executor,
    ) -> None:
        self._config, self._sources, self._pool = config, sources, pool
        self._record, self._serving, self._executor = record, serving, executor
        self._misfits: dict[str, set[str]] = {}
        """The calls of each model with nested edits that did not fit."""
        self._custom = {
            name: tool for name, tool in executor.tools.items() if sources.file_of(name)
        }
        executor.on_misfit = self._note_misfit

    def load(self, group: str) -> tuple[str, ...]:
        """Offer the tools of `group` from the next request on; their names. Raises ToolFailure."""
        offered = {tool.name: tool for tool in self.offered()}
        groups = tool_offer.tool_groups(offered.values())
        if (names := groups.get(group)) is None:
            known = ", ".join(groups) or "none"
            raise ToolFailure("not_found", f"no group of tools {group!r}; there are: {known}")
        history = self._record.history
        there = {spec.name for spec in history.tools}
        new = [offered[name].spec() for name in names if name not in there]
        if new:
            self._tell(self._record.emit, [*history.tools, *new])
        return names

    async def refresh(self, emit: Callable[[Event], None]) -> None:
        """Offer the tools that there are now: those of sources come and go."""
        config, custom, loop_ = self._config, self._sources, asyncio.get_running_loop()
        told = custom.problems
        tools = await loop_.run_in_executor(
            self._pool, tool_wiring.offered_tools, config, (custom,)
        )
        for text in custom.problems:
            if text not in told:
                emit(Notice(text, "warning"))
        history, before = self._record.history, self._custom
        self._custom = {name: tool for name, tool in tools.items() if custom.file_of(name)}
        rest = {name: tool for name, tool in self._executor.tools.items() if name not in before}
        self._executor.tools = dict(sorted({**rest, **self._custom}.items()))
        known = {spec.name for spec in history.tools}
        gone = (before.keys() - self._custom.keys()) & known
        came = [
            tool.spec()
            for name, tool in self._custom.items()
            if not tool.group and (name not in known or tool is not before.get(name))
        ]
        if history.system and (gone or came):
            replaced = gone | {spec.name for spec in came}
            kept = [spec for spec in history.tools if spec.name not in replaced]
            self._tell(emit, [*kept, *came])
        self._fit_to_model(emit)

    def _fit_to_model(self, emit: Callable[[Event], None]) -> None:
        """Another model may have answered before: it was offered other tools."""
        history = self._record.history
        fitting = tool_offer.refit(self.offered(), history.tools)
        if history.system and fitting is not None:
            self._tell(emit, fitting)

    def _tell(self, emit: Callable[[Event], None], specs: Sequence[ToolSpec]) -> None:
        history = self._record.history
        emit(with_tools(history.system, history.parts, specs, history.profile, history.room))

    def offered(self, profile: Profile | None = None) -> tuple[Tool[Any], ...]:
        """The tools as the model is offered them, in its own profile if none is given."""
        settings, model = self._config.settings, self._serving.info.name
        return tool_offer.fit_to_model(
            self._executor.tools,
            model,
            settings.agent.edit_format,
            profile or self.profile,
            len(self._misfits.get(model, ())),
        )

    @property
    def profile(self) -> Profile:
        return tool_offer.profile_of(self._serving.info, self._config.settings.tools.profile)

    def _note_misfit(self, call: ToolCall, arguments: object) -> None:
        """The arguments of a call did not fit: a model that errs in nested edits again and again is
        shown flat ones, from the next request on."""
        if call.name == tool_offer.EDIT and isinstance(arguments, dict) and "edits" in arguments:
            self._misfits.setdefault(self._serving.info.name, set()).add(call.id)
            self._fit_to_model(self._record.emit)

    def loaded(self) -> set[str]:
        """The tools on record that were loaded on demand."""
        history = self._record.history
        grouped = {tool.name for tool in self.offered(history.profile) if tool.group}
        return grouped & {spec.name for spec in history.tools}
