"""The program's own log: a file for each run, and never a word on the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from agent_tui.agent.worker import open_log

FULL = """
import resource, sys
from pathlib import Path
from agent_tui.agent.worker import open_log
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
log = open_log(Path(sys.argv[1]))
log.error("this finds no room")
"""


def test_a_log_is_for_its_owner_and_takes_any_text(tmp_path: Path) -> None:
    open_log(tmp_path / "logs").error("odd \udcff")
    [file] = (tmp_path / "logs").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert "ERROR odd \\udcff" in file.read_text()


def test_what_is_made_above_the_log_is_for_its_owner_too(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        open_log(tmp_path / "home" / "logs")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("home", "home/logs")] == [
        0o700,
        0o700,
    ]


def test_a_log_without_room_is_silent(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
    [file] = tmp_path.iterdir()
    assert file.read_text() == ""
