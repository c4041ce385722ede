"""The power goes at any moment: what was not synced is gone, and everything that was promised is
there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from agent_tui.protocol.events import Event
from agent_tui.sessions.log import store
from agent_tui.sessions.log.store import DURABLE, Store, read
from tests.campaigns import examples
from tests.strategies import sessions


class Power:
    """Remembers how much of the log is on the disk for sure."""

    def __init__(self) -> None:
        self.safe = 0

    def sync(self, fd: int) -> None:
        os.fdatasync(fd) if hasattr(os, "fdatasync") else os.fsync(fd)
        self.safe = os.fstat(fd).st_size


@settings(
    deadline=None,
    max_examples=examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(told=sessions())
def test_all_that_was_promised_is_there_at_every_cut(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, told: list[Event]
) -> None:
    """Cut at every sync boundary, and in the middle of what follows it."""
    folder, power = tmp_path_factory.mktemp("s"), Power()
    monkeypatch.setattr(store, "_sync", power.sync)
    log = Store.create(folder, "one")
    promised: list[Event] = []
    moments: list[tuple[int, int]] = []
    for event in told:
        stored = log.append(event)
        if isinstance(event, DURABLE):
            promised.append(stored)
            moments.append((power.safe, len(promised)))
    log.close()
    whole = log.path.read_bytes() if log.path.exists() else b""
    for safe, count in moments:
        for cut in (safe, min(len(whole), safe + 7)):
            after(folder, whole[:cut], promised[:count])


def after(folder: Path, data: bytes, promised: list[Event]) -> None:
    """The next start finds what was promised, and goes on behind it."""
    path = folder / "two.jsonl"
    path.write_bytes(data)
    found = read(path)[0]
    assert [event for event in found if isinstance(event, DURABLE)][: len(promised)] == promised
    opened = Store.open(folder, "two")
    again = opened.store.append(promised[-1])
    opened.store.close()
    assert read(path) == ([*found, again], ())
    for aside in folder.glob("two.*"):
        aside.unlink()
