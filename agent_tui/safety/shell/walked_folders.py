"""Whether a program that goes through a folder would read a secret there, or what a link leads to.

`rg` leaves out what is hidden or ignored, but many files of rules can take that back, and it reads
them otherwise than git. So a rule that leaves out counts only if both read it alike; one that shows
(`!name`) counts for whatever has such a name, wherever its file lies; and a file that is not
understood shows everything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Set
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from agent_tui.safety import file_access, hard_links, ignore, paths
from agent_tui.safety.git_config import read_text
from agent_tui.safety.protected_names import fold_name
from agent_tui.safety.shell.harmless import Walk
from agent_tui.safety.shell.named_files import OPENED, FileBudget, check_file, check_kind
from agent_tui.safety.shell.syntax import Unclear
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_OWN_IGNORE: Final = frozenset({".ignore", ".rgignore"})
"""What rg obeys before .gitignore."""
_REPOSITORIES: Final = frozenset({".git", ".jj"})
"""In a folder with one of these the rules of the folders above end."""
_LONGEST_RULES: Final = 50_000
_MOST_SHOWN: Final = 50
_EVERYTHING: Final = ("*",)
_PART: Final = r"(?:\*\*(?=/|$)|(?:(?!\*\*)[\w.*?-])++)"
_PLAIN_RULE: Final = late.pattern(rf"!?/?{_PART}(?:/{_PART})*+/?")
"""What every program reads alike."""
_EXCLUDES: Final = late.pattern(r"^\s*excludesfile\s*=\s*\"?\s*([^\s\0]+?)\s*\"?\s*$", re.I | re.M)
"""As rg looks for it in the person's configuration of git."""
_LINK_COST: Final = 10
"""Entries that are looked at in the time that it takes to follow a link."""
_RULE_COST: Final = 2
"""The same for a rule that is read."""


def check_tree(walk: Walk, folder: Path, roots: tuple[Path, ...], budget: FileBudget) -> None:
    """Raises Unclear where a program that is run in `folder` and goes through another one would
    read a secret in it, or follow a link to one, out of the session's folders or into a folder."""
    start = check_file(walk.folder, folder, roots, budget)
    if start is None or not os.path.isdir(start):  # noqa: PTH112
        return
    seen, linked = _Seen(walk), set(budget.linked)
    for place in hard_links.folders_above(start, roots):
        linked |= hard_links.secret_inodes(place)
    if not walk.ignored:
        seen = replace(seen, walk=_show(walk, _shown_by_person(folder)))
        for place in reversed(start.parents):
            looked_for = (*_OWN_IGNORE, *_REPOSITORIES, ignore.FILE)
            there = {name for name in looked_for if os.path.lexists(place / name)}
            seen = _obey(seen, place, there, folder, above=True)
    todo = [(start, seen)]
    while todo:
        place, seen = todo.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue  # none for us to see
        names = {fold_name(entry.name) for entry in entries}
        if not walk.ignored:
            seen = _obey(seen, place, names, folder)
            budget.entries -= seen.cost
        budget.entries -= len(entries)
        budget.check()
        secret = {entry.inode() for entry in entries if paths.is_secret(Path(entry.path))} | linked
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if seen.walk.enters(entry.name, seen.verdict(entry, True)):
                    todo.append((Path(entry.path), seen))
            elif entry.inode() in secret and seen.walk.reads(
                entry.name, seen.verdict(entry, False)
            ):
                shown = paths.display_path(Path(entry.path), roots[0])  # by whichever name
                raise Unclear(f"it would read {shown}, which has the name of a secret")
            elif walk.links and entry.is_symlink():
                budget.entries -= _LINK_COST
                budget.check()
                _check_link(Path(entry.path), roots, budget)


def _check_link(link: Path, roots: tuple[Path, ...], budget: FileBudget) -> None:
    """Raises Unclear where a link that a program follows may lead to what nobody has judged."""
    real, shown = (
        check_file(str(link), link.parent, roots, budget),
        paths.display_path(link, roots[0]),
    )
    if real is not None:
        check_kind(shown, real)
        if os.path.isdir(real):  # noqa: PTH112 - it may lie where nobody can look
            raise Unclear(f"{shown} is a link to a folder, into which it may go")


@frozen
class _Seen:
    """What a program sees in a folder: `scope` are the rules that leave out, None where none is
    sure to be obeyed. `cost`: what it took to read them."""

    walk: Walk
    scope: ignore.Scope | None = None
    cost: int = 0

    def verdict(self, entry: os.DirEntry[str], folder: bool) -> bool | None:
        """None also where globs are given: what fits one is read although a rule leaves it out, and
        so is what lies in a folder that a rule means and rg enters all the same."""
        if self.scope is None or self.walk.globs:
            return None
        return self.scope.verdict(entry.path, entry.name, folder)


@frozen
class _Rules:
    """A file of rules: which names it shows, and what it leaves out."""

    shown: tuple[str, ...] = ()
    left_out: ignore.Rules | None = None
    by_name: ignore.Rules | None = None
    """Those of them that name what they leave out, wherever it lies."""
    count: int = 0


def _obey(seen: _Seen, place: Path, names: Set[str], cwd: Path, above: bool = False) -> _Seen:
    """What is seen below `place`, in which these `names` are. `above`: it is not the folder that is
    named, but one above it: what its rules say of paths (`config/*`), rg forgets there."""
    walk, scope, cost = seen.walk, seen.scope, 0
    if names & _REPOSITORIES:
        is_one = ".git" in names and (place / ".git").exists()
        scope = ignore.Scope() if is_one else None
        for file in _excludes_of(place, cwd) if is_one else ():
            walk = _show(walk, _read_rules(file).shown)
            cost += OPENED
    if names & _OWN_IGNORE:
        walk = _show(walk, _EVERYTHING)
    if ignore.FILE in names:
        rules = _read_rules(place / ignore.FILE)
        walk = _show(walk, rules.shown)
        cost += OPENED + _RULE_COST * rules.count
        left_out = rules.by_name if above else rules.left_out
        scope = scope and scope.with_rules(left_out, len(str(place / "x")) - 1)
    return _Seen(walk, scope, cost)


def _show(walk: Walk, globs: tuple[str, ...]) -> Walk:
    shown = tuple(dict.fromkeys((*walk.shown, *globs)))
    return replace(walk, shown=shown if len(shown) <= _MOST_SHOWN else _EVERYTHING)


def _read_rules(file: Path) -> _Rules:
    try:
        real = Path(os.path.realpath(file.parent), file.name)
        text = file_access.read_regular(real, _LONGEST_RULES).decode()
    except (FileNotFoundError, NotADirectoryError):
        return _Rules()
    except (OSError, ValueError, file_access.NotRegular):
        return _Rules(_EVERYTHING)  # a link, or what rg and this program may read differently
    if len(text) > _LONGEST_RULES or text.startswith("\ufeff"):
        return _Rules(_EVERYTHING)
    return _parse_rules(text)


@lru_cache(maxsize=64)
def _parse_rules(text: str) -> _Rules:
    lines = [line.rstrip(" \t\r") for line in text.split("\n")]
    plain = [line for line in lines if _PLAIN_RULE.fullmatch(line)]
    shown = tuple(_last_part(line[1:]) for line in plain if line.startswith("!"))
    if sum(line.startswith("!") for line in lines) > len(shown):
        shown = _EVERYTHING
    by_name = [line for line in plain if "/" not in line.rstrip("/")]
    return _Rules(shown, ignore.Rules(plain), ignore.Rules(by_name), len(lines))


def _last_part(pattern: str) -> str:
    """The name in a pattern, with the slash of one for folders."""
    return re.split("/(?!$)", pattern)[-1]


def _excludes_of(top: Path, cwd: Path) -> Iterator[Path]:
    """The rules in the git folder of `top`. rg looks for one that lies elsewhere from its own
    folder."""
    places = [top / ".git"]
    if not places[0].is_dir():
        named = read_text(places[0]).removeprefix("gitdir:").strip()
        places = [start / named for start in (top, cwd)]
        places += [place / read_text(place / "commondir").strip() for place in places]
    for place in places:
        yield place / "info/exclude"


def _shown_by_person(cwd: Path) -> tuple[str, ...]:
    """What the person's own rules show in every repository."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    files = [settings / "git/ignore"]
    for config in (home / ".gitconfig", settings / "git/config"):
        files += [cwd / os.path.expanduser(name) for name in _EXCLUDES.findall(read_text(config))]  # noqa: PTH111
    return tuple(glob for file in files for glob in _read_rules(Path(os.path.realpath(file))).shown)
