"""Going back, and finding a session by what was said in it, in a real terminal with real files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.tui.screen.key_guards import ROW_SECONDS
from tests.tui.tmux_live import TmuxWindow

SCRIPT = [
    [{"call": "edit_file", "arguments": {"path": "shop.py", "old": "return 3", "new": "return 4"}}],
    [{"call": "create_file", "arguments": {"path": "notes.md", "content": "the price is 4\n"}}],
    [{"text": "Rosebud: the price is 4 now."}],
]
Start = Callable[..., TmuxWindow]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    windows: list[TmuxWindow] = []
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / "s.json").write_text(json.dumps(SCRIPT))
    (work / "shop.py").write_text("def price() -> int:\n    return 3\n")

    def starter(*more: str) -> TmuxWindow:
        argv = [
            "-m",
            "agent_tui",
            "-m",
            "scripted/s.json",
            "--mode",
            "accept-all",
            "--cwd",
            str(work),
            *more,
        ]
        window = TmuxWindow(
            argv,
            tmp_path,
            {"VISUAL": "", "EDITOR": "", "AGENT_TUI_HOME": str(tmp_path / "home")},
            (100, 30),
        )
        windows.append(window)
        window.until("Ask, or type")
        window.until("scripted/s.json")
        return window

    yield starter
    for window in windows:
        window.close()


def call(window: TmuxWindow, command: str, shown: str) -> None:
    window.type(command)
    window.press("Enter")
    window.until(shown)


def move_to(window: TmuxWindow, row: str) -> None:
    """A sheet that nobody asked for takes no key in its first moment, and no key of a row that began
    in it: a person looks before pressing again."""
    for _ in range(20):
        time.sleep(0.5)
        if f"❯ {row}" in window.text:
            return
        window.press("Down")
    pytest.fail(f"the cursor is never on {row}\n{window.text}")


def read_the_sheet() -> None:
    """As long as a person takes to read what the sheet says: an Enter that comes sooner is one
    of a row of them, and confirms nothing."""
    time.sleep(ROW_SECONDS + 0.2)


def test_files_go_back_and_come_again(start: Start, tmp_path: Path) -> None:
    work, window = tmp_path / "work", start()
    window.send("make it four", "completed")
    (work / "notes.md").write_text("the price is 4\nmine\n")
    while "Rewind to before which turn?" not in window.text:  # a busy machine takes them apart
        window.press("Escape")
        time.sleep(0.15)  # no finger rests on it
        window.press("Escape")
        time.sleep(1.5)
    window.press("Enter")
    window.until("changed since then")
    assert "return 4" in (work / "shop.py").read_text()
    move_to(window, "code  ")  # without a word about the file
    read_the_sheet()
    window.press("Enter")
    window.until("first choose what happens to notes.md")
    window.until("❯ [?] notes.md")
    read_the_sheet()
    window.press("Enter")
    window.until("❯ [ ] notes.md")
    move_to(window, "code  ")
    read_the_sheet()
    window.press("Enter")
    window.until("/redo reverses this")
    assert "return 3" in (work / "shop.py").read_text()
    assert (work / "notes.md").read_text() == "the price is 4\nmine\n"
    call(window, "/redo", "Redo")
    window.until("Enter redo")
    read_the_sheet()
    window.press("Enter")
    window.until("/undo reverses this")
    assert "return 4" in (work / "shop.py").read_text()


def test_a_session_is_found_by_what_was_said_copied_and_deleted(
    start: Start, tmp_path: Path
) -> None:
    window = start()
    window.send("make it four", "completed")
    call(window, "/rename tea", "this session is called tea")
    call(window, "/fork", "this is the copy")
    call(window, "/tree", "└─ tea")
    window.press("Escape")
    window.until(lambda text: " Forks " not in text)
    call(window, "/resume", "a new session")
    for letter in "rosebud":
        window.press(letter)
    window.until("Found in messages and calls")
    window.press("C-u")
    window.until("a new session")
    logs = len(list((tmp_path / "home" / "sessions").glob("*-????????????.jsonl")))
    window.press("End", "Up", "DC")
    window.until(lambda text: "for ever?" in text or "open now:" in text)
    if "for ever?" not in window.text:
        window.press("Up", "DC")
        window.until("for ever?")
    time.sleep(0.4)  # as long as a person takes to read what is asked
    window.press("Enter")
    window.until("the session was deleted")
    assert len(list((tmp_path / "home" / "sessions").glob("*-????????????.jsonl"))) == logs - 1


def test_off_the_record_nothing_is_left(start: Start, tmp_path: Path) -> None:
    window = start("--otr")
    window.until("off the record")
    window.send("make it four", "completed")
    call(window, "/bug", "no report can be written")
    call(window, "/replay", "there is nothing to replay")
    assert (
        not list(tmp_path.glob("home/sessions/*"))
        and not (tmp_path / "home" / "history.jsonl").exists()
    )
    assert "return 3" in (tmp_path / "work" / "shop.py").read_text()


def test_what_another_program_has_open_is_read_along(start: Start) -> None:
    first = start()
    first.send("make it four", "completed")
    second = start("--continue")
    second.until("Another program has this session open")
    move_to(second, "fork")
    move_to(second, "read only")
    second.press("Enter")
    second.until("read only")
    second.until("make it four")
