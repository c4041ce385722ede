"""Queries that read files: answered from the pool, and given up when nobody waits for them any
more."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor as Pool
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.answers import (
    LogLine,
    LogTail,
    NamedFiles,
    Preview,
    PreviewPart,
    SearchResults,
    Tree,
)
from agent_tui.protocol.events import Answered, Event
from agent_tui.protocol.ops import Query
from agent_tui.registry import late
from agent_tui.sessions.index import listing
from agent_tui.sessions.log import store
from agent_tui.sessions.log.raw import is_main
from agent_tui.structures.readable import clock

with late():  # SQLite, and what only these need
    from agent_tui.sessions.index import cache, search, stats

FRESH_SECONDS: Final = 2.0
"""So long an index counts as fresh while somebody types."""
HITS: Final = 50
Check = Callable[[], None]


class Looker:
    """Answers the queries of one session's front end. A search ends the one before it."""

    def __init__(
        self,
        config: EngineConfig,
        emit: Callable[[Event], Any],
        pool: Pool,
        session: str = "",
        others: Callable[[], tuple[Path, ...]] = tuple,
    ) -> None:
        self.config, self.session, self._others = config, session, others
        self._emit, self._pool = emit, pool
        self._search = ""
        self._fresh = float("-inf")
        self._note = ""
        """What was wrong at the last update of the index: it holds of every search until the
        next."""
        self._updating = asyncio.Lock()
        """One update at a time: a second one would find the index locked, and count it as fresh."""

    async def look(self, op: Query) -> None:
        match op.kind:
            case "search" | "search_here":
                await self._searched(op)
            case "stats":
                self._emit(await self._done(lambda _: self._stats(op)))
            case "tree":
                self._emit(await self._done(lambda _: self._tree(op)))
            case "named_files":
                roots, home = (self.config.cwd, *self._others()), self.config.environment
                named = op.argument.split("\n")[:MOST_NAMES]
                found = await self._done(lambda _: find_files(named, roots, home.get("HOME", "")))
                self._emit(Answered(op.id, NamedFiles(found)))
            case _:
                self._emit(await self._done(lambda _: answer_query(self.config, op, self.session)))

    async def _searched(self, op: Query) -> None:
        self._search = op.id
        try:
            stale = not self.config.otr and time.monotonic() - self._fresh > FRESH_SECONDS
            self._emit(await self._done(lambda check: self._found(op, stale, check), op.id))
            if stale:
                async with self._updating:
                    self._note = await self._done(self._update, op.id)
                self._fresh = time.monotonic()
                self._emit(await self._done(lambda check: self._found(op, False, check), op.id))
        except InterruptedError:
            return  # another search came: this one has no reader

    async def _done(self, work: Callable[[Check], Any], search: str = "") -> Any:
        """What `work` gives, from the pool; it stops at its next look when it is cancelled, or
        another search came."""
        ended = False

        def check() -> None:
            if ended or (search and search != self._search):
                raise InterruptedError

        try:
            done = await asyncio.get_running_loop().run_in_executor(self._pool, work, check)
        except asyncio.CancelledError:
            ended = True
            raise
        check()  # another search may have come after its last look
        return done

    # -- in the pool

    def _update(self, check: Check) -> str:
        return search.update(self.config.folders.sessions, self.config.folders.cache, check)

    def _found(self, op: Query, more: bool, check: Check) -> Answered:
        folders, here = self.config.folders, op.kind == "search_here"
        cwd = self.config.cwd if here else None
        if self.config.otr:
            found = search.search_logs(folders.sessions, op.argument, cwd, HITS, check)
        elif more and not cache.cache_file(folders.cache).exists():
            found = SearchResults(note="reading all sessions for the first time")
        else:
            found = search.search(
                folders.sessions, folders.cache, op.argument, cwd, HITS, fresh=False, check=check
            )
        note = found.note or ("" if more else self._note)
        return Answered(op.id, replace(found, note=note, words=op.argument, here=here, more=more))

    def _stats(self, op: Query) -> Answered:
        try:
            events, _ = store.read(
                store.log_path(self.config.folders.sessions, op.argument or self.session)
            )
        except OSError:
            events = []  # nothing was asked in it yet
        return Answered(op.id, stats.stats(events))

    def _tree(self, op: Query) -> Answered:
        folders = self.config.folders
        listed = listing.recent(
            folders.sessions, None, {} if self.config.otr else cache.known_sessions(folders.cache)
        )
        return Answered(
            op.id, Tree(tuple(listing.branches_of(listed, op.argument or self.session)))
        )


MOST_NAMES: Final = 1_000
"""Names of files that are looked at for one query."""


def find_files(names: Sequence[str], roots: Sequence[Path], home: str) -> dict[str, str]:
    """Where the file is that each of `names` means, relative to the first of `roots`; empty: there
    is no regular file, or it is in none of the `roots`. Looks at the disk: not for the loop."""
    real = [root.resolve() for root in roots]
    return {name: _place(name, roots[0], real, home) for name in names}


def _place(name: str, base: Path, roots: Sequence[Path], home: str) -> str:
    path = base / (f"{home}{name[1:]}" if home and name.startswith("~/") else name)
    try:
        target = path.resolve(strict=True)
        found = target.is_file() and any(target.is_relative_to(root) for root in roots)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links in a circle
        return ""
    return os.path.abspath(path) if found else ""  # noqa: PTH100  as it is named, not where links lead


HEAD: Final = 16_384
TAIL: Final = 131_072
LOG_TAIL: Final = 65_536
"""Bytes that are read of a file, from its beginning or its end."""
LINE: Final = 2_000
"""Characters that are kept of a line."""
FILE_LINES: Final = 8
SAYS_LEVEL: Final = {"error": "error", "notice": ""}
"""Records that have a level: what it is, or that they say it."""
PLAIN: Final = frozenset(("v", "n", "at", "type", "c", "session", "run", "trace", "agent"))
"""What of a record says nothing to a person."""


def answer_query(config: EngineConfig, op: Query, session: str = "") -> Answered:
    """Answer `op`. Reads files: not for the loop."""
    match op.kind:
        case "session_preview":
            path = config.folders.sessions / f"{Path(op.argument).name}.jsonl"
            return Answered(op.id, Preview(op.argument, _session(path)))
        case "file_preview":
            return Answered(op.id, Preview(op.argument, _file(config.cwd / op.argument)))
        case _:
            return Answered(op.id, _log(config, session))


def _part(name: str, text: str, lines: int) -> PreviewPart:
    return PreviewPart(name, text[: LINE * lines], lines)


def _read(path: Path, last: int = 0) -> tuple[str, int]:
    """Whole lines from the beginning (or from the `last` bytes) of the file, and how many bytes
    there are besides."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        size = os.fstat(fd).st_size
        start = max(0, size - last) if last else 0
        data = os.pread(fd, last or HEAD, start)
    finally:
        os.close(fd)
    if start:
        start += data.find(b"\n") + 1
        data = data[data.find(b"\n") + 1 :]
    return data.decode("utf-8", "replace"), start if last else size - len(data)


def _records(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _session(path: Path) -> tuple[PreviewPart, ...]:
    """The last prompt, and the last words of the answer to it."""
    try:
        text, before = _read(path, TAIL)
    except OSError as error:
        return (_part("", f"it cannot be read: {error.strerror}", 1),)
    prompt = answer = ""
    told = (
        line for line in text.splitlines() if "turn_started" in line or "assistant_message" in line
    )
    for record in _records("\n".join(told)):
        if not is_main(record):
            continue
        if record.get("type") == "turn_started":
            prompt, answer = str(record.get("prompt", "")), ""
        elif record.get("type") == "assistant_message" and record.get("text"):
            answer = str(record["text"])
    asked = _part("you", prompt or ("(further back)" if before else "(nothing said yet)"), 2)
    return asked, _part("answer", answer or "(none)", 4)


def _file(path: Path) -> tuple[PreviewPart, ...]:
    """The first lines of the file; of a folder what lies in it."""
    try:
        if path.is_dir():
            names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in path.iterdir())
            return (_part("", "\n".join(names[:FILE_LINES]) or "an empty folder", FILE_LINES),)
        if not path.is_file() and path.exists():
            return (_part("", "it is not a file", 1),)
        text, _ = _read(path)
    except OSError as error:
        return (_part("", f"it cannot be read: {error.strerror}", 1),)
    if "\0" in text:
        return (_part("", "it is not text", 1),)
    return (
        _part("", "\n".join(line[:LINE] for line in text.splitlines()[:FILE_LINES]), FILE_LINES),
    )


# -- the log


def _log(config: EngineConfig, session: str) -> LogTail:
    """The ends of the newest log and of the session's records, by time."""
    own, left = _tail(_newest(config.folders.logs))
    records, more = _tail(config.folders.sessions / f"{session}.jsonl") if session else ("", 0)
    lines = sorted((*_own_lines(own), *_record_lines(records)), key=lambda line: line[0])
    kept = (
        LogLine(clock(at, time.localtime(at).tm_gmtoff), level, source, text[:LINE])
        for at, level, source, text in lines
    )
    return LogTail(tuple(kept), left + more)


def _tail(path: Path | None) -> tuple[str, int]:
    try:
        return _read(path, LOG_TAIL) if path is not None else ("", 0)
    except OSError:
        return "", 0  # not there, or not for us to see: there are no lines


def _newest(folder: Path) -> Path | None:
    """The log of this run: its name holds the time of its start."""
    try:
        return max((path for path in folder.iterdir() if path.suffix == ".log"), default=None)
    except OSError:
        return None


Line = tuple[float, str, str, str]


def _own_lines(text: str) -> Iterator[Line]:
    """`2026-01-31 12:00:00,123 INFO text`; what has no time belongs to the line before."""
    found: list[Line] = []
    for line in text.splitlines():
        try:
            at = datetime.fromisoformat(line[:23]).timestamp()
        except (ValueError, OverflowError):
            if found:
                before = found[-1]
                found[-1] = (*before[:3], f"{before[3]}\n{line}"[:LINE])
            continue
        level, _, said = line[24:].partition(" ")
        found.append((at, level.lower(), "log", said))
    yield from found


def _record_lines(text: str) -> Iterator[Line]:
    for record in _records(text):
        at, kind = record.get("at"), str(record.get("type", ""))
        if isinstance(at, int | float) and 0 <= at < 1e11:
            level = SAYS_LEVEL.get(kind, "record") or str(record.get("level", "info"))
            rest = {
                key: value
                for key, value in record.items()
                if key not in PLAIN and value not in ("", None)
            }
            said = json.dumps(rest, ensure_ascii=False) if rest else ""
            yield at, level, "session", f"{kind} {said}".rstrip()
