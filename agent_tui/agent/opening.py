"""Opens a session: a new one, or one from its log, recovered. Ends with an agent that is ready for
Ops."""

from __future__ import annotations

import asyncio
import platform
import time
import uuid
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from logging import Logger
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.kept_jobs import kept_jobs
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.stored_keys import key_refresher
from agent_tui.agent.services.trust import describe_untrusted, load_skills
from agent_tui.agent.session import change_recovery, directories, recovery
from agent_tui.agent.session.agent import Agent
from agent_tui.agent.session.observer import Observer
from agent_tui.agent.session.record import Record, Sink, still_allowed
from agent_tui.agent.session.sinks import Sinks
from agent_tui.agent.turn import sandbox_words
from agent_tui.agent.turn.tool_wiring import scrubber
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.events import EffortChanged, Event, Notice, Restored, SessionStarted, fold
from agent_tui.protocol.transcript import Level
from agent_tui.providers.wire import log as wire_log
from agent_tui.safety.git import explain_git_trouble
from agent_tui.safety.permissions import own_rules
from agent_tui.safety.process import environment
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.histories import UNREADABLE, explain_unreadable
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.sessions.log.store import Store

UNASKED: Final = "accept-all"
"""The mode in which commands run without a question."""
LIBRARIES: Final = ("agent-tui", "textual", "rich", "pygments", "markdown-it-py")
"""What the look of a session depends on: with other versions a replay may come to other frames."""


async def open_agent(
    config: EngineConfig, tell: Sink, pool: Pool, log: Logger, sinks: Sinks
) -> Agent:
    """The agent of the session that `config` names. Raises SessionLocked, FileNotFoundError."""
    record, said = _record(config, tell)
    environment.hide_secrets()
    wire = _wire(config, record.session)
    hide = scrubber(config, formats=True).scrub
    skills = load_skills(config, hide)
    models = Models(config)
    models.refreshing = lambda config: key_refresher(
        config, pool, lambda _: None
    )  # nobody has to learn of them yet
    models.configure(config)
    before = record.standing
    wanted = config.settings.model if config.model_given or not before.model else before.model
    await models.first_choice(wanted)
    config = models.config
    agent = Agent(config, record, models, skills, pool, log)
    told = sinks if sinks.is_wanted and not config.otr else None
    Observer(record, log, told, agent.turns.executor.scrub, config.settings.telemetry.content)
    models.refreshing = lambda config: key_refresher(
        config, pool, agent.turns.executor.workplace.learn_own
    )
    models.configure(config)
    mode = _start_mode(config, before.mode)
    record.emit(
        SessionStarted(
            cwd=str(config.cwd),
            model=models.info.name,
            mode=mode,
            window=models.info.window,
            versions={
                "python": platform.python_version(),
                **{name: version(name) for name in LIBRARIES},
            },
            config=config.settings.snapshot(),
            resumed=bool(config.resume),
            otr=config.otr,
            window_assumed=models.info.window_assumed,
        )
    )
    if (effort := config.settings.agent.effort) and not config.resume:
        record.emit(EffortChanged(effort))
    if config.resume and not before.mode:
        own = f"{mode}, {models.info.name or 'none yet'}"
        begins = (
            f"This session was imported: it begins in your own mode and with your own model ({own})"
        )
        record.emit(Notice(f"{begins}; nothing in it is approved."))
    if config.resume and before.mode != mode and before.mode == UNASKED:
        way = f"/mode {UNASKED}" if config.interactive else f"--mode {UNASKED}"
        why = f"The mode is {mode} now: {UNASKED} must be chosen again at each start, with {way}"
        record.emit(Notice(why, "warning"))
    if before.allowed:
        record.emit(Notice(still_allowed(before.allowed)))
    try:
        agent.turns.jobs.adopt(config.settings.tools.max_output_chars)
    except OSError as error:
        said = (*said, f"Jobs that were kept cannot be listed: {error}")
    if config.resume and (watch := agent.turns.executor.watch) is not None:
        watch.recover(agent.turns.executor.workplace)
    for event in await directories.check_directories(config, record, pool):
        record.emit(event)
    problems = (*map(str, config.problems), *skills.skills.problems, *agent.turns.custom.problems)
    for text in (*said, *problems):
        record.emit(Notice(text, "warning"))
    if (trouble := explain_git_trouble(config.cwd)) and not config.resume:
        record.emit(Notice(f"Git: {trouble}."))
    models.tell_missed(record)
    for name in config.settings.tools.enabled:
        if name not in agent.turns.executor.tools:
            record.emit(Notice(f"tools.enabled: there is no tool {name!r}", "warning"))
    if mode == UNASKED:
        agent.turns.spawn(agent.turns.executor.find_sandbox())
    elif problem := sandbox_support.explain_mode(config.settings.sandbox.mode):
        record.emit(Notice(f"There is no sandbox for accept-all mode: {problem}", "warning"))
    if wire is not None:
        record.emit(wire)
    if models.info.note and not config.resume:
        record.emit(Notice(models.info.note))
    if not config.otr:
        agent.turns.spawn(_tidied(config, record, pool, log))
    record.emit(models.answer_query("start"))
    models.tell_efforts(record)
    agent.tell_skills("start")
    log.info("session %s model %s", record.session, models.info.name)
    for lost in await _recover_history(agent.turns.executor.workplace):
        record.emit(Notice(lost, "warning"))
    await agent.judge_left_jobs()
    gate = await agent.trust.look()
    if config.interactive and not (config.asks and gate.is_new):
        agent.trust.tell_nothing_asked(gate)
    if gate.left_out and not (config.asks and config.interactive):
        record.emit(Notice(describe_untrusted(gate), "warning"))
    elif gate.is_new:
        agent.confirmations.ask_about_trust(suggests=not before.model)
    elif config.suggestion is not None and not before.model:
        agent.confirmations.suggest_model(config.suggestion)
    agent.turns.spawn(agent.turns.memory.look_again(record.emit))
    if models.provider is not None:
        agent.turns.spawn(models.provider.prepare())
    return agent


def _start_mode(config: EngineConfig, before: str) -> str:
    """The mode that the session begins in; `before`: the one in which it was left, empty for one
    that was imported. No log switches all questions off: who asks for that says so at each start,
    by a flag or in the settings."""
    kept = bool(config.resume) and not config.mode_given and before not in ("", UNASKED)
    limits = own_rules(config.settings.permissions).limits
    return limits.bound_mode(before if kept else config.settings.mode)


def _wire(config: EngineConfig, session: str) -> Notice | None:
    """Begin the log of the wire, where it is wanted; what is said of it."""
    wire_log.end()  # that of another session
    if not config.debug_wire or config.otr:
        return None
    path = config.folders.logs / f"wire-{session}.jsonl"
    try:
        wire_log.begin(path, scrubber(config))
    except OSError as error:
        return Notice(
            f"The traffic log cannot be written: {path}: {error.strerror or error}", "warning"
        )
    level: Level = (
        "info" if config.interactive else "warning"
    )  # without a screen nothing less is said
    return Notice(f"All traffic with model servers is written to {path}, without keys.", level)


async def _recover_history(place: Workplace) -> tuple[str, ...]:
    """Put back what a command deleted of the history of git before the program was killed; what is
    said of it, and of histories that are gone."""
    aside = place.spool / f"{uuid.uuid4().hex[:8]}.put-back"
    try:
        found = await place.off_loop(lambda: place.histories.recover(place.roots, aside))
        gone = await place.off_loop(lambda: place.histories.find_gone(place.roots))
    except UNREADABLE as error:
        said = sandbox_words.HISTORY_UNSEEN.format(explain_unreadable(error))
        return (sandbox_words.capitalize(said),)
    back = sandbox_words.capitalize(sandbox_words.describe_lost(found, str))
    return (*filter(None, (back,)), *(sandbox_words.describe_gone(*one) for one in gone))


async def _tidied(config: EngineConfig, record: Record, pool: Pool, log: Logger) -> None:
    """Contents that nobody needs any more go; those of this session stay."""
    blobs, limits = Blobs(config.blobs), config.settings.sessions
    own = {change.before for change in record.changes.all} | {
        image.blob
        for message in record.history.messages
        for image in getattr(message, "images", ())
    }

    def work() -> tuple[int, int]:
        blobs.touch(own - {""})
        return blobs.prune(limits.blobs_mb * 1_000_000, limits.blobs_days, time.time())

    count, size = await asyncio.get_running_loop().run_in_executor(pool, work)
    if count:
        log.info(
            "%d contents dropped, %d bytes: older or more than the settings allow", count, size
        )


def _record(config: EngineConfig, tell: Sink) -> tuple[Record, tuple[str, ...]]:
    """The record of the session, and what there is to say about how it was found."""
    folder = config.folders.sessions
    if not config.resume:
        session = str(uuid.uuid4())
        return Record(session, Store.create(folder, session, kept=not config.otr), tell), ()
    opened = Store.open(folder, config.resume)
    record = Record(config.resume, opened.store, _silent)
    record.replay(opened.events)
    seen = fold(opened.events)
    told: list[Event] = []
    record.tell = lambda event: told.append(event) if not isinstance(event, Restored) else None
    came = partial(
        recovery.output_of, config.outputs / config.resume, config.settings.tools.max_output_chars
    )
    kept, blobs = kept_jobs(config, record.session), Blobs(config.blobs)
    files = change_recovery.settle_changes(record.changes, blobs, config.cwd)
    turns = recovery.settle_open_turns(opened.events, seen, came, kept.lives, files.done)
    for event in (*files.changed, *turns, *files.told):
        record.emit(event)
    for event in recovery.settle_restore(record.changes.unfinished, blobs):
        record.emit(event)
    restored = fold(told, seen)
    if (left := record.standing.mode) in ("", UNASKED):
        restored = replace(restored, mode=_start_mode(config, left))
    tell(Restored(restored, max((event.n for event in (*opened.events, *told)), default=0)))
    record.tell = tell
    elsewhere = (
        (f"This session ran in {seen.cwd} before.",)
        if seen.cwd not in ("", str(config.cwd))
        else ()
    )
    return record, (*opened.problems, *elsewhere)


def _silent(_: Event | Restored) -> None:
    """Nobody listens yet."""
