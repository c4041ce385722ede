"""The grammar of vim's commands: `[count] [operator] [count] (motion | text object | command)`."""

from __future__ import annotations

from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tui.vim_text import BRACKETS, MOTIONS

OPERATORS: Final = frozenset("dcy<>")
WITH_CHARACTER: Final = frozenset("fFtT")
"""Motions that take a character."""
MORE: Final = frozenset(("j", "k", "G", "gg", ";", ","))
"""Motions that need more than the text and the place."""
OBJECTS: Final = frozenset(("w", "W", "p", '"', "'", "`")) | BRACKETS.keys()
NORMAL: Final = frozenset("xXDCsSYpPuJ~oOiaIAvV.")
VISUAL: Final = frozenset("dcyxXDCsSYRpPuUJ~ovV<>")
LONGEST: Final = 12
MOST: Final = 1_000
"""What a larger count is taken for."""


@frozen
class Command:
    """`key` is empty while the command is not complete; `count` 0: none was given."""

    key: str = ""
    operator: str = ""
    count: int = 0


UNFINISHED: Final = Command()


def parse(typed: str, visual: bool) -> Command | None:
    """The command that was `typed`; `UNFINISHED` if more must come, None if it is none."""
    if len(typed) > LONGEST:
        return None
    first, rest = _counted(typed)
    operator, second = "", 0
    if rest and rest[0] in OPERATORS and not visual:
        operator = rest[0]
        second, rest = _counted(rest[1:])
        if rest == operator:
            return Command(rest, operator, _count(first, second))
    if not rest:
        return UNFINISHED
    key = _key(rest, operator, visual)
    return None if key is None else Command(key, operator if key else "", _count(first, second) if key else 0)


def _count(first: int, second: int) -> int:
    return min(MOST, (first or 1) * (second or 1)) if first or second else 0


def _counted(typed: str) -> tuple[int, str]:
    size = 0
    while size < len(typed) and (typed[size] in "123456789" or (size and typed[size] == "0")):
        size += 1
    return int(typed[:size] or "0"), typed[size:]


def _key(rest: str, operator: str, visual: bool) -> str | None:
    """`rest` if it is a motion, an object or a command; empty if more must come; None: nothing begins so."""
    head = rest[0]
    if head in WITH_CHARACTER or (head == "r" and not operator):
        return rest if len(rest) == 2 else "" if len(rest) == 1 else None
    if head == "g":
        return rest if rest == "gg" else "" if rest == "g" else None
    if head in "ia" and (operator or visual):
        return "" if len(rest) == 1 else rest if rest[1] in OBJECTS else None
    if rest in MOTIONS or rest in MORE:
        return rest
    return rest if not operator and rest in (VISUAL if visual else NORMAL) else None
