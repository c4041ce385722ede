"""`update(model, msg) -> (model, effects)`: what happens when something happened. Pure.

`from agent_tui.tui.update import search` gives a module that is imported with its first use: the first frame needs two
of two dozen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_tui import registry

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if not name.islower() or name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return registry.late(f"{__name__}.{name}")


from agent_tui.tui.update.dispatch import update as update
