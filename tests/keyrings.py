"""Keyrings as a desktop may have them: one that works, one that fails, one that waits for a
password."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Keeps what it is given in the file that TEST_KEYRING names."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    @property
    def _path(self) -> Path:
        return Path(os.environ["TEST_KEYRING"])

    def _all(self) -> dict[str, str]:
        return dict(json.loads(self._path.read_text())) if self._path.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self._all().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._path.write_text(json.dumps({**self._all(), f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        left = self._all()
        if left.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError(username)
        self._path.write_text(json.dumps(left))


class ListeningKeyring(FileKeyring):
    """Knows whose keys it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.append(username)
        return super().get_password(service, username)


class LockedKeyring(FileKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(f"{service}/{username}: dismissed")

    def set_password(self, service: str, username: str, password: str) -> None:
        assert password
        raise KeyringLocked(f"{service}/{username}: dismissed")


class OddKeyring(FileKeyring):
    """A part of a desktop failed in a way of its own."""

    class BusError(Exception):
        pass

    def get_password(self, service: str, username: str) -> str | None:
        raise self.BusError(f"org.freedesktop.DBus.Error.NoReply {service}/{username}")


class WaitingKeyring(ListeningKeyring):
    """Asks for a password until `answered`."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        found = super().get_password(service, username)
        self.answered.wait()
        return found


@contextmanager
def used(backend: KeyringBackend) -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)
