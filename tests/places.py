"""Places where settings are read, and configurations, as the command line makes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent_tui.agent.services.trust import look_at_project
from agent_tui.paths import Folders
from agent_tui.settings.layers import Configuration, Flags, Place, read
from agent_tui.settings.schema import Problem
from agent_tui.settings.table import Settings
from agent_tui.settings.trust import ThisRun, root_of


def place_in(
    cwd: Path,
    config: Path,
    environment: Mapping[str, str] | None = None,
    flags: Flags | None = None,
    data: Path | None = None,
) -> Place:
    """`config`: the folder of the person's file; `data`: of what they answered (their own beside
    it). They trust the project."""
    return Place(
        cwd,
        Folders(config, data or config / "data", config / "logs"),
        environment or {},
        flags or Flags(),
        ThisRun([root_of(cwd, {}).path]),
    )


def trust_project(cwd: Path, data: Path) -> None:
    """The person trusts what the project brings now, as `agent-tui trust` does."""
    gate = look_at_project(Place(cwd, Folders(data, data, data / "logs")))
    gate.trust(gate.left_out.values(), lasting=True)


def admit(_: Path, __: bytes) -> bool:
    """All that a project brings is trusted."""
    return True


def load(
    cwd: Path, config: Path, flags: Flags | None = None
) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings that hold in `cwd`, and what is wrong."""
    found = read(place_in(cwd, config, flags=flags))
    return found.settings, found.problems


def configured(
    settings: Settings | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path = Path(),
) -> Configuration:
    """A configuration that no file has made."""
    return place_in(cwd, cwd, environment).with_settings(settings or Settings())


def give_away(monkeypatch: pytest.MonkeyPatch, *given: Path) -> None:
    """Make files another user's. Who may not do that becomes another user: then all files are."""
    if os.getuid():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    else:
        for path in given:
            os.chown(path, 65_534, -1, follow_symlinks=False)
