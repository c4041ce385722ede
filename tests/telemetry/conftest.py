"""A place to work in, and a collector that the standard variable names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.agent.session import sinks
from tests.agent.driving import Place
from tests.telemetry.collector import Collector, collecting


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent from this process has the time of a machine that does much else."""
    monkeypatch.setattr(sinks, "OPENING_SECONDS", 60.0)
    monkeypatch.setattr(sinks, "CLOSING_SECONDS", 60.0)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.address)
        yield found
