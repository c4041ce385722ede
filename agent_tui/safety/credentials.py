"""The keys of the person's services that no variable and no setting holds: in the system's keyring,
else in a file.

The file is `credentials.toml` beside `config.toml`, for its owner alone. The keyring is asked
through the package
`keyring`, which need not be installed, and is imported when it is first asked. A key is named by
its provider.
"""

from __future__ import annotations

import os
import stat
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Final

from agent_tui import registry
from agent_tui.regular_file import open_regular
from agent_tui.settings.store import put_alone
from agent_tui.structures.frozen import frozen

FILE: Final = "credentials.toml"
SERVICE: Final = "agent-tui"
"""The keyring's name for whose keys these are."""
KEYRING: Final = "the keyring"
_MOST: Final = 1 << 20
_BACKENDS: Final = (
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ImportError,
)
"""What the parts of a desktop that a keyring is made of raise beside the package's own errors."""


class Unusable(Exception):
    """The keyring cannot be used: why, in one line."""


@frozen
class Key:
    """A key, and where it is from: `the keyring`, or the name of a file."""

    value: str = field(repr=False)
    source: str


@frozen
class Stored:
    """The keys that were found, by provider, and what was wrong on the way: lines for the
    person."""

    keys: Mapping[str, Key] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def with_keyring(self, keyring: Mapping[str, Key]) -> Stored:
        """With the keyring's keys, which win."""
        return Stored({**self.keys, **keyring}, self.problems)

    @property
    def values(self) -> tuple[str, ...]:
        """The keys themselves, to be hidden."""
        return tuple(key.value for key in self.keys.values())


def read_stored(folder: Path, names: Iterable[str]) -> Stored:
    """The keys of `names`: of each the keyring's, else the one in the file of `folder`. A desktop
    may ask for a password meanwhile."""
    kept = in_file(folder)
    try:
        return kept.with_keyring(from_keyring(names))
    except Unusable as error:
        return Stored(kept.keys, (*kept.problems, str(error)))


def in_file(folder: Path) -> Stored:
    """The keys in the file of `folder`. Never raises."""
    path = folder / FILE
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            raw = file.read(_MOST + 1)
        tree = tomllib.loads(raw.decode("utf-8-sig"))
    except FileNotFoundError:
        return Stored()
    except OSError as error:
        return Stored(
            problems=(f"{path}: cannot be read ({error.strerror or error}): its keys are not used",)
        )
    except (ValueError, RecursionError):  # what a parser says of a file of keys may quote it
        return Stored(problems=(f"{path}: is not valid TOML: its keys are not used",))
    open_to_others = (
        (f"{path}: other users can read it; run chmod 600 on it",) if mode & 0o077 else ()
    )
    given = tree.get("keys")
    keys = given.items() if isinstance(given, dict) else ()
    found = {
        name: Key(key.strip(), FILE) for name, key in keys if isinstance(key, str) and key.strip()
    }
    return Stored(found, open_to_others)


def has_keyring() -> bool:
    """Whether the package is installed."""
    return find_spec("keyring") is not None


def from_keyring(names: Iterable[str]) -> dict[str, Key]:
    """The keys that the keyring has of `names`. Raises Unusable where it is there and does not
    answer."""
    if not has_keyring():
        return {}
    keyring = _keyring()
    try:
        if not _works(keyring):
            return {}
        told = {name: keyring.get_password(SERVICE, name) for name in names}
    except (keyring.errors.KeyringError, *_BACKENDS) as error:
        raise Unusable(f"the keyring does not answer: {_said(error)}") from None
    return {name: Key(key.strip(), KEYRING) for name, key in told.items() if key and key.strip()}


def save(folder: Path, name: str, key: str, place: str = "") -> str:
    """Keep `key` for the provider `name`: in the keyring, or where there is none that works in the
    file. With the
    `place` `file`, there in any case. Returns where it is now. Raises Refused, and Unusable if the
    keyring does not let
    go of an older one, which would win."""
    if place == "file":
        _out_of_keyring(name)
        return _in_file(folder, name, key)
    if has_keyring():
        keyring = _keyring()
        try:
            if _works(keyring):
                keyring.set_password(SERVICE, name, key)
                _in_file(folder, name, None)  # one place: an old one there would come back some day
                return KEYRING
        except (keyring.errors.KeyringError, *_BACKENDS):
            return f"{_in_file(folder, name, key)}, because the keyring does not answer"
    return _in_file(folder, name, key)


def keyring_works() -> bool:
    """Whether keys can be kept in a keyring here."""
    if not has_keyring():
        return False
    try:
        return _works(_keyring())
    except (Unusable, *_BACKENDS):
        return False


def remove(folder: Path, name: str) -> tuple[str, ...]:
    """Forget the key of the provider `name` wherever it is kept: where that was. Raises Refused,
    Unusable."""
    places: list[str] = []
    if name in in_file(folder).keys:
        places.append(_in_file(folder, name, None))
    if _out_of_keyring(name):
        places.append(KEYRING)
    return tuple(places)


def _out_of_keyring(name: str) -> bool:
    """Whether the keyring had a key, and has it no more. Raises Unusable."""
    if name not in from_keyring((name,)):
        return False
    keyring = _keyring()
    try:
        keyring.delete_password(SERVICE, name)
    except (keyring.errors.KeyringError, *_BACKENDS) as error:
        raise Unusable(f"the keyring could not remove it: {_said(error)}") from None
    return True


def _in_file(folder: Path, name: str, key: str | None) -> str:
    path = folder / FILE
    if key is not None or path.exists():
        put_alone(path, ("keys", name), key)
    return str(path)


def _keyring() -> ModuleType:
    """The package. Raises Unusable."""
    if sys.platform != "darwin":
        registry.leave_out(
            "keyring.backends.macOS.api"
        )  # elsewhere it runs a compiler to look for what is not there
    try:
        import keyring
        import keyring.errors
    except _BACKENDS as error:
        raise Unusable(f"the package keyring cannot be loaded: {_said(error)}") from None
    return keyring


def _works(keyring: ModuleType) -> bool:
    """Whether a keyring is there: on a server there often is none, which is no failure."""
    return bool(keyring.get_keyring().priority > 0)


def _said(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}{f': {words[:200]}' if words else ''}"
