"""The terminal as it is found: a locale without Unicode, and a stack of keyboard modes that others
use too."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.boot.frame import as_given
from agent_tui.structures.ascii import reason, wants_ascii
from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Pty] = []

    def starter(**env: str) -> Pty:
        place = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "LC_ALL": "",
            "LC_CTYPE": "",
            "LANG": "",
            "TMUX": "",
            "STY": "",
        }
        pty = Pty(["-m", "agent_tui", "--demo"], {**place, **env})
        running.append(pty)
        return pty

    yield starter
    for pty in running:
        pty.close()


@pytest.mark.parametrize(
    ("locale", "limited"),
    [
        ({"LANG": "C"}, "LANG=C"),
        ({"LANG": "POSIX"}, "LANG=POSIX"),
        ({"LC_ALL": "C"}, "LC_ALL=C"),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, "LC_ALL=C"),
        ({"LC_ALL": "de_DE.latin1"}, "LC_ALL=de_DE.latin1"),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, ""),
        ({"LANG": "en_US.UTF-8"}, ""),
        ({}, ""),
    ],
)
def test_the_screen_is_ascii_where_the_locale_has_no_more(
    start: Start, locale: dict[str, str], limited: str
) -> None:
    pty = start(**locale)
    pty.until("Enter send")
    pty.type("/debug\r")
    said = f"ASCII, because of {limited}" if limited else "Unicode"
    pty.until(lambda text: re.search(rf"glyphs +{said}", text) is not None)
    drawn = pty.raw.decode("utf-8", "replace")
    assert drawn.isascii() is bool(limited), sorted(
        {letter for letter in drawn if not letter.isascii()}
    )


def test_the_locale_that_python_sets_itself_does_not_count() -> None:
    by_python = {"LANG": "C", "LC_CTYPE": "C.UTF-8", "X": "y"}
    assert as_given({**by_python, "LC_ALL": "C.UTF-8"})["LC_CTYPE"] == "C.UTF-8"
    assert as_given({"LANG": "en_US", "LC_CTYPE": "C.UTF-8"})["LC_CTYPE"] == "C.UTF-8"
    assert reason({"TERM": "linux", "LANG": "C"}) == "TERM=linux"
    assert reason({"LANG": "C.utf8"}) == "" and not wants_ascii({"LANG": "C.utf8"})


def pushes(raw: bytes) -> tuple[int, int]:
    return len(re.findall(rb"\x1b\[>\d+u", raw)), raw.count(b"\x1b[<u")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_stack_of_keyboard_modes_is_left_as_it_was_found(
    start: Start, number: signal.Signals
) -> None:
    for step in range(8):
        pty = start()
        pty.until("starting")
        pty.read(0.08 * step)  # the moment of the signal
        pty.signal(number)
        assert pty.wait() == 128 + number
        pushed, popped = pushes(pty.raw)
        assert pushed == popped, f"after {0.08 * step} s"
        assert pty.restored() == []


def test_what_is_pushed_is_popped_once(start: Start) -> None:
    pty = start()
    pty.until("Enter send")
    assert pushes(pty.raw) == (1, 0)
    pty.type("\x04")
    assert pty.wait() == 0
    assert pushes(pty.raw) == (1, 1)


def test_without_kittys_protocol_nothing_is_popped(start: Start) -> None:
    pty = start(TEXTUAL_DISABLE_KITTY_KEY="1")
    pty.until("Enter send")
    pty.type("\x04")
    assert pty.wait() == 0
    assert pushes(pty.raw) == (0, 0)
