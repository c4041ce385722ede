"""The prompt history: shared, appended, cut back, and harmless when damaged."""

from __future__ import annotations

import fcntl
import json
import stat
import threading
from pathlib import Path

import pytest

from agent_tui.tui import history
from agent_tui.tui.history import PromptHistory


def test_what_is_added_is_loaded_by_another_copy(tmp_path: Path) -> None:
    file = tmp_path / "data" / "history.jsonl"
    one = PromptHistory(file)
    for text in ("a", "b\nc", "[markup] \x1b", "b", "b"):
        one.add(text)
    assert PromptHistory(file).load() == ("a", "b\nc", "[markup] \x1b", "b")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert one.notice() == ""


def test_blank_and_enormous_prompts_are_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    for text in ("", "  \n", "x" * (history.LONGEST + 1), "kept"):
        PromptHistory(file).add(text)
    assert PromptHistory(file).load() == ("kept",)


def test_copies_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    writers = [threading.Thread(target=_write, args=(file, name)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(PromptHistory(file).load()) == sorted(f"{name}{n}" for name in "abcd" for n in range(50))


def _write(file: Path, name: str) -> None:
    copy = PromptHistory(file)
    for number in range(50):
        copy.add(f"{name}{number}")


def test_damaged_lines_are_skipped_with_one_notice(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'{"text": "one"}\n\xff\xfe\n{"text": 3}\n[]\n{"other": 1}\n{"text": "two"}\n{"text": "to')
    found = PromptHistory(file)
    assert found.load() == ("one", "two")
    assert "5 damaged lines" in found.notice()
    assert found.notice() == ""


def test_a_torn_last_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'{"text": "one"}\n{"text": "to')
    PromptHistory(file).add("three")
    assert PromptHistory(file).load() == ("one", "three")


def test_a_long_file_is_cut_back_to_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "KEPT", 10)
    file = tmp_path / "history.jsonl"
    file.write_text("".join(json.dumps({"text": f"p{n}"}) + "\n" for n in range(100)))
    assert PromptHistory(file).load() == tuple(f"p{n}" for n in range(90, 100))
    assert len(file.read_text().splitlines()) == 10
    PromptHistory(file).add("new")
    assert PromptHistory(file).load()[-2:] == ("p99", "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_place_that_cannot_be_written_costs_one_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = PromptHistory(tmp_path / "file" / "history.jsonl")
    assert found.load() == ()
    found.add("x")
    assert "history.jsonl" in found.notice()
    found.add("y")
    assert found.notice() == ""


def test_a_folder_in_its_place_costs_one_notice(tmp_path: Path) -> None:
    found = PromptHistory(tmp_path)
    assert found.load() == ()
    assert "cannot be read" in found.notice()
    assert list(tmp_path.iterdir()) == []


def test_a_copy_that_never_lets_go_of_the_file_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = PromptHistory(path)
    history.add("before")
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        history.add("meanwhile")
    assert PromptHistory(path).load() == ("before", "meanwhile")
    assert history.notice() == ""
