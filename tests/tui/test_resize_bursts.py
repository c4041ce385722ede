"""A window that is dragged by its edge sends its sizes faster than they are taken: the last one
holds."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

from tests.tui.pty_stage import ROOT, Pty
from tests.tui.resize_campaign import taken

KEY = "ж".encode()
DRAWN = re.compile(rb"\x1b\[(\d+);\d+H[^H]*" + KEY)


def prompt_row(pty: Pty) -> int:
    """The row in which a key that is typed now is drawn."""
    while taken(pty, 0.05):
        pass
    pty.type(KEY)
    found = DRAWN.findall(taken(pty, 20.0, KEY))
    pty.type("\x15")
    return int(found[-1]) if found else 0


def test_after_a_burst_of_sizes_the_screen_has_the_last_one(tmp_path: Path) -> None:
    """Signals that come while one is handled: about one burst in eight ended in a size from before."""
    chance = random.Random(7)
    env = {
        "OPS": str(tmp_path / "ops"),
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }
    pty = Pty(["-m", "tests.tui.screen_program"], env, (80, 24))
    try:
        pty.until("Enter send")
        for _ in range(24):
            height = 0
            for _ in range(chance.randint(4, 16)):
                height = chance.randint(20, 40)
                pty.resize(chance.randint(60, 120), height)
            end = time.monotonic() + 20.0
            while prompt_row(pty) != height - 2:  # below it: the border and the footer
                assert time.monotonic() < end, "a size from before stays"
    finally:
        pty.close()
