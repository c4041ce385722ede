"""The person's own rules: `tool(pattern)` under `allow`, `ask` or `deny` in `[permissions]`.

The pattern of a command is words: `git commit *` is `git commit` with any further words, and
without ` *` the words must be all. That of a file is a path as `path_pattern` has it.
Without a pattern a rule holds for all calls of the tool.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.safety.limits import Limits, Spoken
from agent_tui.safety.path_pattern import compile_pattern, fixed_beginning
from agent_tui.safety.shell import carried_code
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.named_folders import (
    given_words,
    runs_shell,
    widens,
    without_stored_texts,
)
from agent_tui.safety.shell.open_words import (
    is_any,
    is_fed,
    may_fit,
    with_fed_words,
    with_open_options,
)
from agent_tui.safety.shell.option_values import renames
from agent_tui.safety.shell.prefixes import names_files
from agent_tui.safety.shell.subscripts import evaluated_commands, runs_subscript
from agent_tui.safety.shell.words import (
    STEPS_OF_SUFFIX,
    STEPS_OF_TEXT,
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

    def is_exactly(self, command: str) -> bool:
        """Whether it is this one command, letter by letter."""
        return bool(command) and self.pattern == command and not self.open_end

    def fits_path(self, *names: str) -> bool:
        return any(compile_pattern(self.pattern).fullmatch(name) for name in names)

    def fits_host(self, host: str) -> bool:
        """Whether it names `host`, or with `*.` in front a domain that it is in."""
        return compile_pattern(self.pattern).fullmatch(host) is not None

    def fits_below(self, folder: PathFacts) -> bool:
        """Whether a file in `folder`, or below it, may fit."""
        fixed = fixed_beginning(self.pattern)
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
    "create_file": ("edit_file",),
    "edit_notebook": ("edit_file",),
    "move_file": ("edit_file", "create_file", "delete_file"),
    "delete_file": ("edit_file",),
    "grep_files": ("read_file",),
    ATTACHED: ("read_file", "list_files"),
}
"""Tools whose rules to deny and to ask hold for another tool, too: it can do what they do."""
_LEAVES_OUT: Final = frozenset({"grep_files"})
"""Tools that leave out what they may not read (`forbid_reading`), so that a folder is no
question."""


def find(
    held: Permissions,
    tool: str,
    paths: Sequence[PathFacts],
    command: str,
    calls: Sequence[Call],
    host: str = "",
    closed: str = "",
) -> tuple[Kind, Permission, str] | None:
    """The rule that decides about a call: deny before ask before allow. `calls` are the simple
    commands of `command`, none where they cannot be read for certain, and then `closed` is what it
    names that no rule allows; `host` is what it reaches. Beside a rule that would allow a command
    stands why it does not; else an empty text."""
    for kind, rules in zip(KINDS, (held.deny, held.ask, held.allow), strict=True):
        also = () if kind == "allow" else _ALSO.get(tool, ())
        own = [rule for rule in rules if rule.tool == tool or rule.tool in also]
        if not own:
            continue
        whole = next((rule for rule in own if not rule.pattern), None)
        if kind == "allow" and command:
            if (found := _covering(own, command, calls, closed)) is not None:
                return kind, *found
            continue
        if whole is None and command:
            whole = _touching(own, command, calls)
        elif whole is None and host:
            whole = next((rule for rule in own if rule.fits_host(host)), None)
        elif whole is None:
            whole = _naming(own, paths, kind == "allow")
        if whole is not None:
            return kind, whole, ""
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


def _covering(
    rules: list[Permission], command: str, calls: Sequence[Call], closed: str
) -> tuple[Permission, str] | None:
    """The rule by which a whole command is allowed, and why it is not: each simple command in it
    fits a rule, or only looks and is inert, since all of it runs without a sandbox. What cannot be
    read for certain is allowed by its exact text alone, or by a rule for all commands."""
    exact = next((rule for rule in rules if rule.is_exactly(command)), None)
    whole = next((rule for rule in rules if not rule.pattern), None)
    if exact is not None or not calls:
        found = exact or whole
        return (found, "" if exact else closed) if found is not None else None
    moved = any(call.unsure and call.folder != calls[0].folder for call in calls)
    covers, problem = [] if whole is None else [whole], ""
    for call in calls:
        if call.is_inert and not (moved and call.argv[0] == "cd"):
            continue
        fits = [rule for rule in rules if rule.fits_words(call.argv)]
        if fits:
            rule = min(fits, key=lambda rule: bool(_exceeds(rule, call)))
            problem = problem or _exceeds(rule, call)
            covers += [rule] if call.unsure else []
        elif call.is_inert:
            problem = problem or "it changes the folder, which your rule does not name"
        else:
            return None
    return (covers[0], problem) if covers else None


def _exceeds(rule: Permission, call: Call) -> str:
    """Why a command does more than a rule allows that its words fit; empty: it does not."""
    read = next((file for file in call.reads if rule.pattern and file != os.devnull), "")
    closed = (why for at, why in call.closed if at >= len(rule.words))
    return next(closed, f"it reads {read}, which your rule does not name" if read else "")


def _touching(rules: list[Permission], command: str, calls: Sequence[Call]) -> Permission | None:
    """The rule that a command in `command` fits, wherever it stands: as it is written, or as the
    names in the folder make it of patterns (`calls`)."""
    budget = Budget()
    expanded = calls if re.search(r"[*?]", command) else ()
    read = (argv for call in expanded for argv in _literal(shlex.join(call.argv), budget))
    every = chain(_read_once(command), read)
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
    also = () if tool in _LEAVES_OUT else _ALSO.get(tool, ())
    both = (rule for rule in (*held.deny, *held.ask) if rule.tool == tool or rule.tool in also)
    rules = [rule for rule in both if rule.words]
    if not command:
        folders = [path for path in paths if rules and path.is_folder]
        return next((rule for rule in rules if any(map(rule.fits_below, folders))), None)
    if not rules:
        return None
    if not calls:
        return rules[0]
    hidden = (rule for argv in _read_once(command) for rule in rules if _hides(argv, rule))
    return next(hidden, None)


def _hides(argv: Sequence[str], rule: Permission) -> bool:
    """Whether it is not known if a command fits a rule: it is none that can be read, has a word
    that becomes others when it runs, or gives the program of the rule another name."""
    return (
        not argv
        or runs_subscript(argv)
        or renames(argv, rule.words[0])
        or any(may_fit(rule.words, rule.open_end, one) for one in with_open_options(argv))
    )


def forbid_reading(
    held: Permissions, folder: Path, names: Iterable[str], root: Path
) -> dict[str, Permission]:
    """Which of the files in `folder` (a real path) a tool may not read that found them by itself,
    as nobody is asked about them, each with the rule. `root` is the folder of the session."""
    rules = [rule for rule in (*held.deny, *held.ask) if rule.tool == "read_file"]
    if not rules:
        return {}
    inside = folder.is_relative_to(root)
    shown = f"{folder.relative_to(root)}/".removeprefix("./") if inside else f"{folder}/"
    found: dict[str, Permission] = {}
    for name in names:
        ways = (f"{shown}{name}", f"{folder}/{name}")
        fits = (rule for rule in rules if not rule.pattern or rule.fits_path(*ways))
        if (rule := next(fits, None)) is not None:
            found[name] = rule
    return found


def unreadable(
    held: Permissions, folder: Path, names: Sequence[str], root: Path
) -> Collection[str]:
    """Those of which a tool must not speak that found them by itself: also what is forbidden."""
    closed = held.limits.closed_in(folder, names) if held.limits.closed else set()
    return closed | forbid_reading(held, folder, names, root).keys()


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
    if forbidden or not limits.closed:
        return forbidden, ""
    every = [*spoken(calls, cwd)] if calls else [((), cwd)]
    folders = sorted({folder for _, folder in every})
    written, given = _written(command)
    wide = any(widens(argv) for argv in (*written, *(argv for argv, _ in every)))
    more = [(given, folder) for folder in folders]
    more += [(argv, folder) for argv in written for folder in folders if wide or not calls]
    forbidden = limits.forbid_words(every) or limits.forbid_words(more, wide)
    words = frozenset(word for call in calls for word in call.argv)
    return forbidden, limits.doubt_words(every, words if runs_shell(words) else None)


def _written(command: str) -> tuple[list[list[str]], Sequence[str]]:
    """All simple commands in `command` as they are written, and one with what its redirections
    give."""
    text, budget = without_stored_texts(command), Budget()
    commands = [*_literal(text, budget)]
    try:
        return commands, ("cat", *given_words(text, budget))
    except TooMany:
        return commands, ("cat",)


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


@lru_cache(maxsize=4)
def _read_once(command: str) -> tuple[list[str], ...]:
    """What `_literal` finds: rules of each kind ask for it."""
    return tuple(_literal(command, Budget()))


def _literal(command: str, budget: Budget) -> Iterator[list[str]]:
    """Every command that stands in `command`, also in substitutions, behind wrappers (`sudo`), and
    in the code of a shell; an empty one for what cannot be read there."""
    values = ShellValues(budget)
    try:
        budget.take(len(command) + STEPS_OF_TEXT)
        for simple in simple_commands(command, lambda _: ""):
            yield from _spellings(simple)
            values.fill(simple)
            yield from _of_simple(simple, budget)
    except TooMany:
        yield []


def _of_simple(simple: Simple, budget: Budget, found: bool = False) -> Iterator[list[str]]:
    """The commands of one whose variables are filled in, as it is written and with marks for what
    it reads. `found`: `find` starts it, of whose commands each one is looked at there, also those
    in others. Raises TooMany."""
    for one in filter(None, (simple, with_fed_words(simple))):
        yield from _of_one(one, budget, found)


def _of_one(simple: Simple, budget: Budget, found: bool) -> Iterator[list[str]]:
    budget.take_words(simple.words)
    if budget.depth > _DEEPEST:
        yield []
        return
    yield from _spellings(simple)
    everything = (*simple.words, *(target for _, target in simple.redirects))
    inner = [text for word in everything for text in word.nested]
    call = shell_programs.unwrap_call(simple)
    name = "" if call is None else call.name
    inner += evaluated_commands(name, everything, carried_code.only_says(name))
    if call is not None:
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
        yield from ([[]] if carried_code.runs_unseen(call, simple) else [])
        folds = not names_files([call.name, *(word.text for word in call.arguments)])
        yield from _of_carried(carried_code.find_carried(call, simple), budget, folds)
    for code in inner:
        yield from _literal(code, budget.deeper())


def _of_carried(
    carried: Iterable[Simple | str], budget: Budget, folds: bool
) -> Iterator[list[str]]:
    """The commands that the words of a program may be. A word that may be anything begins none in
    code of an unknown language (`2 * 3`), and none where it stands for a file (`xargs black`).
    `folds`: a path may be that of a program, which goes by its last part."""
    for one in carried:
        if isinstance(one, str):
            every = _literal(one, budget.deeper())
            yield from (argv for argv in every if not argv or not is_any(argv[0]))
        else:
            budget.take(STEPS_OF_SUFFIX * len(one.words))
            for argv in _spellings(one):
                yield from () if is_fed(argv[0]) else (argv,)
                if folds and _may_be_program(argv):
                    folded = [argv[0].rpartition("/")[2], *argv[1:]]
                    yield from shell_programs.without_git_options(folded)


def _may_be_program(argv: Sequence[str]) -> bool:
    """Whether the first of these words of a program is the path of another. A plain path in the
    folder (`src/docker`) with nothing behind it is rather that of a file."""
    folder, slash, name = argv[0].rpartition("/")
    is_plain = folder[:1].isalnum() and not folder.endswith(("bin", "git-core"))
    return bool(slash and name) and not (is_any(name) or (is_plain and len(argv) == 1))


def _spellings(simple: Simple) -> Iterator[list[str]]:
    """The words of a command as they are written, and with the words that braces make of them."""
    plain = [word.text for word in simple.words]
    yield from shell_programs.without_git_options(plain) if plain else ()
    if any("{" in word for word in plain):
        spelled = [text for word in plain for text in shell_programs.all_braces(word)]
        yield from shell_programs.without_git_options(spelled)
