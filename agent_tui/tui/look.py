"""How the transcript is drawn, where a person may choose. Set by `[display]`, changed by commands while it runs."""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.settings_kinds import STATUS
from agent_tui.structures.frozen import frozen

DiffForm = Literal["auto", "unified", "split"]
"""`split`: old and new side by side; `auto`: so where there is room and something to compare."""
Thinking = Literal["hidden", "folded", "live"]
"""`folded`: one line; `live`: its end is shown while it runs, one line after."""
THINKING: Final[tuple[Thinking, ...]] = ("live", "folded", "hidden")
"""In the order in which `/thinking` goes through them."""


@frozen
class Look:
    diff: DiffForm = "auto"
    thinking: Thinking = "live"
    animation: bool = True
    """Off: nothing moves by itself; clocks still count."""
    ascii: bool = False
    """Every glyph of the screen is drawn as its ASCII twin."""
    timestamps: bool = False
    durations: bool = True
    """How long turns, thoughts and calls took is said."""
    zone: int = 0
    """Local time, in seconds east of Greenwich."""
    paste_lines: int = 5
    paste_chars: int = 800
    """A paste of more lines or characters is folded into a chip; 0: by that it never is."""
    status: tuple[str, ...] = STATUS
    """The parts of the line at the top."""


DEFAULT: Final = Look()
