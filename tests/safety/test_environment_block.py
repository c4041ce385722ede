"""Keys are not to be read from outside, where the system shows what a process was started with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.safety.process import environment

PROGRAM = """
import os, subprocess
from agent_tui.safety.process.environment import hide_secrets
hide_secrets()
hide_secrets()
print(os.environ["MY_API_KEY"], os.environ["PLAIN"], os.environ["EMPTY_TOKEN"])
print(subprocess.run(["sh", "-c", "tr '\\\\0' '\\\\n' < /proc/$PPID/environ"], capture_output=True, text=True).stdout)
"""


def test_a_command_does_not_find_the_keys_of_its_parent() -> None:
    secret = "sk-0123456789"
    given = {**os.environ, "MY_API_KEY": secret, "PLAIN": "kept", "EMPTY_TOKEN": ""}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=given, capture_output=True, text=True, check=True
    )
    own, _, seen = done.stdout.partition("\n")
    assert own == f"{secret} kept "
    assert secret not in seen
    if Path("/proc/self/environ").exists():
        assert {"PLAIN=kept", "EMPTY_TOKEN=", f"MY_API_KEY={'*' * len(secret)}"} <= set(
            seen.split("\n")
        )


BLOCKS = [path for path in (Path("/proc/self/environ"),) if path.exists()]
"""What the system shows of the environment of these tests; elsewhere than on Linux nothing."""


@pytest.mark.parametrize("stat", [None, "", "1 (a) b) R " + "0 " * 60, "1 (a) R x", "1 (a) R 2 3"])
def test_a_system_that_does_not_tell_where_it_is_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stat: str | None
) -> None:
    path = tmp_path / "stat"
    if stat is not None:
        path.write_text(stat)
    monkeypatch.setattr(environment, "_STAT", path)
    before = [block.read_bytes() for block in BLOCKS]
    environment.hide_secrets()
    assert [block.read_bytes() for block in BLOCKS] == before
