"""What the first statement of the program decides before anything is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui import boot
from tests.tui.pty_stage import ROOT, Pty


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


@pytest.mark.parametrize("redirected", ["</dev/null", "<&-", ">/dev/null", ">&-", "2>/dev/null", "2>&-"])
def test_where_a_part_of_the_terminal_is_missing_it_says_so_and_ends(redirected: str, tmp_path: Path) -> None:
    shell = f"import os; os.execvp('sh', ['sh', '-c', '{sys.executable} -m agent_tui {redirected}'])"
    pty = Pty(["-c", shell], {"PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(tmp_path)})
    assert pty.wait() == 2
    assert b"Traceback" not in pty.raw
    assert b"this is not a terminal" in pty.raw or redirected == "2>/dev/null"
    pty.close()
