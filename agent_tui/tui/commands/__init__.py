"""The one table of commands: what slash commands, keys, completion, footer and help are made of.

A file in this folder is a command (see `base`); nothing else has to be told of it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from agent_tui import registry
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.model import OwnKeys

COMMANDS: Final[tuple[Command, ...]] = tuple(
    sorted(
        (registry.load(__name__, name, name) for name in registry.names(__name__)),
        key=lambda command: (command.rank, command.name),
    )
)


@lru_cache(maxsize=8)
def _keys(own: OwnKeys) -> dict[str, tuple[str, ...]]:
    changed = dict(own)
    return {one.name: changed.get(one.name, (*one.keys, *one.empty)) for one in COMMANDS}


def keys_of(name: str, own: OwnKeys = ()) -> tuple[str, ...]:
    """The keys of command `name`, of which the person may have `own`. Raises KeyError."""
    return _keys(own)[name]


@lru_cache(maxsize=8)
def bindings(own: OwnKeys = ()) -> dict[str, str]:
    """Textual's name of each bound key, and the command that it runs."""
    return {key: name for name, keys in _keys(own).items() for key in keys}


@lru_cache(maxsize=8)
def when_empty(own: OwnKeys = ()) -> frozenset[str]:
    """Bound keys that count only while the prompt is empty; else the prompt handles them itself."""
    return frozenset(key for one in COMMANDS for key in one.empty if key in _keys(own)[one.name])


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


def key_of(name: str, own: OwnKeys = ()) -> str:
    """How the first key of command `name` is written; without a key what is typed, or nothing. Raises KeyError."""
    keys = keys_of(name, own)
    return key_name(keys[0]) if keys else f"/{name}" if find(name).slash else ""


def hint(name: str, what: str, own: OwnKeys = ()) -> str:
    """`Esc stops`; nothing where there is no way to run the command."""
    key = key_of(name, own)
    return f"{key} {what}" if key else ""


def slash_names() -> tuple[str, ...]:
    """What can follow a slash, skills aside."""
    return tuple(_by_slash())
