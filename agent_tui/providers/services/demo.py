"""Scripts in place of a model: the demo, and what a test plays."""

from __future__ import annotations

from typing import Final

from agent_tui.providers.services.base import Service
from agent_tui.settings.values import Setting, number

DEMO: Final = Service(
    "demo", "demo", "demo", model="tour", role="played", common=(), rank=90,
    options={
        "pace": Setting(
            number("a factor", 0, 100), 1.0, "A factor for the length of the demo's pauses.",
            "a factor for the length of the demo's pauses, 0 to 100; default 1",
        ),
    },
)  # fmt: skip
SERVICES: Final = (DEMO, Service("scripted", "scripted", "scripted", role="played", rank=91))
