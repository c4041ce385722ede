"""What .gitignore files leave out, level by level, as git decides it: the last rule of the deepest
file wins."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from agent_tui.safety import file_access
from agent_tui.structures.frozen import frozen

FILE: Final = ".gitignore"
FILES: Final = (FILE, ".ignore")
"""Files of a folder with rules; of two in the same folder, the later one wins."""
_MAX_BYTES: Final = 1_000_000
_MAX_LINE: Final = 4_096
"""Characters of a line: no path has more."""
_MAX_STARS: Final = 3
"""Stars in one part of a path: the time of a match grows with this power of a name's length."""


@frozen
class _Rule:
    pattern: Any
    """pathspec's pattern; the library is imported only where a .gitignore was found."""
    ignores: bool


class Rules:
    """One .gitignore. `skipped` counts lines that are no patterns, or too costly to try."""

    def __init__(self, lines: Iterable[str]) -> None:
        import re2
        from pathspec import GitIgnoreSpec

        self.skipped = 0
        self._by_name: list[tuple[int, _Rule]] = []
        self._by_path: list[tuple[int, _Rule]] = []
        for number, raw in enumerate(lines):
            line = raw.removesuffix("\r")
            if not line.strip() or line.startswith("#"):
                continue
            if _costly(line):
                self.skipped += 1
                continue
            try:
                [pattern] = GitIgnoreSpec.from_lines([line]).patterns
            except (ValueError, re.error, re2.error):
                self.skipped += 1
                continue
            if pattern.include is None:
                continue
            text = line.rstrip().removeprefix("!").removesuffix("/")
            place = self._by_path if "/" in text else self._by_name
            place.insert(0, (number, _Rule(pattern, pattern.include)))
        self._named = lru_cache(maxsize=4096)(self._name_verdict)
        self._any = _any_of(rule for _, rule in (*self._by_name, *self._by_path))

    def suspects(self, folder: str, names: Sequence[str]) -> Iterable[str]:
        """Those of the names in `folder` (a path below this file's, with a slash behind; the name
        of a folder has one, too) of which a rule may speak: one look at all of them together, for
        most are spoken of by none."""
        if self._any is None:
            return names
        try:
            if self._any.search(("\n" + folder).join(("", *names))) is None:
                return ()
            return [name for name in names if self._any.search(folder + name)]
        except UnicodeEncodeError:  # a name that is no text
            return names

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """Whether the entry at `path` (relative to this file's folder) is ignored; None where no
        rule speaks.

        A rule speaks of the entry itself: that a folder above it is ignored was decided at that
        folder.
        """
        found, result = self._named(f"{name}/" if folder else name)
        whole = f"{path}/" if folder else path
        for number, rule in self._by_path:
            if number < found:
                break
            matched = rule.pattern.match_file(whole)
            if matched is not None and not _of_a_folder_above(matched.match, whole):
                return rule.ignores
        return result

    def _name_verdict(self, name: str) -> tuple[int, bool | None]:
        for number, rule in self._by_name:
            if rule.pattern.match_file(name) is not None:
                return number, rule.ignores
        return -1, None


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


def _any_of(rules: Iterable[_Rule]) -> Any:
    """What finds the lines that one of the rules may speak of; None: all of them."""
    import re2

    patterns = [rule.pattern.regex.pattern.replace("(?P<ps_d>", "(?:") for rule in rules]
    options = re2.Options()
    options.never_nl, options.log_errors, options.never_capture = True, False, True
    try:
        return re2.compile("(?m)^(?:" + "|".join(map(_whole_line, patterns)) + ")$", options)
    except (re2.error, UnicodeEncodeError):
        return None


def _whole_line(pattern: str) -> str:
    """A rule speaks of a path also where it speaks of a folder that begins it."""
    return f"(?:{pattern.removeprefix('^')}).*"


def _costly(line: str) -> bool:
    parts = line.split("/")
    return (
        len(line) > _MAX_LINE
        or parts.count("**") > _MAX_STARS
        or any(len(re.findall(r"\*+", part)) > _MAX_STARS for part in parts)
    )


def _of_a_folder_above(match: re.Match[str], path: str) -> bool:
    """Whether a pattern matched only the beginning of a path: a folder above the entry."""
    if "ps_d" not in match.re.groupindex:
        return False
    return -1 < match.end("ps_d") < len(path)
