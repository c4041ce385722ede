"""The output of a job that is kept: another process reads it from the middle on, and nothing is lost,
shown or written twice."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from agent_tui.safety.process import output_capture, processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.secrets.scrubber import Scrubber
from tests.safety.test_processes import PATIENCE

KEY = "sk-proj-Zq8vW3nR7tY2uK5mB9xC4dF6gH1jL0pS"


def kept_while(folder: Path, first: str, rest: str) -> Captured:
    """`first` is written, then the job is kept, then comes the rest; the output when it has ended."""
    captured = Captured(100_000, folder / "out.txt", Scrubber([KEY], formats=True).stream())

    async def scene() -> None:
        wait = "while [ ! -e go ]; do sleep 0.02; done"
        command = f"printf '%s' '{first}'; touch begun; {wait}; {rest}"
        result = await processes.run(
            command,
            folder,
            dict(os.environ),
            0,
            lambda _: None,
            captured,
            background=True,
        )
        assert result.job is not None
        while not (folder / "begun").exists():
            await asyncio.sleep(0.02)
        result.job.keep(True)
        (folder / "go").touch()
        await asyncio.wait_for(result.job.ended.wait(), PATIENCE)
        await processes.settle(20)

    asyncio.run(scene())
    return captured


@pytest.mark.parametrize("at", [1, 9, len(KEY) - 1])
def test_a_secret_that_comes_half_before_and_half_after_is_hidden(tmp_path: Path, at: int) -> None:
    rest = f"printf '%s\\n' '{KEY[at:]} and more'"
    captured = kept_while(tmp_path, f"one\ntwo {KEY[:at]}", rest)
    written = (tmp_path / "out.txt").read_text()
    assert KEY[9:] not in written and "[hidden:" in written
    assert written.startswith("one\ntwo [hidden:") and written.endswith("] and more\n")
    assert captured.text() == written


def test_a_character_that_comes_in_two_halves_is_whole(tmp_path: Path) -> None:
    first, second = "é".encode()
    command = f"printf '\\x{second:x}n'; echo"
    captured = kept_while(tmp_path, "caf", f"printf '\\x{first:x}'; sleep 0.1; {command}")
    assert captured.text() == "cafén\n" == (tmp_path / "out.txt").read_text()


def test_the_file_of_a_flood_is_no_longer_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written before counts."""
    monkeypatch.setattr(output_capture, "SPOOL_LIMIT", 1_000_000)
    captured = kept_while(tmp_path, "begun ", "yes some line | head -c 1100000; echo end")
    assert (tmp_path / "out.txt").stat().st_size == output_capture.SPOOL_LIMIT
    assert captured.text().endswith("end\n") and "first 1 MB" in captured.problem
