"""Makes the map of a folder: looks what changed, ranks, and draws what has room."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from logging import Logger
from pathlib import Path
from typing import Final

from agent_tui.context.file_index import FileIndex
from agent_tui.context.repo_map import outline, parsing, ranking, tags
from agent_tui.context.repo_map.outline import CHARACTERS, Outline
from agent_tui.context.repo_map.store import Entry, NoStore, Stamp, Store
from agent_tui.safety import file_access, hard_links, protected_names
from agent_tui.safety.git_index import Stopped
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun

TOKENS: Final = 1_024
"""The room of a map, where nobody says how large it is to be."""
MOST_FILES: Final = 20_000
MAX_BYTES: Final = 400_000
"""Larger files are made by programs."""
LONGEST: Final = 60
"""Letters of a name that is looked for elsewhere."""
MOST_MISSES: Final = 200
"""Files without a definition that are parsed for one map."""
FOCUS: Final = 100.0
"""The weight of a definition that a word of the person is about."""
Check = Callable[[], None]
"""Raises Stopped where nobody waits any more."""
Unreadable = Callable[[Path, Sequence[str]], Collection[str]]
EXTRA: Final = "without tree-sitter: pip install 'agent-tui[map]' finds more"


@frozen
class Wanted:
    """What the map is to show: what lies below `path`, first what `focus` is about and what is near
    the files `near`, in the room of so many `tokens`."""

    path: str = ""
    focus: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    tokens: int = TOKENS


@frozen
class Drawn:
    """The `files` of a map, of so many that `count`; `note`: what is to be known of it."""

    files: tuple[Outline, ...] = ()
    count: int = 0
    note: str = ""

    def text(self) -> str:
        notes = (f"[{self.note}]",) if self.note else ()
        return "\n".join((*(one.text() for one in self.files), *notes))


class RepoMap:
    """The map of the folder `start` (a real path). `cache` None: nothing of it is kept."""

    def __init__(
        self, start: Path, environment: Mapping[str, str], cache: Path | None, log: Logger
    ) -> None:
        self._index = FileIndex(start, environment, log)
        self._start, self._cache, self._log = start, cache, log

    def make(
        self,
        wanted: Wanted,
        unreadable: Unreadable,
        hide: Callable[[str], str],
        stopped: Callable[[], bool],
    ) -> Drawn:
        """Reads files: not for the loop. Raises Stopped, and OSError where the folder cannot be
        listed."""

        def check() -> None:
            if stopped():
                raise Stopped

        there, more = self._there(unreadable, check)
        for cache in (self._cache, None):
            try:
                with closing(Store(cache, self._start)) as store:
                    self._update(store, there, check)
                    return self._draw(store, there, wanted, hide, check, more)
            except (sqlite3.Error, NoStore, ValueError) as error:
                self._log.warning("no cache for the map of %s: %s", self._start, error)
        raise AssertionError("a map in memory needs no file")

    # -- the first pass

    def _update(self, store: Store, there: Mapping[str, Stamp], check: Check) -> None:
        """Bring `store` to what is there now."""
        if store.stamps() == there:
            return
        with store.changing(check):
            known = store.stamps()  # another program may have changed it meanwhile
            changed = {path: stamp for path, stamp in there.items() if known.get(path) != stamp}
            gone = [path for path in known if path not in there]
            words, names, new = Counter[str](), Counter[str](), list[Entry]()
            for before in store.texts([*gone, *(path for path in changed if path in known)]):
                names.subtract(before[0].split())
                words.subtract(before[1].split())
            for path, stamp in changed.items():
                check()
                entry = self._entry(path, stamp)
                names.update(entry.names.split())
                words.update(entry.words.split())
                new.append(entry)
            store.change(gone, new, words, names, check)
            files = [(path, named) for path, named, _ in store.names()]
            store.keep_scores(ranking.score_files(files, store.defined(check), check), check)

    def _there(self, unreadable: Unreadable, check: Check) -> tuple[dict[str, Stamp], bool]:
        """The stamp of each file that may be read and can define something; whether there are more
        than are looked at."""

        def stopped() -> bool:
            check()
            return False

        by_folder = dict[str, list[str]]()
        listing = self._index.scan_all(stopped)
        for path in listing.paths:
            if tags.language_of(path):
                above, _, name = path.rpartition("/")
                by_folder.setdefault(above, []).append(name)
        found = dict[str, Stamp]()
        for above in sorted(by_folder, key=lambda one: (one.count("/"), one)):
            check()
            folder, names = self._start / above, by_folder[above]
            closed = protected_names.find_secrets(folder.parts, names)
            left = [name for name in names if name not in closed]
            closed |= set(unreadable(folder, left))
            for name in left:
                if name not in closed and (stamp := _stamp(f"{folder}/{name}")):
                    found[f"{above}/{name}" if above else name] = stamp
            if len(found) > MOST_FILES:
                return dict(list(found.items())[:MOST_FILES]), True
        return found, listing.more

    def _entry(self, path: str, stamp: Stamp) -> Entry:
        data = self._read(path)
        names = tags.find_names(data.decode("utf-8", "replace"), tags.language_of(path))
        words = b" ".join(tags.words_of(data)).decode("utf-8", "replace")
        return Entry(path, *stamp, " ".join(sorted(names)), words)

    def _read(self, path: str) -> bytes:
        """What a file holds; nothing where it cannot be read, or is no text."""
        real = self._start / path
        try:
            descriptor = file_access.open_regular(real)
        except (OSError, ValueError):
            return b""
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            several = os.fstat(file.fileno()).st_nlink > 1
            if several and hard_links.is_secret(real, (self._start,)):
                return b""
            try:
                data = file.read(MAX_BYTES + 1) or b""
            except OSError:
                return b""
        return b"" if len(data) > MAX_BYTES or b"\0" in data else data

    # -- the second pass

    def _draw(
        self,
        store: Store,
        there: Collection[str],
        wanted: Wanted,
        hide: Callable[[str], str],
        check: Check,
        more: bool,
    ) -> Drawn:
        rows = [row for row in store.names() if row[0] in there]
        ranked = list(self._ranked(store, rows, wanted))
        check()
        room, found = wanted.tokens * CHARACTERS, list[Outline]()
        most, misses = (10_000 if len(ranked) == 1 else outline.MOST), 0
        poor = False
        for path in ranked:
            definitions = self._tags(store, path, check)
            if not definitions:
                misses += 1
                if misses > MOST_MISSES:
                    break
                continue
            uses = store.uses(tag.name for tag in definitions)
            weights = {name: ranking.weigh(name, *counted) for name, counted in uses.items()}
            for word in wanted.focus:
                weights |= {
                    tag.name: FOCUS + weights.get(tag.name, 0.0)
                    for tag in definitions
                    if word.lower() in tag.name.lower()
                }
            one = outline.draw(path, definitions, weights, most, hide)
            size = len(one.text()) + 1
            if size > room and found:
                break
            poor = poor or parsing.wants_extra(path)
            found.append(_cut(one, room) if size > room else one)
            room -= size
            if room <= 0:
                break
        notes = [f"only the first {MOST_FILES:,} files are looked at"] if more else []
        if len(ranked) > len(found):
            notes.append(f"{len(found)} of {count_noun(len(ranked), 'file')}")
        if poor:
            notes.append(EXTRA)
        return Drawn(tuple(found), len(ranked), "; ".join(notes))

    def _ranked(
        self, store: Store, rows: Sequence[tuple[str, str, float]], wanted: Wanted
    ) -> Iterator[str]:
        """The files below the wanted path, those that matter most first."""
        below = wanted.path.strip("/")
        scores = {
            path: score
            for path, _, score in rows
            if not below or path == below or path.startswith(f"{below}/")
        }
        if wanted.near or wanted.focus:
            used = {word for one in store.texts(wanted.near) for word in one[1].split()}
            folders = {path.rpartition("/")[0] for path in wanted.near}
            focus = [word.lower() for word in wanted.focus]
            for path, named, score in rows:
                if path in scores:
                    scores[path] = ranking.lift(score, (path, named), folders, used, focus)
        yield from sorted(scores, key=lambda path: (-scores[path], path))

    def _tags(self, store: Store, path: str, check: Check) -> tuple[tags.Tag, ...]:
        """The definitions of a file, parsed if they are not known, or can be found better by
        now."""
        check()
        made = parsing.best_way(path)
        known = store.tags((path,)).get(path)
        if known is not None and known[0] == made:
            return known[1]
        found = parsing.find_tags(path, self._read(path).decode("utf-8", "replace"), check)
        store.keep_tags(path, made, found)
        return found


def _stamp(path: str) -> Stamp | None:
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return (about.st_size, about.st_mtime_ns) if stat.S_ISREG(about.st_mode) else None


def _cut(one: Outline, room: int) -> Outline:
    """As much of an outline as there is room for."""
    lines, left = list[str](), room - len(one.path) - 20
    for line in one.lines:
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return replace(one, lines=tuple(lines), left_out=one.left_out + len(one.lines) - len(lines))
