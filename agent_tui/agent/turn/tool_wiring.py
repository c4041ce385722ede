"""Puts a session's tools together: the registry's tools, the workplace they act in, and the
executor over both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from logging import Logger
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agent_tui import registry
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.memory import OFF
from agent_tui.agent.services.repo_maps import RepoMaps
from agent_tui.agent.session.changes import Changes
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.edit_hooks import Hooks
from agent_tui.agent.turn.executor import Executor
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.tool_offer import LOADER, MEMORY
from agent_tui.agent.turn.workplace import NO_LIMIT, SkillLoader, Workplace
from agent_tui.protocol.events import ApprovalAsked, Event, QuestionAsked
from agent_tui.protocol.ops import Answer
from agent_tui.safety.folder_rules import FolderRules
from agent_tui.safety.permissions import own_rules
from agent_tui.safety.process.environment import child_environment
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.safety.secrets.hidden_values import HiddenValues
from agent_tui.sessions.index.manage import SNAPSHOT
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.settings.table import AgentSettings
from agent_tui.tools.base import MemoryStore, Tool, ToolSource


def enabled_tools(
    names: tuple[str, ...],
    environment: Mapping[str, str] = MappingProxyType({}),
    more: Iterable[Tool[Any]] = (),
) -> dict[str, Tool[Any]]:
    """The registered tools and `more` that have what they need, or those of them that the settings
    name."""
    found: list[Tool[Any]] = [
        registry.load("agent_tui.tools", name, "TOOL") for name in registry.names("agent_tui.tools")
    ]
    offered = {
        tool.name: tool
        for tool in sorted((*found, *more), key=lambda t: t.name)
        if (not names or tool.name in names)
        and (tool.is_offered is None or tool.is_offered(environment))
    }
    if not any(tool.group for tool in offered.values()):
        offered.pop(LOADER, None)
    return offered


def offered_tools(config: EngineConfig, sources: Iterable[ToolSource]) -> dict[str, Tool[Any]]:
    """All that the model may be offered now. Reads files, and may run them."""
    more = [tool for source in sources for tool in source.list()]
    found = enabled_tools(config.settings.tools.enabled, config.environment, more)
    if config.settings.agent.memory != OFF:
        return found
    return {name: tool for name, tool in found.items() if tool.group != MEMORY}


def runs_parallel(settings: AgentSettings) -> bool:
    """Whether calls that only read run at the same time."""
    if settings.tool_dispatcher == "auto":
        return settings.parallel_tools
    return settings.tool_dispatcher == "parallel"


def scrubber(
    config: EngineConfig, formats: bool = False, hidden: HiddenValues | None = None
) -> secrets.Scrubber:
    """Knows the program's own keys: from the environment, from the settings, and those that are
    stored. `formats`: it hides what looks like anybody's as well, and `hidden` remembers that."""
    configured = tuple(p.api_key for p in config.settings.providers.values() if p.api_key)
    own = (*secrets.known_secrets(config.environment), *configured, *config.secrets)
    if hidden is not None:
        hidden.never_show(own)
    return secrets.Scrubber(own, formats, hidden)


def build(
    config: EngineConfig,
    session: str,
    skills: LoadedSkills,
    roots: Callable[[], tuple[Path, ...]],
    emit: Callable[[Event], None],
    known: Callable[[], frozenset[str]],
    mode: Callable[[], str],
    ask: Callable[[ApprovalAsked | QuestionAsked], asyncio.Future[Answer]] | None,
    new_id: Callable[[], str],
    pool: Pool,
    log: Logger,
    sealed: Callable[[], str] = lambda: "",
    watch: Watch | None = None,
    changing: asyncio.Lock | None = None,
    jobs: Jobs | None = None,
    load_tools: Callable[[str], Sequence[str]] = lambda _: (),
    sources: Sequence[ToolSource] = (),
    set_mode: Callable[[str], None] = lambda _: None,
    is_sent: Callable[[str, str], bool] = lambda *_: False,
    past_result: Callable[[str], str | None] = lambda _: None,
    has_room: Callable[[], int] = lambda: NO_LIMIT,
    hooks: Hooks | None = None,
    load_skill: SkillLoader | None = None,
    memory: MemoryStore | None = None,
) -> Executor:
    """The executor of an agent."""
    jobs = jobs or Jobs(emit)
    workplace = replace(
        _workplace(config, session, skills, roots, emit, pool, log, jobs, load_tools),
        ask=ask,
        mode=mode,
        set_mode=set_mode,
        is_sent=is_sent,
        past_result=past_result,
        has_room=has_room,
        load_skill=load_skill,
        memory=memory,
    )
    tools = offered_tools(config, sources)
    parallel = runs_parallel(config.settings.agent)
    executor = Executor(
        tools,
        known,
        workplace,
        workplace.scrub,
        mode,
        ask,
        new_id,
        parallel,
        sealed,
        watch,
        changing,
        hooks,
    )
    return _give_rules(executor, config)


def _workplace(
    config: EngineConfig,
    session: str,
    skills: LoadedSkills,
    roots: Callable[[], tuple[Path, ...]],
    emit: Callable[[Event], None],
    pool: Pool,
    log: Logger,
    jobs: Jobs,
    load_tools: Callable[[str], Sequence[str]],
) -> Workplace:
    hidden = HiddenValues()
    secret = scrubber(config, True, hidden)
    spool = config.outputs / session

    def off_loop(work: Callable[[], Any]) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(pool, work)

    found = None if config.otr else config.folders.data / "sandbox"
    return Workplace(
        all_roots=lambda: (*roots(), spool),
        environment=child_environment(config.environment, config.settings.tools.pass_env),
        keys=config.environment,
        command_timeout=config.settings.tools.command_timeout,
        command_memory=config.settings.tools.command_memory * 1_000_000,
        output_limit=config.settings.tools.max_output_chars,
        spool=spool,
        emit=emit,
        scrub=secret.scrub,
        scrub_secret_file=partial(secret.scrub, of_secrets=True),
        scrub_known=secret.scrub_known,
        scrub_stream=secret.stream,
        jobs=jobs,
        learn=secret.learn,
        hidden=hidden,
        checkpoint=lambda content, sha: Blobs(config.blobs).put(content, sha=sha),
        own=config.folders.own,
        histories=Histories(config.contents / "repositories"),
        sandbox_support=partial(sandbox_support.support, found),
        workspace_support=partial(
            sandbox_support.workspace_support, config.settings.sandbox.mode, found
        ),
        skills=lambda: skills.skills.list(),
        load_tools=load_tools,
        off_loop=off_loop,
        log=log,
        maps=RepoMaps(config, log),
    )


def _give_rules(executor: Executor, config: EngineConfig) -> Executor:
    """The person's own rules, and, unless nothing may be kept, those for this folder."""
    executor.approvals.permissions = own_rules(config.settings.permissions)
    executor.rate_limits = config.settings.rate_limits
    if not config.otr:
        executor.approvals.kept = FolderRules(config.folders.data, str(config.cwd))
    return executor


def watch_of(config: EngineConfig, session: str, changes: Changes, pool: Pool) -> Watch:
    """What looks around the commands of a session."""
    copy = config.folders.sessions / f"{session}{SNAPSHOT}"
    blobs = Blobs(config.blobs)
    return Watch(config.cwd, blobs, lambda: changes.paths, pool, copy, lambda: changes.all)
