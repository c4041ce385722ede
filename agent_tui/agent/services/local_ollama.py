"""Fetching a model onto the local Ollama: for `agent-tui models pull` and for the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.clipboard import own_programs
from agent_tui.paths import make_private
from agent_tui.programs import find_program
from agent_tui.providers.base import ProviderError
from agent_tui.providers.choosing import choose
from agent_tui.providers.ollama import OllamaProvider
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.providers.wire.http import is_loopback
from agent_tui.safety.process import processes
from agent_tui.safety.process.environment import MODEL_SERVER, child_environment
from agent_tui.structures.frozen import frozen

SURE: Final = 3.0
"""Seconds after which it can be said how long the rest takes."""
DOWN: Final = "start it with `ollama serve`"
NO_SUCH: Final = "pull model manifest: file does not exist"
"""How Ollama says that there is no model of that name."""
LIBRARY: Final = "https://ollama.com/library lists the models"


@frozen
class Unfetched:
    """Why a model did not come. `down`: Ollama is installed, and does not run; it can be
    started."""

    kind: Literal["name", "down", "failed"]
    text: str
    hint: str = ""


@frozen
class Come:
    """What is here of a model: bytes, and the seconds that the rest may take (0: nobody can
    say)."""

    percent: int
    done: int
    total: int
    left: float


def resolve_model(typed: str) -> str:
    """The model that is meant."""
    return typed.removeprefix(f"{OLLAMA.name}/").strip()


async def fetch(
    config: EngineConfig, name: str, show: Callable[[Come], None], serve: Callable[[], None] | None
) -> Unfetched | None:
    """Fetch `name`; `show` hears what is here, a percent at a time. `serve` is called when Ollama
    is started, because it does not run; None: it may not be. None: it is here."""
    if not name or not name.isprintable() or any(map(str.isspace, name)):
        return Unfetched("name", f"{name!r} is not a model name", "such as qwen3:8b")
    server = choose.make(f"{OLLAMA.name}/{name}", config)
    assert isinstance(server, OllamaProvider)
    told, began = -1, (0.0, 0)

    def progress(done: int, total: int) -> None:
        nonlocal told, began
        now, percent = time.monotonic(), min(100, done * 100 // total)
        began = (
            began if began[0] else (now, done)
        )  # what came in an earlier try says nothing of the pace
        if (
            percent > told
        ):  # a layer more makes the share smaller for a moment: the bar does not go back
            told = percent
            sure = now - began[0] > SURE and done > began[1]
            show(
                Come(
                    percent,
                    done,
                    total,
                    (total - done) * (now - began[0]) / (done - began[1]) if sure else 0.0,
                )
            )

    try:
        if await is_startable(server, config):
            if serve is None:
                return Unfetched("down", f"Ollama is not running at {server.base_url}", DOWN)
            serve()
            if problem := await start(server, config):
                return Unfetched("failed", problem)
        await server.pull(progress)
    except ProviderError as error:
        unknown = NO_SUCH in error.failed.text
        text = (
            f"Ollama's library has no model {name!r} ({NO_SUCH})" if unknown else error.failed.text
        )
        return Unfetched("failed", text, LIBRARY if unknown else error.failed.hint)
    finally:
        await server.close()
    return None


LOG: Final = "ollama-serve.log"
START_SECONDS: Final = 30.0
"""So long a server has to begin: on a slow disk it first looks through its models."""
LOOK_SECONDS: Final = 0.1
_IN_BACKGROUND: Final = '"$1" serve >>"$2" 2>&1 </dev/null &'
"""The server is nobody's child: it serves other programs, and goes on when we end."""


def program(environment: Mapping[str, str]) -> str:
    """Where `ollama` is installed; empty: it is not."""
    return find_program("ollama", environment.get("PATH", "")) or ""


async def is_startable(server: OllamaProvider, config: EngineConfig) -> bool:
    """Whether `server` would be on this machine, could be started, and does not run."""
    if not is_loopback(server.base_url) or not program(own_programs(config)):
        return False
    try:
        await server.version()
    except ProviderError as error:
        return error.failed.kind == "unreachable"
    return False


async def start(server: OllamaProvider, config: EngineConfig) -> str:
    """Start `ollama serve`, and wait until it answers. Why that failed, in one line; empty: it
    runs."""
    log = config.folders.logs / LOG
    make_private(log.parent)
    log.touch(mode=0o600)
    own = own_programs(config)
    argv = ["/bin/sh", "-c", _IN_BACKGROUND, "sh", program(own), str(log)]
    environment = child_environment(own, (*MODEL_SERVER, *config.settings.tools.pass_env))
    code, said = await processes.feed(argv, b"", Path("/"), environment, timeout=5.0)
    if code:
        return f"`ollama serve` cannot be started: {said}"
    for _ in range(int(START_SECONDS / LOOK_SECONDS)):
        try:
            await server.version()
        except ProviderError:
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return ""
    return f"`ollama serve` does not answer after {START_SECONDS:g} s: see {log}"
