"""How files are that are to be put back, what would change, and what becomes of each without a
word. Reads files: not for the loop."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from agent_tui.agent.session.changes import Plan, Restoration
from agent_tui.protocol.ops import FileChoice
from agent_tui.safety import file_access, paths, protected_names
from agent_tui.safety.file_access import LINK, is_link, read_link
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures.frozen import frozen

MOST: Final = 64_000_000
"""Bytes of a file that is put back."""


CLOCK: Final = 1.0
"""Seconds that the clock of a file system may be behind ours."""


State = Literal[
    "as_left",
    "during",
    "same",
    "changed",
    "between",
    "gone",
    "replaced",
    "unreadable",
    "outside",
    "only",
    "lost",
]


WORDS: Final[Mapping[State, str]] = {
    "as_left": "",
    "during": "changed while a command ran, perhaps by you",
    "same": "already in that state",
    "changed": "changed since then",
    "between": "somebody else changed it between these changes",
    "gone": "deleted since then",
    "replaced": "something else is there now",
    "unreadable": "it cannot be read",
    "outside": "it is outside the folder of this session, or a protected name",
    "only": "the only copy of a file from before: never deleted",
    "lost": "its earlier content is no longer stored",
}


KEEP_ONLY: Final = frozenset({"unreadable", "lost"})


DEFAULTS: Final[Mapping[State, FileChoice]] = {
    "as_left": "restore", "during": "keep", "same": "keep", "only": "keep",
}  # fmt: skip
"""What becomes of a file without a word; in other states the person is asked, where there is a
choice."""


@frozen
class Found:
    """What lies at a path: no file (`sha` empty), a file, or something that is none (`problem`)."""

    sha: str = ""
    content: bytes = b""
    about: os.stat_result | None = None
    problem: str = ""
    replaced: bool = False
    link: bool = False
    """`content` is where it points."""
    other: bool = False
    """It is a folder, a FIFO or another thing that is no file and no link."""

    @property
    def mode(self) -> int:
        return LINK if self.link else stat.S_IMODE(self.about.st_mode) if self.about else 0

    @property
    def names(self) -> int:
        """How many names the file has (hard links)."""
        return self.about.st_nlink if self.about and not self.link else 1


@frozen
class Look:
    """A file to put back, and how it is now; `old`: the content to put there (None: no file, or not
    kept)."""

    plan: Restoration
    state: State
    found: Found
    old: bytes | None = None
    twins: int = 0
    """Other names of the same file that are to be put back with it (hard links)."""
    makes_room: bool = False
    """What lies in its way goes with other files that are put back, so it comes after them: a
    folder that holds nothing else, or a file where its own folder was."""

    @property
    def names_elsewhere(self) -> int:
        """Other names of the file, of which nothing is known."""
        return max(0, self.found.names - 1 - self.twins)

    @property
    def inode(self) -> object:
        """What names of one file have in common; nothing else has it."""
        about = self.found.about
        return (about.st_dev, about.st_ino) if about else self.plan.path

    @property
    def choices(self) -> tuple[FileChoice, ...]:
        """What may be chosen for it; empty: nothing is to be done."""
        if self.state == "same":
            return ()
        aside = self.state == "only" or (self.found.problem and self.found.other)
        if aside and self.old is not None:
            return ("keep", "both")
        if self.state in KEEP_ONLY or self.found.problem or aside:
            return ("keep",)
        if self.state in DEFAULTS or self.old is None:
            return ("keep", "restore")
        return ("keep", "restore", "both")

    def decide(self, choice: str) -> FileChoice | Literal[""]:
        """What becomes of it, where `choice` is what the person said; empty: they need to be
        asked."""
        if (known := next((one for one in self.choices if one == choice), None)) is not None:
            return known
        return "keep" if self.choices == ("keep",) else DEFAULTS.get(self.state, "")

    def blocks(self, other: Look) -> bool:
        """Whether it lies where the folder or the file of `other` comes."""
        own, there = Path(self.plan.path), Path(other.plan.path)
        return own in there.parents or there in own.parents


def inspect_path(path: Path, as_link: bool = False) -> Found:
    """What lies at a real path. Follows no link, and cannot block on a FIFO. `as_link`: a link is
    no surprise there."""
    try:
        descriptor = file_access.open_regular(path)
    except FileNotFoundError:
        return Found()
    except file_access.NotRegular as error:
        link = _link(path) if as_link else None
        return link or Found(problem=str(error), replaced=True, other=not path.is_symlink())
    except OSError as error:
        said = f"{path}: {error.strerror or error}"
        return Found(problem=said, replaced=error.errno in (errno.ELOOP, errno.ENOTDIR))
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if about.st_size > MOST:
            return Found(problem=f"{path} is larger than {MOST // 1_000_000} MB", about=about)
        content = file.read(MOST + 1)
    return Found(hashlib.sha256(content).hexdigest(), content, about)


def is_too_large(path: Path) -> bool:
    """Whether what lies there is larger than a file that is put back."""
    try:
        return path.lstat().st_size > MOST
    except OSError:
        return False  # it is gone again: that can be taken back


def _link(path: Path) -> Found | None:
    try:
        target, about = read_link(path)
    except (OSError, file_access.NotRegular):
        return None  # no link either, or not to be read: then the first problem is the one to tell
    return Found(hashlib.sha256(target).hexdigest(), target, about, link=True)


def look(plan: Plan, blobs: Blobs, roots: tuple[Path, ...]) -> list[Look]:
    """How each file of `plan` is now."""
    looks = [look_at(one, blobs, roots) for one in plan.files]
    going = {Path(one.plan.path) for one in looks if not one.plan.target and not one.found.problem}
    looks = [_with_room(one, going, blobs, roots) for one in looks]
    comes = {one.plan.target for one in looks if one.state == "same" or "restore" in one.choices}
    looks = keep_only_copies(looks, comes)
    names = Counter(one.inode for one in looks)
    return [replace(one, twins=names[one.inode] - 1) for one in looks]


def keep_only_copies(looks: Sequence[Look], comes: Set[str]) -> list[Look]:
    """`looks`, and of what somebody had before the changes the last copy stays: it was moved there,
    does not stand where it was, and is not among the contents that this undo puts back
    (`comes`)."""
    changing = {one.plan.path for one in looks if one.state != "same"}
    return [
        replace(one, state="only")
        if one.plan.source
        and one.state in ("as_left", "during", "between", "outside")
        and one.found.sha not in comes
        and (
            one.plan.source in changing or inspect_path(Path(one.plan.source)).sha != one.found.sha
        )
        else one
        for one in looks
    ]


def choose_next(looks: Sequence[Look], back: Set[str]) -> list[Look]:
    """Of `looks`, which hold what was moved there, those whose content is in its own place again
    (`back`); without any, those that wait for each other, as after two files were swapped; else
    all, to be kept."""
    looked = keep_only_copies(looks, back)
    wanted = {one.plan.target for one in looks}
    free = [one for one in looked if one.state != "only"]
    return free or [one for one in looks if one.found.sha in wanted] or looked


def _with_room(one: Look, going: Set[Path], blobs: Blobs, roots: tuple[Path, ...]) -> Look:
    """`one` as it is once the files `going` are gone, where only they are in its way."""
    path = Path(one.plan.path)
    if one.state != "replaced" or not one.plan.target:
        return one
    if not (_holds_only(path, going) if one.found.other else going & {*path.parents}):
        return one
    room = Found(other=one.found.other)
    way = min(going & {*path.parents}, default=None)
    return replace(look_at(one.plan, blobs, roots, room, way), makes_room=True)


def _holds_only(folder: Path, going: Set[Path]) -> bool:
    """Whether it is a folder in which nothing lies but the files `going`, and folders."""
    return folder.is_dir() and all(
        Path(above, name) in going
        for above, folders, names in os.walk(folder)
        for name in (*names, *(one for one in folders if Path(above, one).is_symlink()))
    )


def look_at(
    plan: Restoration,
    blobs: Blobs,
    roots: tuple[Path, ...],
    now: Found | None = None,
    way: Path | None = None,
) -> Look:
    """How a file is; `way`: a file or link above it that will be gone."""
    now = now or inspect_path(Path(plan.path), plan.links)
    state = _state(plan, now, roots, way)
    try:
        old = blobs.get(plan.target) if plan.target and state != "same" else None
    except (OSError, ValueError):
        return Look(plan, "lost", now)
    return Look(plan, state, now, old)


def _state(plan: Restoration, now: Found, roots: tuple[Path, ...], way: Path | None) -> State:
    if now.problem:
        return "replaced" if now.replaced else "unreadable"
    if now.sha == plan.target and (
        not now.sha or (plan.chmod in (0, now.mode) and now.link == plan.link)
    ):
        return "same"
    if now.sha != plan.left or (now.sha and now.link != is_link(plan.mode_left)):
        return "changed" if now.sha else "gone"
    if not _ours(plan, roots, way):
        return "outside"
    return "between" if plan.between else "during" if plan.during_command else "as_left"


def _ours(plan: Restoration, roots: tuple[Path, ...], way: Path | None) -> bool:
    """Whether it is a plain name in one of `roots`, by no detour. Of a link it is its own place
    that counts, and so of one that is in the `way` now."""
    detour = way or (Path(plan.path) if plan.links else None)
    real = detour.parent if detour else Path(plan.path)
    try:
        fact = paths.facts(plan.path, roots, deep=False)
        place = paths.facts(str(real), roots, deep=False) if detour else fact
    except ValueError:
        return False
    runs = protected_names.RUNS in (fact.protected, place.protected)
    return place.inside and not runs and place.real == real


def display_path(path: str, cwd: Path) -> str:
    """How the file is named to people."""
    return paths.display_path(Path(path), cwd)
