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
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.safety.folder_walk import folder_of, list_folder
from agent_tui.safety.sandbox import git_files, lost_commits, plain_paths
from agent_tui.safety.sandbox.git_objects import ObjectCheck
from agent_tui.safety.sandbox.object_store import (
    Held,
    Listed,
    Objects,
    ObjectStore,
    is_empty,
    list_objects,
)
from agent_tui.safety.sandbox.protected_state import Was, read_file
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

GIT_KEEPS: Final = 13 * 86_400.0
"""Seconds for which git itself lets lie what nothing leads to; it says two weeks."""
LOST: Final = "refs/agent-tui/lost"
"""Where commits get a name that a branch had and nothing leads to any more."""
_STAYS: Final = ("HEAD", "index", "logs/HEAD", "packed-refs", "reftable/tables.list")
"""Git makes these anew, and never takes them away, nor empties them, but for a reflog that is
old."""
_MADE_ANEW: Final = ("info/commit-graph", "pack/multi-pack-index")
"""Of the objects: git does without, but not with an empty one."""
_MOST_CLEARED: Final = 1_000
"""Files of objects that hold nothing, and are moved away."""
_HEAD: Final = late.pattern(r"ref: refs/|[0-9a-f]{40}")
_LONGEST_PATH: Final = 4_097
"""Bytes in a file that says where something is."""


@frozen
class PutBack:
    """What of the git folder `folder` was put back (`parts`, in words), what could not be (`left`,
    and in words `missing`), and the names (`refs`) under which commits are that a branch does not
    lead to any more. `to`: the folder that has it now; `copies`: where objects are kept.
    `trouble`: why it could not be looked at, in one line. `is_failed`: the next start tries again.
    `unchecked`: how many objects are too large to be checked, `unchecked_packs` the same of packs;
    `opened`: how many folders were closed; `is_all`: whether all files were looked at."""

    folder: str
    to: str
    parts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    trouble: str = ""
    missing: tuple[str, ...] = ()
    copies: str = ""
    is_failed: bool = False
    unchecked: int = 0
    unchecked_packs: int = 0
    opened: int = 0
    is_all: bool = True


@frozen
class State:
    """A git folder (`common`: that of all work trees of the repository) before a command: its small
    files by their paths, its objects, and which work tree each folder in its `worktrees` is for.
    `is_all`: whether these are all files."""

    common: str
    files: dict[str, Was]
    objects: Objects
    trees: dict[str, str]
    is_all: bool = True


def take_state(common: str, known: Mapping[str, Was], listed: Listed) -> State:
    """As it is now. `known` and `listed`: what was read before. Reads files."""
    folders, _ = list_folder(f"{common}/worktrees")
    places = [f"{common}/worktrees/{name}" for name in folders]
    led = {place: read_file(f"{place}/gitdir", _LONGEST_PATH) for place in places}
    trees = {at: os.fsdecode(was.content.strip()) for at, was in led.items() if was is not None}
    objects = list_objects(f"{common}/objects", listed)
    files, is_all = git_files.read_small_files(common, known)
    kept = git_files.limit(files, known)
    return State(common, kept, objects, trees, is_all and len(kept) == len(files))


class History:
    """A repository from before a command until it has ended."""

    def __init__(self, state: State, store: ObjectStore, listed: Listed) -> None:
        self.common, self._state, self._store, self._listed = state.common, state, store, listed
        self._files = state.files
        self.is_all = state.is_all

    def put_back(
        self, bases: Sequence[str], aside: Path, to: str, check: ObjectCheck
    ) -> PutBack | None:
        """Give back what was lost since, to the folder `to` if the git folder has gone as a whole;
        None: nothing was. `bases`: the folders in which commands write; what is in the way moves
        below `aside`. Reads and writes files."""
        removed = tuple(f"{at}/" for at, tree in self._state.trees.items() if _is_removed(at, tree))
        files = self._state.files.items()
        self._files = {path: was for path, was in files if not path.startswith(removed)}
        opened = self._open_up(stat.S_IRUSR | stat.S_IXUSR)
        now, is_all = git_files.read_small_files(self.common, self._files)
        listed, before = list_objects(self._objects, self._listed), self._state.objects
        damaged = self._store.find_damaged(self._objects, before, listed, check)
        held = self._store.find_held(self._objects, listed.without(damaged), before, check)
        objects = self._lost_objects(listed.without(damaged), held)
        damaged |= held.find_broken() if objects else frozenset()
        broken = self._broken(now) | git_files.cut_logs(self._files, now, self._folders)
        no_refs = not os.path.isdir(f"{self.common}/refs")  # noqa: PTH112
        is_lost = bool(objects or broken or no_refs)
        if is_lost:
            broken |= self._missing_refs(now, broken, objects, listed.without(damaged), no_refs)
            with suppress(OSError):  # of another owner: it may be written all the same
                opened += self._open_up(stat.S_IRWXU)
        target = _Target(to, bases, aside)
        none = PutBack(self.common, to, copies=self._store.folder)
        back = self._give(objects, broken, damaged, target, check) if is_lost else none
        is_here = to == self.common and self._objects not in back.left
        if is_lost:
            now, _ = git_files.read_small_files(self.common, self._files)
        refs = self._name_dropped(now, target) if is_here else ()
        back = replace(
            back,
            refs=refs,
            unchecked_packs=sum(one.startswith(self.common) for one in check.unchecked_packs),
            opened=opened,
            is_all=is_all or not self._state.is_all,
        )
        return back if back != none else None

    def _missing_refs(
        self,
        now: Mapping[str, Was],
        broken: Collection[str],
        objects: Collection[str],
        held: Objects,
        no_refs: bool,
    ) -> dict[str, bytes]:
        """What else is not there any more, where it was not git that took something away."""
        is_packed = not (held.packs.keys() <= self._state.objects.packs.keys())  # by git
        headless = any(path in broken and path not in now for path in self._heads)
        if not (no_refs or headless or (objects and not is_packed)):
            return {}
        named = git_files.refs(now, self.common)
        packed = git_files.packed_refs(self._files, self.common)
        return {
            path: was.content
            for path, was in self._files.items()
            if was.content
            and path not in now
            and path not in broken
            and named.get(name := self._name(path)) in (None, packed.get(name))
        }

    def _give(
        self,
        objects: frozenset[str],
        broken: Mapping[str, bytes],
        damaged: Collection[str],
        target: _Target,
        check: ObjectCheck,
    ) -> PutBack:
        """Write all of it that can be."""
        gone, is_failed = self._give_objects(objects, damaged, target, check)
        failed = self._write(broken, target)
        left = [self._objects] if gone else []
        try:
            target.make_folders()
        except OSError:
            left.append(self.common)
        came = [path for path in broken if path not in failed]
        is_there = not left or len(objects) > len(gone) or came
        return PutBack(
            self.common,
            target.folder,
            parts=self._describe(objects - gone, came) if is_there else (),
            left=(*left, *failed),
            missing=self._describe(gone, failed) if gone or failed else (),
            copies=self._store.folder,
            is_failed=is_failed or bool(failed) or self.common in left,
            unchecked=sum(1 for name in objects if name.replace("/", "") in check.unchecked),
        )

    def _open_up(self, rights: int) -> int:
        """Folders that held something, and do not give their owner these rights any more, give all;
        returns how many. Raises OSError where that fails."""
        places = {f"{self._objects}/{name.partition('/')[0]}" for name in self._state.objects.names}
        places |= {os.path.dirname(path) for path in self._files}  # noqa: PTH120
        places |= {self.common, self._objects, f"{self.common}/refs/heads"}
        above = {str(one) for place in places for one in Path(place).parents}
        below = {one for one in above if one.startswith(f"{self.common}/")}
        return sum(plain_paths.open_up(one, rights) for one in sorted(places | below))

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

    def _lost_objects(self, now: Objects, held: Held) -> frozenset[str]:
        """Those that were there and are in no pack either, but for what git itself cleaned away."""
        gone = self._state.objects.names - now.names
        if not gone or not (lost := self._store.lost(gone, held)):
            return frozenset()
        if now.packs.keys() - self._state.objects.packs.keys() - held.find_broken():
            # git has packed what is left, and whatever leads to it
            is_old = self._store.youngest(lost) < time.time() - GIT_KEEPS
            tips = map(bytes.fromhex, git_files.refs(self._files, self.common).values())
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
                (path in stays and not self._stays(path, was, now.get(path)))
                or (path in now and self._is_sound(path, was) > self._is_sound(path, now[path]))
            )
        }
        named = git_files.refs(now, self.common)
        for name, sha in git_files.refs(self._files, self.common).items():
            path, log = f"{self.common}/{name}", f"{self.common}/logs/{name}"
            last = git_files.last_of(now.get(log))
            is_logged = sha == git_files.last_of(self._files.get(log)) and last != named.get(name)
            if path not in now and is_logged and last.strip("0"):
                found[path] = f"{last}\n".encode()  # git deletes a branch with its log
        return found

    def _stays(self, path: str, was: Was, is_now: Was | None) -> bool:
        """Whether a file is still there that git never takes away."""
        if is_now is None or not (is_now.content or git_files.is_old_log(was)):
            return False
        return path in self._heads or stat.S_ISLNK(is_now.mode) <= stat.S_ISLNK(was.mode)

    def _is_sound(self, path: str, is_now: Was) -> bool:
        """Whether git could read a `HEAD` or a branch."""
        if not (path in self._heads or self._name(path)):
            return True
        if stat.S_ISLNK(is_now.mode):  # as git made some itself
            return is_now == self._files[path] or is_now.content.startswith(b"refs/")
        return _HEAD.match(is_now.content.decode("ascii", "replace")) is not None

    def _name(self, path: str) -> str:
        """Of the branch that a file is; empty: it is none."""
        name = path.removeprefix(f"{self.common}/")
        return name if name.startswith("refs/") else ""

    def _give_objects(
        self, names: frozenset[str], damaged: Collection[str], target: _Target, check: ObjectCheck
    ) -> tuple[frozenset[str], bool]:
        """Returns those that are not there again, and whether a later try may help."""
        try:
            for place in {name.partition("/")[0] for name in names}:
                target.make_way(f"objects/{place}/x")
            for name in (*islice(damaged, _MOST_CLEARED), *_MADE_ANEW):
                if name in damaged or is_empty(f"{target.folder}/objects/{name}"):
                    target.clear(f"objects/{name}")
        except OSError:
            return names, True
        folder = f"{target.folder}/objects"
        return self._store.put_back(names, folder, self._state.objects, check)

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

    def _name_dropped(self, now: Mapping[str, Was], target: _Target) -> tuple[str, ...]:
        """Names for commits that had one, and to which nothing leads now."""
        lost = lost_commits.find_lost(self.common, self._files, now)
        names = {
            f"{self.common}/{LOST}/{name.removeprefix('refs/')}-{sha[:8]}": f"{sha}\n".encode()
            for sha, name in lost.items()
        }
        failed = self._write(names, target)
        return tuple(self._name(path) for path in names if path not in failed)

    def _describe(self, objects: Collection[str], files: Collection[str]) -> tuple[str, ...]:
        logs = {path for path in files if git_files.log_name(path, self.common)}
        names = [os.path.basename(path) for path in files if path not in logs]  # noqa: PTH119
        refs = sum(1 for path in files if self._name(path))
        single = [name for name in _STAYS if name in names]
        packs = sum(1 for name in objects if name.endswith(".pack"))
        loose = sum(1 for name in objects if not name.startswith("pack/"))
        counted = ((refs, "branch or tag"), (loose, "object"), (packs, "pack"))
        said = [f"{n} {what if n == 1 else _many(what)}" for n, what in counted if n]
        return (*single, *said) or ("reflogs" if logs else "the folder of branches",)


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
