"""What .gitignore files leave out, level by level, as git decides it: the last rule of the deepest
file wins."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from agent_tui.safety import file_access
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

FILE: Final = ".gitignore"
FILES: Final = (FILE, ".ignore")
"""Files of a folder with rules; of two in the same folder, the later one wins."""
_MAX_BYTES: Final = 1_000_000
_MAX_LINE: Final = 4_096
"""Characters of a line: no path has more."""
_MAX_STARS: Final = 3
"""Stars in one part of a path: the time of a match grows with this power of a name's length."""


_BUDGET: Final = 20_000
"""What the patterns of one file may cost: each name is held against them. What names its files, or
how they end, is looked up, and may be as many as there is room for."""
_STAR_COSTS: Final = (1, 3, 20, 50)
"""How much a character of a pattern costs, by the stars in one part of it."""
_GROUP_COST: Final = 4_000
"""What the patterns may cost that are tried as one. Stars make a group slow: which of them match so
far is a state of its own. And of very many, RE2 makes no program, and complains on stderr itself,
whatever its options say."""
_FEW: Final = 500
"""Rules without a pattern that are looked for together with the others: most files have no more."""
_NAME: Final = r"[\w.+@%=,~-]+"
_EXACT: Final = late.pattern(
    rf"(?P<shows>!?)(?:(?P<path>/?(?:{_NAME}/)+{_NAME}|/{_NAME})|(?P<star>\*?)(?P<name>{_NAME}))"
    r"(?P<folder>/?) *"
)
"""A rule without a pattern in it, but for a star that begins it."""
_Verdict = tuple[int, bool | None]
"""The number of the rule that speaks, and whether it ignores."""
_SILENCE: Final[_Verdict] = (-1, None)


@frozen
class _Rule:
    number: int
    cost: int
    pattern: Any
    """pathspec's pattern; the library is imported only where a .gitignore was found."""
    ignores: bool


class _Exact:
    """Rules that need no pattern: looked up, however many there are."""

    def __init__(self) -> None:
        self.paths: dict[str, _Verdict] = {}
        self._names: dict[str, _Verdict] = {}
        self._ends: dict[str, _Verdict] = {}
        self._lengths: tuple[int, ...] = ()
        """Of the ends."""
        self._folders: frozenset[str] = frozenset()
        """Those in which a path is named."""

    def take(self, number: int, line: str) -> bool:
        """Whether `line` is such a rule."""
        found = _EXACT.fullmatch(line)
        if found is None:
            return False
        path, verdict = found["path"], (number, not found["shows"])
        rules = self.paths if path else self._ends if found["star"] else self._names
        text = path.removeprefix("/") if path else found["name"]
        rules[f"{text}/"] = verdict
        if not found["folder"]:
            rules[text] = verdict
        return True

    def settle(self) -> None:
        """There are no more."""
        self._lengths = tuple({len(end) for end in self._ends})
        self._folders = frozenset(
            path[: path.removesuffix("/").rfind("/") + 1] for path in self.paths
        )

    def among(self, folder: str, names: Sequence[str]) -> set[str]:
        """Those of the names in `folder` of which a rule speaks."""
        found = set(self._names.keys() & names)
        for length in self._lengths:
            found.update(name for name in names if name[-length:] in self._ends)
        if folder in self._folders:
            found.update(name for name in names if folder + name in self.paths)
        return found

    def patterns(self) -> list[str]:
        """The same as expressions."""
        heads = ((self.paths, ""), (self._names, "(?:.+/)?"), (self._ends, ".*"))
        return [head + re.escape(text) for rules, head in heads for text in rules]

    def verdict(self, name: str) -> _Verdict:
        """What the rules without a path say of `name`, with a slash behind where it is a folder."""
        ends = (self._ends.get(name[-length:], _SILENCE) for length in self._lengths)
        return max((self._names.get(name, _SILENCE), *ends), key=_number)


class _Patterns:
    """Rules that are patterns, the last first: in groups, of which most speak of no name."""

    def __init__(self, rules: Iterable[_Rule]) -> None:
        self._groups = [(_finder(map(_written, group)), group) for group in _grouped(rules)]

    def among(self, folder: str, names: Sequence[str]) -> Iterable[str]:
        """Those of the names in `folder` of which a rule may speak."""
        found = set[str]()
        for speaks, _ in self._groups:
            if speaks(_together(folder, names)):
                found.update(name for name in names if speaks(folder + name))
        return found

    def verdict(self, path: str, above: int = -1, *, whole: bool) -> _Verdict:
        """What the rules behind number `above` say of `path`; `whole`: not of a folder above it."""
        for speaks, rules in self._groups:
            if rules[0].number < above:
                break
            for rule in rules if speaks(path) else ():
                if rule.number < above:
                    break
                matched = rule.pattern.match_file(path)
                if matched is not None and not (whole and _of_a_folder_above(matched.match, path)):
                    return rule.number, rule.ignores
        return _SILENCE


class Rules:
    """One .gitignore. `skipped` counts lines that are no patterns, too costly to try, or too
    many."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.skipped, left = 0, _BUDGET
        self._exact = _Exact()
        by_name: list[_Rule] = []
        by_path: list[_Rule] = []
        for number, raw in enumerate(lines):
            line = raw.removesuffix("\r")
            if not line.strip() or line.startswith("#"):
                continue
            cost = _cost(line)
            if cost and self._exact.take(number, line):
                continue
            try:
                rule = _rule(number, line, cost) if 0 < cost <= left else None
            except ValueError:
                cost, rule = 0, None
            self.skipped += not 0 < cost <= left
            left -= cost if cost <= left else 0
            if rule is not None:
                text = line.rstrip().removeprefix("!").removesuffix("/")
                (by_path if "/" in text else by_name).append(rule)
        self._exact.settle()
        self._by_name, self._by_path = _Patterns(by_name), _Patterns(by_path)
        self._named = lru_cache(maxsize=4096)(self._name_verdict)
        rules, written = (*by_name, *by_path), self._exact.patterns()
        few = len(written) <= _FEW and sum(rule.cost for rule in rules) <= _GROUP_COST
        self._any = _finder((*map(_written, rules), *written)) if few else lambda _: True

    def suspects(self, folder: str, names: Sequence[str]) -> set[str]:
        """Those of the names in `folder` (a path below this file's, with a slash behind; the name
        of a folder has one, too) of which a rule may speak: one look at all of them together, for
        most are spoken of by none."""
        if not self._any(_together(folder, names)):
            return set()
        found = self._exact.among(folder, names)
        return found.union(self._by_name.among(folder, names), self._by_path.among(folder, names))

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """Whether the entry at `path` (relative to this file's folder) is ignored; None where no
        rule speaks.

        A rule speaks of the entry itself: that a folder above it is ignored was decided at that
        folder.
        """
        end = "/" if folder else ""
        exact = self._exact.paths.get(path + end, _SILENCE)
        found = max(self._named(name + end), exact, key=_number)
        patterned = self._by_path.verdict(path + end, found[0], whole=True)
        return max(found, patterned, key=_number)[1]

    def _name_verdict(self, name: str) -> _Verdict:
        found = self._exact.verdict(name)
        return max(found, self._by_name.verdict(name, found[0], whole=False), key=_number)


@frozen
class Scope:
    """The rules that hold in a folder: each with the length of its folder's path (from the top,
    with the slash)."""

    rules: tuple[tuple[int, Rules], ...] = ()

    def ignores(self, path: str, name: str, folder: bool) -> bool:
        """Whether the entry at `path`, relative to the top, is left out."""
        return self.verdict(path, name, folder) or False

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """The same; None where no rule speaks."""
        for length, rules in reversed(self.rules):
            verdict = rules.verdict(path[length:], name, folder)
            if verdict is not None:
                return verdict
        return None

    def ignored(self, folder: str, names: Sequence[str]) -> set[str]:
        """Which of the names in `folder` (from the top, with a slash behind; the name of a folder
        has one, too) are left out."""
        suspects: set[str] = set()
        for length, rules in self.rules:
            suspects.update(rules.suspects(folder[length:], names))
        return {
            name
            for name in suspects
            if self.ignores(
                f"{folder}{name}".removesuffix("/"), name.removesuffix("/"), name[-1] == "/"
            )
        }

    def with_rules(self, rules: Rules | None, length: int) -> Scope:
        return Scope((*self.rules, (length, rules))) if rules is not None else self


def top_of(start: Path, roots: Iterable[Path]) -> Path:
    """The folder whose .gitignore is the first that counts for `start`: the repository's, else the
    session's."""
    for folder in (start, *start.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return next((root for root in roots if start.is_relative_to(root)), start)


def rules_above(start: Path, top: Path) -> Scope:
    """The rules of the folders from `top` down to the one above `start`."""
    scope = Scope()
    folders = [folder for folder in reversed(start.parents) if folder.is_relative_to(top)]
    for folder in folders:
        prefix = folder.relative_to(top).as_posix()
        for name in FILES:
            try:
                data = file_access.read_regular(folder / name, _MAX_BYTES)
            except (OSError, file_access.NotRegular):
                continue  # none there, or none that git would read either
            scope = scope.with_rules(_parsed(data), 0 if prefix == "." else len(prefix) + 1)
    return scope


def read(folder: int | None, name: str) -> Rules | None:
    """The rules of the file `name` in the folder with this descriptor (None: `name` is a path);
    None where none can be read."""
    try:
        descriptor = os.open(
            name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
        )
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return _parsed(file.read(_MAX_BYTES))


@lru_cache(maxsize=64)
def _parsed(data: bytes) -> Rules:
    return Rules(data.decode("utf-8-sig", "surrogateescape").split("\n"))


def _number(verdict: _Verdict) -> int:
    return verdict[0]


def _rule(number: int, line: str, cost: int) -> _Rule | None:
    """The rule of a line; None: it is none. Raises ValueError where it cannot be used."""
    import re2
    from pathspec import GitIgnoreSpec

    try:
        [pattern] = GitIgnoreSpec.from_lines([line]).patterns
    except (re.error, re2.error) as error:
        raise ValueError from error
    return None if pattern.include is None else _Rule(number, cost, pattern, pattern.include)


def _grouped(rules: Iterable[_Rule]) -> Iterator[list[_Rule]]:
    """The same, the last first, in groups that can be tried as one."""
    group: list[_Rule] = []
    for rule in sorted(rules, key=lambda rule: -rule.number):
        if group and sum(each.cost for each in (*group, rule)) > _GROUP_COST:
            yield group
            group = []
        group.append(rule)
    if group:
        yield group


def _together(folder: str, names: Sequence[str]) -> str:
    """A line for each."""
    return ("\n" + folder).join(("", *names))


def _written(rule: _Rule) -> str:
    """The expression for a rule. It speaks of a path also where it speaks of a folder that begins
    it."""
    pattern = rule.pattern.regex.pattern.replace("(?P<ps_d>", "(?:")
    begin = "" if pattern.startswith("^") else ".*"  # `*/` is just a slash, anywhere
    return f"{begin}(?:{pattern.removeprefix('^')}).*"


def _finder(expressions: Iterable[str]) -> Callable[[str], bool]:
    """What says whether a line of a text may be one of these."""
    import re2

    options = re2.Options()
    options.never_nl, options.log_errors, options.never_capture = True, False, True
    try:
        regex = re2.compile(f"(?m)^(?:{'|'.join(expressions)})$", options)
    except (re2.error, UnicodeEncodeError):
        return lambda _: True

    def speaks(text: str) -> bool:
        try:
            return regex.search(text) is not None
        except UnicodeEncodeError:  # a name that is no text
            return True

    return speaks


def _cost(line: str) -> int:
    """What it costs to try a rule; nothing: it is too costly by itself."""
    parts = line.split("/")
    stars = max(len(re.findall(r"\*+", part)) for part in parts)
    if len(line) > _MAX_LINE or parts.count("**") > _MAX_STARS or stars > _MAX_STARS:
        return 0
    return len(line) * _STAR_COSTS[stars]


def _of_a_folder_above(match: re.Match[str], path: str) -> bool:
    """Whether a pattern matched only the beginning of a path: a folder above the entry."""
    if "ps_d" not in match.re.groupindex:
        return False
    return -1 < match.end("ps_d") < len(path)
