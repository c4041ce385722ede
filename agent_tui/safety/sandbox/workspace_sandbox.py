"""The workspace sandbox: what a command in it may do, that runs unasked because the mode lets all
run.

It reads what the read-only sandbox reads, and what builds take from the home folder; it writes in
the folders of the session, and in a temporary folder that such commands share; it has no network.
Where the backend has mounts of its own, and as far as the folders were looked through, names that
programs obey are fixed, secrets hidden, and git folders read-only for all but git. What it makes
under such a name is found afterwards (`protected_state.py`).
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final, get_args

from agent_tui.safety.closed_folders import Identity, find_closed, identity
from agent_tui.safety.folder_walk import MOST_DEEP, entries_of, list_folder
from agent_tui.safety.git_config import (
    ALTERNATES,
    Repository,
    explain_refusal,
    find_repository,
    read_text,
)
from agent_tui.safety.git_index import Tracked
from agent_tui.safety.name_search import (
    NOT_ENTERED,
    Folder,
    Kind,
    Refused,
    is_repository,
    own_names,
    search,
)
from agent_tui.safety.protected_names import fold_name, is_secret, may_count
from agent_tui.safety.protected_places import named_by_git
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.sandbox.plain_paths import PlainPaths
from agent_tui.safety.sandbox.profiles import LANDLOCK, Profile
from agent_tui.safety.sandbox.read_only_sandbox import outermost
from agent_tui.safety.secret_search import find_secret_files, hidden_secrets
from agent_tui.structures.frozen import frozen

_BUILT_WITH: Final = """
    .m2 .ivy2 .gradle .nuget .bundle .pub-cache .cabal .mix .hex .rustup .sbt .composer/vendor
    .cache/pypoetry .cache/pre-commit .cache/ms-playwright .cache/puppeteer .cache/Cypress
    .cache/electron .cache/node .cache/bazelisk .cache/huggingface .cache/torch .cache/pip
    .local/share/hatch .local/share/nvim-ruby Library/Caches/pypoetry Library/Caches/ms-playwright
"""
"""In the home folder: packages and programs that builds and tests take from there. None of it is
written: what it holds is run without a sandbox, too."""
_WITH_SOCKETS: Final = ("/run/", "/var/run/")
"""Services listen there; to connect to one needs no right that a mount could take away."""
_OF_RUN: Final = ("/run/current-system", "/run/booted-system", "/run/opengl-driver")
GIT_LED_BY: Final = (
    "hooks", "config", "config.worktree", "commondir", "gitdir",
    "rebase-merge", "rebase-apply", "sequencer",
)  # fmt: skip
"""What git runs or is led by; the rest of its folder changes with each commit."""
_MOST_FIXED: Final = 1_000
"""Folders of which the names are held fast."""
_MOST_SECONDS: Final = 1.0
"""For the look at all others; what was seen is remembered for the next time."""
_MOST_LED_TO: Final = 100
"""Folders with objects of a repository elsewhere."""
_MOST_OF_OBEYED: Final = 200
"""Folders of an obeyed one in which secrets are looked for."""
_OF_LED: Final = frozenset({"HEAD", "config", "gitdir", "commondir", "config.worktree"})
"""Files of which one at least is in each folder that git is led by."""
_UNIX_SOCKETS: Final = "/proc/net/unix"


def profile(
    roots: Sequence[Path],
    environment: Mapping[str, str],
    own: Iterable[Path] = (),
    readable: Sequence[Path] = (),
    backend: str = "",
    found: Found | None = None,
    held: Sequence[str] = (),
    forbidden: Sequence[Path] = (),
) -> Profile:
    """The profile for a session that works in `roots`; `readable`: folders that it only reads;
    `found`: what `look_through` has just said of the roots; `held`: as `find_held` says;
    `forbidden`: folders that no command looks into."""
    inside = [Path(os.path.realpath(root)) for root in roots]
    below = [one for one in forbidden if any(one.is_relative_to(root) for root in inside)]
    closed = tuple(map(str, forbidden))
    read = read_only_sandbox.profile((*inside, *readable), environment, own, _BUILT_WITH, closed)
    found = found or look_through(inside)
    homes = read_only_sandbox.home_folders(environment)
    names = f"{read_only_sandbox.TOOLCHAINS} {_BUILT_WITH}".split()
    links = [f"{home}/{name}" for home in homes for name in names]
    links = [path for path in (*links, *_OF_RUN) if os.path.islink(path)]  # noqa: PTH114
    hidden = {*read.hidden, "/run", "/tmp", "/var/tmp", *found.secrets, *found.closed}
    hidden |= {*_sockets(inside), *find_secret_files(inside).closed}  # by their other names, too
    outside = (path for path in read.readable if not path.startswith(_WITH_SOCKETS))
    of_git = [path for path in found.git_folders if not lies_in(path, held)]
    return replace(
        read,
        readable=(*outside, *held),
        writable=(*read.writable, *map(str, inside), *of_git),
        hidden=tuple(sorted(path for path in hidden if os.path.realpath(path) == path)),
        forbidden=tuple(sorted(map(str, below))),
        fixed=(*held, *(path for path in found.fixed if not lies_in(path, held))),
        links=tuple(links),
        works=True,
        temporary=tempfile.gettempdir(),
        backend=backend,
    )


def find_held(found: Found, roots: Sequence[Path], backend: str) -> tuple[str, ...]:
    """The git folders that are read-only for what is not git alone, the outermost of them, and what
    links in them and names of other folders with objects lead to in `roots`. Reads files."""
    if backend == LANDLOCK and sys.platform != "darwin":
        return ()  # its rules take no right away below a folder that has it
    led = (one for one in found.led if one.endswith("/.git") or is_repository(one))
    places = outermost(
        path
        for path in (*found.git_folders, *led)
        if os.path.realpath(path) == path and not any(lies_in(str(one), (path,)) for one in roots)
    )
    to = {one for path in places for one in _led_to(path) if _may_be_fixed(one, True, roots)}
    return outermost((*places, *map(str, to)))


def _led_to(folder: str) -> Iterator[Path]:
    with contextlib.suppress(OSError), entries_of(folder) as entries:
        links = [f"{folder}/{one.name}" for one in entries if one.is_symlink()]
        yield from (Path(os.path.realpath(link)) for link in links)
    for line in read_text(Path(folder, ALTERNATES[0])).splitlines()[:_MOST_LED_TO]:
        with contextlib.suppress(ValueError):  # it is no path
            yield Path(os.path.realpath(Path(folder, "objects", line)))


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Whether it is one of them, or in one."""
    return any(f"{path}/".startswith(f"{one}/") for one in folders)


def _sockets(roots: Sequence[Path]) -> Iterator[str]:
    """Those that somebody listens on outside of `roots`, as far as this machine tells: by the path
    that they were given, which a link or a new name may have led elsewhere."""
    try:
        lines = Path(_UNIX_SOCKETS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return  # no Linux
    for path in {os.path.realpath(f"/{line.partition(' /')[2]}") for line in lines} - {"/"}:
        if not any(Path(path).is_relative_to(root) for root in roots):
            yield path


@frozen
class Found:
    """What in the folders of a session is not a file like others: real paths."""

    fixed: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    git_folders: tuple[str, ...] = ()
    """Those of the work trees; their common folders, too."""
    led: frozenset[str] = frozenset()
    """All folders in which names of `GIT_LED_BY` count: also those of submodules, of other work
    trees and of repositories below."""
    links: tuple[str, ...] = ()
    """Those whose names are obeyed, or are those of folders in which names are. No mount holds a
    link; what they lead to is fixed."""
    missing: tuple[str, ...] = ()
    """What git's configuration or such a link names, and is not there."""
    looked: frozenset[str] = frozenset()
    """The folders that were looked into, as they are reached."""
    folders: Mapping[str, int] = field(default_factory=dict)
    """The folders in those, with their numbers: which of all they are."""
    names: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    """The names in those that are not like others, with their numbers; whether they are folders."""
    kept_by_programs: frozenset[str] = frozenset()
    """Folders in which `own_names` count for nothing."""
    closed: Mapping[str, Identity] = field(default_factory=dict)
    """The outermost folders that nobody could look into: what is in them counts as not seen."""


def look_through(roots: Sequence[Path]) -> Found:
    """Look for names that are obeyed, and for secrets that git does not have: in `roots` and, as
    far as there is time, in the folders below, the nearest first."""
    found = _Search(roots)
    named: dict[Kind, list[str]] = {kind: [] for kind in get_args(Kind)}
    known: dict[str, Repository | None] = {}
    folders: list[str] = []
    to: list[tuple[Path, bool]] = []
    for root in roots:
        where = find_repository(root)
        if where is not None and explain_refusal(where):
            where = None
        known[str(root)] = where
        if where is not None:
            folders += sorted({os.path.realpath(where.folder), os.path.realpath(where.common)})
        to += named_by_git(root if where is None else where.top)
        for path, kind in found.named(root, Tracked(where)):
            named[kind].append(path)
    links = [(Path(os.path.realpath(path)), True) for path in named["link"]]
    of_git = [os.path.realpath(path) for path in named["link"] if path.endswith("/.git")]
    led = {one for path in (*folders, *named["repository"], *of_git) for one in led_by(path)}
    fixed = [path for folder in sorted(led) for path in _names_of_git(folder)]
    obeyed = [path for path in named["obeyed"] if not is_kept_by_git(path, led, roots)]
    inside = {
        str(place)
        for place, whole in (*to, *links)
        if str(place) not in led and _may_be_fixed(place, whole, roots)
    }
    there = {path for path in inside if os.path.exists(path)}  # noqa: PTH110
    plain = PlainPaths((*map(str, roots), *folders))
    return Found(
        fixed=tuple(filter(plain.is_plain, (*fixed, *obeyed, *sorted(there)))),
        secrets=tuple(hidden_secrets(named["secret"], roots, known)),
        git_folders=tuple(folders),
        led=frozenset(led),
        links=(*named["link"], *named["way"]),
        missing=tuple(sorted(inside - there)),
        looked=frozenset(found.looked),
        folders=found.folders,
        names=found.names,
        kept_by_programs=frozenset(found.kept_by_programs),
        closed=found.closed,
    )


def is_kept_by_git(path: str, led: Container[str], roots: Sequence[Path]) -> bool:
    """Whether it is the `HEAD` of a bare repository below, which changes with what is checked
    out."""
    folder, _, name = path.rpartition("/")
    return fold_name(name) == "head" and folder in led and Path(folder) not in roots


class _Search:
    """What the search through the folders of a session finds, and which they are."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = roots
        self.looked: set[str] = set()
        self.folders: dict[str, int] = {}
        self.names: dict[str, tuple[int, bool]] = {}
        self.kept_by_programs: set[str] = set()
        self.closed: dict[str, Identity] = {}

    def named(self, root: Path, tracked: Tracked) -> Iterator[tuple[str, Kind]]:
        """The names below `root` that are to be fixed, hidden or watched."""

        def own(folder: Folder, _: bool) -> frozenset[str]:
            return frozenset() if tracked.has_below(folder.path) else own_names(folder)

        def refused(path: str) -> bool:
            return self._take_closed(root, path)

        end = time.monotonic() + _MOST_SECONDS
        for count, visit in enumerate(search(root, self.roots, own, refused=refused)):
            if count >= _MOST_FIXED and time.monotonic() > end:
                return
            folder = visit.folder
            self.looked.add(folder.at)
            self.kept_by_programs |= {folder.at} if visit.own else set()
            self.folders.update((one.at, one.inode) for one in visit.below)
            self.names.update((one.path, (one.inode, one.is_folder)) for one in folder.names)
            if count >= _MOST_FIXED:  # who makes folders pushes no secret out of the nearest
                yield from ((one.path, one.kind) for one in visit.names if one.kind == "secret")
                continue
            if folder.is_bare:
                yield folder.path, "repository"
            for name in visit.names:
                yield name.path, name.kind
                if name.kind == "obeyed" and name.is_folder:
                    secrets = _secrets_in(name.path, refused)
                    yield from ((path, "secret") for path in secrets)

    def _take_closed(self, root: Path, path: str) -> bool:
        home = next((one for one in self.roots if Path(path).is_relative_to(one)), root)
        closed = find_closed(str(home), path)
        with contextlib.suppress(OSError):  # it is gone
            self.closed[closed] = identity(closed)
        return False


def _may_be_fixed(place: Path, whole: bool, roots: Sequence[Path]) -> bool:
    """Whether something leads to `place` in one of `roots`, and not to all of one; to a folder only
    where all in it is obeyed (`whole`)."""
    if any(root.is_relative_to(place) for root in roots) or (
        os.path.isdir(place) and not whole  # noqa: PTH112
    ):
        return False
    return any(place.is_relative_to(root) for root in roots)


def led_by(folder: str) -> Iterator[str]:
    """A git folder, and those of its submodules and other work trees, the outer first. Which they
    are is known by what a sandbox fixes, too: who takes their `HEAD` away does not hide them."""
    yield folder
    for inner in ("modules", "worktrees"):
        todo = deque([top := f"{folder}/{inner}"])
        while todo:
            at = todo.popleft()
            below, others = list_folder(f"{os.path.realpath(top)}{at[len(top) :]}")
            if at != top and not _OF_LED.isdisjoint(others):
                yield at
                below = tuple(name for name in below if name in ("modules", "worktrees"))
            else:
                yield from (path for name in others if os.path.isdir(path := f"{at}/{name}"))  # noqa: PTH112
            if at.count("/") - top.count("/") >= MOST_DEEP and below:
                yield at  # nobody knows what is in it
                below = ()
            todo += [f"{at}/{name}" for name in below]


def _names_of_git(folder: str) -> Iterator[str]:
    names = (*GIT_LED_BY, *ALTERNATES)
    return (path for name in names if os.path.exists(path := f"{folder}/{name}"))  # noqa: PTH110


def _secrets_in(obeyed: str, refused: Refused) -> Iterator[str]:
    """Those in a folder that is obeyed (`.devcontainer/app/.env`), which is not looked through for
    names of other kinds; the nearest first."""
    todo = [obeyed]
    for at in todo:
        try:
            with entries_of(at) as found:
                entries = [
                    (entry.name, entry.is_dir())
                    for entry in found
                    if not entry.is_symlink() and entry.name not in NOT_ENTERED
                ]
        except PermissionError:
            refused(at)
            continue
        except OSError:
            continue  # it is gone
        for name, is_folder in entries:
            parts = (at.rpartition("/")[2], name)
            if may_count(parts) and is_secret(parts):
                yield f"{at}/{name}"
            elif is_folder and len(todo) < _MOST_OF_OBEYED:
                todo.append(f"{at}/{name}")
