"""Files that programs obey because of where they are: what git's configuration names, what a link of an obeyed name
leads to, and the parts of a bare repository. Nothing is started to find out."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent_tui.safety import protected_names
from agent_tui.safety.git_config import find_repository, parse_config, read_text

_TEXT: Final = re.compile(
    r"branch\..*|user\..*|author\..*|committer\..*|color\..*|url\..*|gui\..*|i18n\..*|advice\..*|maintenance\..*"
    r"|remote\..*\.(?:url|pushurl|fetch|push)|submodule\..*\.(?:url|branch|active)|safe\.directory"
    r"|core\.(?:excludesfile|worktree|commentchar)|commit\.template|mailmap\.file|blame\.ignorerevsfile",
    re.DOTALL,
)
"""Settings of which git takes words and addresses. Any other may name a program: those that do become more. An alias
does so behind `!` or `-c`."""
_INCLUDE: Final = re.compile(r"include(?:if\..*)?\.path", re.DOTALL)
_FOLDERS: Final = frozenset({"core.hookspath", "init.templatedir"})
"""What is below them is run."""
_VARIABLE: Final = re.compile(r"\$\{[^}]*\}|\$\w+")
_WORD: Final = re.compile(r"[^\s\"'`;|&()<>=]+")
_MOST_FILES: Final = 100
"""Files of configuration that are read."""


def protection(real: Path, roots: tuple[Path, ...]) -> str:
    """Why not to write to a real path without asking, because of what lies around it and leads to it; else empty."""
    if _is_in_bare(real) or _is_named_by_git(real):
        return protected_names.RUNS
    return next((why for target, why in _obeyed_links(roots) if real.is_relative_to(target)), "")


def _is_in_bare(real: Path) -> bool:
    """Whether it is a part of what git may take as a bare repository: a folder with a `HEAD`."""
    places = (place for place in (real, *real.parents) if protected_names.is_of_repository(place.name))
    return any(os.path.lexists(place.parent / "HEAD") for place in places)


def _obeyed_links(roots: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Where the links lead whose names, in one of `roots`, are obeyed: `CLAUDE.md` to `docs/agents.txt`."""
    for root in roots:
        try:
            names = [entry.name for entry in os.scandir(root) if entry.is_symlink()]
        except OSError:  # it is gone: nothing leads from it
            continue
        for name in names:
            target = Path(os.path.realpath(root / name))
            if (why := protected_names.protection((name,))) and not root.is_relative_to(target):
                yield target, why


def _is_named_by_git(real: Path) -> bool:
    """Whether the configuration of a repository that it lies in, or the person's own, names it."""
    path, where = _folded(real), find_repository(real.parent)
    tops = [real.parent] if where is None else []
    while where is not None:
        tops.append(where.top)
        where = find_repository(where.top.parent)
    return any(_names(place, is_folder, top, path) for top in tops for place, is_folder in _named(top))


def _names(place: Path, is_folder: bool, top: Path, path: tuple[str, ...]) -> bool:
    """Whether `place` is the path, or a folder of programs in the work tree `top` that the path lies in."""
    named = _folded(place)
    if not is_folder or path == named:
        return path == named
    within = len(path) - len(named) == 1 or (place.is_relative_to(top) and place != top)
    return within and path[: len(named)] == named


def _named(top: Path) -> Iterator[tuple[Path, bool]]:
    """The places that git's configuration may name for the work tree `top`, and whether programs are below them. Which
    `includeIf` holds is not asked."""
    where, read = find_repository(top), set[Path]()
    todo = _own_files()
    if where is not None and where.top == top:
        todo += [where.common / "config", where.folder / "config.worktree"]
    while todo and len(read) < _MOST_FILES:
        file = todo.pop()
        if file in read:
            continue
        read.add(file)
        for name, value in parse_config(read_text(file)):
            if _INCLUDE.fullmatch(name):
                todo.append(_place(file.parent, value))
                yield todo[-1], False
            elif name in _FOLDERS:
                yield _place(top, value), True
            elif not _TEXT.fullmatch(name) and not (name.startswith("alias.") and value[:1] not in "-!"):
                yield from ((_place(top, word), False) for word in _words(value))


def _own_files() -> list[Path]:
    """The person's own configuration, and that of the system."""
    home = Path("~").expanduser()
    own = os.environ.get("GIT_CONFIG_GLOBAL")
    both = [home / ".gitconfig", Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git/config")]
    return [*([Path(own)] if own else both), Path(os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")]


def _words(value: str) -> set[str]:
    """What in a value may be the path of a file. Git runs programs at the top of the work tree; what follows a variable
    or a command (`$(git rev-parse --show-toplevel)/tools/x`) is taken to stand there as well."""
    try:
        words = {value, *shlex.split(value)}
    except ValueError:  # a quote without its end
        words = {value}
    words.update(_WORD.findall(_VARIABLE.sub(" ", value)))
    words |= {word.lstrip("/!") for word in words}
    return {word for word in words if word.strip("./") and not word.startswith("-")}


def _place(base: Path, text: str) -> Path:
    """The real path that `text` names, seen from `base`."""
    whole = os.path.join(base, os.path.expanduser(text.replace("\0", "")))  # noqa: PTH111, PTH118 - most are plain words
    is_plain = "/" not in text and not os.path.lexists(whole)
    return Path(whole if is_plain else os.path.realpath(whole))


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(map(protected_names.folded, path.parts))
