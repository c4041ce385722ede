"""Copying in a real terminal: mouse reports as a terminal sends them, and what is written back for
its clipboard."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_tui.tui.runtime.terminal_features import osc52
from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]
MOUSE = (b"1000", b"1003", b"1015", b"1006")
_OSC = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program with an engine that answers prompts with their own words."""
    running: list[Pty] = []

    def starter(**env: str) -> Pty:
        place = {
            "OPS": str(tmp_path / "ops"),
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "TMUX": "",
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
        }
        pty = Pty(["-m", "tests.tui.screen_program"], {**place, **env}, (80, 24))
        running.append(pty)
        pty.until("Enter send")
        return pty

    yield starter
    for pty in running:
        pty.close()


def say(pty: Pty, prompt: str, shown: str) -> None:
    pty.paste(prompt)
    pty.until(shown)


def drag(pty: Pty, start: tuple[int, int], *ends: tuple[int, int]) -> None:
    """Press, move, release: the left button, in SGR reports. Places count from 0."""
    x, y = start
    pty.type(f"\x1b[<0;{x + 1};{y + 1}M")
    for x, y in ends:
        pty.type(f"\x1b[<32;{x + 1};{y + 1}M")
        pty.read(0.1)
    pty.type(f"\x1b[<0;{x + 1};{y + 1}m")
    pty.read(0.1)


def place(pty: Pty, words: str) -> tuple[int, int]:
    y = next(number for number, row in enumerate(pty.emulator.display) if words in row)
    return pty.emulator.display[y].index(words), y


def clips(pty: Pty) -> list[str]:
    """What the terminal was told to hold, in order."""
    return [base64.b64decode(found).decode() for found in _OSC.findall(pty.raw)]


def mouse_is_taken(pty: Pty) -> bool:
    states = {
        pty.raw.rfind(b"\x1b[?%sh" % mode) > pty.raw.rfind(b"\x1b[?%sl" % mode) for mode in MOUSE
    }
    assert len(states) == 1, "all of its modes go together"
    return states.pop()


def test_what_the_mouse_selects_reaches_the_clipboard_without_the_wrapping(
    start: Start, tmp_path: Path
) -> None:
    pty = start()
    words = " ".join(f"word{number}" for number in range(30))
    say(pty, f"first {words}", "You said: first")
    pty.until("word29")
    answer = place(pty, "You said: first")
    last = max(y for y, row in enumerate(pty.emulator.display) if "word29" in row)
    end = (pty.emulator.display[last].index("word29") + 5, last)
    drag(pty, (answer[0] + 10, answer[1]), (20, answer[1]), (79, last), end)
    pty.type("\x03")
    pty.until("copied")
    assert clips(pty) == [f"first {words}"]
    assert "SetClipboard" in (tmp_path / "ops").read_text()


def test_two_clicks_take_a_word(start: Start) -> None:
    pty = start()
    say(pty, "some words", "You said: some words")
    x, y = place(pty, "said: some")
    for _ in range(2):
        pty.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
        pty.read(0.05)
    pty.type("\x03")
    pty.until("copied 5 characters")
    assert clips(pty) == ["said:"]


def test_a_drag_that_ends_on_a_link_only_selects_and_a_second_one_takes_no_word(
    start: Start,
) -> None:
    pty = start()
    say(pty, "[here](https://example.org/) and there", "You said: here and there")
    x, y = place(pty, "here and there")
    for _ in range(2):
        drag(pty, (x + 7, y), (x + 2, y))
    pty.type("\x03")
    pty.until("copied 6 characters")
    assert clips(pty) == ["re and"]
    pty.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
    pty.until("copied 20 characters")
    assert clips(pty)[1:] == ["https://example.org/"]


def test_the_list_copies_raw_markdown_and_raw_code(start: Start) -> None:
    pty = start()
    say(pty, "x **bold**\n\n```py\nif x:\n    y\n```", "if x:")
    say(pty, "/copy", "code 1 py")
    pty.pause()
    pty.type("\x1b[B")
    pty.until("❯ a code 1")
    pty.type("\r")
    pty.until("copied")
    say(pty, "/copy 1", "copied 43 characters")
    assert clips(pty) == ["if x:\n    y", "You said: x **bold**\n\n```py\nif x:\n    y\n```"]


def test_an_answer_that_is_copied_whole_holds_nothing_that_a_shell_obeys(start: Start) -> None:
    pty = start()
    say(pty, "markup", "not markup")
    say(pty, "/copy 1", "copied")
    assert clips(pty) == [
        "[bold red]not markup[/] [/x] ␛[31mred␛[0m <U+009B>2J [@click=app.quit]no[/]"
    ]


def test_inside_of_tmux_it_is_said_twice(start: Start) -> None:
    pty = start(TMUX="/tmp/tmux-0/default,1,0")
    say(pty, "hello", "You said: hello")
    say(pty, "/copy 1", "copied 15 characters")
    payload = base64.b64encode(b"You said: hello")
    plain, through = (
        b"\x1b]52;c;" + payload + b"\x07",
        b"\x1bPtmux;\x1b\x1b]52;c;" + payload + b"\x07\x1b\\",
    )
    assert plain + through in pty.raw


def test_f9_leaves_the_mouse_to_the_terminal_and_takes_it_back(start: Start) -> None:
    pty = start()
    assert mouse_is_taken(pty)
    pty.type("\x1b[20~")
    pty.until("F9 take mouse back")
    assert not mouse_is_taken(pty)
    pty.type("\x1b[20~")
    pty.until(lambda text: "take mouse back" not in text)
    assert mouse_is_taken(pty)
    pty.type("\x1b[20~")
    pty.until("F9 take mouse back")
    pty.type("\x04")
    assert pty.wait() == 0
    assert pty.restored() == []


def test_a_mouse_that_is_told_in_pixels_still_is_when_it_is_taken_back(start: Start) -> None:
    pty = start()
    pty.type("\x1b[?2048;1$y\x1b[48;24;80;480;800t")
    pty.type("\x1b[20~")
    pty.until("F9 take mouse back")
    assert b"\x1b[?1016h" in pty.raw
    pty.type("\x1b[20~")
    pty.until(lambda text: "take mouse back" not in text)
    assert pty.raw.rfind(b"\x1b[?1016h") > pty.raw.rfind(b"\x1b[?1006h")


@pytest.mark.parametrize("text", ["", "grüße\n漢字\x1b]52;c;x\x07", "a" * 200_000, "\ud800"])
def test_the_payload_is_the_text_and_nothing_else(text: str) -> None:
    said = osc52(text, {})
    assert re.fullmatch(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07", said)
    assert base64.b64decode(said[7:-1]) == text.encode("utf-8", "replace")
    assert osc52(text, {"TMUX": ""}) == said
    assert osc52(text, {"TMUX": "x"}).startswith(said)


@pytest.mark.parametrize("text", ["", "grüße", "a" * 200_000])
def test_gnu_screen_passes_it_on_in_pieces(text: str) -> None:
    said = osc52(text, {})
    for environment in ({"STY": "1.pts", "TERM": "xterm"}, {"TERM": "screen.xterm-256color"}):
        pieces = re.findall(r"\x1bP([^\x1b]?[\x1b]?[^\x1b]*)\x1b\\", osc52(text, environment))
        assert "".join(pieces) == said
        assert osc52(text, environment) == "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
        assert max(map(len, pieces)) < 250
    assert osc52(text, {"TERM": "screen-256color"}) == osc52(text, {"STY": "x"}) + said
    assert osc52(text, {"TERM": "screen-256color", "TMUX": "x"}) == osc52(text, {"TMUX": "x"})


def test_esc_drops_what_is_selected_and_a_list_is_copied_as_it_was_written(start: Start) -> None:
    pty = start()
    say(pty, "a\n\n- one `x`\n- [x] two\n\n```py\nif x:\n    y\n```", "if x:")
    y = place(pty, "• one x")[1]
    drag(pty, (0, y), (70, y), (70, y + 1))
    pty.type("\x03")
    pty.until("copied")
    y = place(pty, "  py ")[1] + 1
    drag(pty, (0, y), (70, y), (70, y + 1))
    pty.type("\x1b")
    pty.read(0.3)
    drag(pty, (4, y), (60, y + 1))
    pty.type("\x03")
    pty.until("copied 11 characters")
    assert clips(pty) == ["- one `x`\n- [x] two", "if x:\n    y"]
    drag(pty, (0, y), (70, y), (70, y + 1))
    pty.type("\x1b")
    pty.read(0.3)
    pty.type("\x03")
    pty.until("again to quit")
    assert len(clips(pty)) == 2


def test_a_drag_that_comes_from_outside_takes_no_more_than_is_in_view(start: Start) -> None:
    pty = start()
    say(pty, "\n\n".join(f"line {n:03}" for n in range(150)), "line 149")
    pty.until(lambda text: "completed" in text and "line 149" in text)
    pty.type("\x1b[5~")
    pty.until(lambda text: "line 149" not in text)
    lines = re.findall(r"line \d+", pty.text)
    x, y = place(pty, lines[2])
    for number, (row, wanted) in enumerate(
        ((0, "\n\n".join(lines[:2])), (23, "\n\n".join(lines[2:])))
    ):
        drag(pty, (40, row), (x, y))
        pty.type("\x03")
        pty.until(f"copied {len(wanted)} characters")
        assert clips(pty)[number] == wanted


def test_a_drag_that_is_held_above_the_page_scrolls_it_and_takes_no_more_than_that(
    start: Start,
) -> None:
    pty = start()
    say(pty, "\n\n".join(f"line {n:03}" for n in range(150)), "line 149")
    pty.until(lambda text: "completed" in text and "line 149" in text)
    x, y = place(pty, "line 148")
    pty.type(f"\x1b[<0;{x + 1};{y + 1}M")
    for row in (y, y - 1, 0):
        pty.type(f"\x1b[<32;{x + 1};{row + 1}M")
        pty.read(0.1)
    pty.until("line 100")
    pty.type(f"\x1b[<0;{x + 1};1m")
    pty.read(0.3)
    pty.type("\x03")
    pty.until("copied")
    lines = clips(pty)[-1].split("\n\n")
    assert lines == [f"line {n:03}" for n in range(148 - len(lines) + 1, 148)] + ["l"]
    assert 40 < len(lines) < 140
