"""Words of commands that name what no rule of the person allows by itself: a path outside the
folders of the session, a file of secrets, a name that programs obey."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.safety import paths, protected_names
from agent_tui.safety.shell.classifier import Call
from agent_tui.safety.shell.git_places import closed_places
from agent_tui.safety.shell.git_settings import GIT
from agent_tui.safety.shell.option_values import says_text
from agent_tui.safety.shell.sed_scripts import SED, closed_scripts, plain_scripts
from agent_tui.safety.shell.started_programs import named_programs
from agent_tui.structures import late

_URL: Final = late.pattern(
    r"(?i)(?<![\w+.-])(?:https?://(?:[^\s,;=?:@]|://|[:@](?![/~.]))*(?:\?[^\s,;]*)?"
    r"|(?!(?:\w+\+)?fileb?:)[a-z][a-z0-9+.-]*://(?![/~.])[^\s,;=:@]*(?::\d+(?!\w)[^\s,;=:@]*)?)"
)
"""An address, up to what may stand before the name of a file; only in those of the web that is
often a part of it. One that names no host names a file: `sqlite:////…`."""
_HOST: Final = late.pattern(r"//[^/]+/")
_MARK: Final = late.pattern(r"[=@:,;]")
"""What stands before the name of a file in a word."""
_LETTERS: Final = 24
"""Of options, in one word with the value of the last one: `-xzf../a.tgz`."""
_LIKE_A_PATH: Final = late.pattern(r"[./]")
_BREAK: Final = late.pattern(r"[\s'\"`$(){}<>|&;]+")
_SIGNS: Final = late.pattern(r"\W*")
_MOST_NAMES: Final = 200
_MOST_STARTED: Final = 8
_TOO_MANY: Final = "it names too many files to be judged"
_ALWAYS_THERE: Final = frozenset(
    {"", "-", "--", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}
)


def mark_closed(calls: Iterable[Call], roots: tuple[Path, ...]) -> Iterator[Call]:
    """The calls with what their words name (`Call.closed`); those that only look name nothing of
    it. Looks at the disk."""
    seen: dict[tuple[str, str], str] = {}
    for call in calls:
        words = enumerate((*call.argv, *call.reads) if call.unsure else ())
        edits = plain_scripts(call.argv) if call.argv[0] in SED else ()
        named = (
            (at, _names_in(word, says_text(call.argv, at))) for at, word in words if at not in edits
        )
        reasons = [(at, _reason_of(names, call, roots, seen)) for at, names in named]
        started = islice(named_programs(call.argv), _MOST_STARTED) if call.unsure else ()
        reasons += ((at, f"{said} starts another program") for at, said, _ in started)
        reasons += closed_scripts(call.argv) if call.unsure and call.argv[0] in SED else ()
        if call.unsure and call.argv[0] == GIT:
            reasons += closed_places(call.argv, Path(call.folder))
        yield replace(call, closed=tuple((at, why) for at, why in reasons if why))


def closed_in_text(text: str, roots: tuple[Path, ...]) -> str:
    """Why a command that cannot be read for certain may name such a thing; empty: no word does."""
    words = tuple(_BREAK.split(text))
    call = Call(words, folder=str(roots[0]))
    seen: dict[tuple[str, str], str] = {}
    reasons = (_reason_of(_names_in(word), call, roots, seen) for word in words)
    return next(filter(None, reasons), "")


def _reason_of(
    names: Iterable[str], call: Call, roots: tuple[Path, ...], seen: dict[tuple[str, str], str]
) -> str:
    """Why one of the names in a word is closed; empty: none is. `seen`: what is known of names."""
    for name in names:
        if len(seen) >= _MOST_NAMES:
            return _TOO_MANY
        key = (call.folder, name)
        if key not in seen:
            seen[key] = _reason(name, Path(call.folder), roots, call.argv[0] == GIT)
        if seen[key]:
            return seen[key]
    return ""


def _names_in(word: str, is_text: bool = False) -> Iterator[str]:
    """What in a word may be the name of a file: the whole, what stands behind a mark and between
    two, and behind the letters of options. An address is none. So is each part of a word with
    blanks or quotes in it, which may be code or a list, if it is no text (`is_text`)."""
    parts = () if is_text else _BREAK.split(_without_addresses(word))
    yield from _names_in_part(word)
    for part in parts if len(parts) > 1 else ():
        if not _SIGNS.fullmatch(part):
            yield from _names_in_part(part)


def _names_in_part(word: str) -> Iterator[str]:
    yield from filter(_is_there, (found[0].partition(":")[2] for found in _URL.finditer(word)))
    word = _without_addresses(word)
    yield word
    parts = _MARK.split(word, maxsplit=_MOST_NAMES)
    yield from parts[1:] if len(parts) > 1 else ()
    yield from (word[found.end() :] for found in _MARK.finditer(word))
    yield parts[0]
    if word.startswith("-") and not word.startswith("--"):
        yield from (word[at:] for at in range(2, min(len(word), 2 + _LETTERS)))


def _without_addresses(word: str) -> str:
    """Those that may lead upwards stay: nobody knows what a program makes of them."""
    return word if "/.." in word else _URL.sub("", word)


def _is_there(address: str) -> bool:
    """Whether what stands behind `scheme:` is a file: `//etc/passwd`."""
    return _HOST.match(address) is not None and "\0" not in address and os.path.lexists(address)


def _reason(name: str, folder: Path, roots: tuple[Path, ...], of_git: bool) -> str:
    whole = os.path.join(folder, os.path.expanduser(name))  # noqa: PTH111, PTH118  # mostly no path
    there = os.path.lexists(whole) if "\0" not in whole else False
    if name in _ALWAYS_THERE or not (there or _LIKE_A_PATH.search(name)):
        why = "" if of_git else protected_names.protection((name,))  # git calls a commit `HEAD`
        return f"{name} {why} (a protected name)" if why else ""
    try:
        paths.check(whole)
    except ValueError:
        return ""  # no system has a file of this name
    try:
        real = paths.resolve(whole, folder)
        inside = any(real.is_relative_to(root) for root in roots)
        if inside and not there and any(map(str.isspace, name)):
            return ""  # a text, and how it ends is no end of a name
        about = paths.facts(whole, roots, deep=False)
    except ValueError as problem:
        return str(problem)
    if not about.inside:
        return f"{about.shown} is outside the folder of this session"
    if about.secret:
        return f"{about.shown} has the name of a secret"
    if about.protected and (there or "." in name or not of_git):
        return f"{about.shown} {about.protected} (a protected name)"
    return ""
