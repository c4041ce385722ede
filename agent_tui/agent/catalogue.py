"""What there is to choose from, as answers to queries."""

from __future__ import annotations

from dataclasses import asdict

from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.events import Answered
from agent_tui.sessions import index


def sessions_told(config: EngineConfig, id: str = "start") -> Answered:
    """The sessions there are, those of this folder first, each group newest first."""
    found = sorted(index.recent(config.folders.sessions), key=lambda summary: summary.cwd != str(config.cwd))
    return Answered(id=id, kind="sessions", data=[asdict(summary) for summary in found])
