"""What tmux makes of the bytes that a program wrote, and how a row of it is compared with one of
pyte."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import unicodedata
import uuid
from pathlib import Path

_DRAWN = "everything-is-drawn"


def in_tmux(raw: bytes, size: tuple[int, int], folder: Path) -> list[str]:
    """The rows of a tmux window of this size after `raw`."""
    assert shutil.which("tmux"), "these tests compare with tmux: install it"
    width, height = size
    written, settings = folder / "raw", folder / "tmux.conf"
    written.write_bytes(raw + f"\x1b]2;{_DRAWN}\x07".encode())
    settings.write_text("set -g status off\nset -g default-shell /bin/sh\n")
    env = {name: value for name, value in os.environ.items() if name != "TMUX"} | {
        "LC_ALL": "C.UTF-8"
    }
    name = f"agent-tui-{uuid.uuid4().hex}"

    def tmux(*words: str) -> str:
        argv = ["tmux", "-u", "-L", name, *words]
        return subprocess.run(
            argv, env=env, check=True, capture_output=True, encoding="utf-8"
        ).stdout

    start = ("new-session", "-d", "-x", str(width), "-y", str(height), "cat raw; exec sleep 600")
    tmux("-f", str(settings), *start[:2], "-c", str(folder), *start[2:])
    try:
        end = time.monotonic() + 20
        while _DRAWN not in tmux("display-message", "-p", "#{pane_title}"):
            assert time.monotonic() < end, "tmux did not draw"
            time.sleep(0.02)
        assert (
            tmux("display-message", "-p", "#{pane_width}x#{pane_height}").strip()
            == f"{width}x{height}"
        )
        rows = tmux("capture-pane", "-p").split("\n")[:height]
        return [*rows, *[""] * (height - len(rows))]
    finally:
        tmux("kill-server")


def bases(row: str) -> str:
    """`row` without the marks over and under its letters: pyte does not keep them, and they have no
    column.

    A mark that tmux gives a cell of its own is that cell, which pyte leaves empty.
    """
    return "".join(map(_base, row)).rstrip()


def _base(character: str) -> str:
    if len(composed := unicodedata.normalize("NFC", character)) == 1:
        character = composed  # as pyte does: two of Unicode's characters may be one
    category = unicodedata.category(character)
    if category == "Mc" or character == "\xa0":
        return " "
    if (
        category[0] == "M"
        or character == "\u200c"
        or "\u1160" <= character <= "\u11ff"
        or "\ud7b0" <= character < "\ud800"
    ):
        return ""
    parts = unicodedata.normalize("NFD", character)
    return parts[0] if len(parts) > 1 and unicodedata.combining(parts[1]) else character
