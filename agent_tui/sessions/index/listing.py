"""Which sessions there are: a line about each, from a cache where that is fresh, else from the two
ends of its log.

A log is never read whole for this. What stands in the middle of a long one (its name, its labels,
its figures) is known once the cache has seen it (see `cache.py`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from agent_tui.protocol.answers import Branch, Summary
from agent_tui.sessions.index.facts import SessionFacts
from agent_tui.sessions.log import order
from agent_tui.sessions.log.raw import LOG, NoLog, descriptor, is_log, is_main, number, seconds
from agent_tui.structures.frozen import frozen

_TITLED: Final = b'"type":"titled"'
_HEAD: Final = 4_096
_TAIL: Final = 8_192
_MOST: Final = 1 << 20
"""Bytes that are read from each end at first, and at most."""
_NAMED: Final = 4
"""Sessions that are named where several match."""
_TELLING: Final = re.compile(
    rb'\{"v":\d+,"n":\d+,"at":[^,]+,"type":"(?:titled|request_sent|model_changed|session_started)"'
)


@frozen
class Known:
    """What a cache knows of a log of this size and change time."""

    size: int
    changed: int
    facts: SessionFacts


def recent(
    folder: Path, cwd: Path | None = None, known: dict[str, Known] | None = None
) -> list[Summary]:
    """The sessions, newest first; with `cwd` only those that began in that folder."""
    wanted = None if cwd is None else str(cwd)
    return _sorted(
        one for one in _summaries(folder, "", known or {}) if wanted is None or one.cwd == wanted
    )


def last_used(
    folder: Path, cwd: Path | None = None, known: dict[str, Known] | None = None
) -> Summary | None:
    """The session that was used last, whatever the clock said then, and one that holds nothing of
    the person only where no other is; None where there is none."""
    places = order.last_uses(folder)
    found = sorted(
        recent(folder, cwd, known),
        key=lambda one: (places.get(one.id, -1), one.at, one.id),
        reverse=True,
    )
    used = (one for one in found if one.turns or _holds_words(folder / f"{one.id}{LOG}"))
    return next(used, next(iter(found), None))


def _holds_words(log: Path) -> bool:
    """Whether a log without turns holds a command, a draft or a queue of the person."""
    try:
        fd = descriptor(log)
    except NoLog:
        return False
    with os.fdopen(fd, "rb") as file:
        found = list(_records(file.read(_MOST).split(b"\n")))
    newest = {record["type"]: record for record in found}
    waits = (("draft_saved", "text"), ("queue_changed", "items"))
    return not newest.keys().isdisjoint(("turn_started", "shell_started")) or any(
        newest[kind].get(field) for kind, field in waits if kind in newest
    )


def find(folder: Path, prefix: str, known: dict[str, Known] | None = None) -> list[Summary]:
    """The sessions whose id begins with `prefix`, newest first."""
    return _sorted(_summaries(folder, prefix, known or {}))


def match_sessions(
    folder: Path, wanted: str, cwd: Path | None = None, known: dict[str, Known] | None = None
) -> list[Summary]:
    """The sessions that `wanted` may mean, newest first: its id, the beginning of one, or else a
    name, whole or the beginning of it; empty: the one of `cwd` that was used last."""
    if not wanted:
        last = last_used(folder, cwd, known)
        return [last] if last else []
    found = find(folder, wanted, known)
    exact = [one for one in found if one.id == wanted]
    if found:
        return exact or found
    name = wanted.strip().casefold()
    everything = recent(folder, None, known)
    for same in (str.__eq__, str.startswith):
        if named := [
            one for one in everything if name and same(one.title.strip().casefold(), name)
        ]:
            return named
    return []


def name_several(found: Sequence[Summary]) -> str:
    """Which sessions one name stands for, to choose one by its id."""
    more = f", … ({len(found) - _NAMED} more)" if len(found) > _NAMED else ""
    ids = ", ".join(one.id for one in found[:_NAMED])
    return f"{len(found)} sessions match; give one by its id: {ids}{more}"


def missing_reason(folder: Path, wanted: str) -> str:
    """Why there is no session `wanted`, in a few words: what lies there under its name, where
    something does."""
    path = folder / f"{wanted}{LOG}"
    if Path(wanted).name != wanted or not os.path.lexists(path):
        return "no session has this id or name"
    try:
        os.close(descriptor(path))
    except NoLog as error:
        return (
            f"its log is {error}"
            if str(error).startswith(("a ", "not ", "owned "))
            else f"its log {error}"
        )
    return "its log has no records"


def _sorted(found: Iterable[Summary]) -> list[Summary]:
    return sorted(found, key=lambda summary: (summary.at, summary.id), reverse=True)


def logs(folder: Path) -> list[Path]:
    """What has the name of a log, whatever it is; empty without a folder, or without one that can
    be read."""
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in entries if is_log(entry.name)]
    except OSError:
        return []


def _summaries(folder: Path, prefix: str, known: dict[str, Known]) -> Iterator[Summary]:
    budget = Budget()
    for path in logs(folder):
        if path.name.startswith(prefix):
            summary = summary_of(path, known.get(path.name.removesuffix(LOG)), budget)
            if summary is not None:
                yield summary


@dataclass(slots=True)
class Budget:
    """Bytes between the ends of logs that one list may read, to look for titles."""

    left: int = 64 << 20


def summary_of(
    path: Path, known: Known | None = None, budget: Budget | None = None
) -> Summary | None:
    """None for what is no log, cannot be read or holds no record."""
    if known is not None and _fresh(path, known):
        return _told(path, known.size, known.facts)
    try:
        fd = descriptor(path)
    except NoLog:
        return None
    try:
        return _from_ends(path, fd, known, budget or Budget())
    except OSError:
        return None
    finally:
        os.close(fd)


def _fresh(path: Path, known: Known) -> bool:
    try:
        about = path.lstat()
    except OSError:
        return False
    return (
        about.st_size == known.size
        and about.st_mtime_ns == known.changed
        and about.st_uid == os.geteuid()
    )


def _told(path: Path, size: int, facts: SessionFacts) -> Summary:
    by: Literal["person", "model", "prompt"] = (
        "person" if facts.named else "model" if facts.told else "prompt"
    )
    return Summary(
        path.name.removesuffix(LOG),
        facts.cwd,
        facts.title,
        facts.at,
        facts.turns,
        facts.model,
        by,
        size,
        len(facts.labels),
        facts.parent,
        facts.parent_at,
        facts.branch,
        len(facts.files),
        facts.tokens_in + facts.tokens_out,
        facts.cost,
    )


def _from_ends(path: Path, fd: int, known: Known | None, budget: Budget) -> Summary | None:
    about = os.fstat(fd)
    facts, before = SessionFacts(), known.facts if known is not None else None
    first = _beginning(fd, about.st_size, facts)
    at, titled, start = _ending(fd, about.st_size, facts, first)
    if not titled:
        _between(fd, min(known.size, start) if known is not None else 0, start, facts, budget)
    if at is None and not facts.cwd:
        return None
    # No last record, but a first: one that is longer than what is read of it, or damage.
    facts.at = about.st_mtime if at is None else at
    if before is not None:
        facts.named, facts.told = facts.named or before.named, facts.told or before.told
        facts.labels, facts.files, facts.branch = (
            before.labels,
            before.files,
            facts.branch or before.branch,
        )
        facts.parent, facts.parent_at = (
            facts.parent or before.parent,
            facts.parent_at or before.parent_at,
        )
        facts.tokens_in, facts.tokens_out, facts.cost = (
            before.tokens_in,
            before.tokens_out,
            before.cost,
        )
    return _told(path, about.st_size, facts)


def _beginning(fd: int, size: int, facts: SessionFacts) -> int:
    """Folder, first prompt and model from the first records; returns the number of the first
    turn."""
    length = _HEAD
    while True:
        first = 0
        for record in _records(os.pread(fd, length, 0).split(b"\n")):
            if record["type"] in ("session_started", "turn_started", "titled", "forked"):
                facts.take(record)
                first = first or number(record, "turn")
            if facts.prompt:
                return first
        if length >= min(size, _MOST):
            return first
        length *= 16


def _between(fd: int, start: int, stop: int, facts: SessionFacts, budget: Budget) -> None:
    """The newest title in a stretch that was not read, as far as the budget goes: a name is not to
    be missed."""
    length = max(0, min(stop - start, _MOST, budget.left))
    budget.left -= length
    data = os.pread(fd, length, stop - length)
    place = data.rfind(_TITLED)
    while place >= 0:
        begin, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
        for record in _records([data[begin : end if end >= 0 else len(data)]]):
            if record["type"] == "titled":
                facts.take(record)
                return
        place = data.rfind(_TITLED, 0, place)  # words of somebody who speaks of it


def _ending(fd: int, size: int, facts: SessionFacts, first: int) -> tuple[float | None, bool, int]:
    """Time, number of turns, model and a new title from the last records; whether there was one,
    and where reading began. No time: no record was found."""
    length = _TAIL
    while True:
        at: float | None = None
        turns, model, title = 0, "", False
        start = max(0, size - length)
        lines = os.pread(fd, length, start).split(b"\n")
        for record in _records(reversed(lines if start == 0 else lines[1:]), after=1):
            at = seconds(record) if at is None else at
            turns = turns or _turn(record)
            if record["type"] == "titled" and not title:
                title = True
                facts.take(record)
            elif is_main(record) and record["type"] in (
                "request_sent",
                "model_changed",
                "session_started",
            ):
                model = model or str(record.get("model", ""))
            if turns and model:
                break
        if (at is not None and turns) or length >= min(size, _MOST):
            facts.turns, facts.model = (
                turns - max(first, 1) + 1 if turns else 0,
                model or facts.model,
            )
            return at, title, start
        length *= 16


def _records(lines: Iterable[bytes], after: int = 1 << 30) -> Iterator[dict[str, object]]:
    """The lines that look like records; behind the first `after` that have a turn only those that
    tell something. Their checksums are not verified: this is a list to choose from."""
    turns = 0
    for line in lines:
        if turns >= after and _TELLING.match(line) is None:
            continue
        if not line.startswith(b'{"v":'):
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("type"), str):
            turns += bool(_turn(record))
            yield record


def _turn(record: dict[str, object]) -> int:
    """The number of its turn; 0 for none, and for that of a sub-agent."""
    turn = record.get("turn")
    return turn if type(turn) is int and is_main(record) else 0


def tree(sessions: Iterable[Summary]) -> list[Branch]:
    """Every session once, parents before children, as they are listed. A parent that is not there
    is none."""
    listed = list(sessions)
    ids = {one.id for one in listed}
    children: dict[str, list[Summary]] = {}
    for one in listed:
        parent = one.parent if one.parent in ids and one.parent != one.id else ""
        children.setdefault(parent, []).append(one)
    found = list(_below(children, "", 0, ""))
    placed = {branch.session.id for branch in found}
    # Logs may say that each came from the other: then neither hangs below the top.
    return found + [Branch(one, 0, True) for one in listed if one.id not in placed]


def branches_of(sessions: Sequence[Summary], id: str) -> list[Branch]:
    """The part of the tree that `id` belongs to."""
    branches = tree(sessions)
    place = next((place for place, branch in enumerate(branches) if branch.session.id == id), None)
    if place is None:
        return []
    start = next(at for at in range(place, -1, -1) if branches[at].depth == 0)
    stop = next(
        (at for at in range(place + 1, len(branches)) if branches[at].depth == 0), len(branches)
    )
    return branches[start:stop]


def _below(children: dict[str, list[Summary]], id: str, depth: int, lines: str) -> Iterator[Branch]:
    stack = [
        (one, depth, lines, place == 0) for place, one in enumerate(reversed(children.get(id, [])))
    ]
    while stack:
        session, level, before, last = stack.pop()
        yield Branch(session, level, last, before + ("└─ " if last else "├─ ") if level else "")
        inner = before + ("   " if last else "│  ") if level else ""
        kids = children.get(session.id, [])
        stack.extend(
            (kid, level + 1, inner, place == 0) for place, kid in enumerate(reversed(kids))
        )


def changed_at(log: Path) -> float:
    """When a log was written last; 0: it is gone."""
    try:
        return log.lstat().st_mtime
    except OSError:
        return 0.0
