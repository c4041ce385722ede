"""The pseudo-terminal of the tests itself."""

from __future__ import annotations

from tests.tui.pty_stage import Pty

FRAME = r"b'first' + b'\x1b[1m\x1b[0m' * 40_000 + b'\x1b[9;1Hlast'"
"""Far more than a terminal takes at once."""


def test_a_frame_that_comes_in_pieces_is_seen_whole() -> None:
    pty = Pty(["-c", f"import os, time; os.write(1, {FRAME}); time.sleep(60)"], {})
    assert "last" in pty.until("first")
    pty.close()
