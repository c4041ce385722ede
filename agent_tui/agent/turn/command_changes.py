"""What a shell command changes in files: those that git calls changed, those of which it keeps
nothing, and those that the session touched, before and after it. It only says what it sees.

The look after a command goes on while the model is asked again; whatever changes something next
waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Executor as Pool
from pathlib import Path
from typing import Final, TypeVar

from agent_tui.agent.session.changes import BACKGROUND, Change
from agent_tui.agent.turn import known_files
from agent_tui.agent.turn.git_view import GitView
from agent_tui.agent.turn.known_files import CLOCK, KnownFiles
from agent_tui.agent.turn.snapshots import Known, NewFiles, Snapshot, SnapshotFile, Status
from agent_tui.agent.turn.told_changes import Differences
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.undo_limits import (
    APPEARED,
    COMMIT,
    IGNORED,
    MANY,
    MANY_UNTRACKED,
    MOST_FILES,
    MOVED,
    NO_REPOSITORY,
    UNKNOWN,
    describe_unseen,
)
from agent_tui.agent.turn.untracked_files import Listing, list_files
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.events import UndoLimited
from agent_tui.safety import paths
from agent_tui.safety.git_config import find_repository
from agent_tui.safety.process import processes, supervisor
from agent_tui.safety.process.processes import Job
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

LAST: Final = 2 * processes.GRACE
"""Seconds that the end of a session waits for a look after commands that were cancelled."""
GUARD_ENDS: Final = supervisor.TERM_SECONDS + 0.5
"""Seconds after which the commands of a killed program have ended."""
FRESH: Final = 0.05
"""Seconds for which a look holds, where nothing of ours ran since: one takes about as long
itself."""
_PLAIN: Final = late.pattern(r"[\w./=:,@%+ -]*")
READERS: Final = frozenset(
    {
        "cat",
        "df",
        "du",
        "egrep",
        "fgrep",
        "grep",
        "head",
        "id",
        "ls",
        "printenv",
        "pwd",
        "stat",
        "tail",
        "uname",
        "wc",
        "which",
        "whoami",
    }
)
"""Programs that change no file, whatever their arguments; where nothing else is in the command,
nobody looks."""

T = TypeVar("T")


def reads_only(command: str) -> bool:
    """Whether the command evidently changes nothing: one of a few programs, and nothing of the
    shell's own."""
    words = command.split()
    return bool(words) and words[0] in READERS and _PLAIN.fullmatch(command) is not None


@frozen
class _Look:
    """What a look found that ended `at` (monotonic seconds) in a turn."""

    at: float
    turn: int
    status: Status
    listed: Listing


class Watch:
    """Looks around the commands of a session, and tells what it finds as the call of the command.
    `touched`: real paths that the session changed. `copy`: the file that holds the snapshot while a
    command runs. `changes`: all that is on record."""

    def __init__(
        self,
        cwd: Path,
        blobs: Blobs,
        touched: Callable[[], Iterable[str]],
        pool: Pool,
        copy: Path,
        changes: Callable[[], Sequence[Change]] = tuple,
    ) -> None:
        self._cwd, self._blobs, self._touched, self._pool = cwd, blobs, touched, pool
        self._changes = changes
        self._copy = SnapshotFile(copy, cwd)
        self._aside = blobs.aside(copy.stem)
        self._known = KnownFiles(blobs, self._aside)
        where = find_repository(cwd)
        self._git = GitView(where, blobs, self._off_loop, self._limit) if where else None
        self._last: _Look | None = None
        self._beside: set[str] = set()
        """Commands of the person that run."""
        self._limits: set[tuple[int | str, str]] = set()
        """What undo cannot reach, by the turn, or the call beside it, for which that is on
        record."""
        self._closed, self._closing = False, asyncio.Event()
        self._unwinding: set[asyncio.Task[None]] = set()
        self._after_jobs: set[asyncio.Task[None]] = set()
        """These wait as long as jobs run, and nobody waits for them but the end."""
        self._reporting: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        """No command is being looked at."""
        self._idle.set()

    async def take_snapshot(
        self, command: str, call: CallContext, own: frozenset[Path] = frozenset()
    ) -> Snapshot | None:
        """The files before `command`; None where nobody needs to look. One of the methods that
        report must follow. `own`: files that the call itself has changed."""
        await self.wait_until_settled()
        if reads_only(command):
            return None
        last, self._last = self._last, None
        snapshot = self._begin(call)
        snapshot.own = own
        holds = last and last.turn == call.turn and not self._beside
        if holds and last and time.monotonic() - last.at < FRESH:
            snapshot.status, snapshot.listed = last.status, last.listed
        else:
            snapshot.status, snapshot.listed = await self._look(snapshot)
        await self._read(snapshot)
        await self._off_loop(lambda: self._copy.save(snapshot))
        self._idle.clear()
        return snapshot

    async def take_snapshot_beside(self, command: str, call: CallContext) -> Snapshot | None:
        """The same for a command of the person, which waits for nothing. A kill costs its undo."""
        if reads_only(command):
            return None
        self._beside.add(call.call_id)
        snapshot = self._begin(call)
        snapshot.is_beside = True
        snapshot.status, snapshot.listed = await self._look(snapshot)
        await self._read(snapshot)
        return snapshot

    def _begin(self, call: CallContext) -> Snapshot:
        return Snapshot(call, time.time_ns() - CLOCK, told=len(self._changes()))

    async def report_changes(self, before: Snapshot) -> None:
        """Tell what is another than before."""
        try:
            await self._after(before)
        finally:
            self._beside.discard(before.call.call_id)
            self._last = None if before.is_beside else self._last
            if not before.is_beside:
                self._idle.set()

    def report_changes_soon(self, before: Snapshot) -> None:
        """The command has ended: look now, and let nobody wait who changes nothing."""

        def done(task: asyncio.Task[None]) -> None:
            self._reporting.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                before.call.workplace.log.error("a look after a command failed", exc_info=error)

        task = self._unwind(self.report_changes(before))
        self._reporting.add(task)
        task.add_done_callback(done)

    async def wait_for_reports(self) -> None:
        """Until all that ended commands changed is on record: something else is about to change
        files, or the turn ends."""
        if self._reporting:
            await asyncio.wait(set(self._reporting))

    async def wait_for_change(self) -> None:
        """The same before something else of ours changes files: the last look does not hold
        then."""
        await self.wait_for_reports()
        self._last = None

    async def _after(self, before: Snapshot) -> None:
        status, listed = await self._look(before)
        if not before.is_beside:
            self._last = _Look(time.monotonic(), before.call.turn, status, listed)
        same_commit = status.commit == before.status.commit
        meanwhile = self._told_since(before)
        wanted = self._wanted(before, status.changed)
        now, missed = await self._off_loop(
            lambda: self._look_after([*before.files, *meanwhile, *wanted], listed, before.listed)
        )
        self._say_unseen(before, missed)
        other = {
            path: has
            for path, has in (*self._unlisted_before(before, listed), *status.changed.items())
            if path not in before.files and path not in before.status.changed and same_commit
        }
        clean = {path: has for path, has in other.items() if has and has.sha}
        earlier = before.files | await self._committed(before, clean, now) | meanwhile
        unknown = {path: has for path, has in other.items() if has and not has.sha}
        gone = {has.sha for path, has in earlier.items() if path in now and not now[path].sha}
        new = await self._off_loop(lambda: self._new(before, unknown, now, gone))
        earlier = {path: unknown[path] for path in new} | earlier
        self._tell_limits(before, status, unknown, now, gone, new)
        told = Differences(self._cwd, self._blobs, self._aside, earlier, now, new)
        for event in await self._off_loop(lambda: list(told.events(before))):
            before.call.tell(event)
        if not before.is_beside:
            self._copy.remove()

    def _told_since(self, before: Snapshot) -> dict[Path, Known]:
        """How files were left by what else of this session changed them since: that is on
        record."""
        return {
            Path(change.path): Known(change.after, change.mode_after, (0,) if change.after else ())
            for change in self._changes()[before.told :]
        }

    def _unlisted_before(
        self, before: Snapshot, listed: Listing
    ) -> Iterable[tuple[Path, Known | None]]:
        """Of what is listed that of which git keeps nothing, and that was not there."""
        new = listed.files.keys() - before.listed.files.keys()
        return ((path, Known()) for path in new if path not in before.listed.passed)

    def _tell_limits(
        self,
        before: Snapshot,
        status: Status,
        unknown: Mapping[Path, Known],
        now: Mapping[Path, Known],
        gone: Collection[str],
        new: Mapping[Path, int],
    ) -> None:
        """What undo cannot reach shows only now."""
        if before.status.commit and status.commit and status.commit != before.status.commit:
            self._limit(before, COMMIT)
        if any(folders and now[path].sha not in gone for path, folders in new.items()):
            self._limit(before, MOVED)
        if any(path in now and now[path].sha for path in unknown.keys() - new.keys()):
            self._limit(before, APPEARED, shown=False)
        if before.call.job is not None:
            self._limit(before, BACKGROUND)

    def _new(
        self,
        before: Snapshot,
        unknown: Iterable[Path],
        now: Mapping[Path, Known],
        gone: Collection[str],
    ) -> dict[Path, int]:
        """Those of `unknown` that came to be, each with the number of folders that came with it."""
        where = self._git.where if self._git else None
        top = where.top if where else self._cwd
        exclude = where.common / "info" / "exclude" if where else None
        new = NewFiles(top, exclude, before.begun, before.status.changed, now, gone)
        known = before.listed.knows  # what was passed over may have been there
        return {path: new.folders(path) for path in unknown if known(path) and new.is_new(path)}

    def report_changes_later(self, before: Snapshot) -> None:
        """The command was cancelled, and still ends: look as soon as it has. What changes later is
        not its own."""

        async def look() -> None:
            await processes.wait_for_endings()
            await self.report_changes(before)

        if not before.is_beside:
            self._idle.set()
        if not self._closed:
            self._unwind(look())

    def look_after_endings(self, look: Callable[[], Coroutine[None, None, None]]) -> None:
        """A command was cancelled: call `look` as soon as it has ended."""

        async def wait_and_look() -> None:
            await processes.wait_for_endings()
            await look()

        if not self._closed:
            self._unwind(wait_and_look())

    def look_after_job(self, job: Job, look: Callable[[], Coroutine[None, None, None]]) -> None:
        """Call `look` once nothing of `job` is left; if it is to outlive the session, when that
        ends."""

        async def wait_and_look() -> None:
            waits = [asyncio.ensure_future(one.wait()) for one in (job.ended, self._closing)]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waits:
                    one.cancel()
            if job.stopped:
                await job.ended.wait()
            await look()

        task = asyncio.get_running_loop().create_task(wait_and_look())
        self._after_jobs.add(task)
        task.add_done_callback(self._after_jobs.discard)

    def recover(self, workplace: Workplace) -> None:
        """The program may have been killed while a command ran: look what that changed, as soon as
        its guard has ended it. What the person changed since then cannot be told apart."""
        try:
            before = self._copy.load(workplace)
        except FileNotFoundError:
            return

        async def look(before: Snapshot) -> None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), GUARD_ENDS)
                return  # its copy stays, for the next time
            await self.report_changes(before)

        if before is not None:
            before.told = len(self._changes())
            self._unwind(look(before))
            return
        self._copy.remove()
        workplace.emit(UndoLimited("", UNKNOWN))

    def _unwind(self, look: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(look)
        self._unwinding.add(task)
        task.add_done_callback(self._unwinding.discard)
        return task

    async def wait_until_settled(self) -> None:
        """Wait until commands that were cancelled have ended and were looked at. Not while one runs
        that was not."""
        await self._idle.wait()
        if self._unwinding:
            await asyncio.wait(set(self._unwinding))

    async def close(self) -> None:
        """The session ends: what cancelled commands and jobs changed is still told, and nothing
        after that."""
        self._closing.set()
        if left := {*self._unwinding, *self._after_jobs}:
            await asyncio.wait(left, timeout=LAST)
        self._closed = True
        for task in left:
            task.cancel()
        if not self._copy.is_there:
            await self._off_loop(self._aside.clear)

    # -- a look

    async def _look(self, around: Snapshot) -> tuple[Status, Listing]:
        """What git says now, and what is there of which it keeps nothing."""
        status = await self._git.status(around) if self._git else None
        starts: tuple[Path, ...] = (self._cwd,)
        if self._git is None:
            self._limit(around, NO_REPOSITORY)
            top = self._cwd
        elif status is None:
            return Status(), Listing()
        else:
            self._limit(around, IGNORED, shown=False)
            top, starts = self._git.where.top, (*status.ignored, *status.closed)
        own = around.call.workplace.own
        listed = await self._off_loop(lambda: list_files(top, starts, own))
        if not listed.is_whole:
            self._limit(around, MANY_UNTRACKED, shown=self._git is None)
        self._say_unseen(around, listed.closed)
        return status or Status(), listed

    async def _read(self, snapshot: Snapshot) -> None:
        """Keep how the files are before the command; it is said which nobody could look at."""
        wanted = self._wanted(snapshot, snapshot.status.changed)
        listed = snapshot.listed
        files, missed = await self._off_loop(lambda: self._known.look(wanted, keep=True))
        others = {path: key for path, key in listed.files.items() if path not in files}
        small, large = await self._off_loop(lambda: self._known.look_at_listed(others, keep=True))
        listed.passed.update(large)
        snapshot.files = small | files
        self._say_unseen(snapshot, missed)
        self._say_unseen(snapshot, large, shown=self._git is None)

    def _look_after(
        self, wanted: Iterable[Path], listed: Listing, before: Listing
    ) -> tuple[dict[Path, Known], list[Path]]:
        """How the files `wanted` are after the command, and those that are listed now: not those of
        which nothing was known before."""
        files = {path: key for path, key in listed.files.items() if path not in before.passed}
        rest = dict.fromkeys(path for path in wanted if path not in listed.files)
        found, missed = self._known.look(rest, keep=False)
        some, unread = self._known.look_at_listed(files, keep=False)
        return found | some, missed + unread

    async def _committed(
        self, before: Snapshot, clean: Mapping[Path, Known], now: Mapping[Path, Known]
    ) -> dict[Path, Known]:
        if self._git is None:
            return {}
        most = known_files.MOST_BYTES
        found, missed = await self._git.committed(before, clean, now, most)
        self._say_unseen(before, missed)
        return found

    def _wanted(self, around: Snapshot, changed: Iterable[Path]) -> list[Path]:
        wanted = list(dict.fromkeys((*(Path(path) for path in self._touched()), *changed)))
        if len(wanted) > MOST_FILES:
            self._limit(around, MANY)
        return wanted[:MOST_FILES]

    def _say_unseen(self, around: Snapshot, files: Sequence[Path], shown: bool = True) -> None:
        if files:
            names = [paths.display_path(path, self._cwd) for path in files]
            self._limit(around, around.call.workplace.scrub(describe_unseen(names)), shown)

    def _limit(self, around: Snapshot, text: str, shown: bool = True) -> None:
        """Put on record, once a turn, what undo cannot reach. People are told once a session."""
        first = not any(text == one for _, one in self._limits)
        if (key := (around.call.turn or around.call.call_id, text)) not in self._limits:
            self._limits.add(key)
            around.call.tell(UndoLimited(around.call.call_id, text, shown and first))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
