"""Lint and types, as everyone runs them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "agent_tui", "tests", "benchmarks", "docs"),
        ("mypy",),
    ],
    ids=" ".join,
)
def test_clean(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_test_that_the_check_names_is_there() -> None:
    """With workers, pytest runs nothing at all where one of its files is missing."""
    named = re.findall(r"tests/[\w/.*]+", (ROOT / ".ci" / "run").read_text())
    assert len(named) > 5
    assert [path for path in named if not any(ROOT.glob(path))] == []
