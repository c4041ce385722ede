"""The person's own rules: `tool(pattern)` under `allow`, `ask` or `deny` in `[permissions]`.

The pattern of a command is words: `git commit *` is `git commit` with any further words, and
without ` *` the words must be all. That of a file is a path with `*` (no slash) and `**` (any).
Without a pattern a rule holds for all calls of the tool.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from agent_tui.safety.limits import Limits, Spoken
from agent_tui.safety.shell import carried_code
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.option_values import renames
from agent_tui.safety.shell.words import (
    STEPS_OF_SUFFIX,
    Budget,
    ShellValues,
    Simple,
    TooMany,
    simple_commands,
)
from agent_tui.settings.values import parse_rule
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.safety.paths import PathFacts
    from agent_tui.safety.shell.classifier import Call
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

    def fits_host(self, host: str) -> bool:
        """Whether it names `host`, or with `*.` in front a domain that it is in."""
        below = self.pattern[1:] if self.pattern.startswith("*.") else ""
        return host == self.pattern or (bool(below) and host.endswith(below))

    def fits_below(self, folder: PathFacts) -> bool:
        """Whether a file in `folder`, or below it, may fit."""
        fixed = re.split(r"[*?]", self.pattern, maxsplit=1)[0]
        ways = ("" if folder.shown == "." else f"{folder.shown}/", f"{folder.real}/")
        return any(fixed.startswith(way) or way.startswith(fixed) for way in ways)


@frozen
class Permissions:
    """All rules, by kind."""

    deny: tuple[Permission, ...] = ()
    ask: tuple[Permission, ...] = ()
    allow: tuple[Permission, ...] = ()
    limits: Limits = Limits()


def parse(text: str) -> Permission:
    """The rule that `text` is. Raises ValueError, one line."""
    tool, pattern, words = parse_rule(text)
    open_end = not words or words[-1] == "*"
    return Permission(tool, pattern, words[:-1] if words and open_end else words, open_end)


def own_rules(given: PermissionSettings) -> Permissions:
    """The rules as the settings hold them."""
    limits = Limits(given.autonomy, given.allowed_commands, given.forbidden_dirs)
    deny, ask, allow = (tuple(map(parse, texts)) for texts in (given.deny, given.ask, given.allow))
    return Permissions(deny, ask, allow, limits)


_ALSO: Final = {
    "apply_patch": ("edit_file", "create_file", "move_file", "delete_file"),
    "edit_notebook": ("edit_file",),
    "move_file": ("edit_file",),
    "delete_file": ("edit_file",),
}
"""Tools whose rules to deny and to ask hold for another tool, too: it can do what they do."""


def find(
    held: Permissions,
    tool: str,
    paths: Sequence[PathFacts],
    command: str,
    calls: Sequence[Call],
    host: str = "",
) -> tuple[Kind, Permission] | None:
    """The rule that decides about a call: deny before ask before allow. `calls` are the simple
    commands of `command`, none where they cannot be read for certain; `host` is what it reaches."""
    for kind, rules in zip(KINDS, (held.deny, held.ask, held.allow), strict=True):
        also = () if kind == "allow" else _ALSO.get(tool, ())
        own = [rule for rule in rules if rule.tool == tool or rule.tool in also]
        whole = next((rule for rule in own if not rule.pattern), None)
        if whole is None and own:
            all_of_it = kind == "allow"
            if command:
                fits = (_covering if all_of_it else _touching)(own, command, calls)
            elif host:
                fits = next((rule for rule in own if rule.fits_host(host)), None)
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
        next((rule for rule in rules if rule.fits_path(*_names_of(path, all_of_it))), None)
        for path in paths
    ]
    if all_of_it and None in fits:
        return None
    return next((rule for rule in fits if rule is not None), None)


def _names_of(path: PathFacts, all_of_it: bool) -> list[str]:
    """How a rule may name it: to deny or to ask, `priv/**` names the folder `priv`, too."""
    names = [path.shown, str(path.real)]
    return names if all_of_it else [*names, *(f"{name}/" for name in names)]


def _covering(rules: list[Permission], command: str, calls: Sequence[Call]) -> Permission | None:
    """The rule by which a whole command is allowed: each simple command in it fits a rule, or only
    looks and is inert, since all of it runs without a sandbox. What cannot be read for certain is
    allowed by its exact text alone."""
    exact = next((rule for rule in rules if rule.pattern == command and not rule.open_end), None)
    if exact is not None or not calls:
        return exact
    fits = {
        call: next((rule for rule in rules if rule.fits_words(call.argv)), None)
        for call in calls
        if not call.is_inert
    }
    found = [rule for call, rule in fits.items() if call.unsure]
    return found[0] if found and None not in fits.values() else None


def _touching(rules: list[Permission], command: str, calls: Sequence[Call]) -> Permission | None:
    """The rule that a command in `command` fits, wherever it stands: as it is written, or as the
    names in the folder make it of patterns (`calls`)."""
    read = (argv for call in calls for argv in shell_programs.without_git_options(call.argv))
    every = chain(_literal(command, Budget()), read)
    return next((rule for argv in every for rule in rules if rule.fits_words(argv)), None)


def find_unseen(
    held: Permissions,
    tool: str,
    command: str,
    calls: Sequence[Call],
    paths: Sequence[PathFacts] = (),
) -> Permission | None:
    """A rule that denies or asks, where it cannot be known whether the call fits it: a part of
    `command` is not literal, or writes what a shell runs; or the files that are looked through
    are not known yet."""
    rules = [rule for rule in (*held.deny, *held.ask) if rule.tool == tool and rule.words]
    if not command:
        folders = [path for path in paths if rules and path.is_folder]
        return next((rule for rule in rules if any(map(rule.fits_below, folders))), None)
    if not rules:
        return None
    if not calls:
        return rules[0]
    for argv in _literal(command, Budget()):
        renamed = (rule for rule in rules if not argv or renames(argv, rule.words[0]))
        if rule := next(renamed, None):
            return rule
    return None


def apply_limits(
    limits: Limits,
    paths: Sequence[PathFacts],
    command: str,
    calls: Sequence[Call],
    roots: Sequence[Path],
    environment: Mapping[str, str],
) -> tuple[str, str]:
    """Why a limit of the person forbids a call, and why it cannot be known whether one does; empty:
    no reason. Looks at the disk."""
    named = limits.forbid_path(path.real for path in paths)
    if named or not command:
        return named, ""
    cwd = str(roots[0])
    started = [(call.argv, call.folder or cwd) for call in calls]
    forbidden = limits.forbid_program(started, environment, roots)
    forbidden = forbidden or limits.forbid_words(spoken(calls, cwd))
    return forbidden, limits.doubt_words(spoken(calls, cwd) if calls else [((), cwd)])


def spoken(calls: Iterable[Call], cwd: str) -> Iterator[Spoken]:
    """All simple commands in `calls`, which run in the folder `cwd` if they do not say another one:
    also those behind wrappers and in the code of a shell; an empty one for what cannot be read."""
    budget = Budget()
    for call in calls:
        folder = call.folder or cwd
        yield call.argv, folder
        yield ("cat", *call.reads), folder
        for argv in _literal(shlex.join(call.argv), budget):
            moves = argv[:1] in (["cd"], ["pushd"]) and call.argv[0] != "cd"
            yield argv, folder
            yield from ([((), folder)] if moves else [])


def _literal(command: str, budget: Budget) -> Iterator[list[str]]:
    """Every command that stands in `command`, also in substitutions, behind wrappers (`sudo`), and
    in the code of a shell; an empty one for what cannot be read there."""
    values = ShellValues(budget)
    try:
        budget.take(len(command))
        for simple in simple_commands(command, lambda _: ""):
            yield from _spellings(simple)
            values.fill(simple)
            yield from _of_simple(simple, budget)
    except TooMany:
        yield []


def _of_simple(simple: Simple, budget: Budget, found: bool = False) -> Iterator[list[str]]:
    """The commands of one whose variables are filled in. `found`: `find` starts it, of whose
    commands each one is looked at there, also those in others. Raises TooMany."""
    budget.take_words(simple.words)
    if budget.depth > _DEEPEST:
        yield []
        return
    yield from _spellings(simple)
    everything = (*simple.words, *(target for _, target in simple.redirects))
    inner = [text for word in everything for text in word.nested]
    if (call := shell_programs.unwrap_call(simple)) is not None:
        words = [call.name, *(word.text for word in call.arguments)]
        yield from shell_programs.without_git_options(words)
        inner += [word.text for word in call.code]
        inner += shell_programs.git_aliases(words)
        if call.is_shell:
            read, writer = carried_code.read_code(simple)
            inner += read
            yield from ([[]] if writer else [])
        for started in () if found else shell_programs.started_by_find(call.name, call.arguments):
            yield from _of_simple(Simple(list(started)), budget.deeper(), found=True)
        for carried in carried_code.find_carried(call, simple):
            if isinstance(carried, str):
                inner.append(carried)
            else:
                budget.take(STEPS_OF_SUFFIX * len(carried.words))
                yield from _spellings(carried)
    for code in inner:
        yield from _literal(code, budget.deeper())


def _spellings(simple: Simple) -> Iterator[list[str]]:
    """The words of a command as they are written, and with the words that braces make of them."""
    plain = [word.text for word in simple.words]
    yield from shell_programs.without_git_options(plain) if plain else ()
    spelled = [text for word in plain for text in shell_programs.all_braces(word)]
    if spelled != plain:
        yield from shell_programs.without_git_options(spelled)


@cache
def _path_pattern(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    as_regex = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(as_regex.get(part, re.escape(part)) for part in parts), re.DOTALL)
