"""The ground, the title and what is told outside of the screen, in the real program in a real
terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.paths import shipped_folder
from agent_tui.tui.widgets.theme import load_theme
from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]
QUESTION = b"\x1b]11;?\x1b\\"
DARK, LIGHT = "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b]11;rgb:fdfd/f6f6/e3e3\x07"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Pty] = []
    (tmp_path / ".git").mkdir()

    def starter(config: str = "", **env: str) -> Pty:
        (tmp_path / "config.toml").write_text(config)
        place = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
            "COLORTERM": "truecolor",
            "COLORFGBG": "",
            "TERM_PROGRAM": "",
            "TMUX": "",
            "STY": "",
        }
        pty = Pty(
            ["-m", "agent_tui", "--demo", "--cwd", str(tmp_path)], {**place, **env}, (100, 30)
        )
        running.append(pty)
        return pty

    yield starter
    for pty in running:
        pty.close()


def ground(name: str) -> bytes:
    """What sets the background of this theme."""
    colour = load_theme(name, [shipped_folder("themes")]).colours["background"]
    return f"48;2;{int(colour[1:3], 16)};{int(colour[3:5], 16)};{int(colour[5:7], 16)}".encode()


def quit_(pty: Pty) -> bytes:
    """What was written while it ended."""
    before = len(pty.raw)
    pty.type("\x04")
    assert pty.wait() == 0 and pty.restored() == []
    return pty.raw[before:]


def painted(pty: Pty, name: str) -> None:
    pty.until(lambda _: ground(name) in pty.raw)


def test_the_terminal_says_that_it_is_light_and_the_next_start_knows(start: Start) -> None:
    pty = start()
    pty.until("Ask, or type")
    pty.until(lambda _: QUESTION in pty.raw)
    assert ground("dark") in pty.raw and ground("light") not in pty.raw
    pty.type(LIGHT)
    painted(pty, "light")
    pty.type("typed")
    assert "❯ typed " in pty.until("typed")
    pty.type("\x15")
    pty.until("Ask, or type")
    quit_(pty)
    again = start()
    again.until("Ask, or type")
    assert ground("light") in again.raw and ground("dark") not in again.raw
    again.until(lambda _: QUESTION in again.raw)
    again.type(DARK)
    painted(again, "dark")
    quit_(again)


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 12, len(LIGHT) - 1])
def test_an_answer_in_two_pieces_types_nothing(start: Start, cut: int) -> None:
    pty = start()
    pty.until("Ask, or type")
    pty.until(lambda _: QUESTION in pty.raw)
    pty.type(LIGHT[:cut])
    pty.type(LIGHT[cut:])
    painted(pty, "light")
    assert "Ask, or type" in pty.text
    quit_(pty)


def test_in_tmux_the_terminal_around_it_is_asked_too(start: Start) -> None:
    pty = start(TMUX="/tmp/tmux,1,0", TERM="tmux-256color", WEZTERM_PANE="0")
    pty.until("Ask, or type")
    pty.until(lambda _: b"\x1bPtmux;\x1b\x1b]11;?\x1b\x1b\\\x1b\\" in pty.raw)
    pty.type("\x1b[O")
    for piece in (LIGHT[:9], LIGHT[9:]):
        pty.type(piece)
    painted(pty, "light")
    pty.type("\x1b[Olist\r")
    pty.until(
        lambda _: (
            b"\x1bPtmux;\x1b\x1b]777;notify;agent-tui;agent-tui is done\x1b\x1b\\\x1b\\" in pty.raw
        )
    )
    pty.until("Ask, or type")
    quit_(pty)


def test_a_change_is_followed_and_the_choice_is_the_persons(start: Start) -> None:
    pty = start('[display]\ntheme_light = "solarized-light"\ntheme_dark = "nord"\n')
    pty.until("Ask, or type")
    assert ground("nord") in pty.raw
    pty.until(lambda _: b"\x1b[?2031h" in pty.raw)
    pty.type("\x1b[?997;2n")
    painted(pty, "solarized-light")
    pty.raw = b""
    pty.type("\x1b[?997;1n")
    painted(pty, "nord")
    assert b"\x1b[?2031l" in quit_(pty)


def test_a_theme_that_was_chosen_stays(start: Start) -> None:
    pty = start('[display]\ntheme = "dracula"\n')
    pty.until("Ask, or type")
    pty.until(lambda _: QUESTION in pty.raw)
    pty.type(LIGHT + "x")
    pty.until("❯ x ")
    assert ground("light") not in pty.raw and ground("dracula") in pty.raw
    pty.type("\x15")
    pty.until("Ask, or type")
    quit_(pty)


def test_an_old_console_is_asked_nothing_and_gets_no_title(start: Start) -> None:
    pty = start(TERM="linux", COLORTERM="")
    pty.until("Ask, or type")
    pty.type("x")
    pty.until("x")
    pty.type("\x15")
    pty.until("Ask, or type")
    quit_(pty)
    asked = (b"\x1b]2;", b"\x1b]11;", b"\x1b[?2031h", b"\x1b[22;2t", b"48;2;", b"48;5;")
    assert [one for one in asked if one in pty.raw] == []


@pytest.mark.parametrize(
    ("term", "letters"), [("xterm-256color", b"38;5;"), ("xterm", b"38;5;"), ("vt100", b"")]
)
def test_terminals_with_fewer_colours(start: Start, term: str, letters: bytes) -> None:
    pty = start(TERM=term, COLORTERM="")
    pty.until("Ask, or type")
    assert b"8;2;" not in pty.raw
    assert (letters in pty.raw) is (term == "xterm-256color") or not letters
    quit_(pty)


def test_the_title_comes_and_goes(start: Start, tmp_path: Path) -> None:
    pty = start()
    pty.until("Ask, or type")
    title = f"\x1b]2;{tmp_path.name} - agent-tui"[:80].encode()
    pty.until(lambda _: title in pty.raw)
    assert pty.raw.index(b"\x1b[22;2t") < pty.raw.index(title)
    pty.type("list\r")
    pty.until(lambda _: b"\x1b]2;* " in pty.raw)
    pty.until("Ask, or type")
    pty.until(lambda _: pty.raw.rfind(b"\x1b]2;* ") < pty.raw.rfind(title))
    assert b"\x1b[23;2t" in quit_(pty)
    silent = start("[notify]\ntitle = false\n")
    silent.until("Ask, or type")
    silent.until(lambda _: QUESTION in silent.raw)
    quit_(silent)
    assert b"\x1b]2;" not in silent.raw and b"\x1b[23;2t" not in silent.raw


def test_after_the_editor_the_terminal_is_met_again(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho edited > "$1"\n')
    editor.chmod(0o700)
    pty = start(EDITOR=str(editor), VISUAL="")
    pty.until("Ask, or type")
    pty.until(lambda _: b"\x1b]2;" in pty.raw)
    pty.raw = b""
    pty.type("\x07")
    pty.until("❯ edited ")
    pty.until(lambda _: b"\x1b[22;2t" in pty.raw and QUESTION in pty.raw)
    assert pty.raw.index(b"\x1b[23;2t") < pty.raw.index(b"\x1b[22;2t")
    pty.type("\x1b[?997;2n")
    painted(pty, "light")
    pty.type("\x15")
    pty.until("Ask, or type")
    quit_(pty)


def test_who_looks_away_is_told_and_who_looks_is_not(start: Start) -> None:
    pty = start("[notify]\nbell = true\n", KITTY_WINDOW_ID="1")
    pty.until("Ask, or type")
    pty.type("list\r\x1b[O")
    pty.until(lambda _: b"\x1b]99;;agent-tui is done\x1b\\\a" in pty.raw)
    pty.raw = b""
    pty.type("\x1b[Ilist\r")
    pty.until(lambda _: b"\x1b]2;* " in pty.raw)
    mark = len(pty.raw)
    pty.until(lambda _: b"\x1b]2;" in pty.raw[mark:])
    quit_(pty)
    assert b"\x1b]99;" not in pty.raw
