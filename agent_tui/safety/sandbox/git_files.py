"""The files of a git folder that change with each commit, and what refs and reflogs among them say.
A command may have made any number of them, so what was there before is read first."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from agent_tui.safety.folder_walk import files_below, folder_of, list_folder
from agent_tui.safety.sandbox.protected_state import Was, read_at
from agent_tui.structures import late

MOST_BYTES: Final = 64_000_000
"""Of small files together that are kept of a git folder; as much again of what was kept."""
MOST_FILES: Final = 20_000
MOST_SECONDS: Final = 5.0
"""For all but those that were there before."""
LOG_STAYS: Final = 29 * 86_400.0
"""Seconds for which git itself keeps what reflogs say; it says thirty days."""
_KEPT: Final = (
    "HEAD", "packed-refs", "refs", "reftable", "ORIG_HEAD", "shallow", "worktrees", "logs", "index",
    "info",
)  # fmt: skip
"""Where a history begins comes first: there are limits."""
_LED_BY: Final = frozenset({"config.worktree", "commondir", "gitdir"})
"""Held fast, or put back, with all that leads git."""
_DIGITS: Final = 12
"""Of a time in seconds, at most."""
SHA: Final = late.pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTHING: Final = late.pattern(r"0+")
STASH: Final = "refs/stash"
"""git takes entries out of its log one by one."""


def read_small_files(common: str, known: Mapping[str, Was]) -> tuple[dict[str, Was], bool]:
    """Those of a git folder now, by their paths, and whether these are all; those of `known` are
    read in any case. One of these that is too long now is as it was, but for a ref, which is
    empty."""
    found, is_all = dict[str, Was](), True
    left, left_known, end = MOST_BYTES, 2 * MOST_BYTES, time.monotonic() + MOST_SECONDS
    for folder, name, path in _entries(common):
        if time.monotonic() > end:
            is_all = False
            break
        before = known.get(path)
        if before is None and len(found) >= MOST_FILES:
            is_all = False
            continue
        was = read_at(folder, name, left if before is None else left_known, before)
        if was is not None:
            found[path] = was
            left -= len(was.content) if before is None else 0
            left_known -= len(was.content) if was is not before else 0
        elif _is_regular(name, folder):
            is_all = False
            if before is not None:
                found[path] = _too_long(common, path, before)
    found |= _read_rest(common, known, found, left_known)
    return found, is_all


def limit(files: dict[str, Was], known: Collection[str]) -> dict[str, Was]:
    """As many as are kept: `known` first, so that no new one pushes these out."""
    found, left = dict[str, Was](), MOST_BYTES
    for path in sorted(files, key=lambda path: path not in known):
        left -= len(files[path].content)
        if left < 0 or len(found) >= MOST_FILES:
            break
        found[path] = files[path]
    return found


def _entries(common: str) -> Iterator[tuple[int, str, str]]:
    """Of each the open folder that it is in, its name, and its path."""
    folders, names = list_folder(common)
    shared = (name for name in names if name.startswith("sharedindex."))
    with contextlib.suppress(OSError), folder_of(Path(common, "x")) as own:
        for top in (*_KEPT, *shared):
            if top in _KEPT and top in folders:
                for folder, name, path in files_below(f"{common}/{top}"):
                    if not (name.endswith(".lock") or name in _LED_BY):
                        yield folder, name, path
            elif top not in _KEPT or top in names:
                yield own, top, f"{common}/{top}"


def _read_rest(
    common: str, known: Mapping[str, Was], found: Collection[str], left: int
) -> Iterator[tuple[str, Was]]:
    """Those of `known` that were not reached, and are there."""
    for path, before in known.items():
        if path in found:
            continue
        with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
            name = os.path.basename(path)  # noqa: PTH119
            if (was := read_at(folder, name, left, before)) is not None:
                left -= len(was.content) if was is not before else 0
                yield path, was
            elif _is_regular(name, folder):
                yield path, _too_long(common, path, before)


def _is_regular(name: str, folder: int) -> bool:
    try:
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(about.st_mode)


def _too_long(common: str, path: str, before: Was) -> Was:
    is_ref = path.endswith("/HEAD") or path.startswith(f"{common}/refs/")
    return Was(before.mode, before.identity, b"") if is_ref else before


def packed_refs(files: Mapping[str, Was], common: str) -> dict[str, str]:
    """What `packed-refs` says; a file of a branch or tag stands over it."""
    was = files.get(f"{common}/packed-refs")
    lines = was.content.decode("utf-8", "replace").splitlines() if was is not None else ()
    said = (line.partition(" ") for line in lines)
    return {name: sha for sha, _, name in said if SHA.fullmatch(sha)}


def refs(files: Mapping[str, Was], common: str) -> dict[str, str]:
    """The commits that branches and tags name, by their whole names."""
    found = packed_refs(files, common)
    start = f"{common}/refs/"
    for path, was in files.items():
        if path.startswith(start):
            sha = was.content.decode("ascii", "replace").strip()
            if SHA.fullmatch(sha):
                found[f"refs/{path[len(start) :]}"] = sha
    return found


def last_of(log: Was | None) -> str:
    """The commit at which a branch is by its log; empty: it has none."""
    last = log.content.rstrip().rpartition(b"\n")[2] if log is not None else b""
    words = last.decode("utf-8", "replace").split(" ", 2)
    return words[1] if len(words) > 1 else ""


def is_old_log(was: Was) -> bool:
    """Whether a file is a reflog that git may empty: all that it says is old."""
    return is_old(was.content.rstrip().rpartition(b"\n")[2])


def is_old(line: bytes) -> bool:
    about = line.partition(b"\t")[0].split()[-2:]
    is_dated = len(about) == len(("seconds", "zone")) and about[0].isdigit()
    return is_dated and len(about[0]) <= _DIGITS and int(about[0]) < time.time() - LOG_STAYS


def cut_logs(
    before: Mapping[str, Was], now: Mapping[str, Was], folders: Collection[str]
) -> dict[str, bytes]:
    """Reflogs out of which entries were taken that git would have kept, with all of both: of that of
    a `HEAD` all that no other log has, of that of a branch the commits that nothing names any more.
    `folders`: the common git folder first, then those of other work trees."""
    common, found = next(iter(folders)), dict[str, bytes]()
    heads = {f"{folder}/logs/HEAD" for folder in folders}
    branches, start = refs(now, common), f"{common}/logs/"
    entries, named = set[bytes](), frozenset[str]()
    for path, was in cut_files(before, now):
        lines, name = log_lines(path, was, common), path.removeprefix(start)
        if not lines or (path not in heads and (name not in branches or name == STASH)):
            continue  # git takes it away with its branch
        more = log_lines(path, now[path], common) if path in now else []
        own = {_entry(line) for line in lines}
        if more and own.isdisjoint(map(_entry, more)):
            continue  # that of a new repository
        named = named or all_named(now, common)
        entries = entries or {
            _entry(line) for log in now for line in log_lines(log, now[log], common)
        }
        young = [line for line in lines if not is_old(line)]
        if any(
            _entry(line) not in entries if path in heads else commit_of(line) not in named
            for line in young
        ):
            new = [line for line in more if _entry(line) not in own]
            found[path] = b"".join(line + b"\n" for line in (*lines, *new))
    return found


def log_name(path: str, common: str) -> str:
    """Of which branch, or `HEAD`, a file of a git folder is the reflog; empty: it is none."""
    parts = path.removeprefix(f"{common}/").split("/")
    parts = parts[2:] if parts[0] == "worktrees" else parts
    return "/".join(parts[1:]) if parts[:1] == ["logs"] else ""


def log_lines(path: str, was: Was, common: str) -> list[bytes]:
    is_log = log_name(path, common) and stat.S_ISREG(was.mode)
    return was.content.splitlines() if is_log else []


def _entry(line: bytes) -> bytes:
    """What git leaves as it is where it takes out the one before."""
    return line.partition(b" ")[2]


def commit_of(line: bytes) -> str:
    return line.decode("utf-8", "replace").split(" ", 2)[1] if b" " in line else ""


def all_named(files: Mapping[str, Was], common: str) -> frozenset[str]:
    """The commits that refs, reflogs and each `HEAD` name."""
    found = {*refs(files, common).values()}
    for path, was in files.items():
        if path.endswith("/HEAD") or log_name(path, common):
            words = was.content.decode("utf-8", "replace").split()
            found.update(word for word in words if SHA.fullmatch(word))
    return frozenset(sha for sha in found if not _NOTHING.fullmatch(sha))


def cut_files(before: Mapping[str, Was], now: Mapping[str, Was]) -> Iterator[tuple[str, Was]]:
    """Files that hold no more all that they did, from the begin on."""
    for path, was in before.items():
        later = now.get(path)
        if later is not was and (later is None or not later.content.startswith(was.content)):
            yield path, was
