"""Old sessions go after a start, by the settings: not the one at hand, and nothing where nobody
asked."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.session_admin import prune_old
from agent_tui.paths import Folders
from agent_tui.sessions.index.listing import recent
from agent_tui.settings.table import SessionSettings, Settings
from tests.sessions.logs import turn, write


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    for name in ("old", "here"):
        write(tmp_path / "sessions", name, *turn(1, "long ago"))
    write(tmp_path / "sessions", "new", *turn(1, "now", at=time.time()))
    own = SessionSettings(keep_days=30)
    return EngineConfig(
        settings=Settings(sessions=own),
        cwd=tmp_path,
        folders=Folders(tmp_path, tmp_path, tmp_path / "logs"),
        environment={},
    )


def pruned(config: EngineConfig) -> set[str]:
    """What is left."""
    with ThreadPoolExecutor(1) as pool:
        asyncio.run(prune_old(config, "here", pool, logging.getLogger("test")))
    return {one.id for one in recent(config.folders.sessions)}


def test_what_is_too_old_goes(config: EngineConfig) -> None:
    assert pruned(config) == {"here", "new"}


def test_nothing_goes_where_nobody_asked(config: EngineConfig) -> None:
    assert pruned(replace(config, settings=Settings())) == {"old", "here", "new"}
    assert not config.folders.cache.exists()


def test_an_end_of_the_program_ends_it(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = []

    def slow(*arguments: object) -> tuple[int, int, str]:
        check = arguments[-1]
        assert callable(check)
        while True:
            try:
                check()
            except InterruptedError:
                stopped.append(True)
                raise

    monkeypatch.setattr("agent_tui.sessions.index.manage.prune", slow)

    async def run(pool: ThreadPoolExecutor) -> None:
        task = asyncio.create_task(prune_old(config, "here", pool, logging.getLogger("test")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ThreadPoolExecutor(1) as pool:
        asyncio.run(run(pool))
    assert stopped == [True]
