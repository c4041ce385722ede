"""The real screen after a lot has happened on it is the screen that is painted from nothing."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from tests.tui.pty_stage import Pty

ANSWER = "".join(
    f"## Part {n}\n\n{'some words of an answer ' * (n % 9 + 1)}\n\n- one\n- **two** 界\n\n```python\nx = {n}\n```\n\n"
    for n in range(40)
)
WIDTH, HEIGHT = 90, 30
KEYS = {
    "page up": "\x1b[5~",
    "page down": "\x1b[6~",
    "help": "\x1b[11~",
    "close": "\x1b",
    "complete": "/",
    "erase": "\x7f\x7f",
    "newline": "\n",
    "letter": "k",
    "wheel up": "\x1b[<64;20;8M",
    "wheel down": "\x1b[<65;20;8M",
    "search": "\x06",
    "end": "\x1b[1;5F",
    "fold": "\x0f",
}


def cells(terminal: Pty) -> list[list[tuple[str, str, str, bool]]]:
    buffer = terminal.emulator.buffer
    return [
        [(cell.data, cell.fg, cell.bg, cell.bold) for cell in (buffer[y][x] for x in range(WIDTH))]
        for y in range(HEIGHT)
    ]


def settled(terminal: Pty) -> list[list[tuple[str, str, str, bool]]]:
    while terminal.read(0.2):
        pass
    return cells(terminal)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_told_piece_by_piece_is_the_whole_frame(tmp_path: Path, seed: int) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([[{"text": ANSWER, "rate": 3_000}], [{"text": "again"}]]))
    terminal = Pty(
        ["-m", "agent_tui", "--cwd", str(tmp_path), "-m", f"scripted/{script}"],
        {
            "AGENT_TUI_HOME": str(tmp_path / "home"),
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color",
        },
        (WIDTH, HEIGHT),
    )
    chance = random.Random(seed)
    try:
        terminal.until("❯")
        terminal.type("go\r")
        terminal.until("Part 2")
        for _ in range(40):
            terminal.type(KEYS[chance.choice(list(KEYS))])
            terminal.read(chance.uniform(0.0, 0.12))
        terminal.until(lambda text: "writing" not in text)
        assert re.search(rb"\x1b\[\d+;\d+r", terminal.raw), (
            "the terminal was never asked to move text"
        )
        told = settled(terminal)
        terminal.resize(WIDTH, HEIGHT - 1)
        settled(terminal)
        terminal.resize(WIDTH, HEIGHT)
        whole = settled(terminal)
        different = [y for y in range(HEIGHT) if told[y] != whole[y]]
        assert not different, f"rows {different}:\n{terminal.text}"
    finally:
        terminal.close()
