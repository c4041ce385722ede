"""Which places are obeyed by programs because of what lies around them or leads to them: a bare
repository, the configuration of git, links."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent_tui.safety.git_config import find_repository, parse_config, read_text
from agent_tui.safety.git_index import Tracked
from agent_tui.safety.name_search import Folder, Name, own_names, search
from agent_tui.safety.protected_names import RUNS, fold_name, is_of_repository, protection
from agent_tui.structures import late

_TEXT: Final = late.pattern(
    r"branch\..*|user\..*|author\..*|committer\..*|color\..*|url\..*|gui\..*|i18n\..*|advice\..*|maintenance\..*"
    r"|remote\..*\.(?:url|pushurl|fetch|push)|submodule\..*\.(?:url|branch|active)|safe\.directory"
    r"|core\.(?:excludesfile|worktree|commentchar)|commit\.template|mailmap\.file|blame\.ignorerevsfile",
    re.DOTALL,
)
"""Settings of which git takes words and addresses. Any other may name a program: those that do
become more. An alias does so behind `!` or `-c`."""
_INCLUDE: Final = late.pattern(r"include(?:if\..*)?\.path", re.DOTALL)
_FOLDERS: Final = frozenset({"core.hookspath", "init.templatedir"})
"""What is below them is run."""
_VARIABLE: Final = late.pattern(r"\$\{[^}]*\}|\$\w+")
_WORD: Final = late.pattern(r"[^\s\"'`;|&()<>=]+")
_MOST_FILES: Final = 100
"""Files of configuration that are read."""
_MOST_FOLDERS: Final = 10_000
"""In which links are looked for."""


def place_protection(real: Path, roots: tuple[Path, ...], deep: bool = True) -> str:
    """Why not to write to a real path without asking, because of what lies around it and leads to
    it; else empty. `deep`: links of all folders count, not only those directly in the roots."""
    if _is_in_bare(real) or _is_named_by_git(real):
        return RUNS
    return next(_reasons_of_links(real, roots, deep), "")


def _is_in_bare(real: Path) -> bool:
    """Whether it is a part of what git may take as a bare repository: a folder with a `HEAD`."""
    places = (place for place in (real, *real.parents) if is_of_repository(place.name))
    return any(os.path.lexists(place.parent / "HEAD") for place in places)


def _reasons_of_links(real: Path, roots: tuple[Path, ...], deep: bool) -> Iterator[str]:
    """Why a link in one of `roots` makes programs obey what is written to `real`: its own name
    (`CLAUDE.md` to `docs/agents.txt`), or with what would be in it (`.cargo` to `build`)."""
    for root in roots:
        tracked = Tracked(find_repository(root))

        def own(folder: Folder, _: bool, tracked: Tracked = tracked) -> frozenset[str]:
            return frozenset() if tracked.has_below(folder.path) else own_names(folder)

        most = _MOST_FOLDERS if deep and root.parent != root else 1
        for visit in search(root, roots, own, most=most):
            yield from filter(None, (_why(name, real, root) for name in visit.names))
            for child in visit.below:
                if child.at != child.path and not child.depth:
                    yield from filter(None, [_why_in(child.path, child.parts, real, root)])


def _why(name: Name, real: Path, root: Path) -> str:
    if name.kind not in ("link", "way"):
        return ""
    target = os.path.realpath(name.path)
    if name.kind == "way":
        return _why_in(target, name.parts, real, root)
    is_below = real.is_relative_to(target) and not root.is_relative_to(target)
    return protection(name.parts, root.parts) if is_below else ""


def _why_in(folder: str, parts: tuple[str, ...], real: Path, root: Path) -> str:
    """Why `real` is obeyed where the folder that it lies in is reached as `parts`."""
    if str(real) == folder or not real.is_relative_to(folder):
        return ""
    return protection((*parts, *real.relative_to(folder).parts), root.parts)


def _is_named_by_git(real: Path) -> bool:
    """Whether the configuration of a repository that it lies in, or the person's own, names it."""
    path, where = _folded(real), find_repository(real.parent)
    tops = [real.parent] if where is None else []
    while where is not None:
        tops.append(where.top)
        where = find_repository(where.top.parent)
    return any(
        _names(place, is_folder, top, path)
        for top in tops
        for place, is_folder in named_by_git(top)
    )


def _names(place: Path, is_folder: bool, top: Path, path: tuple[str, ...]) -> bool:
    """Whether `place` is the path, or a folder of programs in the work tree `top` that the path
    lies in."""
    named = _folded(place)
    if not is_folder or path == named:
        return path == named
    within = len(path) - len(named) == 1 or (place.is_relative_to(top) and place != top)
    return within and path[: len(named)] == named


def named_by_git(top: Path) -> Iterator[tuple[Path, bool]]:
    """The places that git's configuration may name for the work tree `top`, and whether programs
    are below them. Which `includeIf` holds is not asked."""
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
            elif not _TEXT.fullmatch(name) and not (
                name.startswith("alias.") and value[:1] not in "-!"
            ):
                yield from ((_place(top, word), False) for word in _words(value))


def _own_files() -> list[Path]:
    """The person's own configuration, and that of the system."""
    home = Path("~").expanduser()
    own = os.environ.get("GIT_CONFIG_GLOBAL")
    both = [
        home / ".gitconfig",
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git/config"),
    ]
    return [
        *([Path(own)] if own else both),
        Path(os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"),
    ]


def _words(value: str) -> set[str]:
    """What in a value may be the path of a file. Git runs programs at the top of the work tree;
    what follows a variable or a command (`$(git rev-parse --show-toplevel)/tools/x`) is taken to
    stand there as well."""
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
    return tuple(map(fold_name, path.parts))
