"""Whether anything in a repository can make git run another program when it only looks."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.safety.file_access import NotRegular, read_regular
from agent_tui.safety.git_config import (
    MOST_TEXT,
    Repository,
    explain_refusal,
    find_repository,
    is_plain_config,
    parse_config,
    places_read,
    read_bytes,
    read_text,
)
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_MOST_SUBMODULES: Final = 100
_TOO_MANY: Final = "it has too many submodules to be judged"
_MOST_ANSWERS: Final = 64
_SETTLED_NS: Final = 3_000_000_000
"""Nanoseconds after which no further change can have the same time: FAT counts in two seconds."""
_BARE: Final = ("HEAD", "objects", "refs")
"""What a folder holds that git takes for a repository without a work tree."""
_HEAD: Final = late.pattern(r"ref: refs/\S+|[0-9a-f]{40}|[0-9a-f]{64}")
_SUBMODULE: Final = b"\x00\x00\xe0\x00"
"""The mode of a submodule in an index. By chance other bytes are the same: then it asks."""
_LARGEST_INDEX: Final = 100_000_000
_Stamp = tuple[int, ...]

_RUNS_NOTHING: Final = late.pattern(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode"
    r"|autocrlf|eol|symlinks|abbrev|quotepath|safecrlf|untrackedcache|preloadindex|checkstat"
    r"|longpaths|protecthfs|protectntfs|compression|commentchar|whitespace|sharedrepository"
    r"|trustctime|bigfilethreshold|sparsecheckout|sparsecheckoutcone|splitindex|commitgraph)"
    r"|remote\..*\.(?:url|fetch|pushurl|push|tagopt|prune|prunetags|mirror|skipdefaultupdate)"
    r"|branch\..*\.(?:remote|merge|rebase|description|pushremote|mergeoptions|vscode-merge-base"
    r"|gk-.*|github-pr-.*)"
    r"|submodule\..*\.(?:url|active|branch|ignore|fetchrecursesubmodules)|submodule\.(?:active"
    r"|recurse)"
    r"|user\.(?:name|email|signingkey|useconfigonly)|author\..*|committer\..*"
    r"|(?:init|pull|push|fetch|rebase|status|log|color|column|advice|rerere|gc|maintenance|feature"
    r"|pack|index|transfer|receive|checkout|commit|tag|branch|stash|blame|apply|am|format|help"
    r"|versionsort|i18n|lfs|gitflow|diff|merge|grep|alias)\.[a-z0-9.-]*"
    r"|extensions\.(?:objectformat|worktreeconfig|refstorage|compatobjectformat|preciousobjects)"
)
"""Keys whose value is never run by a command of the table. Of `diff.` and `merge.` only those
without a name in between: a driver has one."""
_RUN_AFTER_ALL: Final = frozenset(
    {
        "diff.external",
        "diff.orderfile",
        "log.showsignature",
        "status.submodulesummary",
        "blame.ignorerevsfile",
        "diff.submodule",
    }
)


@frozen
class _Answer:
    """What was found, and the stamps of all that decided it."""

    why: str
    places: tuple[str, ...]
    stamps: tuple[_Stamp, ...]


_answers: dict[Path, _Answer] = {}


def check_repository(folder: Path) -> str:
    """Why git is not run unasked in `folder` (a real path); empty where nothing of the repository
    can make it run another program.

    An answer is used again while nothing that decided it has another stamp. The stamps are taken
    before the files are read. An answer is kept only if all of them are old enough that a change
    from now on gets another time, however coarse the clock of the disk is, and none is a link.
    """
    known = _answers.get(folder)
    if known is not None and _stamps(known.places) == known.stamps:
        return known.why
    _answers.pop(folder, None)
    places = tuple(dict.fromkeys(_places_read(folder)))
    settled = time.time_ns() - _SETTLED_NS
    stamps = _stamps(places)
    why = _check(folder)
    if all(_is_plain(stamp) and max(stamp[-2:], default=0) < settled for stamp in stamps):
        if len(_answers) >= _MOST_ANSWERS:
            _answers.clear()
        _answers[folder] = _Answer(why, places, stamps)
    return why


def _stamps(places: tuple[str, ...]) -> tuple[_Stamp, ...]:
    return tuple(map(_stamp, places))


def _stamp(place: str) -> _Stamp:
    """What changes whenever this file or folder does: also where its time of change was set
    back."""
    try:
        about = os.lstat(place)
    except OSError:
        return ()
    size = about.st_size if stat.S_ISREG(about.st_mode) else 0
    return (
        about.st_mode,
        about.st_dev,
        about.st_ino,
        size,
        about.st_mtime_ns,
        about.st_ctime_ns,
    )


def _is_plain(stamp: _Stamp) -> bool:
    return not stamp or not stat.S_ISLNK(stamp[0])


def _places_read(folder: Path) -> Iterator[str]:
    """All that `_check` looks at, also what is not there."""
    todo, seen = [folder], set[Path]()
    while todo and len(seen) <= _MOST_SUBMODULES:
        place = todo.pop()
        where = find_repository(place)
        for level in (place, *place.parents):
            yield from (f"{level}/{name}" for name in (".git", *_BARE))
            if where is not None and level == where.top:
                break
        if where is None or where.top in seen:
            continue
        seen.add(where.top)
        yield f"{where.top}/.gitmodules"
        yield from places_read(where)
        named = [*_named_submodules(where.top)]
        yield from (f"{submodule}/.git" for submodule in named)
        todo += (submodule for submodule in named if (submodule / ".git").exists())


def _check(folder: Path) -> str:
    todo, seen = [folder], set[Path]()
    while todo:
        place = todo.pop()
        where = find_repository(place)
        if where is None:
            return "it is not in a repository of git"
        if where.top in seen:
            continue
        seen.add(where.top)
        if len(seen) > _MOST_SUBMODULES:
            return _TOO_MANY
        if why := (
            _bare(place, where.top)
            or explain_refusal(where)
            or _broken(where)
            or _driver(where)
            or _hidden_submodules(where)
        ):
            return why
        named = [*_named_submodules(where.top)]
        if len(named) > _MOST_SUBMODULES:
            return _TOO_MANY
        todo += (place for place in named if (place / ".git").exists())  # git looks there, too
    return ""


def is_bare(folder: Path) -> bool:
    """Whether git takes a folder for a repository without a work tree."""
    return all((folder / name).exists() for name in _BARE)


def _bare(folder: Path, top: Path) -> str:
    """Why git may take a folder in the work tree for a repository without one."""
    for place in (folder, *folder.parents):
        if is_bare(place):
            return f"{place} looks like a repository of its own"
        if place == top:
            break
    return ""


def _broken(where: Repository) -> str:
    """Why git may pass over this git folder, and take one further up."""
    head = read_text(where.folder / "HEAD").rstrip("\n")
    whole = all((where.common / name).is_dir() for name in ("objects", "refs"))
    return "" if whole and _HEAD.fullmatch(head) else f"{where.folder} is not whole"


def _hidden_submodules(where: Repository) -> str:
    """Why git may look into submodules that are not known here: without the file in the work tree
    it takes their settings from the index or from a commit."""
    named = where.top / ".gitmodules"
    if os.path.lexists(named):
        return "" if is_plain_config(read_text(named)) else f"{named} cannot be read for certain"
    for index in (where.folder / "index", *where.folder.glob("sharedindex.*")):
        try:
            data = read_regular(index.resolve(), _LARGEST_INDEX)
        except (OSError, NotRegular):
            continue  # there is none, so nothing is in it
        if _SUBMODULE in data or len(data) > _LARGEST_INDEX:
            return "it has submodules, but no .gitmodules"
    return ""


def _driver(where: Repository) -> str:
    """Which of the repository's settings may name a program; empty: none."""
    for file in (where.common / "config", where.folder / "config.worktree"):
        data = read_bytes(file)
        if len(data) > MOST_TEXT or (not data and file.exists() and file.stat().st_size):
            return f"{file} cannot be read as a whole"
        text = data.decode("utf-8", "replace")
        if not is_plain_config(text):
            return f"{file} cannot be read for certain"
        for key, _ in parse_config(text):
            if not _RUNS_NOTHING.fullmatch(key) or key in _RUN_AFTER_ALL or _has_driver(key):
                return f"the repository's configuration sets {key}"
    return ""


def _named_submodules(top: Path) -> Iterator[Path]:
    """One more than may be, at most."""
    text = read_text(top / ".gitmodules")
    settings = parse_config(text) if is_plain_config(text) else iter(())  # else it asks anyway
    named = (
        top / value
        for key, value in settings
        if key.startswith("submodule.") and key.endswith(".path")
    )
    return islice(named, _MOST_SUBMODULES + 1)


_MAKES_PROGRAMS: Final = ("alias.", "init.templatedir", "help.")
"""Keys for which a command that does more than look may run their value after all."""


def may_run(key: str) -> bool:
    """Whether git may run the value of this key, or what it names, in any command."""
    key = key.lower()
    plain = _RUNS_NOTHING.fullmatch(key) is not None and key not in _RUN_AFTER_ALL
    return not plain or _has_driver(key) or key.startswith(_MAKES_PROGRAMS)


def _has_driver(key: str) -> bool:
    return key.startswith(("diff.", "merge.", "grep.", "lfs.")) and key.count(".") > 1
