"""Names of files in a real terminal, with the real engine: links that it can follow (OSC 8), and
the person's own editor at the line."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

ANSWER = "It is in `src/a b.py`, see src/cart.py:3 and src/none.py."


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[Pty]:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "src" / "cart.py").write_text("1\n2\n3\n")
    (work / "s.json").write_text(json.dumps({"steps": [[{"text": ANSWER}]]}))
    editor = tmp_path / "bin" / "vim"
    editor.parent.mkdir()
    editor.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/opened\necho IN THE EDITOR\nread line\n')
    editor.chmod(0o755)
    env = {
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "TERM_PROGRAM": "",
        "KITTY_WINDOW_ID": "",
        "VISUAL": str(editor),
    }
    argv = ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(work)]
    started = Pty(argv, env, (80, 24))
    started.until("Ask, or type")
    started.type("where is it\r")
    yield started
    started.close()


def links(pty: Pty) -> set[tuple[bytes, bytes]]:
    """Each address, and its text."""
    return set(re.findall(rb"\x1b\]8;[^;]*;([^\x1b]+)\x1b\\(.*?)\x1b\]8;;\x1b\\", pty.raw))


def test_a_name_is_a_link_and_a_click_opens_the_editor(pty: Pty, tmp_path: Path) -> None:
    file = tmp_path / "work" / "src" / "cart.py"
    address = f"file://{socket.gethostname()}{file}".encode()
    pty.until(lambda _: any(found == address for found, _ in links(pty)))
    assert [b"src/cart.py:3" in text for _, text in links(pty)] == [True]
    lines = pty.text.splitlines()
    row = next(n for n, line in enumerate(lines) if "cart.py:3" in line)
    column = lines[row].index("cart.py:3")
    pty.type(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")
    pty.until("IN THE EDITOR")
    assert pty.restored() == []
    assert (tmp_path / "opened").read_text() == f"+3 {file}\n"
    pty.clear()
    pty.type("\n")
    pty.until(lambda text: "Ask, or type" in text and "src/none.py" in text)
    pty.type("\x1be")
    pty.until("IN THE EDITOR")
    pty.clear()
    pty.type("\n")
    pty.until("Ask, or type")
    assert (tmp_path / "opened").read_text() == f"+3 {file}\n" * 2
    pty.type("\x04")
    assert pty.wait() == 0 and pty.restored() == []
