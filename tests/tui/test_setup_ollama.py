"""Ollama set up in a real terminal: its server is started when the person says so, a model fetched,
and kept."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_cli_auth import environment
from tests.test_cli_models import OLLAMA
from tests.tui.pty_stage import Pty
from tests.tui.test_setup_terminal import taken


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home, and the environment of a machine whose Ollama does not run, and has no models."""
    tmp_path.chmod(0o700)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "models").write_text("")
    (programs / "ollama").write_text(OLLAMA.format(python=sys.executable))
    (programs / "ollama").chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = "{}:{}".format(*free.getsockname())
    path = f"{programs}:{os.environ['PATH']}"
    yield tmp_path, environment(tmp_path, PATH=path, OLLAMA_HOST=address, TERM="xterm-256color")
    if (programs / "pids").exists():
        for pid in (programs / "pids").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def test_it_is_started_and_a_model_fetched_and_kept(machine: tuple[Path, dict[str, str]]) -> None:
    home, given = machine
    pty = Pty(["-m", "agent_tui", "--cwd", str(home)], given, (60, 20))
    try:
        pty.until("No model yet")
        pty.read(0.5)
        pty.type("k")
        taken(pty, "❯ Ollama")
        taken(pty, "❯ start `ollama serve`")
        taken(pty, "❯ download a model")
        pty.until("Model to download, such as qwen3:8b")
        pty.type("big:8b\r")
        shown = taken(pty, "in every project")
        assert "ollama/big:8b" in shown
        pty.until(
            lambda text: "ollama/big:8b" in text and "Set up" not in text and "Enter send" in text
        )
        assert len((home / "bin" / "pids").read_text().split()) == 1
    finally:
        pty.close()
    assert tomllib.loads((home / "config.toml").read_text()) == {"model": "ollama/big:8b"}


def test_without_consent_nothing_is_started(machine: tuple[Path, dict[str, str]]) -> None:
    home, given = machine
    pty = Pty(["-m", "agent_tui", "--cwd", str(home)], given, (100, 30))
    try:
        pty.until("No model yet")
        pty.read(0.5)
        pty.type("k")
        taken(pty, "not running, can be started")
        taken(pty, "❯ start `ollama serve`", "\x1b")
        taken(pty, "Whose models do you want", "\x1b")
        pty.until("No model yet")
    finally:
        pty.close()
    assert not (home / "bin" / "pids").exists() and not (home / "config.toml").exists()
