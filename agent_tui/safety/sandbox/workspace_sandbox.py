"""The workspace sandbox: what a command in it may do, that runs unasked because the mode lets all
run.

It reads what the read-only sandbox reads, and what builds take from the home folder; it writes in
the folders of the session, in their git folder, and in a temporary folder that such commands share;
it has no network. Names that programs obey are fixed and secrets hidden where the backend has
mounts of its own: there, and as far as the folders were looked through. What it makes under such a
name is found afterwards (`protected_state.py`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args

from agent_tui.safety.git_config import Repository, explain_refusal, find_repository
from agent_tui.safety.git_index import BadIndex
from agent_tui.safety.protected_names import is_secret, named_by_git, protection
from agent_tui.safety.sandbox import read_only_sandbox
from agent_tui.safety.sandbox.profiles import Profile
from agent_tui.safety.secret_search import ENVIRONMENT, NOT_ENTERED, is_settled, read_index
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
_MOST_FOLDERS: Final = 1_000
_UNIX_SOCKETS: Final = "/proc/net/unix"


def profile(
    roots: Sequence[Path],
    environment: Mapping[str, str],
    own: Iterable[Path] = (),
    readable: Sequence[Path] = (),
    backend: str = "",
) -> Profile:
    """The profile for a session that works in `roots`; `readable`: folders that it only reads."""
    inside = [Path(os.path.realpath(root)) for root in roots]
    read = read_only_sandbox.profile((*inside, *readable), environment, own, _BUILT_WITH)
    found = look_through(inside)
    homes = read_only_sandbox.home_folders(environment)
    names = f"{read_only_sandbox.TOOLCHAINS} {_BUILT_WITH}".split()
    links = [f"{home}/{name}" for home in homes for name in names]
    links = [path for path in (*links, *_OF_RUN) if os.path.islink(path)]  # noqa: PTH114
    hidden = {*read.hidden, "/run", "/tmp", "/var/tmp", *found.secrets}
    hidden |= set(_sockets(inside))
    outside = (path for path in read.readable if not path.startswith(_WITH_SOCKETS))
    return replace(
        read,
        readable=tuple(outside),
        writable=(*read.writable, *map(str, inside), *found.git_folders),
        hidden=tuple(sorted(path for path in hidden if os.path.realpath(path) == path)),
        fixed=found.fixed,
        links=tuple(links),
        works=True,
        temporary=tempfile.gettempdir(),
        backend=backend,
    )


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
    """Those whose names are obeyed. No mount holds a link; what they lead to is fixed."""
    missing: tuple[str, ...] = ()
    """What git's configuration or such a link names, and is not there."""
    below: Mapping[str, frozenset[str]] = MappingProxyType({})
    """The folders that were looked into, each with the folders in it that are like others."""
    environments: frozenset[str] = frozenset()
    """Folders that Python says are virtual environments."""


def look_through(roots: Sequence[Path]) -> Found:
    """Look for names that are obeyed, and for secrets that git does not have: in `roots` and, as
    far as there is time, in the folders below, the nearest first."""
    named: dict[_Kind, list[str]] = {kind: [] for kind in _KINDS}
    below: dict[str, frozenset[str]] = {}
    folders: list[str] = []
    to: list[tuple[Path, bool]] = []
    for root in roots:
        where = find_repository(root)
        if where is not None and explain_refusal(where):
            where = None
        if where is not None:
            folders += sorted({os.path.realpath(where.folder), os.path.realpath(where.common)})
        to += named_by_git(root if where is None else where.top)
        named["repository"] += [str(root)] if _is_bare(str(root)) else []
        found = [*_named(root, below)]
        found += [one for path, kind in found if kind == "obeyed" for one in _secrets_in(path)]
        has_secrets = any(kind == "secret" for _, kind in found)
        tracked = _tracked(where) if has_secrets else {}
        for path, kind in found:
            if kind != "secret" or where is None or not _is_tracked(path, where, tracked):
                named[kind].append(path)
    links = [(Path(os.path.realpath(path)), True) for path in named["link"]]
    of_git = [os.path.realpath(path) for path in named["link"] if path.endswith("/.git")]
    led = {one for path in (*folders, *named["repository"], *of_git) for one in _led_by(path)}
    fixed = [path for folder in sorted(led) for path in _names_of_git(folder)]
    inside = {
        str(place)
        for place, whole in (*to, *links)
        if str(place) not in led and _may_be_fixed(place, whole, roots)
    }
    there = {path for path in inside if os.path.exists(path)}  # noqa: PTH110
    return Found(
        fixed=(*fixed, *named["obeyed"], *sorted(there)),
        secrets=tuple(named["secret"]),
        git_folders=tuple(folders),
        led=frozenset(led),
        links=tuple(named["link"]),
        missing=tuple(sorted(inside - there)),
        below=below,
        environments=frozenset(named["environment"]),
    )


def _may_be_fixed(place: Path, whole: bool, roots: Sequence[Path]) -> bool:
    """Whether something leads to `place` in one of `roots`, and not to all of one; to a folder only
    where all in it is obeyed (`whole`)."""
    if any(root.is_relative_to(place) for root in roots) or (place.is_dir() and not whole):
        return False
    return any(place.is_relative_to(root) for root in roots)


def _tracked(where: Repository | None) -> Mapping[str, bytes]:
    """What git has is no secret from who may read its folder, and hidden it would seem changed. Of
    an index that cannot be read nothing is known."""
    try:
        return read_index(where) if where is not None else {}
    except (OSError, BadIndex):
        return {}


def _is_tracked(path: str, where: Repository, tracked: Mapping[str, bytes]) -> bool:
    return os.path.relpath(path, where.top) in tracked


def _is_bare(folder: str) -> bool:
    return os.path.lexists(f"{folder}/HEAD") and os.path.exists(f"{folder}/objects")  # noqa: PTH110


def _led_by(folder: str) -> Iterator[str]:
    """A git folder, and those of its submodules and other work trees. Which they are is known by
    what a sandbox fixes, too: who takes their `HEAD` away does not hide them."""
    yield folder
    for inner in ("modules", "worktrees"):
        for at, below, files in os.walk(f"{folder}/{inner}"):
            if {"HEAD", "config", "gitdir"} & {*files, *below}:
                yield at
                below[:] = [name for name in below if name in ("modules", "worktrees")]


def _names_of_git(folder: str) -> Iterator[str]:
    return (path for name in GIT_LED_BY if os.path.exists(path := f"{folder}/{name}"))  # noqa: PTH110


_Kind = Literal["obeyed", "secret", "repository", "link", "environment"]
_KINDS: Final = get_args(_Kind)
_Names = tuple[tuple[tuple[str, _Kind], ...], tuple[str, ...]]
_seen: dict[str, tuple[int, _Names]] = {}
"""What was found in a folder, by the time of its change, which nobody can set: names do not change
without that."""


def _named(root: Path, looked: dict[str, frozenset[str]]) -> Iterator[tuple[str, _Kind]]:
    """The paths below `root` that are not like others, nearest first."""
    todo, at = [str(root)], 0
    while at < min(len(todo), _MOST_FOLDERS):
        names, below = _look_into(todo[at], root)
        yield from names
        looked[todo[at]] = frozenset(below)
        todo += below
        at += 1
    if len(_seen) > 20 * _MOST_FOLDERS:
        _seen.clear()


def _secrets_in(obeyed: str) -> Iterator[tuple[str, _Kind]]:
    """Those directly in a folder that is obeyed (`.devcontainer/.env`), which is not looked through."""
    try:
        entries = [*os.scandir(obeyed)]
    except OSError:
        return  # a file, or it is gone
    for entry in entries:
        if entry.is_file(follow_symlinks=False) and is_secret(Path(entry.path).parts[-2:]):
            yield entry.path, "secret"


def _look_into(folder: str, root: Path) -> _Names:
    try:
        about = os.stat(folder)  # noqa: PTH116
        if folder in _seen and _seen[folder][0] == about.st_ctime_ns:
            return _seen[folder][1]
        settled, names = is_settled(about), _names_in(folder, root)
    except OSError:
        return (), ()  # it is gone, or closed
    if settled:
        _seen[folder] = (about.st_ctime_ns, names)
    return names


def _names_in(folder: str, root: Path) -> _Names:
    """What `folder` holds of such names, and the folders in it that are to be looked through."""
    names: list[tuple[str, _Kind]] = []
    below: list[str] = []
    parts = Path(folder).relative_to(root).parts
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path, inner = entry.path, (*parts, entry.name)
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in NOT_ENTERED:
            continue
        if entry.is_symlink():
            names += [(path, "link")] if protection(inner, root.parts) else []
        elif is_folder and (entry.name == ".git" or _is_bare(path)):
            names.append((path, "repository"))
        elif protection(inner, root.parts) or is_secret(inner):
            names += [(path, "obeyed")] if protection(inner, root.parts) else []
            names += [(path, "secret")] if is_secret(inner) else []
        elif is_folder and os.path.exists(f"{path}/{ENVIRONMENT}"):  # noqa: PTH110
            names.append((path, "environment"))
        elif is_folder:
            below.append(path)
    return tuple(names), tuple(below)
