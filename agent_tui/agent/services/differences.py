"""What differs in files: from how this session found them, or from the last commit."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import restore_looks
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.turns import Turns
from agent_tui.protocol.answers import Differences
from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query
from agent_tui.safety.file_access import NotRegular, read_regular
from agent_tui.safety.git import ask_git
from agent_tui.safety.git_config import Repository, find_repository
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures import late
from agent_tui.structures.readable import count_noun
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import is_binary

T = TypeVar("T")
HEAD: Final = "head"
MOST_FILES: Final = 200
"""Files of which the difference is told."""
MOST_BYTES: Final = 400_000
"""Of a file, either side, up to which its difference is told."""
_SECONDS: Final = 10.0
_DIFF: Final = (
    "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=3",
    "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", "HEAD", "--",
)  # fmt: skip
_NEW: Final = ("ls-files", "--others", "--exclude-standard", "-z")
_HUNK: Final = late.pattern(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NO_COMMIT: Final = "bad revision 'HEAD'"
_NO_LINE_END: Final = "\\ No newline at end of file"


class DifferenceDesk:
    """Answers what differs."""

    def __init__(self, config: EngineConfig, record: Record, turns: Turns, pool: Pool) -> None:
        self._config, self._record, self._turns, self._pool = config, record, turns, pool

    async def tell(self, op: Query) -> None:
        if (watch := self._turns.executor.watch) is not None and self._turns.current is None:
            await watch.wait_until_settled()
        found = await (self._of_commit() if op.argument == HEAD else self._of_session())
        self._record.emit(Answered(op.id, found))

    # -- of the session

    async def _of_session(self) -> Differences:
        changes = self._record.changes
        first = min((change.turn for change in changes.all), default=0)
        plan = changes.undo(first)
        roots = self._turns.executor.workplace.roots
        return await self._off_loop(
            lambda: self._told(restore_looks.look(plan, Blobs(self._config.blobs), roots))
        )

    def _told(self, looks: list[restore_looks.Look]) -> Differences:
        files, left = list[DiffDisplay](), list[str]()
        for look in looks:
            path = restore_looks.display_path(look.plan.path, self._config.cwd)
            old, new = look.old or b"", look.found.content
            if old == new and bool(look.plan.target) == bool(look.found.sha):
                continue
            if why := look.found.problem or self._too_much(len(files), old, new):
                left.append(f"{path}: {why}")
                continue
            files.append(self._difference(path, old, new, not look.plan.target))
        return Differences(tuple(files), "session", tuple(left))

    def _too_much(self, number: int, old: bytes, new: bytes) -> str:
        if is_binary(old) or is_binary(new):
            return "it is not text"
        if number >= MOST_FILES:
            return f"only {count_noun(MOST_FILES, 'file')} are shown"
        return "it is too large" if max(len(old), len(new)) > MOST_BYTES else ""

    def _difference(self, path: str, old: bytes, new: bytes, created: bool) -> DiffDisplay:
        texts = (old.decode("utf-8", "replace"), new.decode("utf-8", "replace"))
        return self._scrubbed(diff(path, *texts, created=created))

    def _scrubbed(self, found: DiffDisplay) -> DiffDisplay:
        shown: DiffDisplay = self._turns.executor.workplace.scrub_display(found)
        return shown

    # -- of the last commit

    async def _of_commit(self) -> Differences:
        where = await self._off_loop(partial(find_repository, self._config.cwd))
        if where is None:
            return Differences(against="head", problem="there is no git repository here")
        tracked = await ask_git(where, _DIFF, _SECONDS)
        new = await ask_git(where, _NEW, _SECONDS)
        if problem := tracked.problem or new.problem:
            said = "there is no commit yet" if _NO_COMMIT in problem else problem
            return Differences(against="head", problem=said)
        return await self._off_loop(lambda: self._since_commit(where, tracked.output, new.output))

    def _since_commit(self, where: Repository, tracked: str, new: str) -> Differences:
        shown = partial(restore_looks.display_path, cwd=self._config.cwd)
        found = [replace(one, path=shown(str(where.top / one.path))) for one in parse_diff(tracked)]
        files, left = [self._scrubbed(one) for one in found if one.hunks], list[str]()
        left += [
            f"{one.path}: it is not text, or only its rights changed"
            for one in found
            if not one.hunks
        ]
        for name in filter(None, new.split("\0")):
            path = shown(str(where.top / name))
            try:
                data = read_regular(where.top / name, MOST_BYTES + 1)
            except (OSError, NotRegular) as error:
                left.append(f"{path}: {error}")
                continue
            if why := self._too_much(len(files), b"", data):
                left.append(f"{path}: {why}")
                continue
            files.append(self._difference(path, b"", data, True))
        return Differences(tuple(sorted(files, key=lambda one: one.path)), "head", tuple(left))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def parse_diff(text: str) -> Iterator[DiffDisplay]:
    """The files of what `git diff` writes, with the paths from the top of the work tree."""
    for part in re.split(r"(?m)^diff --git ", text)[1:]:
        head, at, rest = part.partition("\n@@ ")
        lines = head.split("\n")
        path = _path(lines)
        hunks = tuple(_hunks(f"@@ {rest}")) if at else ()
        marks = [line[:1] for hunk in hunks for line in hunk.lines]
        created = any(line.startswith("new file mode") for line in lines)
        yield DiffDisplay(path, hunks, marks.count("+"), marks.count("-"), created)


def _path(lines: list[str]) -> str:
    """The name of the file; of one that was deleted the old one."""
    for line in reversed(lines):
        for mark in ("+++ b/", "--- a/", '+++ "b/', '--- "a/'):
            if line.startswith(mark):
                return _unquoted(line[4:])[2:].removesuffix("\t")
    return _unquoted(lines[0].rpartition(" b/")[2])


def _unquoted(name: str) -> str:
    """As git quotes the names of files (core.quotePath): in C's way, by bytes."""
    if not name.startswith('"'):
        return name
    inner = name.strip().strip('"').encode("utf-8", "surrogateescape")
    return inner.decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")


def _hunks(text: str) -> Iterator[Hunk]:
    for part in re.split(r"(?m)^(?=@@ -)", text)[1:]:
        head, _, body = part.partition("\n")
        if (found := _HUNK.match(head)) is not None:
            lines = tuple(line for line in body.split("\n") if line and line != _NO_LINE_END)
            yield Hunk(int(found[1]), int(found[2]), lines)
