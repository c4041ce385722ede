"""What the engine said last of a model that is fetched onto the local Ollama."""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.protocol.answers import PullProgress, PullState
from agent_tui.tui.model import Model

UNDER_WAY: Final = frozenset(("pulling", "starting"))


def told(model: Model) -> PullProgress | None:
    """What the engine said last of a model that is fetched; None: nothing yet."""
    return model.transcript.answers.pull


def state(model: Model) -> PullState | Literal[""]:
    """How that stands; empty: nothing was said yet."""
    found = told(model)
    return found.state if found is not None else ""
