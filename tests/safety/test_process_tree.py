"""Whose process is whose, read from a /proc as some systems show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety.process import tree as process_tree


def test_processes_that_may_not_be_looked_at_are_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `hidepid`, /proc lists other people's processes and refuses to say more."""
    (tmp_path / "1" / "stat").mkdir(parents=True)
    for pid, parent in ((20, 1), (21, 20)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) b) S {parent} {pid} {pid} 0 -1")
    monkeypatch.setattr(process_tree, "_PROC", tmp_path)
    assert process_tree.members(20) == {20, 21}
    assert process_tree.descendants(20) == {21}
