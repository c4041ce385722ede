"""After the first frame, while nobody waits: what the first keys, the first sheet and the first
answer will need.

Each step is one module and what it brings along, so a key that comes meanwhile waits for no more
than that. What the first answer is drawn with takes a tenth of a second in one go: a thread imports
it, and the answer waits for it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Final

from agent_tui import registry
from agent_tui.structures.markdown_stream import split
from agent_tui.tui import commands, sheets

with registry.late():
    from agent_tui.tui.markdown import code, render

AFTER: Final = 1.0
"""Seconds after the first frame: by then the engine's thread has its own imports behind it."""
BETWEEN: Final = 0.01
DRAWING: Final = ("markdown_it", "linkify_it", "agent_tui.structures.lexing", "pygments.unistring")

SAMPLE: Final = """\
# A *heading* and `code`

1. a list with **words** and ~~others~~, [a link](https://a.example) and ![a picture](b.png)
   - [ ] to do: see https://a.example, &amp; é漢\u200d\u0301\x1b[1m

> quoted

| a | b |
|---|---|
| 1 | 2 |

```
code
```
[c]: https://c.example "C"
"""
LANGUAGES: Final = ("python", "bash")
"""Of these the patterns are compiled too, half a tenth of a second each: most answers to most
people have them."""


class Drawing:
    """What answers are drawn with. `then` is called when it is there."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._task: asyncio.Future[None] | None = None

    def is_loaded(self) -> bool:
        """Is it? If nobody has asked before, it is on its way now."""
        if self._task is None:
            self._task = asyncio.get_running_loop().run_in_executor(None, _draw_once)
            self._task.add_done_callback(lambda _: self._then())
        return self._task.done()


def _draw_once() -> None:
    """Import what draws, and draw one of everything: patterns are compiled and parsers made when
    first used."""
    registry.import_all(DRAWING)
    for piece in split(SAMPLE):
        render.render(piece.text, 40, len)
    for language in LANGUAGES:
        code.is_prepared(language)


async def warm(drawing: Drawing) -> None:
    """Import it, step by step."""
    await asyncio.sleep(AFTER)
    drawing.is_loaded()
    for _ in registry.import_late():
        await asyncio.sleep(BETWEEN)
    for name in registry.names(commands.__name__):
        commands.of_file(name)
        await asyncio.sleep(0)
    for (
        kind
    ) in sheets.names():  # they declare commands, too, which the first key that is no text asks for
        sheets.find(kind)
        await asyncio.sleep(0)


def collect() -> None:
    """Garbage is collected from now on, where it was not; what is there stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(10_000, 5, 200)  # small middle ones: each is a wait for the next key
        gc.enable()
