"""The one table of commands: what slash commands, keys, completion, footer and help are made of.

Every command in a file of this folder counts (see `base`), and so does what a sheet declares;
nothing else has to be told of it. The file of one that the footer may name is imported when that
is asked for, all of them with the first question about another (`COMMANDS`): the first frame needs
a dozen of fifty.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final

from agent_tui import registry
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.core.model import OwnKeys

with registry.late():
    from agent_tui.tui import sheets

COMMANDS: tuple[Command, ...]
"""All commands, by rank and name."""
LABELLED: Final = {
    "send": "turn",
    "steer": "turn",
    "paste": "prompt",
    "queue": "prompt",
    "stop-all": "turn",
    "interrupt": "turn",
    "help": "search",
    "mode": "mode",
    "model": "model",
    "palette": "search",
    "search": "search",
}
"""Those that the footer may name (they have a `label`), in the order of `COMMANDS`, and the file of
each."""
FRAMES: Final = {"stop": "turn", **LABELLED}
"""A frame needs no other."""
AT_REST: Final = tuple(
    name for name in LABELLED if name not in ("steer", "paste", "queue", "stop-all")
)
"""Those of them that it may name while nothing runs, waits or is folded."""

THROUGH: Final = frozenset(
    (
        "interrupt",
        "stop-all",
        "page-up",
        "page-down",
        "to-top",
        "to-end",
        "expand",
        "mouse",
        "open",
        "message-up",
        "message-down",
        "fold-up",
        "fold-down",
    )
)
"""Commands whose keys work while a dialog or an overlay is open."""
ASKED: Final = THROUGH | frozenset(("send", "steer", "stop", "mode"))
"""Commands whose keys work while the prompt is used for something else than the model."""


@cache
def _all() -> tuple[Command, ...]:
    own = (command for file in registry.names(__name__) for command in of_file(file))
    return tuple(sorted((*own, *_of_sheets()), key=lambda command: (command.rank, command.name)))


def of_file(file: str) -> tuple[Command, ...]:
    """The commands that a file of this folder makes."""
    made = vars(registry.module(__name__, file)).values()
    return tuple(one for one in made if isinstance(one, Command))


@cache
def _of_sheets() -> tuple[Command, ...]:
    """The commands that sheets declare."""
    return tuple(command for kind in sheets.names() for command in sheets.find(kind).commands)


def __getattr__(name: str) -> Any:
    if name != "COMMANDS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _all()


@cache
def find(name: str) -> Command:
    """The command `name`. Raises KeyError."""
    own = of_file(FRAMES[name]) if name in FRAMES else _all()
    found = next((one for one in own if one.name == name), None)
    if found is None:
        raise KeyError(name)
    return found


def keys_of(name: str, own: OwnKeys = ()) -> tuple[str, ...]:
    """The keys of command `name`, of which the person may have `own`. Raises KeyError."""
    command = find(name)
    return dict(own).get(name, (*command.keys, *command.empty))


@lru_cache(maxsize=8)
def bindings(own: OwnKeys = ()) -> dict[str, str]:
    """Textual's name of each bound key, and the command that it runs."""
    return {key: one.name for one in _all() for key in keys_of(one.name, own)}


@lru_cache(maxsize=8)
def when_empty(own: OwnKeys = ()) -> frozenset[str]:
    """Bound keys that count only while the prompt is empty; else the prompt handles them itself."""
    return frozenset(key for one in _all() for key in one.empty if key in keys_of(one.name, own))


@cache
def _by_slash() -> dict[str, Command]:
    return {
        name: command
        for command in _all()
        if command.slash
        for name in (command.name, *command.aliases)
    }


def by_slash(name: str) -> Command | None:
    """The command that `/name` runs."""
    return _by_slash().get(name)


def key_of(name: str, own: OwnKeys = ()) -> str:
    """How the first key of command `name` is written; without a key what is typed, or nothing.
    Raises KeyError."""
    keys = keys_of(name, own)
    return key_name(keys[0]) if keys else f"/{name}" if find(name).slash else ""


def hint(name: str, what: str, own: OwnKeys = ()) -> str:
    """`Esc stop`; nothing where there is no way to run the command."""
    key = key_of(name, own)
    return f"{key} {what}" if key else ""


def slash_names() -> tuple[str, ...]:
    """What can follow a slash, skills aside."""
    return tuple(_by_slash())
