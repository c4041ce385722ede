"""Words of git by which it works in another repository than that of the folder where it runs, or
with settings that are not those of this repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety import repository_check
from agent_tui.safety.shell import programs
from agent_tui.safety.shell.words import word_set

_REPOSITORY: Final = ("--git-dir", "--bare")
_LOOKS: Final = word_set("get list")
_LOOKS_BY: Final = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--list")
_FOR_ALL: Final = ("--global", "--system")


def closed_places(argv: Sequence[str], folder: Path) -> Iterator[tuple[int, str]]:
    """Where a command of git that runs in `folder` names such a place, and what it does there.
    Looks at the disk."""
    command, rest = programs.git_command(argv[1:])
    own = len(argv) - len(rest) - bool(command)
    for at in range(1, own):
        if argv[at].partition("=")[0] in _REPOSITORY:
            yield at, f"{argv[at]} names another repository, whose settings may start programs"
        elif argv[at - 1] == "-C" and at > 1:
            folder /= argv[at]
            if repository_check.is_bare(folder):
                yield at, f"{argv[at]} is a repository by itself, whose settings may start programs"
    if command == "config":
        yield from ((own + 1 + at, why) for at, why in _of_config(rest))


def _of_config(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    flags, operands = programs.split(words)
    looks = programs.has(flags, "l", *_LOOKS_BY) or not _LOOKS.isdisjoint(operands[:1])
    edits = programs.has(flags, "e", "--edit", "--unset", "--unset-all") or operands[:1] == ["edit"]
    looks = looks or (len(operands) == 1 and not edits)
    for at, word in enumerate(words):
        if word not in flags:
            continue
        if programs.has((word,), "f", "--file", "--blob"):
            yield at, f"{word} names settings of git in another file"
        elif not looks and programs.has((word,), "", *_FOR_ALL):
            yield at, f"{word} changes the settings of git for all repositories"
