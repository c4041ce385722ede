"""After the first frame, while nobody waits: what the first keys, the first sheet and the first answer will need.

Each step is one module and what it brings along, so a key that comes meanwhile waits for no more than that. What the
first answer is drawn with takes a tenth of a second in one go: a thread imports it, and the answer waits for it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Final

from agent_tui import registry
from agent_tui.tui import commands

AFTER: Final = 1.0
"""Seconds after the first frame: by then the engine's thread has its own imports behind it."""
BETWEEN: Final = 0.01
DRAWING: Final = ("markdown_it", "linkify_it", "agent_tui.tui.markdown.lexing", "pygments.unistring")


class Drawing:
    """What answers are drawn with. `then` is called when it is there."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._task: asyncio.Future[None] | None = None

    def there(self) -> bool:
        """Is it? If nobody has asked before, it is on its way now."""
        if self._task is None:
            self._task = asyncio.get_running_loop().run_in_executor(None, registry.import_all, DRAWING)
            self._task.add_done_callback(lambda _: self._then())
        return self._task.done()


async def warm(drawing: Drawing) -> None:
    """Import it, step by step."""
    await asyncio.sleep(AFTER)
    drawing.there()
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
