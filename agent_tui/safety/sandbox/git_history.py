"""What a command in the sandbox deletes of the history of a repository is put back: it may write in
the git folder, and no list names all the ways to empty one.

What moves is no loss: git keeps the old commits, and the reflog names them. A loss is what git
never takes away itself: `HEAD`, the index, the reflogs, the folder of branches, a branch whose
reflog is left, and objects that nothing holds any more."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.folder_walk import files_below, folder_of, list_folder
from agent_tui.safety.sandbox import plain_paths
from agent_tui.safety.sandbox.git_objects import ObjectCheck
from agent_tui.safety.sandbox.object_store import (
    Held,
    Listed,
    Objects,
    ObjectStore,
    is_empty,
    list_objects,
)
from agent_tui.safety.sandbox.protected_state import Was, read_at, read_file
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MOST_BYTES: Final = 64_000_000
"""Of small files together that are kept of a git folder."""
MOST_FILES: Final = 20_000
GIT_KEEPS: Final = 13 * 86_400.0
"""Seconds for which git itself lets lie what nothing leads to; it says two weeks."""
LOG_STAYS: Final = 29 * 86_400.0
"""The same for what reflogs say; it says thirty days."""
LOST: Final = "refs/agent-tui/lost"
"""Where commits get a name that a branch had and nothing leads to any more."""
_KEPT: Final = (
    "HEAD", "index", "logs", "refs", "ORIG_HEAD", "packed-refs", "shallow", "reftable", "info",
    "worktrees",
)  # fmt: skip
_STAYS: Final = ("HEAD", "index", "logs/HEAD", "packed-refs", "reftable/tables.list")
"""Git makes these anew, and never takes them away, nor empties them, but for a reflog that is
old."""
_LED_BY: Final = frozenset({"config.worktree", "commondir", "gitdir"})
"""Held fast, or put back, with all that leads git."""
_MADE_ANEW: Final = ("info/commit-graph", "pack/multi-pack-index")
"""Of the objects: git does without, but not with an empty one."""
_HEAD: Final = late.pattern(r"ref: refs/|[0-9a-f]{40}")
_LONGEST_PATH: Final = 4_097
"""Bytes in a file that says where something is."""
_DIGITS: Final = 12
"""Of a time in seconds, at most."""
_SHA: Final = late.pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@frozen
class PutBack:
    """What of the git folder `folder` was put back (`parts`, in words), what could not be (`left`),
    and the names (`refs`) under which commits are that a branch does not lead to any more. `to`:
    the folder that has it now. `trouble`: why it could not be looked at, in one line. `unchecked`:
    how many objects are too large to be checked."""

    folder: str
    to: str
    parts: tuple[str, ...]
    left: tuple[str, ...]
    refs: tuple[str, ...]
    trouble: str = ""
    unchecked: int = 0


@frozen
class State:
    """A git folder (`common`: that of all work trees of the repository) before a command: its small
    files by their paths, its objects, and which work tree each folder in its `worktrees` is for."""

    common: str
    files: dict[str, Was]
    objects: Objects
    trees: dict[str, str]


def take_state(common: str, known: Mapping[str, Was], listed: Listed) -> State:
    """As it is now. `known` and `listed`: what was read before. Reads files."""
    folders, _ = list_folder(f"{common}/worktrees")
    places = [f"{common}/worktrees/{name}" for name in folders]
    led = {place: read_file(f"{place}/gitdir", _LONGEST_PATH) for place in places}
    trees = {at: os.fsdecode(was.content.strip()) for at, was in led.items() if was is not None}
    objects = list_objects(f"{common}/objects", listed)
    return State(common, _small_files(common, known), objects, trees)


class History:
    """A repository from before a command until it has ended."""

    def __init__(self, state: State, store: ObjectStore, listed: Listed) -> None:
        self.common, self._state, self._store, self._listed = state.common, state, store, listed
        self._files = state.files

    def put_back(
        self, bases: Sequence[str], aside: Path, to: str, check: ObjectCheck
    ) -> PutBack | None:
        """Give back what was lost since, to the folder `to` if the git folder has gone as a whole;
        None: nothing was. `bases`: the folders in which commands write; what is in the way moves
        below `aside`. Reads and writes files."""
        removed = tuple(f"{at}/" for at, tree in self._state.trees.items() if _is_removed(at, tree))
        files = self._state.files.items()
        self._files = {path: was for path, was in files if not path.startswith(removed)}
        now = _small_files(self.common, self._files)
        held = list_objects(self._objects, self._listed)
        damaged = self._store.find_damaged(self._objects, self._state.objects, held, check)
        objects = self._lost_objects(held.without(damaged))
        broken = self._broken(now)
        no_refs = not os.path.isdir(f"{self.common}/refs")  # noqa: PTH112
        if not objects and not broken and not no_refs:
            return None
        is_packed = not (held.packs.keys() <= self._state.objects.packs.keys())  # by git
        headless = any(path in broken and path not in now for path in self._heads)
        if no_refs or headless or (objects and not is_packed):
            named, packed = _refs(now, self.common), _packed_refs(self._files, self.common)
            broken |= {
                path: was.content
                for path, was in self._files.items()
                if path not in now
                and path not in broken
                and named.get(name := self._name(path)) in (None, packed.get(name))
            }
        target = _Target(to, bases, aside)
        left = [*self._give_objects(objects, damaged, target, check), *self._write(broken, target)]
        try:
            target.make_folders()
        except OSError:
            left.append(self.common)
        is_here = to == self.common and self._objects not in left
        refs = self._name_lost(target) if is_here and (objects or len(broken) > 1) else ()
        unchecked = sum(1 for name in objects if name.replace("/", "") in check.unchecked)
        parts = self._describe(objects, broken)
        return PutBack(self.common, to, parts, tuple(left), refs, unchecked=unchecked)

    @property
    def _objects(self) -> str:
        return f"{self.common}/objects"

    @property
    def _folders(self) -> tuple[str, ...]:
        """Of all work trees."""
        return (self.common, *self._state.trees)

    @property
    def _heads(self) -> frozenset[str]:
        return frozenset(f"{folder}/HEAD" for folder in self._folders)

    def _lost_objects(self, now: Objects) -> frozenset[str]:
        """Those that were there and are in no pack either, but for what git itself cleaned away."""
        gone = self._state.objects.names - now.names
        if not gone or not (lost := self._store.lost(gone, self._objects, now)):
            return frozenset()
        if now.packs.keys() - self._state.objects.packs.keys():
            # git has packed what is left, and whatever leads to it
            is_old = self._store.youngest(lost) < time.time() - GIT_KEEPS
            held = Held(self._objects, now)
            tips = map(bytes.fromhex, _refs(self._files, self.common).values())
            if is_old and all(tip in held for tip in tips):
                return frozenset()
        return lost

    def _broken(self, now: Mapping[str, Was]) -> dict[str, bytes]:
        """Files that git would not have left so, with what they held."""
        stays = {f"{folder}/{name}" for folder in self._folders for name in _STAYS}
        found = {
            path: was.content
            for path, was in self._files.items()
            if was.content
            and (
                (path in stays and not (path in now and (now[path].content or _is_old_log(was))))
                or (path in now and self._is_sound(path, was) > self._is_sound(path, now[path]))
            )
        }
        named = _refs(now, self.common)
        for name, sha in _refs(self._files, self.common).items():
            path, log = f"{self.common}/{name}", f"{self.common}/logs/{name}"
            last = _last_of(now.get(log))
            is_logged = sha == _last_of(self._files.get(log)) and last != named.get(name)
            if path not in now and is_logged and last.strip("0"):
                found[path] = f"{last}\n".encode()  # git deletes a branch with its log
        return found

    def _is_sound(self, path: str, is_now: Was) -> bool:
        """Whether git could read a `HEAD` or a branch."""
        if stat.S_ISLNK(is_now.mode) or not (path in self._heads or self._name(path)):
            return True
        return _HEAD.match(is_now.content.decode("ascii", "replace")) is not None

    def _name(self, path: str) -> str:
        """Of the branch that a file is; empty: it is none."""
        name = path.removeprefix(f"{self.common}/")
        return name if name.startswith("refs/") else ""

    def _give_objects(
        self, names: frozenset[str], damaged: Collection[str], target: _Target, check: ObjectCheck
    ) -> tuple[str, ...]:
        try:
            for place in {name.partition("/")[0] for name in names}:
                target.make_way(f"objects/{place}/x")
            for name in (*names.intersection(damaged), *_MADE_ANEW):
                if name in names or is_empty(f"{target.folder}/objects/{name}"):
                    target.clear(f"objects/{name}")
        except OSError:
            return (self._objects,)
        folder = f"{target.folder}/objects"
        left = self._store.put_back(names, folder, self._state.objects, check)
        return (self._objects,) if left else ()

    def _write(self, files: Mapping[str, bytes], target: _Target) -> tuple[str, ...]:
        """Returns the paths of those where that fails."""
        left = list[str]()
        for path, content in files.items():
            mode = self._files[path].mode if path in self._files else stat.S_IFREG | 0o644
            try:
                target.write(path.removeprefix(f"{self.common}/"), mode, content)
            except OSError:
                left.append(path)
        return tuple(left)

    def _name_lost(self, target: _Target) -> tuple[str, ...]:
        """Commits that a branch had, which is another now, and that no reflog names."""
        now = _small_files(self.common, self._files)
        logs = b"".join(was.content for path, was in now.items() if "/logs/" in path)
        named = _refs(now, self.common)
        lost = {
            f"{self.common}/{LOST}/{name.removeprefix('refs/')}-{sha[:8]}": f"{sha}\n".encode()
            for name, sha in _refs(self._files, self.common).items()
            if named.get(name) != sha and sha.encode() not in logs
        }
        failed = self._write(lost, target)
        return tuple(self._name(path) for path in lost if path not in failed)

    def _describe(self, objects: Collection[str], files: Collection[str]) -> tuple[str, ...]:
        names = [os.path.basename(path) for path in files if "/logs/" not in path]  # noqa: PTH119
        refs = sum(1 for path in files if self._name(path))
        single = [name for name in _STAYS if name in names]
        packs = sum(1 for name in objects if name.endswith(".pack"))
        loose = sum(1 for name in objects if not name.startswith("pack/"))
        counted = ((refs, "branch or tag"), (loose, "object"), (packs, "pack"))
        said = [f"{n} {what if n == 1 else _many(what)}" for n, what in counted if n]
        is_logged = any("/logs/" in path for path in files)
        return (*single, *said) or ("reflogs" if is_logged else "the folder of branches",)


class _Target:
    """The folder that gets back what a git folder had. Writes files; methods raise OSError."""

    def __init__(self, folder: str, bases: Sequence[str], aside: Path) -> None:
        self.folder, self._bases, self._aside = folder, (*bases, str(aside)), aside

    def make_way(self, name: str) -> None:
        """What is no folder above `name`, in the folder or in its place, moves away."""
        for above in reversed(Path(self.folder, name).parents):
            is_inside = above.is_relative_to(self.folder)
            if is_inside and os.path.lexists(above) and (above.is_symlink() or not above.is_dir()):
                plain_paths.clear(str(above), self._bases, self._aside)

    def clear(self, name: str) -> None:
        """What is at `name` moves away."""
        plain_paths.clear(f"{self.folder}/{name}", self._bases, self._aside)

    def write(self, name: str, mode: int, content: bytes) -> None:
        self.make_way(name)
        self.clear(name)
        plain_paths.write(f"{self.folder}/{name}", mode, content)

    def make_folders(self) -> None:
        """Those without which git sees no repository."""
        for name in ("objects/x", "refs/heads/x"):
            self.make_way(name)
            with folder_of(Path(self.folder, name), make=True):
                pass


def _is_removed(at: str, tree: str) -> bool:
    """Whether a work tree has gone together with the folder `at` that git keeps for it."""
    return not os.path.isdir(at) and not os.path.lexists(tree)  # noqa: PTH112


def _many(what: str) -> str:
    return {"branch or tag": "branches or tags"}.get(what, f"{what}s")


def _packed_refs(files: Mapping[str, Was], common: str) -> dict[str, str]:
    """What `packed-refs` says; a file of a branch or tag stands over it."""
    was = files.get(f"{common}/packed-refs")
    lines = was.content.decode("utf-8", "replace").splitlines() if was is not None else ()
    said = (line.partition(" ") for line in lines)
    return {name: sha for sha, _, name in said if _SHA.fullmatch(sha)}


def _last_of(log: Was | None) -> str:
    """The commit at which a branch is by its log; empty: it has none."""
    last = log.content.rstrip().rpartition(b"\n")[2] if log is not None else b""
    words = last.decode("utf-8", "replace").split(" ", 2)
    return words[1] if len(words) > 1 else ""


def _is_old_log(was: Was) -> bool:
    """Whether a file is a reflog that git may empty: all that it says is old."""
    about = was.content.rstrip().rpartition(b"\n")[2].partition(b"\t")[0].split()[-2:]
    is_dated = len(about) == len(("seconds", "zone")) and about[0].isdigit()
    return is_dated and len(about[0]) <= _DIGITS and int(about[0]) < time.time() - LOG_STAYS


def _refs(files: Mapping[str, Was], common: str) -> dict[str, str]:
    """The commits that branches and tags name, by their whole names."""
    found = _packed_refs(files, common)
    start = f"{common}/refs/"
    for path, was in files.items():
        if path.startswith(start):
            sha = was.content.decode("ascii", "replace").strip()
            if _SHA.fullmatch(sha):
                found[f"refs/{path[len(start) :]}"] = sha
    return found


def _small_files(common: str, known: Mapping[str, Was]) -> dict[str, Was]:
    """The files of a git folder that change with each commit, by their paths."""
    found, left = dict[str, Was](), MOST_BYTES
    _, names = list_folder(common)
    shared = (name for name in names if name.startswith("sharedindex."))
    for top in (f"{common}/{name}" for name in (*shared, *_KEPT)):
        for folder, name, path in files_below(top):
            if len(found) >= MOST_FILES:
                return found
            is_none = path != top and (name.endswith(".lock") or name in _LED_BY)
            if not is_none and (was := read_at(folder, name, left, known.get(path))) is not None:
                found[path] = was
                left -= len(was.content)
    return found
