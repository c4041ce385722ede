"""What a shell command changes in files: those that git calls changed, and those that the session
touched, before and after it. Nothing of git's own is written: no index, no stash, no refs; it only
says what it sees.

A file that was clean before is as git has it in its commit; where git changes it on its way
(line ends, filters), or the command moved to another commit, that is not known, and then nothing is
said of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Executor as Pool
from dataclasses import replace
from pathlib import Path
from typing import IO, Final, TypeVar

from agent_tui.agent.session.changes import BACKGROUND
from agent_tui.agent.turn.snapshots import (
    Known,
    NewFiles,
    Snapshot,
    SnapshotFile,
    Status,
    parse_status,
)
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import FileChanged, UndoLimited
from agent_tui.safety import file_access, git_config, paths
from agent_tui.safety.file_access import LINK, is_link, read_link
from agent_tui.safety.git import ask_git
from agent_tui.safety.git_config import Repository, find_repository
from agent_tui.safety.process import processes, supervisor
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.tools.support.diff import diff, noted
from agent_tui.tools.support.files import is_binary

MOST_FILES: Final = 2_000
MOST_BYTES: Final = 200_000_000
"""Of files that are looked at around one command."""
DIFFS: Final = 50
DIFF_BYTES: Final = 200_000
LAST: Final = 2 * processes.GRACE
"""Seconds that the end of a session waits for a look after commands that were cancelled."""
GUARD_ENDS: Final = supervisor.TERM_SECONDS + 0.5
"""Seconds after which the commands of a killed program have ended."""
CLOCK: Final = 20_000_000
"""Nanoseconds that a file system's clock may be behind ours."""
_TIMEOUT: Final = 2.0
_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",  # to count commits takes long, and nobody asks for them
    "--untracked-files=all",
    "--ignore-submodules=dirty",
)
_PLAIN: Final = re.compile(r"[\w./=:,@%+ -]*")
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

NO_REPOSITORY: Final = (
    "No git repository here: /undo reverts a command's changes only in files that this session "
    "changed before."
)
IGNORED: Final = (
    "/undo does not see a command's changes to files that git ignores or is told to pass over "
    "(assume-unchanged, skip-worktree), to submodules and repositories inside this one, to empty "
    "folders, and to permissions other than executable. A file that a command deleted comes back "
    "readable only by you."
)
UNREAD: Final = "/undo reverts a command's changes only in files that this session changed before."
CONVERTED: Final = (
    "git converts files here (line ends, encodings, filters): /undo reverts a command's changes to "
    "those only if they were modified before it."
)
MANY: Final = (
    f"More than {MOST_FILES:,} files are changed here: /undo does not see a command's changes to "
    "the others."
)
COMMIT: Final = "A command switched to another commit: git can switch back, /undo cannot."
MOVED: Final = (
    "A command moved files here from where /undo does not look: /undo can delete them here, but "
    "not move them back."
)
UNKNOWN: Final = "What the command changed that was cut off is not known: /undo cannot revert it."
APPEARED: Final = (
    "git shows files that it did not show before a command, but the command did not make them: "
    "/undo keeps them."
)
"""What undo cannot reach."""

T = TypeVar("T")
EMPTY: Final = hashlib.sha256().hexdigest()
"""What an empty file holds: nobody loses it."""
NO_FILE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors that say that no file has this name."""
NAMED: Final = 3
"""Files that are named which nobody could look at."""


def describe_unseen(names: Sequence[str]) -> str:
    """In words, which files nobody could look at."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    said = f"{', '.join(names[:NAMED])}{more}"
    return f"Too large or not readable: {said}. /undo does not see a command's changes there."


def reads_only(command: str) -> bool:
    """Whether the command evidently changes nothing: one of a few programs, and nothing of the
    shell's own."""
    words = command.split()
    return bool(words) and words[0] in READERS and _PLAIN.fullmatch(command) is not None


class Watch:
    """Looks around the commands of a session, and tells what it finds as the call of the command.
    `touched`: real paths that the session changed. `copy`: the file that holds the snapshot while a
    command runs."""

    def __init__(
        self, cwd: Path, blobs: Blobs, touched: Callable[[], Iterable[str]], pool: Pool, copy: Path
    ) -> None:
        self._cwd, self._blobs, self._touched, self._pool = cwd, blobs, touched, pool
        self._copy = SnapshotFile(copy, cwd)
        self._repository = find_repository(cwd)
        self._seen: dict[Path, Known] = {}
        self._limits: set[tuple[int, str]] = set()
        """What undo cannot reach, by the turn for which that is on record."""
        self._slow, self._problem = False, ""
        self._closed, self._closing = False, asyncio.Event()
        self._unwinding: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        """No command is being looked at."""
        self._idle.set()

    async def take_snapshot(
        self, command: str, call: CallContext, own: frozenset[Path] = frozenset()
    ) -> Snapshot | None:
        """The files before `command`; None where nobody needs to look. `after` or `later` must
        follow. `own`: files that the call itself has changed."""
        await self.wait_until_settled()
        if reads_only(command):
            return None
        snapshot = Snapshot(call, time.time_ns() - CLOCK, own=own)
        snapshot.status = await self._status(snapshot)
        wanted = self._wanted(snapshot, snapshot.status.changed)
        snapshot.files = await self._looked(snapshot, wanted, keep=True)
        await self._off_loop(lambda: self._copy.save(snapshot))
        self._idle.clear()
        return snapshot

    async def report_changes(self, before: Snapshot) -> None:
        """Tell what is another than before."""
        try:
            await self._after(before)
        finally:
            self._idle.set()

    async def _after(self, before: Snapshot) -> None:
        status = await self._status(before)
        same_commit = status.commit == before.status.commit
        wanted = self._wanted(before, {**before.files, **status.changed})
        now = await self._looked(before, wanted, keep=False)
        other = {
            path: has
            for path, has in status.changed.items()
            if path not in before.files and path not in before.status.changed and same_commit
        }
        clean = {path: has for path, has in other.items() if has and has.sha}
        earlier = before.files | await self._committed(before, clean, now)
        unknown = {path: has for path, has in other.items() if has and not has.sha}
        gone = {has.sha for path, has in earlier.items() if path in now and not now[path].sha}
        new = await self._off_loop(lambda: self._new(before, unknown, now, gone))
        earlier |= {path: unknown[path] for path in new}
        if not same_commit and before.status.commit and status.commit:
            self._limit(before, COMMIT)
        if any(folders and now[path].sha not in gone for path, folders in new.items()):
            self._limit(before, MOVED)
        if any(path in now and now[path].sha for path in unknown.keys() - new.keys()):
            self._limit(before, APPEARED, shown=False)
        if before.call.job is not None:
            self._limit(before, BACKGROUND)
        told = [(path, earlier[path], known) for path, known in now.items() if path in earlier]
        sources = _sources(earlier, now)
        for event in await self._off_loop(
            lambda: list(self._differing(told, before, new, sources))
        ):
            before.call.tell(event)
        self._copy.remove()

    def _new(
        self,
        before: Snapshot,
        paths: Iterable[Path],
        now: Mapping[Path, Known],
        gone: Collection[str],
    ) -> dict[Path, int]:
        """Those of `paths` that came to be, each with the number of folders that came with it."""
        if self._repository is None:
            return {}
        exclude = self._repository.common / "info" / "exclude"
        new = NewFiles(
            self._repository.top, exclude, before.begun, before.status.changed, now, gone
        )
        return {path: new.folders(path) for path in paths if new.is_new(path)}

    def report_changes_later(self, before: Snapshot) -> None:
        """The command was cancelled, and still ends: look as soon as it has. What changes later is
        not its own."""

        async def look() -> None:
            await processes.wait_for_endings()
            await self.report_changes(before)

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
            self._unwind(look(before))
            return
        self._copy.remove()
        workplace.emit(UndoLimited("", UNKNOWN))

    def _unwind(self, look: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(look)
        self._unwinding.add(task)
        task.add_done_callback(self._unwinding.discard)

    async def wait_until_settled(self) -> None:
        """Wait until commands that were cancelled have ended and were looked at. Not while one runs
        that was not."""
        await self._idle.wait()
        if self._unwinding:
            await asyncio.wait(set(self._unwinding))

    async def close(self) -> None:
        """The session ends: what cancelled commands changed is still told, and nothing after that."""
        self._closing.set()
        if self._unwinding:
            await asyncio.wait(set(self._unwinding), timeout=LAST)
        self._closed = True
        for task in self._unwinding:
            task.cancel()

    # -- git

    async def _status(self, around: Snapshot) -> Status:
        if self._repository is None:
            self._limit(around, NO_REPOSITORY)
            return Status()
        if not self._slow:
            answer = await ask_git(self._repository, _STATUS, _TIMEOUT)
            if not answer.problem:
                self._limit(around, IGNORED, shown=False)
                return parse_status(answer.output, self._repository.top)
            self._slow, self._problem = answer.slow, answer.problem
        self._limit(around, f"{self._problem}: {UNREAD}")
        return Status()

    async def _committed(
        self, around: Snapshot, clean: Mapping[Path, Known], now: Mapping[Path, Known]
    ) -> dict[Path, Known]:
        """What files were that had no change before, and are in `now`: their objects, kept."""
        clean = await self._unconverted(
            around, {path: has for path, has in clean.items() if path in now}, now
        )
        if not clean:
            return {}
        assert self._repository is not None  # there is a status only in one
        asked = "".join(f"{has.sha}\n" for has in clean.values()).encode()
        with tempfile.TemporaryFile() as output:
            answer = await ask_git(
                self._repository, ("cat-file", "--batch"), _TIMEOUT * 5, asked, output
            )
            if answer.problem:
                self._limit(around, f"{answer.problem}: {UNREAD}")
                return {}
            found = await self._off_loop(lambda: self._objects(output, clean))
        self._say_unseen(around, [path for path in clean if path not in found])
        return found

    async def _unconverted(
        self, around: Snapshot, clean: Mapping[Path, Known], now: Mapping[Path, Known]
    ) -> Mapping[Path, Known]:
        """Those of `clean` that git has byte for byte. Links have no rules."""
        files = [path for path, has in clean.items() if not is_link(has.mode)]
        if not files:
            return clean
        assert self._repository is not None  # there is a status only in one
        changed = any(
            path.name == git_config.ATTRIBUTES_FILE
            and around.files.get(path, Known("?")).sha != has.sha
            for path, has in now.items()
        )
        unknown = changed or git_config.are_rules_unknown(self._repository, around.begun)
        other = {*files} if unknown else await self._converted(self._repository, files)
        if other:
            self._limit(around, CONVERTED)
        return {path: has for path, has in clean.items() if path not in other}

    async def _converted(self, where: Repository, files: Sequence[Path]) -> set[Path]:
        given = git_config.attribute_query(where, files)
        with tempfile.TemporaryFile() as output:
            crlf, said = await asyncio.gather(
                ask_git(where, git_config.CRLF, _TIMEOUT),
                ask_git(where, git_config.ATTRIBUTE_RULES, _TIMEOUT, given, output, drivers=True),
            )
            output.seek(0)
            rules = b"" if crlf.problem or said.problem else output.read()
        return git_config.converted_paths(files, crlf.output, rules)

    def _objects(self, output: IO[bytes], wanted: Mapping[Path, Known]) -> dict[Path, Known]:
        output.seek(0)
        found: dict[Path, Known] = {}
        budget = MOST_BYTES
        for path, has in wanted.items():
            head = output.readline().split()
            if len(head) != 3 or not head[2].isdigit():
                continue
            size = int(head[2])
            if head[1] != b"blob" or size > budget:
                output.seek(size + 1, os.SEEK_CUR)
                continue
            budget -= size
            content = output.read(size)
            output.read(1)
            found[path] = Known(self._blobs.put(content), has.mode)
        return found

    # -- files

    def _wanted(self, around: Snapshot, changed: Iterable[Path]) -> list[Path]:
        wanted = list(dict.fromkeys((*(Path(path) for path in self._touched()), *changed)))
        if len(wanted) > MOST_FILES:
            self._limit(around, MANY)
        return wanted[:MOST_FILES]

    async def _looked(
        self, around: Snapshot, wanted: Iterable[Path], keep: bool
    ) -> dict[Path, Known]:
        """How the files are; it is said which nobody could look at."""
        found, missed = await self._off_loop(lambda: self._look(wanted, keep))
        self._say_unseen(around, missed)
        return found

    def _say_unseen(self, around: Snapshot, files: Sequence[Path]) -> None:
        if files:
            names = [paths.display_path(path, self._cwd) for path in files]
            self._limit(around, around.call.workplace.scrub(describe_unseen(names)))

    def _look(self, wanted: Iterable[Path], keep: bool) -> tuple[dict[Path, Known], list[Path]]:
        """How the files are, and those that do not fit or cannot be read; with `keep` their
        contents go into the blobs."""
        found: dict[Path, Known] = {}
        missed: list[Path] = []
        budget = MOST_BYTES
        diverted = functools.cache(lambda folder: os.path.realpath(folder) != str(folder))
        for path in wanted:
            try:
                if diverted(path.parent):  # what is behind a link is a file of another name
                    found[path] = Known()
                    continue
                about = path.lstat()
            except (OSError, ValueError) as error:
                if getattr(error, "errno", 0) in NO_FILE:
                    found[path] = Known()
                else:  # there may be one
                    missed.append(path)
                continue
            link = stat.S_ISLNK(about.st_mode)
            if not link and not stat.S_ISREG(about.st_mode):
                found[path] = Known()  # a folder is no file: if one was here, it is gone
                continue
            key = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            seen = self._seen.get(path)
            if seen is not None and seen.key == key:
                found[path] = seen
                continue
            if about.st_size > budget:
                missed.append(path)
                continue
            budget -= about.st_size
            try:
                content = _content(path, about.st_mode, about.st_size)
                sha = self._blobs.put(content) if keep else hashlib.sha256(content).hexdigest()
            except FileNotFoundError:
                continue  # it went away at this moment: nothing is known of it
            except (OSError, ValueError):
                missed.append(path)
                continue
            found[path] = Known(sha, LINK if link else stat.S_IMODE(about.st_mode), key)
            if keep:
                self._seen[path] = found[path]
        return found, missed

    def _differing(
        self,
        told: Iterable[tuple[Path, Known, Known]],
        around: Snapshot,
        folders: Mapping[Path, int],
        sources: Mapping[str, Path],
    ) -> Iterable[FileChanged]:
        shown = 0
        for path, then, now in told:
            if then.sha and not then.key and not is_link(then.mode):
                then = replace(then, mode=_mode_before(then.mode, now.mode))
            if (then.sha, then.mode) == (now.sha, now.mode):
                continue
            display = DiffDisplay(paths.display_path(path, self._cwd), (), created=not then.sha)
            if shown < DIFFS and (difference := self._diff(path, then, now)) is not None:
                display, shown = difference, shown + 1
            if (modes := _modes(then, now)) is not None:
                display = noted(display, modes)
            carried = then.sha != now.sha and not is_link(now.mode)
            yield FileChanged(
                around.call.call_id,
                str(path),
                around.call.workplace.scrub_display(display),
                then.sha,
                now.sha,
                then.mode,
                now.mode,
                folders.get(path, 0),
                during_command=path not in around.own,
                source=str(sources.get(now.sha, "")) if carried else "",
            )

    def _diff(self, path: Path, then: Known, now: Known) -> DiffDisplay | None:
        try:
            before = self._blobs.get(then.sha) if then.sha else b""
            after = _content(path, now.mode, DIFF_BYTES) if now.sha else b""
        except (OSError, ValueError):
            return None
        if max(len(before), len(after)) > DIFF_BYTES or is_binary(before) or is_binary(after):
            return None
        texts = (before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        return diff(paths.display_path(path, self._cwd), *texts, created=not then.sha)

    def _limit(self, around: Snapshot, text: str, shown: bool = True) -> None:
        """Put on record, once a turn, what undo cannot reach. People are told once a session."""
        first = not any(text == one for _, one in self._limits)
        if (key := (around.call.turn, text)) not in self._limits:
            self._limits.add(key)
            around.call.tell(UndoLimited(around.call.call_id, text, shown and first))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _sources(earlier: Mapping[Path, Known], now: Mapping[Path, Known]) -> dict[str, Path]:
    """For each content before the command a file that held it; first one that still does."""
    found: dict[str, Path] = {}
    for path, then in earlier.items():
        if then.sha in ("", EMPTY) or is_link(then.mode):
            continue
        if then.sha not in found or now.get(path, Known()).sha == then.sha:
            found[then.sha] = path
    return found


def _modes(then: Known, now: Known) -> str | None:
    """How a file's permissions changed; None where they are the same, or it is another kind."""
    if not (then.sha and now.sha and then.mode and now.mode) or then.mode == now.mode:
        return None
    if is_link(then.mode) or is_link(now.mode):
        return None
    runs = " (a program now)" if now.mode & 0o111 and not then.mode & 0o111 else ""
    return f"permissions: {then.mode & 0o7777:o}, now {now.mode & 0o7777:o}{runs}"


def _mode_before(known: int, now: int) -> int:
    """The mode of a file of which git knows only whether it can be run: never wider than it was. Of
    one that is gone nothing else is known, so it comes back for its owner alone."""
    runs = known & 0o100
    if not now or is_link(now):
        return 0o700 if runs else 0o600
    if runs == now & 0o100:
        return now
    return now | (now & 0o444) >> 2 if runs else now & ~0o111


def _content(path: Path, mode: int, limit: int) -> bytes:
    """What a file holds, or where a link points. Raises OSError, ValueError."""
    return read_link(path)[0] if is_link(mode) else file_access.read_regular(path, limit)
