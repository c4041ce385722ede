"""The person's own rules: `tool(pattern)` under `allow`, `ask` or `deny` in `[permissions]`.

The pattern of a command is words: `git commit *` is `git commit` with any further words, and
without ` *` the words must be all. That of a file is a path with `*` (no slash) and `**` (any).
Without a pattern a rule holds for all calls of the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from agent_tui.safety import shell_programs
from agent_tui.safety.shell_words import simple_commands
from agent_tui.settings.values import parse_rule
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.safety.paths import PathFacts
    from agent_tui.safety.shell_classifier import Call
    from agent_tui.settings.table import PermissionSettings

Kind = Literal["deny", "ask", "allow"]
KINDS: Final[tuple[Kind, ...]] = ("deny", "ask", "allow")
_DEEPEST: Final = 8


@frozen
class Permission:
    """One rule. `words` for a command, `pattern` for a file; `open_end`: more words may follow."""

    tool: str
    pattern: str = ""
    words: tuple[str, ...] = ()
    open_end: bool = True

    @property
    def text(self) -> str:
        return f"{self.tool}({self.pattern})" if self.pattern else self.tool

    def fits_words(self, argv: Sequence[str]) -> bool:
        head = tuple(argv[: len(self.words)])
        return head == self.words and (self.open_end or len(argv) == len(self.words))

    def fits_path(self, *names: str) -> bool:
        return any(_path_pattern(self.pattern).fullmatch(name) for name in names)


@frozen
class Permissions:
    """All rules, by kind."""

    deny: tuple[Permission, ...] = ()
    ask: tuple[Permission, ...] = ()
    allow: tuple[Permission, ...] = ()


def parse(text: str) -> Permission:
    """The rule that `text` is. Raises ValueError, one line."""
    tool, pattern, words = parse_rule(text)
    open_end = not words or words[-1] == "*"
    return Permission(tool, pattern, words[:-1] if words and open_end else words, open_end)


def own_rules(given: PermissionSettings) -> Permissions:
    """The rules as the settings hold them."""
    return Permissions(
        *(tuple(map(parse, texts)) for texts in (given.deny, given.ask, given.allow))
    )


def find(
    held: Permissions,
    tool: str,
    paths: Sequence[PathFacts],
    command: str,
    calls: Sequence[Call],
) -> tuple[Kind, Permission] | None:
    """The rule that decides about a call: deny before ask before allow. `calls` are the simple
    commands of `command`, none where they cannot be read for certain."""
    for kind, rules in zip(KINDS, (held.deny, held.ask, held.allow), strict=True):
        own = [rule for rule in rules if rule.tool == tool]
        whole = next((rule for rule in own if not rule.pattern), None)
        if whole is None and own:
            all_of_it = kind == "allow"
            if command:
                fits = _covering(own, command, calls) if all_of_it else _touching(own, command)
            else:
                fits = _naming(own, paths, all_of_it)
            whole = fits
        if whole is not None:
            return kind, whole
    return None


def _naming(
    rules: list[Permission], paths: Sequence[PathFacts], all_of_it: bool
) -> Permission | None:
    """The rule that names the files of a call: to allow, all of them; else one is enough."""
    fits = [
        next((rule for rule in rules if rule.fits_path(path.shown, str(path.real))), None)
        for path in paths
    ]
    if all_of_it and None in fits:
        return None
    return next((rule for rule in fits if rule is not None), None)


def _covering(rules: list[Permission], command: str, calls: Sequence[Call]) -> Permission | None:
    """The rule by which a whole command is allowed: each simple command in it fits a rule or only
    looks. What cannot be read for certain is allowed by its exact text alone."""
    exact = next((rule for rule in rules if rule.pattern == command and not rule.open_end), None)
    if exact is not None or not calls:
        return exact
    found = [
        next((rule for rule in rules if rule.fits_words(call.argv)), None)
        for call in calls
        if call.unsure
    ]
    return found[0] if found and None not in found else None


def _touching(rules: list[Permission], command: str) -> Permission | None:
    """The rule that a command in `command` fits, wherever it stands."""
    found = (rule for argv in _literal(command, 0) for rule in rules if rule.fits_words(argv))
    return next(found, None)


def _literal(command: str, depth: int) -> Iterator[list[str]]:
    """Every command that stands in `command`, also in substitutions, behind wrappers (`sudo`), and
    in the code of a shell."""
    for simple in simple_commands(command, lambda _: ""):
        yield [word.text for word in simple.words]
        inner = [text for word in simple.words for text in word.nested]
        if (call := shell_programs.unwrap_call(simple)) is not None:
            yield [call.name, *(word.text for word in call.arguments)]
            inner += [word.text for word in call.code]
        for code in inner if depth < _DEEPEST else ():
            yield from _literal(code, depth + 1)


@cache
def _path_pattern(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    as_regex = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(as_regex.get(part, re.escape(part)) for part in parts), re.DOTALL)
