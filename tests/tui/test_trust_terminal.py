"""The question about what a project brings, in a real terminal: it is read and answered, and the next
request goes with its instructions or without them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.tui.pty_stage import Pty
from tests.tui.test_first_run_terminal import SENTENCE, serving
from tests.tui.test_holding_terminal import start

RULES = "Always answer with the word pelican."


@pytest.mark.parametrize("trusts", [True, False])
def test_instructions_are_read_and_used_after_a_yes_alone(tmp_path: Path, trusts: bool) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "AGENTS.md").write_text(f"{RULES}\n")
    with serving() as (address, asked):
        server = f'[providers.compatible]\nbase_url = "http://{address}/v1"\n'
        pty = start(tmp_path, "--model", "compatible/small", settings=server)
        try:
            shown = pty.until("trust these files", 60)
            assert "Trust 1 file of project?" in shown and RULES in shown
            pty.pause()
            pty.type("\x1b[B" if trusts else "\x1b")
            pty.pause()
            pty.type("\r" if trusts else "")
            pty.until(lambda text: "trust these files" not in text)
            pty.type("please say hello\r")
            pty.until(SENTENCE, 60)
            assert len(asked) >= 1 and (RULES in asked[0]) == trusts
        finally:
            pty.close()


def start_untrusted(tmp_path: Path, *arguments: str) -> Pty:
    """A session whose model runs a command, in a project with a file to trust."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    (project / "AGENTS.md").write_text(f"{RULES}\n")
    touch = {"call": "run_shell_command", "arguments": {"command": "touch ran.txt"}}
    (tmp_path / "s.json").write_text(json.dumps([[touch], ["All done."]]))
    pty = start(
        tmp_path, "--mode", "accept-all", "--model", f"scripted/{tmp_path}/s.json", *arguments
    )
    pty.until("trust these files", 60)
    return pty


def test_an_interrupt_at_the_question_begins_nothing(tmp_path: Path) -> None:
    ran = tmp_path / "project" / "ran.txt"
    pty = start_untrusted(tmp_path, "do the thing")
    try:
        pty.until("queued")
        pty.pause()
        pty.type("\x03")
        pty.until(lambda text: "trust these files" not in text and "paused" in text)
        pty.read(2.0)
        assert "do the thing" in pty.text and not ran.exists()
        pty.type("\r")
        pty.until("All done.", 30)
        assert ran.exists()
    finally:
        pty.close()


def test_a_prompt_that_waits_at_the_question_outlives_a_kill(tmp_path: Path) -> None:
    ran = tmp_path / "project" / "ran.txt"
    pty = start_untrusted(tmp_path)
    try:
        pty.pause()
        pty.type("do the thing")
        pty.until("do the thing")
        pty.pause()
        pty.type("\r")
        pty.until("queued")
        assert "trust these files" in pty.text
        os.kill(pty.pid, signal.SIGKILL)
        pty.wait()
    finally:
        pty.close()
    pty = start_untrusted(tmp_path, "--continue")
    try:
        pty.pause()
        pty.type("\x1b")
        pty.until(lambda text: "trust these files" not in text and "do the thing" in text)
        pty.read(1.0)
        assert "paused" in pty.text and not ran.exists()
    finally:
        pty.close()
