"""The temporary folder that confined commands share: of one user alone, and named to nobody."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from agent_tui.safety.process.command_folders import share_temporary
from agent_tui.safety.sandbox.profiles import LANDLOCK
from tests.safety.test_process_guard import holder, watchers


def shared(place: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """What a command is told that shares `place`: its profile and its variables."""
    confined: dict[str, Any] = {"backend": LANDLOCK, "writable": [], "temporary": ""}
    environment: dict[str, str] = {}
    share_temporary(str(place), confined, environment)
    return confined, environment


def test_each_command_has_the_same_folder(tmp_path: Path) -> None:
    confined, environment = shared(tmp_path / "made")
    folder = Path(environment["TMPDIR"])
    (folder / "left").write_text("x")
    assert shared(tmp_path / "made")[1]["TMPDIR"] == str(folder)
    assert confined["writable"] == [str(folder)] and (folder / "left").exists()


def test_rights_that_a_command_gives_open_nothing(tmp_path: Path) -> None:
    folder = Path(shared(tmp_path / "made")[1]["TMPDIR"])
    folder.chmod(0o777)  # a command may: it is its own
    shared(tmp_path / "made")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700
    assert str(tmp_path / "made") not in shared(tmp_path / "made")[0]["writable"]


@pytest.mark.parametrize("kind", ["open", "link", "file", "others"])
def test_what_somebody_made_first_is_not_taken(tmp_path: Path, kind: str) -> None:
    made, mine = tmp_path / "made", tmp_path / "mine"
    mine.mkdir(0o700)
    if kind == "link":
        made.symlink_to(mine)
    elif kind == "file":
        made.touch()
    else:
        made.mkdir(0o700)
        made.chmod(0o700 if kind == "others" else 0o777)
    if kind == "others":
        if os.geteuid():
            made.chmod(0o750)  # only root can give a folder away
        else:
            os.chown(made, 65_534, 65_534)
    with pytest.raises(OSError):
        shared(made)
    assert not list(mine.iterdir()) and (kind in ("link", "file") or not list(made.iterdir()))


def test_the_arguments_of_the_guard_name_nothing(tmp_path: Path) -> None:
    """Everybody can read them."""
    program = holder(tmp_path, "true")
    assert program.stdout is not None and program.stdout.readline() == "done\n"
    [guard] = watchers(program.pid)
    words = Path(f"/proc/{guard}/cmdline").read_text().split("\0")
    program.kill()
    program.wait()
    program.stdout.close()
    assert not [word for word in words if "agent-tui-" in word or "{" in word], words
