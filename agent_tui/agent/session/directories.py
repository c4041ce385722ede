"""The folders beside its own that a session works in: added and removed by its person, and back
with it if they still are what they were."""

from __future__ import annotations

import asyncio
import os
import pwd
from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Pool
from pathlib import Path
from typing import TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.session.record import Record
from agent_tui.programs import close_folders
from agent_tui.protocol.events import DirectoriesChanged, Directory, ErrorRaised, Event, Notice
from agent_tui.protocol.ops import SetDirectory
from agent_tui.safety import directories
from agent_tui.safety.directories import Bounds, Refused

T = TypeVar("T")


def roots(record: Record) -> tuple[Path, ...]:
    """The real paths of the folders that were added."""
    return tuple(Path(one.path) for one in record.standing.directories)


def bounds(config: EngineConfig) -> Bounds:
    """What no folder that is added may open."""
    try:
        listed = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        listed = ""  # a user whom the system does not know has only what the environment says
    homes = (config.environment.get("HOME", ""), listed)
    return Bounds.of(homes, config.folders.own)


def named_directories(config: EngineConfig, given: Sequence[str]) -> tuple[Directory, ...]:
    """The folders that the command line names, each once. Raises Refused."""
    limits, here = bounds(config), Path.cwd()
    return tuple(dict.fromkeys(directories.admit_directory(one, here, limits) for one in given))


async def check_directories(config: EngineConfig, record: Record, pool: Pool) -> list[Event]:
    """What is to be said as a session is opened: folders that are left out, because they are not
    what they were when they were added; those that are still there; and those that the command line
    names."""
    before, limits = record.standing.directories, bounds(config)
    said = await _off_loop(
        pool, lambda: {one: directories.loss_reason(one, config.cwd, limits) for one in before}
    )
    kept = tuple(one for one in before if not said[one])
    after, told = kept, list[Event]()
    for one in config.directories:
        if not _holder(one.path, config, after):
            after += (one,)
    new = [one.path for one in after if one not in kept]
    await _off_loop(pool, lambda: _close(config, (str(config.cwd), *(one.path for one in after))))
    if after != before:
        told.append(DirectoriesChanged(after, _added(new) if new else "", given=True))
    if kept:
        told.append(Notice(f"Still part of this session: {', '.join(one.path for one in kept)}"))
    for one in before:
        if said[one]:
            how = f"/add-dir {one.path} adds the folder that is there now"
            told.append(Notice(f"Left out: {said[one]}.", "warning", how))
    return told


class Directories:
    """Does what the person asks about them. Looking at one takes as long as its disk does: nobody
    waits for that."""

    def __init__(self, config: EngineConfig, record: Record, pool: Pool) -> None:
        self._config, self._record, self._pool = config, record, pool

    async def change(self, op: SetDirectory) -> None:
        if not op.path:
            self._tell()
        elif op.remove:
            await self._remove(op.path)
        else:
            await self._add(op.path)

    def _tell(self) -> None:
        names = "".join(f"\n{one.path}" for one in self._record.standing.directories)
        lists = f"This session works in {self._config.cwd} and in:{names}"
        how = "/add-dir PATH adds one" + (", /add-dir --remove PATH removes one" if names else "")
        self._record.emit(Notice(lists if names else "No other folder was added.", hint=how))

    async def _add(self, text: str) -> None:
        limits = bounds(self._config)
        try:
            new = await _off_loop(
                self._pool, lambda: directories.admit_directory(text, self._config.cwd, limits)
            )
        except Refused as error:
            self._record.emit(
                ErrorRaised(
                    f"Not added: {error}.", "invalid_arguments", "name a folder of a project"
                )
            )
            return
        now = tuple(
            one for one in self._record.standing.directories if one.path != new.path or one == new
        )
        if holder := _holder(new.path, self._config, now):
            self._record.emit(Notice(f"{new.path} already belongs to this session: {holder}."))
            return
        await _off_loop(self._pool, lambda: _close(self._config, [new.path]))
        self._record.emit(DirectoriesChanged((*now, new), _added([new.path])))

    async def _remove(self, text: str) -> None:
        limits = bounds(self._config)
        try:
            real = str(
                await _off_loop(
                    self._pool,
                    lambda: directories.resolve_directory(text, self._config.cwd, limits),
                )
            )
        except Refused:
            real = text  # what it was when it was added may be no path any more
        now = self._record.standing.directories
        path = next((one.path for one in now if one.path in (real, text.rstrip("/"))), "")
        if not path:
            names = ", ".join(one.path for one in now) or "none"
            self._record.emit(
                ErrorRaised(
                    f"{text} was not added.", "invalid_arguments", f"added folders: {names}"
                )
            )
            return
        rest = tuple(one for one in now if one.path != path)
        holder = _holder(path, self._config, rest)
        after = (
            f"it still belongs to this session: {holder}"
            if holder
            else "actions there need your approval again"
        )
        self._record.emit(DirectoriesChanged(rest, f"Removed {path}: {after}."))


def _close(config: EngineConfig, folders: Sequence[str]) -> None:
    """Before a command may write there: no program of our own is looked for in these folders."""
    close_folders(directories.places_of(map(Path, folders)), config.environment)


def _added(new: list[str]) -> str:
    names = ", ".join(new)
    return f"Added {names}: the agent works there as in the session's own folder."


def _holder(path: str, config: EngineConfig, known: tuple[Directory, ...]) -> str:
    """What of the session holds `path` already; empty: nothing."""
    if Path(path).is_relative_to(config.cwd):
        return "it is in the session's own folder"
    return next(
        (f"it is in {one.path}" for one in known if Path(path).is_relative_to(one.path)), ""
    )


async def _off_loop(pool: Pool, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(pool, work)
