"""The settings screen and keys of one's own, in the real program in a real terminal."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.tui.widgets.theme import load_theme
from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]
CONFIG = """\
# mine
mode = "manual"  # careful

[keys]
mouse = "f6"
serach = "f22"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / ".git").mkdir()
    return tmp_path / "config.toml"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Pty] = []

    def starter(size: tuple[int, int] = (100, 30), **env: str) -> Pty:
        place = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
            "COLORTERM": "truecolor",
        }
        pty = Pty(["-m", "agent_tui", "--demo", "--cwd", str(tmp_path)], {**place, **env}, size)
        running.append(pty)
        return pty

    yield starter
    for pty in running:
        pty.close()


def sheet(pty: Pty, asked: str) -> None:
    """The sheet with what was typed."""
    pty.until("Ask, or type")
    pty.type(f"/settings {asked}\r")
    pty.until(f"search: {asked}▏")
    pty.pause()


def escape(pty: Pty) -> None:
    pty.type("\x1b")
    pty.read(0.2)


def test_a_setting_is_found_changed_and_saved(start: Start, file: Path) -> None:
    pty = start()
    pty.until("keys.serach: there is no such command; did you mean search?")
    sheet(pty, "timestamps")
    pty.type("\r")
    pty.until("saved: display.timestamps is true")
    assert file.read_text() == f"{CONFIG}\n[display]\ntimestamps = true\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    pty.type("\x15max_steps")
    pty.until("search: max_steps▏")
    pty.pause()
    pty.type("\r")
    pty.until("agent.max_steps: a whole number from 0 to 10,000")
    pty.type("\x1520000\r")
    pty.until("20000 is not used: expected a whole number")
    pty.type("\x1577\r")
    pty.until("saved: agent.max_steps is 77, from the next start")
    pty.pause()
    pty.type("\x1b[3~")
    pty.until("saved: agent.max_steps is 0")
    found = tomllib.loads(file.read_text())
    assert (found["mode"], found["display"]) == ("manual", {"timestamps": True}) and not found.get(
        "agent"
    )
    assert file.read_text().startswith('# mine\nmode = "manual"  # careful\n')
    escape(pty)
    escape(pty)
    pty.until(lambda text: "Settings" not in text)
    pty.type("/quit\r")
    assert pty.wait() == 0
    assert pty.restored() == []


PAINTED = ("catppuccin-latte", "light")


def saved(text: str) -> str:
    """The theme that the screen says was saved."""
    found = re.search(r"saved: display\.theme is ([\w-]+)", text)
    return found[1] if found else ""


def test_a_theme_is_there_at_once(start: Start, file: Path) -> None:
    pty = start()
    sheet(pty, "display.theme")
    name, before = "", ""
    while name not in PAINTED:  # others leave the background to the terminal
        pty.raw, before = b"", name
        pty.pause()
        pty.type("\x1b[C")
        pty.until(lambda text, before=before: saved(text) not in ("", before))  # type: ignore[misc]
        name = saved(pty.text)
    pty.read(0.5)
    assert tomllib.loads(file.read_text())["display"]["theme"] == name
    colour = load_theme(name, [ROOT / "themes"]).colours["background"]
    drawn = "48;2;" + ";".join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    assert drawn in pty.raw.decode("utf-8", "replace")


def test_own_keys_work_and_are_shown(start: Start, file: Path) -> None:
    pty = start((110, 90))
    pty.until("Ask, or type")
    pty.type("\x1bOP")
    pty.until("Keys and commands")
    pty.until(lambda text: "F6 " in text and "F9 " not in text)
    pty.type("\x1bOP")
    pty.until(lambda text: "Keys and commands" not in text)
    sheet(pty, "keys.search")
    pty.pause()
    pty.type("\r")
    pty.until("keys.search: keys, such as")
    pty.pause()
    pty.type("\x15x\r")
    pty.until("X is needed for typing")
    pty.type("\x15alt+j\r")
    pty.until("saved: keys.search is alt+j")
    escape(pty)
    escape(pty)
    pty.until(lambda text: "Settings" not in text)
    pty.type("\x1bj")
    pty.until("Search the transcript")
    assert tomllib.loads(file.read_text())["keys"]["search"] == ["alt+j"]


def test_forty_columns(start: Start, file: Path) -> None:
    pty = start((40, 20))
    sheet(pty, "command_timeout")
    pty.until("tools.command_timeout: 120")
    pty.type("\r")
    pty.until("86,400")
    pty.type("\x159\r")
    pty.until("saved: tools.command_timeout is 9")
    assert tomllib.loads(file.read_text())["tools"] == {"command_timeout": 9}
    for line in pty.text.splitlines():
        assert len(line) <= 40


def test_a_file_that_cannot_be_written_is_said(start: Start, file: Path) -> None:
    pty = start()
    pty.until("Ask, or type")
    file.write_text("mode = \n")
    sheet(pty, "durations")
    pty.type("\r")
    pty.until("is not valid TOML, so it was not changed")
    assert file.read_text() == "mode = \n"
