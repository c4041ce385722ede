"""The one table of commands: what slash commands, keys, completion, footer and help are made of.

A file in this folder is a command (see `base`); nothing else has to be told of it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from agent_tui import registry
from agent_tui.tui.commands.base import Command, key_name

COMMANDS: Final[tuple[Command, ...]] = tuple(
    sorted(
        (registry.load(__name__, name, name) for name in registry.names(__name__)),
        key=lambda command: (command.rank, command.name),
    )
)


@cache
def bindings() -> dict[str, str]:
    """Textual's name of each bound key, and the command that it runs."""
    return {key: command.name for command in COMMANDS for key in (*command.keys, *command.empty)}


@cache
def when_empty() -> frozenset[str]:
    """Bound keys that count only while the prompt is empty; else the prompt handles them itself."""
    return frozenset(key for command in COMMANDS for key in command.empty)


@cache
def _by_name() -> dict[str, Command]:
    return {command.name: command for command in COMMANDS}


@cache
def _by_slash() -> dict[str, Command]:
    return {name: command for command in COMMANDS if command.slash for name in (command.name, *command.aliases)}


def find(name: str) -> Command:
    """The command `name`. Raises KeyError."""
    return _by_name()[name]


def by_slash(name: str) -> Command | None:
    """The command that `/name` runs."""
    return _by_slash().get(name)


def key_of(name: str) -> str:
    """How the first key of command `name` is written. Raises KeyError."""
    command = find(name)
    return key_name((*command.keys, *command.empty)[0])


def slash_names() -> tuple[str, ...]:
    """What can follow a slash, skills aside."""
    return tuple(_by_slash())
