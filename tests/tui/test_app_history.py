"""The prompt history: shared, appended, cut back, and harmless when damaged."""

from __future__ import annotations

import fcntl
import json
import os
import random
import resource
import stat
import threading
from pathlib import Path

import pytest

from agent_tui.tui.runtime import history
from agent_tui.tui.runtime import history as history_lines
from agent_tui.tui.runtime.history import PromptHistory


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
    assert sorted(PromptHistory(file).load()) == sorted(
        f"{name}{n}" for name in "abcd" for n in range(50)
    )


def test_what_cannot_be_written_is_said_with_its_cause(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    blocked = PromptHistory(tmp_path / "data" / "history.jsonl")
    blocked.add("one")
    assert blocked.notice() == f"prompt history cannot be written: {tmp_path}/data: Not a directory"
    small = PromptHistory(tmp_path / "history.jsonl")
    small.add("first")
    size = small.path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, before[1]))
    try:
        small.add("second")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert small.notice() == f"prompt history cannot be written: {small.path}: File too large"
    assert small.path.stat().st_size == size and PromptHistory(small.path).load() == ("first",)


def _write(file: Path, name: str) -> None:
    copy = PromptHistory(file)
    for number in range(50):
        copy.add(f"{name}{number}")


def test_damaged_lines_are_skipped_with_one_notice(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(
        b'{"text": "one"}\n\xff\xfe\n{"text": 3}\n[]\n{"other": 1}\n{"text": "two"}\n{"text": "to'
    )
    found = PromptHistory(file)
    assert found.load() == ("one", "two")
    assert "5 damaged lines" in found.notice()
    assert found.notice() == ""


def test_a_torn_last_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'{"text": "one"}\n{"text": "to')
    PromptHistory(file).add("three")
    assert PromptHistory(file).load() == ("one", "three")


def test_a_file_without_end_is_cut_back_to_its_newer_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "FULL", 2_000)
    file = tmp_path / "history.jsonl"
    file.write_text("".join(json.dumps({"text": f"p{n}"}) + "\n" for n in range(200)))
    kept = PromptHistory(file).load()
    assert kept[-1] == "p199"
    assert len(kept) == len(file.read_text().splitlines()) > 50
    assert file.stat().st_size <= 1_000
    PromptHistory(file).add("new")
    assert PromptHistory(file).load()[-2:] == ("p199", "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_each_prompt_comes_once_and_those_of_this_folder_are_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    here, there = PromptHistory(file, "/here"), PromptHistory(file, "/there")
    for copy, text in (
        (here, "a"),
        (there, "x"),
        (here, "b"),
        (there, "a"),
        (here, "x"),
        (there, "y"),
    ):
        copy.add(text)
    assert here.load() == ("a", "y", "b", "x")
    assert there.load() == ("b", "x", "a", "y")
    assert [past.text for some in here.slices() for past in some] == ["y", "x", "a", "b"]


def test_only_what_another_copy_wrote_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    one, other = PromptHistory(file), PromptHistory(file)
    assert one.load() == ()
    one.add("mine")
    assert one.reload() is None
    other.add("theirs")
    one.add("mine too")
    assert one.reload() == ("mine", "theirs", "mine too")
    assert one.reload() is None


def test_what_cannot_be_written_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    PromptHistory(file).add("before")
    file.chmod(0o400)
    found = PromptHistory(file)
    if os.geteuid():
        found.add("after")
        assert "cannot be written" in found.notice()
    else:  # root may write anything, but not into a folder
        found = PromptHistory(tmp_path)
        found.add("after")
        assert "cannot be written" in found.notice()
        assert found.load() == ("after",)
        return
    assert found.load() == ("before", "after")


def test_lines_of_any_length_and_kind_are_read_from_the_end(tmp_path: Path) -> None:
    chance = random.Random(5)
    file = tmp_path / "history.jsonl"
    texts = [f"{n} " + "ü" * int(chance.paretovariate(0.4) % 60_000) for n in range(300)]
    with file.open("wb") as out:
        for text in texts:
            out.write(json.dumps({"text": text}).encode() + b"\n" + b"\n" * chance.randint(0, 2))
        out.write(
            b"x" * (history_lines.LONGEST_LINE + 3 * history_lines.BLOCK) + b'\n{"text": "\\ud800"}'
        )
    found = PromptHistory(file)
    assert list(found.load()) == [*texts, "?"]
    assert "1 damaged line " in found.notice()


def test_a_file_that_is_one_line_without_end_holds_no_prompts(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    with file.open("wb") as out:
        out.truncate(history.FULL - 1)
    found = PromptHistory(file)
    assert found.load() == ()
    assert "damaged" in found.notice()
    found.add("good")
    assert PromptHistory(file).load() == ("good",)


def test_a_place_that_cannot_be_written_costs_one_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = PromptHistory(tmp_path / "file" / "history.jsonl")
    assert found.load() == ()
    found.add("x")
    assert f"{tmp_path / 'file'}: Not a directory" in found.notice()
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


def test_a_full_disk_tears_no_line_and_loses_no_prompt(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl")
    history.add("before")
    kept = (tmp_path / "history.jsonl").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(kept) + 20, limits[1]))
    try:
        history.add("while it is full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "history.jsonl").read_bytes() == kept
    assert "cannot be written" in history.notice()
    assert history.load() == ("before", "while it is full")
