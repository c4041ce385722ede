"""Full-text search over all sessions: what was said and done, titles, branches, folders, touched
files and days.

Every word of a query must be in what a list says of a session, or all that are left in one of its
turns; the last may be the beginning of a word. Where there is no cache the logs themselves are
read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.protocol.answers import Hit, SearchResults, Summary
from agent_tui.sessions.index.cache import NoCache, known_in, open_cache
from agent_tui.sessions.index.cache import update as bring_up_to_date
from agent_tui.sessions.index.facts import (
    SEARCHED_KINDS,
    SessionFacts,
    day,
    documents,
    spread_characters,
    texts,
)
from agent_tui.sessions.index.listing import Known, changed_at, logs, summary_of
from agent_tui.sessions.log.raw import LOG, NoLog, in_line, kind_of, number, open_log, other_kind
from agent_tui.structures import late
from agent_tui.structures.visible import visible

_WORD: Final = late.pattern(r"\w+")
BEFORE: Final = 40
"""Characters of a snippet before what was found, and twice as many behind it."""
MOST_WORDS: Final = 16


def search(
    folder: Path,
    cache: Path,
    words: str,
    cwd: Path | None = None,
    limit: int = 50,
    fresh: bool = True,
    check: Callable[[], None] = lambda: None,
) -> SearchResults:
    """The sessions in which `words` are: those whose facts have all of them, then the others, each
    the newest first; with `cwd` only those that began there. `fresh`: first read what the logs have
    gained.

    Never raises but for what `check` does: it is called again and again."""
    wanted = words.casefold().split()[:MOST_WORDS]
    if not wanted:
        return SearchResults()
    note = ""
    try:
        if fresh:
            note = bring_up_to_date(folder, cache, check).note
        with open_cache(cache) as (connection, said):
            return SearchResults(
                tuple(_in_cache(connection, folder, wanted, cwd, limit, check)), note or said
            )
    except NoCache as error:
        found = search_logs(folder, words, cwd, limit, check)
        return SearchResults(found.hits, f"{error}; the logs themselves were searched")


def search_logs(
    folder: Path,
    words: str,
    cwd: Path | None = None,
    limit: int = 50,
    check: Callable[[], None] = lambda: None,
) -> SearchResults:
    """The same without an index: every log is read, and nothing is written."""
    return SearchResults(
        tuple(_in_logs(folder, words.casefold().split()[:MOST_WORDS], cwd, limit, check))
    )


def update(folder: Path, cache: Path, check: Callable[[], None] = lambda: None) -> str:
    """Bring the index up to date; returns in a line what was wrong. For a thread of its own: the
    first time it reads everything."""
    try:
        return bring_up_to_date(folder, cache, check).note
    except NoCache as error:
        return str(error)


Place = tuple[int, int, int]
"""A document: its turn, and where in the log it begins and ends."""


def _in_cache(
    connection: sqlite3.Connection,
    folder: Path,
    words: Sequence[str],
    cwd: Path | None,
    limit: int,
    check: Callable[[], None],
) -> Iterator[Hit]:
    groups: dict[tuple[str, ...], dict[int, str]] = {}
    for key, (id, rest) in _left(connection, words, cwd).items():
        groups.setdefault(rest, {})[key] = id
    wanted: list[tuple[str, Place | None, Sequence[str]]] = [
        (id, None, words) for id in groups.pop((), {}).values()
    ]
    rows = [
        row
        for rest, sessions in groups.items()
        for row in _documents(connection, rest, sessions, limit, words)
    ]
    wanted += [row[1:] for row in sorted(rows, key=lambda row: row[0], reverse=True)]
    made = 0
    for id, place, left in wanted:
        check()
        if made >= limit:
            return
        hit = _hit(folder, id, place, left, known_in(connection, id).get(id))
        if hit is not None:
            made += 1
            yield hit


def _left(
    connection: sqlite3.Connection, words: Sequence[str], cwd: Path | None
) -> dict[int, tuple[str, tuple[str, ...]]]:
    """By session, the newest first: its id, and which words are not in its facts."""
    rows = connection.execute(
        "select key, id, words from session"
        + ("" if cwd is None else " where cwd = ?")
        + " order by at desc",
        () if cwd is None else (str(cwd),),
    )
    return {
        key: (id, tuple(word for word in words if word not in about)) for key, id, about in rows
    }


def _documents(
    connection: sqlite3.Connection,
    rest: tuple[str, ...],
    sessions: Mapping[int, str],
    limit: int,
    words: Sequence[str],
) -> Iterator[tuple[int, str, Place, tuple[str, ...]]]:
    """The newest document with all of `rest`, of each of the newest `limit` sessions."""
    query = match_query(rest, rest[-1:] == tuple(words[-1:]))
    if not query:
        return
    seen: set[int] = set()
    for row, key, turn, start, stop in connection.execute(
        "select t.row, t.session, t.number, t.start, t.stop from word join turn t on t.row = word.rowid"
        " where word match ? order by word.rowid desc",
        (query,),
    ):
        if key in sessions and key not in seen:
            seen.add(key)
            yield row, sessions[key], (turn, start, stop), rest
            if len(seen) >= limit:
                return


def match_query(words: Sequence[str], grows: bool) -> str:
    """The query for all of `words`; `grows`: the last one may be the beginning of a word, if it is
    not too short."""
    terms = [term for word in words for term in _WORD.findall(spread_characters(word))]
    quoted = [f'"{term}"' for term in terms]
    if grows and quoted and words and words[-1][-1:].isalnum() and len(terms[-1]) > 1:
        quoted[-1] += "*"
    return " ".join(quoted)


def _hit(
    folder: Path, id: str, place: Place | None, words: Sequence[str], known: Known | None
) -> Hit | None:
    """None where the log is gone, or the place has the words only when what stands between letters
    is left out."""
    path = folder / f"{id}{LOG}"
    summary = summary_of(path, known)
    if summary is None:
        return None
    if place is None:
        line = _line(summary.title)
        return Hit(summary, line, marks=_marks(line, words))
    try:
        with open_log(path) as file:
            file.seek(place[1])
            data = file.read(place[2] - place[1])
    except (NoLog, OSError):
        return None
    return _read(summary, place[0], data, words)


def _read(summary: Summary, turn: int, data: bytes, words: Sequence[str]) -> Hit | None:
    missing = set(words)
    best: Hit | None = None
    sought = _sought(words)
    for line in data.split(b"\n"):
        if not missing and best is not None:
            break
        lowered = line.lower()
        if other_kind(line, SEARCHED_KINDS) or (
            sought and not any(word in lowered for word in sought)
        ):
            continue
        for record in in_line(line):
            if kind_of(record) not in SEARCHED_KINDS:
                continue
            for said in texts(record):
                folded = said.casefold()
                here = [word for word in words if word in folded]
                if here and (best is None or len(here) > len(best.marks)):
                    snippet, marks = _snippet(said, folded, here)
                    best = Hit(
                        summary, snippet, number(record, "turn") or turn, number(record, "n"), marks
                    )
                missing.difference_update(here)
    if any(not word.isalnum() or spread_characters(word) != word for word in missing):
        return None
    return best or Hit(summary, _line(summary.title), turn)


def _sought(words: Sequence[str]) -> tuple[bytes, ...]:
    """`words` as they are in a line of a log; nothing where one of them is written otherwise
    there."""
    plain = all(word.isascii() and '"' not in word and "\\" not in word for word in words)
    return tuple(word.encode() for word in words) if plain else ()


def _snippet(
    said: str, folded: str, words: Sequence[str]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """One line of `said` around the rarest of `words`, as long as its longest."""
    at = min(folded.find(word) for word in words)
    longest = max(words, key=len)
    at = folded.find(longest) if len(folded) == len(said) else min(at, len(said))
    start, stop = max(0, at - BEFORE), at + len(longest) + 2 * BEFORE
    cut = ("…" if start else "") + said[start:stop] + ("…" if stop < len(said) else "")
    line = _line(cut)
    return line, _marks(line, words)


def fields_with(session: Summary, words: str) -> str:
    """What has `words` of a session of which no turn has them, by name; what is not in its summary
    is called a label or a file."""
    known = {
        "title": session.title,
        "folder": session.cwd,
        "branch": session.branch,
        "model": session.model,
        "day": day(session.at) if session.at else "",
        "id": session.id,
    }
    wanted = words.casefold().split()[:MOST_WORDS]
    found = (
        next(
            (name for name, text in known.items() if word in text.casefold()),
            "label, a file or the day",
        )
        for word in wanted
    )
    return " and ".join(dict.fromkeys(found))


def _line(said: str) -> str:
    return " ".join(visible(said, overwrite=True).split())


def _marks(line: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    folded = line.casefold()
    if len(folded) != len(line):
        return ()  # places would be others
    found = {(at, at + len(word)) for word in words if (at := folded.find(word)) >= 0}
    return tuple(sorted(found))


def _in_logs(
    folder: Path, words: Sequence[str], cwd: Path | None, limit: int, check: Callable[[], None]
) -> Iterator[Hit]:
    """The same without a cache: every log is read, the newest first."""
    found = 0
    for path in sorted(logs(folder), key=changed_at, reverse=True):
        summary = summary_of(path)
        if summary is None or (cwd is not None and summary.cwd != str(cwd)) or found >= limit:
            continue
        hit = _in_log(path, summary, words, check)
        if hit is not None:
            found += 1
            yield hit


def _in_log(
    path: Path, summary: Summary, words: Sequence[str], check: Callable[[], None]
) -> Hit | None:
    facts = SessionFacts()
    places: list[tuple[Place, frozenset[str]]] = []
    try:
        with open_log(path) as file:
            for document in documents(file, facts, check):
                folded = "\n".join(document.texts).casefold()
                has = frozenset(word for word in words if word in folded)
                places.append(((document.turn, document.start, document.stop), has))
            about = facts.words(summary.id)
            rest = [word for word in words if word not in about]
            if not rest:
                line = _line(facts.title)
                return Hit(summary, line, marks=_marks(line, words))
            for (turn, start, stop), has in reversed(places):
                if has.issuperset(rest):
                    file.seek(start)
                    return _read(summary, turn, file.read(stop - start), rest)
    except (NoLog, OSError):
        return None
    return None
