"""Palette and lists in the real program in a real terminal: a journey without a mouse, also where
there is no room."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Pty] = []
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "shop.py").write_text("def price() -> int:\n    return 3\n")
    place = {
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "ESCDELAY": "60",
        "COLORTERM": "truecolor",
    }

    def starter(size: tuple[int, int] = (100, 30)) -> Pty:
        pty = Pty(["-m", "agent_tui", "--demo", "--cwd", str(tmp_path / "work")], place, size)
        running.append(pty)
        pty.until("Ask, or type")
        pty.until("demo/tour")
        return pty

    yield starter
    for pty in running:
        pty.close()


def escape(pty: Pty, title: str) -> None:
    pty.type("\x1b")
    pty.until(lambda text: title not in text)


def test_a_journey_through_the_palette_and_the_lists(start: Start, tmp_path: Path) -> None:
    pty = start()
    pty.type("list\r")
    pty.until("completed")
    pty.type("a draft")
    pty.until("a draft")
    pty.type("\x10timest")
    pty.until("search: timest▏")
    pty.type("\r")
    pty.until(lambda text: "search: timest" not in text and "a draft" in text)

    pty.type("\x10files\r")
    pty.until("Files")
    pty.type("shop")
    pty.until("return 3")
    pty.type("\r")
    pty.until("a draft @shop.py")

    pty.type("\x10/log\r")
    pty.until("turn_ended")
    escape(pty, " Log ")
    pty.type("\x10/debug\r")
    pty.until("TERM=xterm-256color")
    escape(pty, "Debug console")

    pty.type("\x10/theme\r")
    pty.until("catppuccin-latte")
    pty.type("solarized-light")
    pty.until("search: solarized-light▏")
    pty.type("\r")
    pty.until("saved: display.theme is solarized-light")
    assert (
        tomllib.loads((tmp_path / "config.toml").read_text())["display"]["theme"]
        == "solarized-light"
    )
    assert "a draft @shop.py" in pty.text


def test_another_session_is_opened_while_the_program_runs(start: Start) -> None:
    pty = start()
    pty.type("list\r")
    pty.until("completed")
    pty.type("\x10/resume\r")
    pty.until("open now")
    pty.type("a new")
    pty.until("search: a new▏")
    pty.type("\r")
    pty.until(lambda text: "completed" not in text and "Sessions" not in text)
    pty.type("find price\r")
    pty.until("completed")
    pty.type("\x10/resume\r")
    pty.until("open now")
    pty.type("\x1b[B")
    pty.until("you: list")
    pty.type("\r")
    pty.until(lambda text: "❯ list" in text and "Sessions" not in text)


@pytest.mark.parametrize("size", [(40, 14), (24, 8)])
def test_there_is_a_way_where_there_is_no_room(start: Start, size: tuple[int, int]) -> None:
    pty = start(size)
    pty.type("\x10modez")
    pty.until("search: modez▏")
    pty.type("\x7f\r")
    pty.until("manual")
    pty.type("plan\r")
    pty.until(lambda text: "Modes" not in text)
    pty.type("\x10")
    pty.until("Commands")
    escape(pty, "Commands")
