"""The power goes at any moment: what was not synced is gone, and everything that was promised is
there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from agent_tui.protocol.events import ChangesStarted, Event, ToolEnded, ToolStarted, TurnStarted
from agent_tui.protocol.standing import IntendedChange
from agent_tui.protocol.tool_events import FILE_TOOLS
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
    for event, must_last in zip(told, lasting(told), strict=True):
        stored = log.append(event)
        if must_last:
            promised.append(stored)
            moments.append((power.safe, len(promised)))
    log.close()
    whole = log.path.read_bytes() if log.path.exists() else b""
    for safe, count in moments:
        for cut in (safe, min(len(whole), safe + 7)):
            after(folder, whole[:cut], promised[:count])


def lasting(told: list[Event]) -> list[bool]:
    """Of each event whether it must survive: not what belongs to a call that only reads."""
    reads: set[str] = set()
    found: list[bool] = []
    for event in told:
        if isinstance(event, ToolStarted) and event.effect == "read":
            reads.add(event.call_id)
        is_read = isinstance(event, ToolStarted | ToolEnded) and event.call_id in reads
        found.append(isinstance(event, DURABLE) and not is_read)
        if isinstance(event, ToolEnded):
            reads.discard(event.call_id)
    return found


def test_a_call_that_reads_waits_for_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    power = Power()
    monkeypatch.setattr(store, "_sync", power.sync)
    log = Store.create(tmp_path, "one")
    log.append(TurnStarted(prompt="go"))
    prompt = power.safe
    log.append(ToolStarted(call_id="1", name="read_file", label="Read a", effect="read"))
    log.append(ToolEnded(call_id="1", name="read_file", label="Read a", content="a"))
    assert 0 < prompt == power.safe < log.path.stat().st_size
    for effect in ("write", "execute", "network", "external"):
        log.append(ToolStarted(call_id=effect, name="x", label="x", effect=effect))
        assert power.safe == log.path.stat().st_size
        log.append(ToolEnded(call_id=effect, name="x", label="x", content="done"))
        assert power.safe == log.path.stat().st_size
    log.close()


@pytest.mark.parametrize("name", sorted(FILE_TOOLS))
def test_a_call_that_changes_files_waits_for_the_disk_once_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    power = Power()
    monkeypatch.setattr(store, "_sync", power.sync)
    log = Store.create(tmp_path, "one")
    log.append(TurnStarted(prompt="go"))
    prompt = power.safe
    log.append(ToolStarted(call_id="1", name=name, label="x", effect="write"))
    assert power.safe == prompt
    log.append(ChangesStarted(call_id="1", files=(IntendedChange("/a", after="1"),)))
    assert power.safe == log.path.stat().st_size
    log.close()


def after(folder: Path, data: bytes, promised: list[Event]) -> None:
    """The next start finds what was promised, and goes on behind it."""
    path = folder / "two.jsonl"
    path.write_bytes(data)
    found = read(path)[0]
    assert [event for event in found if event in promised] == promised
    opened = Store.open(folder, "two")
    again = opened.store.append(promised[-1])
    opened.store.close()
    assert read(path) == ([*found, again], ())
    for aside in folder.glob("two.*"):
        aside.unlink()
