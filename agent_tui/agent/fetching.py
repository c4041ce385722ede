"""Fetching a model onto the local Ollama: for `agent-tui models pull` and for the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from agent_tui.agent import local_server
from agent_tui.agent.config import EngineConfig
from agent_tui.providers import choose
from agent_tui.providers.base import ProviderError
from agent_tui.providers.ollama import OllamaProvider

SURE: Final = 3.0
"""Seconds after which it can be said how long the rest takes."""
DOWN: Final = "start it with `ollama serve`"
NO_SUCH: Final = "pull model manifest: file does not exist"
"""How Ollama says that there is no model of that name."""
LIBRARY: Final = "https://ollama.com/library lists the models"


@dataclass(frozen=True, slots=True)
class Unfetched:
    """Why a model did not come. `down`: Ollama is installed, and does not run; it can be started."""

    kind: Literal["name", "down", "failed"]
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Come:
    """What is here of a model: bytes, and the seconds that the rest may take (0: nobody can say)."""

    percent: int
    done: int
    total: int
    left: float


def named(typed: str) -> str:
    """The model that is meant."""
    return typed.removeprefix("ollama/").strip()


async def fetch(
    config: EngineConfig, name: str, show: Callable[[Come], None], serve: Callable[[], None] | None
) -> Unfetched | None:
    """Fetch `name`; `show` hears what is here, a percent at a time. `serve` is called when Ollama is
    started, because it does not run; None: it may not be. None: it is here."""
    if not name or not name.isprintable() or any(map(str.isspace, name)):
        return Unfetched("name", f"{name!r} is not a model name", "such as qwen3:8b")
    server = choose.make(f"ollama/{name}", config)
    assert isinstance(server, OllamaProvider)
    told, began = -1, (0.0, 0)

    def progress(done: int, total: int) -> None:
        nonlocal told, began
        now, percent = time.monotonic(), min(100, done * 100 // total)
        began = began if began[0] else (now, done)  # what came in an earlier try says nothing of the pace
        if percent > told:  # a layer more makes the share smaller for a moment: the bar does not go back
            told = percent
            sure = now - began[0] > SURE and done > began[1]
            show(Come(percent, done, total, (total - done) * (now - began[0]) / (done - began[1]) if sure else 0.0))

    try:
        if await local_server.down(server, config):
            if serve is None:
                return Unfetched("down", f"Ollama is not running at {server.base_url}", DOWN)
            serve()
            if problem := await local_server.start(server, config):
                return Unfetched("failed", problem)
        await server.pull(progress)
    except ProviderError as error:
        unknown = NO_SUCH in error.failed.text
        text = f"Ollama's library has no model {name!r} ({NO_SUCH})" if unknown else error.failed.text
        return Unfetched("failed", text, LIBRARY if unknown else error.failed.hint)
    finally:
        await server.close()
    return None
