"""What a confined command may do, as plain data: told to the process that starts it, as JSON.

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from agent_tui.structures.frozen import declared_fields, frozen

_BYTES: Final = "latin-1"
"""JSON holds text, paths are bytes: each byte is the character of the same number."""
LANDLOCK: Final = ""
NAMESPACES: Final = "namespaces"


class NotConfined(OSError):
    """The command did not run: it could not be confined."""


@frozen
class Profile:
    """All that a confined command may do. A folder stands for all that is in it."""

    readable: tuple[str, ...]
    """Also to be executed."""
    writable: tuple[str, ...] = ()
    """Also to be read."""
    listed: tuple[str, ...] = ()
    """Folders whose names may be read, and the names in the folders below."""
    network: bool = False
    temporary: str = ""
    """Where the command's own temporary folder is made, which it may write to; empty: it has none.
    """
    works: bool = False
    """It changes files, as builds and tests do: it may set their modes and times, too, and its
    temporary folder is that of all commands of the program."""
    hidden: tuple[str, ...] = ()
    """What is not there for it, where the backend has mounts of its own; else what is not granted
    is closed anyway."""
    forbidden: tuple[str, ...] = ()
    """Folders in what is writable into which nothing looks, where the backend has mounts: not empty,
    so that git takes none of their files for deleted."""
    fixed: tuple[str, ...] = ()
    """What it cannot change although it lies in what is writable; where the backend has mounts."""
    links: tuple[str, ...] = ()
    """Links in what is hidden that stay."""
    backend: str = LANDLOCK
    """How it is confined on Linux: one of the words below, or the path of `bwrap`."""


_FIELDS: Final = tuple(own.name for own in declared_fields(Profile))


def pack_profile(profile: Profile) -> dict[str, Any]:
    """`profile` for `json.dumps`."""
    return {name: _packed(getattr(profile, name)) for name in _FIELDS}


def unpack_profile(said: Mapping[str, Any]) -> Profile:
    return Profile(**{name: _unpacked(value) for name, value in said.items()})


def _packed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_text(path) for path in value]
    return _text(value) if isinstance(value, str) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_unpacked, value))
    return os.fsdecode(value.encode(_BYTES)) if isinstance(value, str) else value


def _text(path: str) -> str:
    return os.fsencode(path).decode(_BYTES)
