"""Patterns for paths: `*`, `?`, `[…]`, `{a,b}` within a part, `**` for any number of folders."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from typing import Final

from agent_tui.tools.base import ToolFailure

_MOST_BRACES: Final = 64


class Glob:
    """A pattern for paths relative to a folder. Without a slash it is a pattern for names, in every subfolder.

    Raises ToolFailure for one that leads out of the folder.
    """

    def __init__(self, pattern: str) -> None:
        text = pattern.strip().removeprefix("./")
        if not text:
            raise ToolFailure("invalid_arguments", "the pattern is empty; write for example **/*.py")
        if text.startswith(("/", "~")) or ".." in text.split("/"):
            raise ToolFailure("invalid_arguments", f"{pattern!r}: a pattern is relative; give the folder as path")
        self._choices = [_parts(choice) for choice in _expanded(text)]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        return any(_matches(parts, names) for parts in self._choices)


_Part = re.Pattern[str] | None
"""None stands for `**`."""


def _parts(pattern: str) -> list[_Part]:
    texts = pattern.split("/") if "/" in pattern else ["**", pattern]
    if texts[-1] == "":
        texts[-1] = "**"  # a folder: all that is in it
    parts: list[_Part] = []
    for text in texts:
        if text != "**":
            parts.append(re.compile(fnmatch.translate(text)))
        elif not parts or parts[-1] is not None:
            parts.append(None)
    return parts


def _matches(parts: Sequence[_Part], names: Sequence[str]) -> bool:
    """Part by part; only the last `**` ever needs to be tried again, so the time is bounded by the product."""
    part = name = 0
    again: tuple[int, int] | None = None
    while name < len(names):
        here = parts[part] if part < len(parts) else None
        if part < len(parts) and here is None:
            again = (part, name)
            part += 1
        elif here is not None and here.match(names[name]):
            part, name = part + 1, name + 1
        elif again is not None:
            again = (again[0], again[1] + 1)
            part, name = again[0] + 1, again[1]
        else:
            return False
    return part == len(parts)


def _expanded(pattern: str) -> list[str]:
    """`{a,b}` written out, innermost first. Braces without a comma stand for themselves."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        text = todo.pop(0)
        inner = re.search(r"\{([^{}]*,[^{}]*)\}", text)
        if inner is None:
            done.append(text)
            continue
        todo += [text[: inner.start()] + choice + text[inner.end() :] for choice in inner[1].split(",")]
        if len(todo) + len(done) > _MOST_BRACES:
            raise ToolFailure("invalid_arguments", f"{pattern!r}: too many alternatives in braces")
    return done
