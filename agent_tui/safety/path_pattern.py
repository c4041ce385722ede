"""The pattern by which a rule of the person names files or hosts: `*` (no slash), `**` (any), `?`,
`{a,b}` and `[ab]`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from agent_tui.structures import late

_PLAIN: Final = late.pattern(r"(\*\*/?|[*?])")
_SHELL: Final = late.pattern(r"(\*\*/?|[*?]|\[[^]/]+\]|\{[^{},]*\}|[{},])")
"""Braces without a comma are themselves."""
_BEGINS: Final = late.pattern(r"[*?{\[]")
_MEANING: Final = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """What all of a name must match. Braces and brackets also stand for themselves: a folder may be
    called `[id]`, and a rule that forbids must not miss it."""
    return re.compile(f"(?:{_plain(pattern)})|(?:{_shell(pattern)})", re.DOTALL)


def fixed_beginning(pattern: str) -> str:
    """What each name begins with that fits."""
    return _BEGINS.split(pattern, maxsplit=1)[0]


def _plain(pattern: str) -> str:
    return "".join(_MEANING.get(part, re.escape(part)) for part in _PLAIN.split(pattern))


def _shell(pattern: str) -> str:
    depth, made = 0, list[str]()
    for part in _SHELL.split(pattern):
        if part == "{":
            depth += 1
            made.append("(?:")
        elif part == "}" and depth:
            depth -= 1
            made.append(")")
        elif part == "," and depth:
            made.append("|")
        elif part.startswith("[") and part.endswith("]"):
            made.append(_class(part))
        else:
            made.append(_MEANING.get(part, re.escape(part)))
    return _plain(pattern) if depth else "".join(made)


def _class(part: str) -> str:
    """One of the letters in brackets, or none of them behind `!`."""
    inside = re.sub(r"[\\\[&|~]", r"\\\g<0>", part[1:-1])
    said = f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' and inside[1:] else inside}]"
    try:
        re.compile(said)
    except re.error:  # such as `[z-a]`
        return re.escape(part)
    return said
