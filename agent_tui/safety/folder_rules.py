"""What a person allowed in a folder for good: a file in their own data folder, with a table for
each folder: its real path, and which folder that is (device and inode). No project can write it,
and none of its rules holds elsewhere, nor for another folder that is at that path later. Where a
file system numbers its folders anew, they ask again.

A rule is a beginning (`pytest …`) or one whole command, as `prefixes` lets it be offered. It is
never wider than the answer that made it: both are compared with what the policy makes of a call.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from agent_tui.regular_file import open_regular
from agent_tui.safety.policy import Rule
from agent_tui.settings.store import put_alone

FILE: Final = "allowed.toml"
_BEGINNINGS: Final = "beginnings"
_COMMANDS: Final = "commands"


class FolderRules:
    """The rules for `folder`. They are read again where another session may have changed them."""

    def __init__(self, data: Path, folder: str) -> None:
        self._path, self._folder = data / FILE, folder
        self._read: tuple[tuple[int, int] | None, Mapping[str, frozenset[Rule]]] = (None, {})

    @property
    def rules(self) -> frozenset[Rule]:
        """What holds now. What cannot be read allows nothing."""
        return self._by_identity().get(self._identity(), frozenset())

    @property
    def lapsed(self) -> frozenset[Rule]:
        """What was allowed in another folder that was at this path."""
        known = self._by_identity()
        return frozenset[Rule]().union(*known.values()) - self.rules

    def _by_identity(self) -> Mapping[str, frozenset[Rule]]:
        try:
            found = self._path.stat()
        except OSError:
            return {}
        stamp = (found.st_mtime_ns, found.st_ino)
        if self._read[0] != stamp:
            self._read = (stamp, self._parse())
        return self._read[1]

    def _identity(self) -> str:
        """Which folder is there."""
        try:
            about = os.stat(self._folder)  # noqa: PTH116
        except OSError:
            return ""  # none
        return f"{about.st_dev}:{about.st_ino}"

    def add(self, rule: Rule) -> None:
        """Let `rule` hold for good. Raises Refused. Writes a file."""
        put_alone(self._path, (self._folder, self._identity(), *_key(rule)), True)

    def remove(self, rule: Rule) -> None:
        """The same, for what is to ask again: in this folder and in others that were here."""
        for identity, rules in self._by_identity().items():
            if rule in rules:
                put_alone(self._path, (self._folder, identity, *_key(rule)), None)

    def _parse(self) -> Mapping[str, frozenset[Rule]]:
        try:
            with os.fdopen(open_regular(self._path), "rb") as file:
                here = _table(tomllib.load(file), self._folder)
        except (OSError, ValueError, RecursionError):
            return {}
        return {identity: frozenset(self._rules_in(_table(here, identity))) for identity in here}

    def _rules_in(self, tools: Mapping[str, object]) -> Iterator[Rule]:
        for tool, kinds in tools.items():
            for text, holds in _table(kinds, _BEGINNINGS).items():
                if holds is True and text.split():
                    words = tuple(text.split())
                    yield Rule(tool, (), self._folder, words, lasting=True)
            for text, holds in _table(kinds, _COMMANDS).items():
                if holds is True:
                    yield Rule(tool, (text,), self._folder, lasting=True)


def _key(rule: Rule) -> tuple[str, ...]:
    if rule.words:
        return rule.tool, _BEGINNINGS, " ".join(rule.words)
    return rule.tool, _COMMANDS, rule.targets[0]


def _table(tree: object, name: str) -> Mapping[str, object]:
    found = tree.get(name) if isinstance(tree, Mapping) else None
    return found if isinstance(found, Mapping) else {}
