"""What a script of sed does besides printing: files that it reads and writes, and what it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from agent_tui.structures import late

SED: Final = frozenset({"sed", "gsed"})
Does = Literal["runs", "reads", "writes", "unread"]
Effect = tuple[Does, str]
"""With the code or the file; empty for what is not said there, as the line that `e` alone runs."""
_SAID: Final = {
    "runs": "runs other programs",
    "reads": "reads other files",
    "writes": "writes other files",
    "unread": "cannot be read for certain",
}
_OPTION: Final = late.pattern(r"-[nrsuzE]*([efl])(.*)|--(exp|fi|l)[a-z-]*(?:=(.*))?", re.DOTALL)
"""Options with a value, glued or in the next word."""
_PLAIN: Final = late.pattern(
    r"-[nrsuzE]*(?:i.*)?|--(?:quiet|silent|regexp-extended|separate|null-data|zero-terminated"
    r"|unbuffered|posix|debug|sandbox|follow-symlinks|in-place(?:=.*)?)",
    re.DOTALL,
)
"""Options that are no script, and take no further word."""
_BETWEEN: Final = late.pattern(r"[\s;]*+(?:#[^\n]*+[\s;]*+)*+")
_TEXT: Final = late.pattern(r"(?:[^\\\n]|\\.|\\\Z)*+", re.DOTALL)
"""A line, and those that a backslash at its end joins."""
_LINE: Final = late.pattern(r"[^\n]*+")
_WORD: Final = late.pattern(r"[ \t]*+[^;}\s]*+")
_LITERAL: Final = frozenset("{}=dDgGhHnNpPxzF")


def _patterns(bracket: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Addresses, and the parts of `s` and `y`. Programs disagree whether a mark in brackets ends a
    regular expression."""
    old = rf"(?P<mark>[^\n\\])(?:{bracket}(?!(?P=mark))[^\\]|\\.)*+(?P=mark)"
    one = rf"(?:[+~]?\d++(?:~\d++)?|\$|(?:(?=/)|\\){old}[IM]*+)"
    address = rf"{one}?[ \t]*+(?:,[ \t]*+{one.replace('mark', 'to')})?[\s!]*+"
    parts = rf"{old}(?P<new>(?:(?!(?P=mark))[^\\]|\\.)*+)(?P=mark)(?P<flags>[gpiImMe\d]*+)"
    return late.pattern(address, re.DOTALL), late.pattern(parts, re.DOTALL)


_READINGS: Final = (_patterns(""), _patterns(r"\[\^?\]?+[^\]\n]{0,200}+\]|"))


def scripts(arguments: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """The scripts among the words of sed: where, the script or the name of its file, and whether it
    is a file."""
    operands, told, at = list[int](), False, 0
    while at < len(arguments):
        word, here = arguments[at], at
        at += 1
        if word == "--":
            operands += range(at, len(arguments))
            break
        if word[:1] != "-" or word == "-":
            operands += [here] if word else []
        elif found := _OPTION.fullmatch(word):
            kind, value = (found[1] or found[3])[0], found[2] or found[4] or ""
            if not value and found[4] is None:
                value, at = "".join(arguments[at : at + 1]), at + 1
            if kind != "l" or found[3] == "l":
                told = told or kind != "l"
                yield from ((here, value, found[3] == "fi" or kind == "f"),) if kind != "l" else ()
    if not told:
        yield from ((here, arguments[here], False) for here in operands[:1])


def closed_scripts(argv: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where a command of sed has a script that does more than print, and what it does."""
    for at, said, is_file in scripts(argv[1:]):
        found = (("unread", ""),) if is_file else effects(said)
        yield from ((at + 1, f"its script {_SAID[what]}".rstrip()) for what, _ in found[:1])


def plain_scripts(argv: Sequence[str]) -> frozenset[int]:
    """Which words of a command of sed are scripts and no names of files, as they only edit and
    print. None, where it depends on the program which words are scripts."""
    words = argv[1 : argv.index("--") if "--" in argv else None]
    for word in words:
        option = _OPTION.fullmatch(word)
        kind = "" if option is None else (option[1] or option[3])[0]
        if not word or (word[0] == "-" and kind not in ("e", "f") and not _PLAIN.fullmatch(word)):
            return frozenset()
    found = ((at + 1, said) for at, said, is_file in scripts(argv[1:]) if not is_file)
    plain = [(at, said) for at, said in found if not effects(said)]
    return frozenset(at if argv[at].endswith(said) else at + 1 for at, said in plain)


@lru_cache(maxsize=16)
def effects(script: str) -> tuple[Effect, ...]:
    """What a script does. It is read both ways; one that cannot be read so is none to such a
    sed."""
    read = [found for found in (_read(script, *ways) for ways in _READINGS) if found is not None]
    return (
        tuple(dict.fromkeys(one for found in read for one in found)) if read else (("unread", ""),)
    )


def _read(script: str, address: re.Pattern[str], parts: re.Pattern[str]) -> list[Effect] | None:
    """None where it cannot be read."""
    found, at = list[Effect](), 0

    def take(pattern: re.Pattern[str]) -> str:
        nonlocal at
        taken = pattern.match(script, at)
        at = at if taken is None else taken.end()
        return "" if taken is None else taken[0]

    while True:
        take(_BETWEEN)
        if at == len(script):
            return found
        take(address)
        command = script[at : at + 1]
        at += 1
        if command in ("a", "i", "c"):
            take(_TEXT)
        elif command == "e":
            found.append(("runs", re.sub(r"\A\\\s*", "", take(_TEXT).strip())))
        elif command in ("r", "R", "w", "W"):
            found.append(("reads" if command in "rR" else "writes", take(_LINE).strip()))
        elif command in ("s", "y"):
            said = parts.match(script, at)
            if said is None:
                return None
            at = said.end()
            if "e" in said["flags"]:
                found += [("runs", said["new"]), ("runs", "")]
            if script[at : at + 1] == "w":
                found.append(("writes", take(_LINE)[1:].strip()))
        elif command in (":", "b", "t", "T", "q", "Q", "l", "L", "v"):
            take(_WORD)
        elif command not in _LITERAL or not command:
            return None
