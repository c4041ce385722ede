"""What the terminal answers and what the environment says of it: modes are taken back, and its size
is its own."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.safety.process.tree import members
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.raw_output import violations

PIXELS = re.compile(rb"\x1b\[\?1016([hl])")


def environment(home: Path) -> dict[str, str]:
    return {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
    }


@pytest.fixture
def pixels(tmp_path: Path) -> Iterator[Pty]:
    """The program in a terminal that tells its size by itself."""
    pty = Pty(["-m", "agent_tui", "--demo"], environment(tmp_path))
    pty.until("Enter send")
    pty.type("\x1b[?2048;2$y")
    while PIXELS.findall(pty.raw)[-1:] != [b"h"]:
        assert pty.read(15.0), "never asked for the mouse in pixels"
    yield pty
    pty.close()


@pytest.mark.parametrize("way", ["\x04", signal.SIGTERM, signal.SIGHUP])
def test_the_mouse_is_told_in_cells_again_when_the_program_has_ended(
    pixels: Pty, way: str | signal.Signals
) -> None:
    if isinstance(way, str):
        pixels.type(way)
    else:
        pixels.signal(way)
    pixels.wait()
    assert PIXELS.findall(pixels.raw)[-1] == b"l"
    assert pixels.raw.rindex(b"\x1b[?2048l") > pixels.raw.rindex(b"\x1b[?2048h")
    assert pixels.restored() == []


def test_and_in_the_editor(tmp_path: Path) -> None:
    (tmp_path / "ed").write_text("#!/bin/sh\necho EDITOR is here; read line\n")
    (tmp_path / "ed").chmod(0o700)
    pty = Pty(
        ["-m", "agent_tui", "--demo"], {**environment(tmp_path), "VISUAL": str(tmp_path / "ed")}
    )
    try:
        pty.until("Enter send")
        pty.type("\x1b[?2048;2$y")
        while PIXELS.findall(pty.raw)[-1:] != [b"h"]:
            assert pty.read(15.0)
        pty.type("\x07")
        pty.until("EDITOR is here")
        assert PIXELS.findall(pty.raw)[-1] == b"l"
    finally:
        pty.close()


@pytest.mark.parametrize(("columns", "lines"), [("99999", "99999"), ("140", "40"), ("20", "5")])
def test_the_size_is_that_of_the_terminal(tmp_path: Path, columns: str, lines: str) -> None:
    env = {**environment(tmp_path), "COLUMNS": columns, "LINES": lines}
    pty = Pty(["-m", "agent_tui", "--demo"], env, (100, 30))
    try:
        pty.until("Enter send")
        places = [tuple(map(int, place)) for place in re.findall(rb"\x1b\[(\d+);(\d+)H", pty.raw)]
        assert (
            places
            and max(row for row, _ in places) <= 30
            and max(column for _, column in places) <= 100
        )
        pty.type("\x04")
        assert pty.wait() == 0
    finally:
        pty.close()


EDITORS = {
    "one that ignores it": "#!/bin/sh\ntrap '' TERM\necho EDITOR is here\nwhile :; do sleep 9; done\n",
    "a script around one": "#!/bin/sh\nsh -c 'trap \"\" TERM; echo EDITOR is here; while :; do sleep 9; done'\n:\n",
}


@pytest.mark.parametrize("editor", EDITORS)
def test_an_editor_that_ignores_the_end_is_ended(tmp_path: Path, editor: str) -> None:
    (tmp_path / "ed").write_text(EDITORS[editor])
    (tmp_path / "ed").chmod(0o700)
    pty = Pty(
        ["-m", "agent_tui", "--demo"], {**environment(tmp_path), "VISUAL": str(tmp_path / "ed")}
    )
    try:
        pty.until("Enter send")
        pty.type("\x07")
        pty.until("EDITOR is here")
        ours = members(pty.pid)
        assert len(ours) > 1
        pty.signal(signal.SIGTERM)
        assert pty.wait() == 128 + signal.SIGTERM
        assert pty.restored() == []
        assert not ours & members(pty.pid)
    finally:
        pty.close()


INTERRUPTED = """
import os, sys
from textual.drivers._writer_thread import WriterThread
number, write = int(sys.argv[1]), WriterThread.write
def interrupted(self, text):
    global number
    with self._queue.mutex:
        if "half" in text and number:
            number, now = 0, number
            os.kill(os.getpid(), now)
            for _ in range(3):
                pass
    write(self, text)
WriterThread.write = interrupted
sys.argv[1:] = ["--demo"]
from agent_tui.__main__ import main
main()
"""
"""A signal comes while the screen is being written."""


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGTSTP])
def test_a_signal_in_the_midst_of_a_write_holds_nothing_up(
    tmp_path: Path, number: signal.Signals
) -> None:
    pty = Pty(["-c", INTERRUPTED, str(int(number))], environment(tmp_path))
    try:
        pty.until("Enter send")
        pty.type("half")
        if number == signal.SIGTSTP:
            pid, status, end = 0, 0, time.monotonic() + 15.0
            while not pid:
                assert time.monotonic() < end, "never stopped"
                pty.read(0.05)
                pid, status = os.waitpid(pty.pid, os.WUNTRACED | os.WNOHANG)
            assert os.WIFSTOPPED(status)
            assert pty.restored() == []
            pty.signal(signal.SIGCONT)
        pty.until(lambda text: "half" in text)
        pty.type(" way")
        pty.until("half way")
    finally:
        pty.close()


PARTS = """
import io, os, sys
class Parts(io.RawIOBase):
    def writable(self): return True
    def fileno(self): return 2
    def isatty(self): return True
    def write(self, data): return os.write(2, data[: len(data) // 2 + 1])
sys.__stderr__ = io.TextIOWrapper(Parts(), "utf-8", write_through=True)
sys.argv[1:] = ["--demo"]
from agent_tui.__main__ import main
main()
"""
"""Standard error as PYTHONUNBUFFERED makes it, where each write is interrupted."""


def test_nothing_is_lost_where_a_write_takes_only_a_part(tmp_path: Path) -> None:
    pty = Pty(["-c", PARTS], environment(tmp_path))
    try:
        pty.until("Enter send")
        pty.type("half a word")
        pty.until("half a word")
        assert violations(pty.raw) == []
    finally:
        pty.close()
