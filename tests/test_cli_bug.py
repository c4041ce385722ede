"""`agent-tui bug`: under which name a report is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.cli.bug import bug
from tests.sessions.logs import turn, write


def test_a_second_report_has_a_number_and_none_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENT_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "home" / "sessions", "abc-1", *turn(1, "why"), cwd=str(tmp_path))
    (tmp_path / "agent-tui-bug-abc-1-2.zip").symlink_to("nowhere")
    assert (bug(["abc-1"]), bug(["abc-1"])) == (0, 0)
    first = (tmp_path / "agent-tui-bug-abc-1.zip").read_bytes()
    assert (tmp_path / "agent-tui-bug-abc-1-3.zip").is_file() and not (
        tmp_path / "nowhere"
    ).exists()
    assert bug(["abc-1", "--output", "agent-tui-bug-abc-1.zip"]) == 1
    assert "this file exists already and is not overwritten" in capsys.readouterr().err
    assert (tmp_path / "agent-tui-bug-abc-1.zip").read_bytes() == first
