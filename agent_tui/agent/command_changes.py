"""What a shell command changes in files: those that git calls changed, and those that the session touched, before and
after it. Nothing of git's own is written: no index, no stash, no refs; it only says what it sees.

A file that was clean before is as git has it in its commit; where git changes files on their way (line ends, filters),
or the command moved to another commit, that is not known, and then nothing is said of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor as Pool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Final, TypeVar

from agent_tui.agent.git_status import Known, Status, parsed
from agent_tui.context import git_index
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import Event, FileChanged, Notice
from agent_tui.safety import links, paths, sandbox
from agent_tui.sessions.checkpoints import Blobs
from agent_tui.tools._diff import diff
from agent_tui.tools._files import is_binary

MOST_FILES: Final = 2_000
MOST_BYTES: Final = 200_000_000
"""Of files that are looked at around one command."""
DIFFS: Final = 50
DIFF_BYTES: Final = 200_000
UNWIND: Final = sandbox.GRACE + 0.3
"""Seconds until a command that was cancelled has surely ended."""
CLOCK: Final = 20_000_000
"""Nanoseconds that a file system's clock may be behind ours."""
_TIMEOUT: Final = 2.0
_STATUS: Final = (
    "git", "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=dirty",
)  # fmt: skip
_CRLF: Final = ("git", "config", "--get", "core.autocrlf")
_ATTRIBUTES: Final = re.compile(r"(?m)^[^#\n]*\b(filter|eol|text|ident|working-tree-encoding)\b")
_PLAIN: Final = re.compile(r"[\w./=:,@%+ -]*")
READERS: Final = frozenset({
    "cat", "df", "du", "egrep", "fgrep", "grep", "head", "id", "ls", "printenv", "pwd", "stat", "tail", "uname", "wc",
    "which", "whoami",
})  # fmt: skip
"""Programs that change no file, whatever their arguments; where nothing else is in the command, nobody looks."""

T = TypeVar("T")


@dataclass(slots=True)
class Snapshot:
    """The files before a command, which began at `begun` (nanoseconds)."""

    begun: int
    status: Status
    files: dict[Path, Known] = field(default_factory=dict)


def reads_only(command: str) -> bool:
    """Whether the command evidently changes nothing: one of a few programs, and nothing of the shell's own."""
    words = command.split()
    return bool(words) and words[0] in READERS and _PLAIN.fullmatch(command) is not None


class Watch:
    """Looks around the commands of a session. `touched`: real paths that it changed; `emit` takes what is found."""

    def __init__(
        self, cwd: Path, environment: Mapping[str, str], blobs: Blobs, touched: Callable[[], Iterable[str]],
        emit: Callable[[Event], None], scrubbed: Callable[[DiffDisplay], DiffDisplay], pool: Pool,
    ) -> None:  # fmt: skip
        self._cwd, self._environment, self._blobs = cwd, environment, blobs
        self._touched, self._emit, self._scrubbed, self._pool = touched, emit, scrubbed, pool
        self._repository = git_index.repository(cwd)
        self._seen: dict[Path, Known] = {}
        self._said: set[str] = set()
        self._slow = False
        self._filtered: bool | None = None
        self._closed = False
        self._unwinding: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        """No command is being looked at."""
        self._idle.set()

    async def before(self, command: str) -> Snapshot | None:
        """The files before `command`; None where nobody needs to look."""
        await self.settled()
        if reads_only(command):
            return None
        begun, status = time.time_ns() - CLOCK, await self._status()
        wanted = self._wanted(status.changed)
        snapshot = Snapshot(begun, status, await self._off_loop(lambda: self._look(wanted, keep=True)))
        self._idle.clear()  # until `after` or `later`
        return snapshot

    async def after(self, before: Snapshot, call_id: str) -> None:
        """Tell what is another than before."""
        try:
            await self._after(before, call_id)
        finally:
            self._idle.set()

    async def _after(self, before: Snapshot, call_id: str) -> None:
        status = await self._status()
        same_commit = status.commit == before.status.commit
        wanted = self._wanted({**before.files, **status.changed})
        now = await self._off_loop(lambda: self._look(wanted, keep=False))
        other = {path: has for path, has in status.changed.items() if path not in before.files and same_commit}
        earlier = before.files | await self._committed({path: has for path, has in other.items() if has and has.sha})
        earlier |= {path: has for path, has in other.items() if has and not has.sha and self._new(now, path, before)}
        if not same_commit and before.status.commit and status.commit:
            self._say("commit", "A command moved to another commit: what that changed, git takes back, not /undo.")
        told = [(path, earlier[path], known) for path, known in now.items() if path in earlier]
        for event in await self._off_loop(lambda: list(self._differing(told, call_id))):
            self._emit(event)

    @staticmethod
    def _new(now: Mapping[Path, Known], path: Path, before: Snapshot) -> bool:
        known = now.get(path)
        return known is not None and known.since(before.begun)  # else it was there, and git did not tell of it

    def later(self, before: Snapshot, call_id: str) -> None:
        """The command was cancelled, and still ends: look once it has."""

        async def look() -> None:
            await asyncio.sleep(UNWIND)
            await self.after(before, call_id)

        self._idle.set()
        if self._closed:
            return
        task = asyncio.get_running_loop().create_task(look())
        self._unwinding.add(task)
        task.add_done_callback(self._unwinding.discard)

    async def settled(self) -> None:
        """Wait for commands that were cancelled. Not while one runs that was not."""
        await self._idle.wait()
        if self._unwinding:
            await asyncio.wait(set(self._unwinding))

    def close(self) -> None:
        """The session ends: nothing is told any more."""
        self._closed = True
        for task in self._unwinding:
            task.cancel()

    # -- git

    async def _status(self) -> Status:
        if self._repository is None or self._slow:
            return Status()
        code, output = await sandbox.quiet(_STATUS, self._cwd, _TIMEOUT)
        if code == 0 and len(output) < 1_000_000:
            return parsed(output, self._repository.top)
        if code != 127:
            self._slow = True
            self._say("slow", "git takes too long here: what commands change in other files is not kept for /undo.")
        return Status()

    async def _committed(self, clean: Mapping[Path, Known]) -> dict[Path, Known]:
        """What files were that had no change before: their objects, kept."""
        if not clean or await self._filters():
            return {}
        with tempfile.TemporaryFile() as output:
            asked = "".join(f"{has.sha}\n" for has in clean.values()).encode()
            environment = {**self._environment, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
            argv = ("git", "cat-file", "--batch")
            code, _ = await sandbox.feed(argv, asked, self._cwd, environment, _TIMEOUT * 5, output)
            if code != 0:
                return {}
            return await self._off_loop(lambda: self._objects(output, clean))

    def _objects(self, output: IO[bytes], wanted: Mapping[Path, Known]) -> dict[Path, Known]:
        output.seek(0)
        found: dict[Path, Known] = {}
        budget = MOST_BYTES
        for path, has in wanted.items():
            head = output.readline().split()
            if len(head) != 3 or not head[2].isdigit():
                continue
            size = int(head[2])
            budget -= size
            content = output.read(size)
            output.read(1)
            if head[1] == b"blob" and budget >= 0:
                found[path] = Known(self._blobs.put(content), has.mode)
        return found

    async def _filters(self) -> bool:
        """Whether git changes files on their way to the work tree."""
        if self._filtered is None:
            assert self._repository is not None  # there is a status only in one
            code, output = await sandbox.quiet(_CRLF, self._cwd, _TIMEOUT)
            files = (self._repository.top / ".gitattributes", self._repository.common / "info" / "attributes")
            self._filtered = (code == 0 and output.strip() in ("true", "input")) or any(
                _ATTRIBUTES.search(git_index.text(file)) for file in files
            )
            if self._filtered:
                said = "git converts files here: only what was changed before a command is kept for /undo around it."
                self._say("filters", said)
        return self._filtered

    # -- files

    def _wanted(self, changed: Iterable[Path]) -> list[Path]:
        wanted = list(dict.fromkeys((*(Path(path) for path in self._touched()), *changed)))
        if len(wanted) > MOST_FILES:
            self._say("many", f"More than {MOST_FILES:,} changed files: what commands change in the rest is not kept.")
        return wanted[:MOST_FILES]

    def _look(self, wanted: Iterable[Path], keep: bool) -> dict[Path, Known]:
        """How the files are; with `keep` their contents go into the blobs. What is no file is left out."""
        found: dict[Path, Known] = {}
        budget = MOST_BYTES
        for path in wanted:
            try:
                about = path.lstat()
            except OSError:
                found[path] = Known()
                continue
            link = stat.S_ISLNK(about.st_mode)
            if not link and not stat.S_ISREG(about.st_mode):
                continue
            key = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            seen = self._seen.get(path)
            if seen is not None and seen.key == key:
                found[path] = seen
                continue
            budget -= about.st_size
            if budget < 0:
                continue
            try:
                content = _content(path, about.st_mode, about.st_size)
                sha = self._blobs.put(content) if keep else hashlib.sha256(content).hexdigest()
            except (OSError, ValueError):
                continue  # it went away, or is not for us: nothing is known of it
            found[path] = Known(sha, links.KIND if link else stat.S_IMODE(about.st_mode), key)
            if keep:
                self._seen[path] = found[path]
        return found

    def _differing(self, told: Iterable[tuple[Path, Known, Known]], call_id: str) -> Iterable[FileChanged]:
        shown = 0
        for path, then, now in told:
            plain = not links.is_link(then.mode) and not links.is_link(now.mode)
            if plain and not then.key and now.sha and not (then.mode ^ now.mode) & 0o100:
                then = replace(then, mode=now.mode)  # git knows only whether it can be run
            if (then.sha, then.mode) == (now.sha, now.mode):
                continue
            display = DiffDisplay(paths.shown(path, self._cwd), (), created=not then.sha)
            if shown < DIFFS and (difference := self._diff(path, then, now)) is not None:
                display, shown = difference, shown + 1
            yield FileChanged(call_id, str(path), self._scrubbed(display), then.sha, now.sha, then.mode, now.mode)

    def _diff(self, path: Path, then: Known, now: Known) -> DiffDisplay | None:
        try:
            before = self._blobs.get(then.sha) if then.sha else b""
            after = _content(path, now.mode, DIFF_BYTES) if now.sha else b""
        except (OSError, ValueError):
            return None
        if max(len(before), len(after)) > DIFF_BYTES or is_binary(before) or is_binary(after):
            return None
        texts = (before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        return diff(paths.shown(path, self._cwd), *texts, created=not then.sha)

    def _say(self, what: str, text: str) -> None:
        """Once a session."""
        if what not in self._said:
            self._said.add(what)
            self._emit(Notice(text))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _content(path: Path, mode: int, limit: int) -> bytes:
    """What a file holds, or where a link points. Raises OSError, ValueError."""
    return links.read(path)[0] if links.is_link(mode) else paths.read_regular(path, limit)
