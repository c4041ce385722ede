"""The Ollama of this machine: starting its server when a person says so."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agent_tui.agent.clipboard import own_programs
from agent_tui.agent.config import EngineConfig
from agent_tui.paths import make_private
from agent_tui.programs import find_program
from agent_tui.providers.base import ProviderError
from agent_tui.providers.ollama import OllamaProvider
from agent_tui.providers.wire import is_loopback
from agent_tui.safety import sandbox
from agent_tui.safety.environment import MODEL_SERVER, child_environment

LOG: Final = "ollama-serve.log"
START_SECONDS: Final = 30.0
"""So long a server has to begin: on a slow disk it first looks through its models."""
LOOK_SECONDS: Final = 0.1
_IN_BACKGROUND: Final = '"$1" serve >>"$2" 2>&1 </dev/null &'
"""The server is nobody's child: it serves other programs, and goes on when we end."""


def program(environment: Mapping[str, str]) -> str:
    """Where `ollama` is installed; empty: it is not."""
    return find_program("ollama", environment.get("PATH", "")) or ""


async def down(server: OllamaProvider, config: EngineConfig) -> bool:
    """Whether `server` would be on this machine, could be started, and does not run."""
    if not is_loopback(server.base_url) or not program(own_programs(config)):
        return False
    try:
        await server.version()
    except ProviderError as error:
        return error.failed.kind == "unreachable"
    return False


async def start(server: OllamaProvider, config: EngineConfig) -> str:
    """Start `ollama serve`, and wait until it answers. Why that failed, in one line; empty: it runs."""
    log = config.folders.logs / LOG
    make_private(log.parent)
    log.touch(mode=0o600)
    own = own_programs(config)
    argv = ["/bin/sh", "-c", _IN_BACKGROUND, "sh", program(own), str(log)]
    environment = child_environment(own, (*MODEL_SERVER, *config.settings.tools.pass_env))
    code, said = await sandbox.feed(argv, b"", Path("/"), environment, timeout=5.0)
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
