"""After the first frame, while nobody waits: what the first keys, the first sheet and the first answer will need.

Each step is one module and what it brings along, so a key that comes meanwhile waits for no more than that.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Final

from agent_tui import registry
from agent_tui.tui import commands

AFTER: Final = 1.0
"""Seconds after the first frame: by then the engine's thread has its own imports behind it."""
BETWEEN: Final = 0.01


async def warm() -> None:
    """Import it, step by step."""
    await asyncio.sleep(AFTER)
    for _ in registry.import_late():
        await asyncio.sleep(BETWEEN)
    for name in registry.names(commands.__name__):
        commands.find(name.replace("_", "-"))
        await asyncio.sleep(0)


def collect() -> None:
    """Garbage is collected from now on, where it was not; what is there stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(10_000, 5, 200)  # small middle ones: each is a wait for the next key
        gc.enable()
