"""What a path names, decided as the kernel would decide it.

A path is taken as it is written: no `~`, which `without_home` refuses, no variables, no `%2e`. Links
are resolved before `..`, as `open` does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety import hard_links, own_places, protected_names
from agent_tui.safety.protected_places import place_protection
from agent_tui.structures.frozen import frozen

MAX_PATH: Final = 4096
MAX_LINKS: Final = 40
"""How many links the kernel follows before it says ELOOP."""
_HOME: Final = (
    "{0!r}: ~ is not read here. Write the whole path of the home folder; ./~{1} is in a folder "
    "of that name."
)


@frozen
class PathFacts:
    """What the policy needs to know of a path. `shown` is relative inside the first root, else
    absolute."""

    given: str
    real: Path
    shown: str
    inside: bool
    secret: bool
    protected: str
    """Why writing to it asks, as `protected_names` says it; empty: it does not."""
    is_folder: bool = False


def resolve(text: str, base: Path) -> Path:
    """The real path that `text` names, relative to `base`; what does not exist yet stays as it is
    written.

    Raises ValueError (one line) for what the kernel would refuse whatever the disk holds, for `..`
    behind a name that is no folder, and for a loop of links.
    """
    check(text)
    todo = [part for part in reversed(text.split("/")) if part not in ("", ".")]
    done = "/" if text.startswith("/") else str(base)
    if done != "/" and not text.startswith("/"):
        todo += [part for part in reversed(done.split("/")) if part not in ("", ".")]
        done = "/"
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            if not os.path.isdir(done):  # noqa: PTH112 - one that cannot be seen is none
                raise ValueError(f"{text!r}: there is no folder {done}")
            done = os.path.dirname(done)  # noqa: PTH120 - text, of a path without links
            continue
        here = f"{done.rstrip('/')}/{part}"
        target = _link(here)
        if target is None:
            done = here
            continue
        links += 1
        if links > MAX_LINKS:
            raise ValueError(f"{text!r}: too many links, or links in a circle")
        if target.startswith("/"):
            done = "/"
        todo += [part for part in reversed(target.split("/")) if part not in ("", ".")]
    return Path(done)


def without_home(text: str) -> str:
    """`text` as it is. Raises ValueError for a home folder as a shell spells it: whoever writes
    `~/x` for a file does not mean a folder that is called `~`."""
    if text.partition("/")[0] == "~":
        raise ValueError(_HOME.format(text, text[1:]))
    return text


def facts(
    text: str,
    roots: tuple[Path, ...],
    deep: bool = True,
    writes: bool = True,
    own: Sequence[Path] = (),
) -> PathFacts:
    """What `text` names, relative to the first of `roots` (real paths). `deep`: look for links that
    make it protected in all folders, as whoever writes must; `writes`: whether it is protected
    counts at all, for which configurations of git are read. `own`: the folders of this program.
    Raises ValueError as `resolve` does."""
    real = resolve(text, roots[0])
    home = next((root for root in roots if real.is_relative_to(root)), None)
    return PathFacts(
        text,
        real,
        display_path(real, roots[0]),
        home is not None,
        secret=is_secret(real)
        or is_secret(Path(text))
        or hard_links.is_secret(real, roots)
        or own_places.holds_keys(real, own),
        protected=_protection(real, text, roots, deep, own) if writes else "",
        is_folder=os.path.isdir(real),  # noqa: PTH112 - it may lie where nobody can look
    )


def _protection(
    real: Path, text: str, roots: tuple[Path, ...], deep: bool, own: Sequence[Path]
) -> str:
    if own_places.is_own(real, own):
        return own_places.OWN
    by_name = _by_name(real, roots) or _by_name(roots[0] / text, roots)
    return by_name or place_protection(real, roots, deep)


def _by_name(path: Path, roots: tuple[Path, ...]) -> str:
    """Why not to write to a path, because of the names in it that are below a root; outside of all,
    of its last one."""
    home = next((root for root in roots if path.is_relative_to(root)), path.parent)
    return protected_names.protection(path.relative_to(home).parts, home.parts[1:])


def display_path(real: Path, root: Path) -> str:
    """How a path is named to people and models."""
    return str(real.relative_to(root)) if real.is_relative_to(root) else str(real)


def is_secret(path: Path) -> bool:
    """Whether the name is one that usually holds credentials. Says nothing about the content."""
    return protected_names.is_secret(path.parts)


def _link(path: str) -> str | None:
    """Where a link points; None if it is none, or not there."""
    try:
        return os.readlink(path)  # noqa: PTH115 - text
    except OSError:
        return None  # no link, missing, or not ours to look at: opening it will say which


def check(text: str) -> None:
    if not text:
        raise ValueError("the path is empty")
    if "\0" in text:
        raise ValueError(f"{text!r}: a path cannot hold a NUL character")
    try:
        size = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise ValueError(f"{text!r}: not a path that this system can name") from None
    if size >= MAX_PATH or any(len(os.fsencode(part)) > 255 for part in text.split("/")):
        raise ValueError(f"{text[:60]!r}…: the path is too long")
