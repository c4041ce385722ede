"""What there is to choose from, as answers to queries."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.answers import Sessions
from agent_tui.protocol.events import Answered
from agent_tui.registry import late
from agent_tui.sessions.index import listing
from agent_tui.sessions.log import lock

with late():  # SQLite
    from agent_tui.sessions.index import cache


def sessions(config: EngineConfig) -> Sessions:
    """The sessions there are, those of this folder first, each group newest first."""
    folders = config.folders
    listed = listing.recent(
        folders.sessions, None, {} if config.otr else cache.known(folders.cache)
    )
    busy = lock.held(folders.sessions)
    marked = (replace(one, elsewhere=True) if one.id in busy else one for one in listed)
    found = sorted(marked, key=lambda summary: summary.cwd != str(config.cwd))
    return Sessions(tuple(found), str(config.cwd))


def sessions_told(config: EngineConfig, id: str = "start") -> Answered:
    """The list of sessions as an answer."""
    return Answered(id, sessions(config))
