"""`/bug` in a real terminal: another process writes the report, and the screen that goes on says what
became of it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

STEPS = [{"items": [{"text": "Forty-two."}]}, {"items": [{"text": "And again."}]}]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "s.json").write_text(json.dumps({"steps": STEPS}))
    return work


def screen(work: Path) -> Pty:
    home = str(work.parent / "home")
    env = {"AGENT_TUI_HOME": home, "HOME": home, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    return Pty(["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(work)], env, (100, 30))


def test_the_report_is_named_on_a_screen_that_goes_on(work: Path) -> None:
    pty = screen(work)
    pty.until("Enter send")
    pty.type("the question\r")
    pty.until("Forty-two.")
    pty.until("completed")
    pty.type("/bug\r")
    pty.until("agent-tui-bug-")
    assert "Forty-two." in pty.text and pty.poll() is None
    [report] = work.glob("agent-tui-bug-*.zip")
    assert zipfile.ZipFile(report).testzip() is None
    pty.type("and once more\r")
    pty.until("And again.")
    pty.close()


def test_why_no_report_was_written_is_said_on_the_screen(work: Path) -> None:
    pty = screen(work)
    pty.until("Enter send")
    pty.type("/bug\r")
    pty.until("this session has no prompt yet")
    pty.type("the question\r")
    pty.until("completed")
    (work / "s.json").unlink()
    work.rmdir()
    pty.type("/bug\r")
    pty.until(lambda text: "No such file" in text or "not written" in text)
    pty.close()
