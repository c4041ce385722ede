"""What the first statement of the program decides before anything is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agent_tui import boot
from tests.tui.pty_stage import ROOT


@pytest.mark.parametrize(
    ("words", "screen"),
    [
        ("", True), ("fix it", True), ("-m ollama/x", True), ("--demo", True), ("-c", True), ("-r 0b0e", True),
        ("run", False), ("run hello", False), ("--help", False), ("-m x -h", False), ("--version", False),
        ("-r", True), ("--resume", True), ("fix -r", True),
    ],
)  # fmt: skip
def test_the_terminal_is_taken_only_for_the_screen(words: str, screen: bool) -> None:
    assert boot.wants_screen(words.split()) is screen


def test_without_a_terminal_nothing_is_taken() -> None:
    code = "from agent_tui import boot; print(boot.prepare([]))"
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_the_first_milliseconds_import_the_standard_library_only() -> None:
    code = (
        "import sys; from agent_tui import __main__, boot;"
        "print([m for m in sys.modules if m.partition('.')[0] not in sys.stdlib_module_names"
        " and not m.startswith(('agent_tui', '__', '_distutils', 'sitecustomize', '_virtualenv', '__editable'))"
        " and 'finder' not in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"
