"""A question in a real terminal: a command that is longer than its place, and a yes that holds for
all edits."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tui.screen.key_guards import BURST_SECONDS
from tests.tui.tmux_live import TmuxWindow

Start = Callable[..., TmuxWindow]
LAST = "touch the-last-line"
LINES = 41
"""Those of the command: it runs in the folder that the header names."""
COMMAND = "\n".join([*(f"echo {number}" for number in range(40)), LAST])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program in its own folder, on a model that makes `calls` and is done."""
    running: list[TmuxWindow] = []
    work = tmp_path / "work"
    work.mkdir()

    def starter(*calls: Any) -> TmuxWindow:
        (work / "s.json").write_text(
            json.dumps({"steps": [*([call] for call in calls), ["All done."]]})
        )
        argv = ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(work)]
        window = TmuxWindow(argv, tmp_path, {"AGENT_TUI_HOME": str(tmp_path / "home")}, (100, 30))
        running.append(window)
        window.until("Ask, or type")
        window.type("go")
        window.press("Enter")
        window.until("yes, once")
        return window

    yield starter
    for window in running:
        window.close()


def create(name: str) -> dict[str, Any]:
    return {"call": "create_file", "arguments": {"path": name, "content": "hello\n"}}


def answer(window: TmuxWindow, key: str, shown: str) -> None:
    """Press `key` when it can be meant for the question: right after that appeared it would be
    text."""
    time.sleep(2 * BURST_SECONDS)
    window.press(key)
    window.until(shown)


def last_line(text: str) -> int:
    """The number of the last line of the command that is in view."""
    shown = re.search(rf"lines \d+–(\d+) of {LINES}", text)
    return int(shown[1]) if shown else 0


def test_a_long_command_runs_only_after_its_last_line_was_in_view(
    start: Start, tmp_path: Path
) -> None:
    made = tmp_path / "work" / "the-last-line"
    window = start({"call": "run_shell_command", "arguments": {"command": COMMAND}})
    window.until("lines 1–")
    assert LAST not in window.text
    answer(window, "y", "PgDn: read to the end first")
    assert "yes, once" in window.text and not made.exists()
    for line in iter(lambda: last_line(window.text), LINES):
        window.press("PageDown")
        window.until(lambda text, line=line: last_line(text) > line)  # type: ignore[misc]
    window.until("Enter yes")
    assert f"  {LAST}" in window.text
    window.press("y")  # once more: what it said of the end is gone
    time.sleep(2 * BURST_SECONDS)
    assert not made.exists()
    answer(window, "Enter", "All done.")
    assert made.exists()


def test_a_yes_for_all_edits_asks_no_more_about_them(start: Start, tmp_path: Path) -> None:
    window = start(create("one.txt"), create("two.txt"))
    answer(window, "e", "press Enter to answer")
    answer(window, "Enter", "accept-edits: edits files")
    window.until("All done.")
    assert (tmp_path / "work" / "one.txt").exists() and (tmp_path / "work" / "two.txt").exists()
