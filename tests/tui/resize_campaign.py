"""Resizes of the real program while an answer streams: `python -m tests.tui.resize_campaign [COUNT]
[SEED]`."""

from __future__ import annotations

import json
import os
import random
import select
import sys
import tempfile
import time
from pathlib import Path

from tests.tui.pty_stage import ROOT, Pty
from tests.tui.raw_output import violations

WORDS = (
    "Words with **bold**, `code`, 漢字 and a [link](http://a.example/).\n\n- one\n  - two\n\n"
    "| a | b |\n|---|---|\n| c | d |\n\n```python\nx = [1, 2]  # [bold]\n```\n\n> said\n\n"
)
KEY = "ж"
SIZES = ((1, 1), (500, 200), (1, 200), (500, 1), (2, 2), (40, 10), (19, 5), (120, 40))


def taken(pty: Pty, seconds: float, wanted: bytes = b"") -> bytes:
    """What comes within `seconds`, or until `wanted` came; not shown to the emulator, which is slow
    in large sizes."""
    end, got = time.monotonic() + seconds, b""
    while (left := end - time.monotonic()) > 0 and not (wanted and wanted in got):
        if not select.select([pty.fd], [], [], left)[0]:
            break
        try:
            got += os.read(pty.fd, 1 << 16)
        except OSError:  # the program is gone
            break
    return got


def campaign(count: int, seed: int) -> None:
    """Change the size `count` times, anything from 1x1 to 500x200; then the program still lives,
    and answers a key."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "work").mkdir()
        steps = [[{"text": WORDS, "chunk": 9, "repeat": max(20, count // 4), "rate": 700}]]
        (place / "work" / "s.json").write_text(json.dumps({"steps": steps}))
        env = {
            "AGENT_TUI_HOME": name,
            "HOME": name,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
        }
        pty = Pty(
            ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(place / "work")],
            env,
            (80, 24),
        )
        try:
            pty.until("Enter send")
            pty.type("go\r")
            raw = b""
            for number in range(count):
                edge = chance.random() < 0.3
                width, height = (
                    chance.choice(SIZES)
                    if edge
                    else (chance.randint(1, 500), chance.randint(1, 200))
                )
                pty.resize(width, height)
                raw += taken(pty, chance.choice((0.0, 0.005, 0.03)))
                assert pty.poll() is None, (seed, number, width, height, raw[-3_000:])
            pty.resize(100, 30)
            pty.type(KEY)
            raw += taken(pty, 90.0, KEY.encode())
            assert KEY.encode() in raw, (seed, raw[-3_000:])
            wrong = violations(pty.raw + raw)
            assert not wrong, (seed, wrong[:20])
        finally:
            pty.close()


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    many, chosen = (
        (*given, 3_000)[0],
        (*given, 3_000, random.randrange(1 << 24))[1 if len(given) > 1 else -1],
    )
    print(f"{many} resizes, seed {chosen}", flush=True)
    campaign(many, chosen)
    print("it lives, and nothing raw was sent")
