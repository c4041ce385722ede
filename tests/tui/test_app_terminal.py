"""The program in a real terminal: keys of every moment and encoding, and the terminal given back in
every case."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

READY = "Enter send"
Start = Callable[..., Pty]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program with an engine that answers prompts with their own words."""
    running: list[Pty] = []

    def starter(typed: bytes = b"", size: tuple[int, int] = (80, 24), **env: str) -> Pty:
        place = {
            "OPS": str(tmp_path / "ops"),
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
        }
        pty = Pty(["-m", "tests.tui.screen_program"], {**place, **env}, size, typed)
        running.append(pty)
        return pty

    yield starter
    for pty in running:
        pty.close()


def submits(tmp_path: Path) -> list[str]:
    ops = (tmp_path / "ops").read_text() if (tmp_path / "ops").exists() else ""
    return [eval(found) for found in re.findall(r"Submit\(.*?text=('.*?'|\".*?\"), queue_id", ops)]


def leave(pty: Pty) -> int:
    pty.until("Ask, or type")
    pty.type("\x04")
    return pty.wait()


def test_what_is_typed_before_the_first_frame_arrives_once_and_in_order(
    start: Start, tmp_path: Path
) -> None:
    pty = start(typed="héllo ".encode(), HOLD="0.4")
    text = "".join(random.Random(1).choices("abcdefghij klmnop", k=60))
    for piece in (text[:20], text[20:40], text[40:]):
        time.sleep(0.03)
        pty.type(piece)
    pty.type("\x1b[200~two\rlines\x1b[201~")
    pty.until(READY)
    pty.until("lines")
    pty.type("\r")
    pty.until("You said: héllo")
    assert submits(tmp_path) == [f"héllo {text}two\nlines"]
    assert leave(pty) == 0
    assert pty.restored() == []


def test_enter_before_the_terminal_was_ready_sends(start: Start, tmp_path: Path) -> None:
    pty = start(typed=b"first\n")
    pty.until("You said: first")
    pty.type("a\nb\r")  # later, a line feed is Ctrl+J
    pty.until("You said: a")
    assert submits(tmp_path) == ["first", "a\nb"]


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        (b"xy\x7fQ\r", "xQ"),
        (b"ab\x1b[Dc\x01d\x05e\r", "dacbe"),
        (b"one\nx\r", "one\nx"),
        (b"one\x1b\rx\r", "one\nx"),
        (b"one\x1b[13;2ux\r", "one\nx"),
        (b"one\x1b[27;2;13~x\r", "one\nx"),
        (b"one\x1b[13;3ux\r", "one\nx"),
        (b"one\x1b[27;3;13~x\r", "one\nx"),
        (b"kitty\x1b[13u", "kitty"),
        (b"pad\x1bOM", "pad"),
        (b"save\x13", "save"),
        ("wörld 漢字 👍\r".encode(), "wörld 漢字 👍"),
        (b"what?\r", "what?"),
        (b"ab\x04\x01\x04c\r", "cb"),
        (b"x" * 600 + b"\r", "x" * 600),
    ],
)
def test_keys_as_terminals_encode_them_in_one_burst(
    start: Start, tmp_path: Path, keys: bytes, sent: str
) -> None:
    pty = start()
    pty.until(READY)
    pty.type(keys)
    pty.until("You said:")
    assert submits(tmp_path) == [sent]


def test_a_backslash_before_enter_is_a_new_line_and_two_line_ends_at_once_are_a_paste(
    start: Start, tmp_path: Path
) -> None:
    pty = start()
    pty.until(READY)
    pty.type(b"one\\\r")
    pty.until("❯ one")
    pty.type(b"x\r")
    pty.until("You said:")
    assert submits(tmp_path) == ["one\nx"]
    pty.type(b"docker run \\\r  -it img\r")
    pty.until("-it img")
    pty.read(0.5)
    assert submits(tmp_path) == ["one\nx"], "nobody pressed Enter"


def test_escape_alone_and_in_its_kitty_form_interrupts(start: Start, tmp_path: Path) -> None:
    pty = start()
    pty.until(READY)
    for key in ("\x1b", "\x1b[27u"):
        pty.type("\x15wait\r")  # what was interrupted before any answer is in the prompt again
        pty.until("Esc stop")
        pty.type(key)
        pty.until(lambda text: "Esc stop" not in text and "❯ wait" in text.splitlines()[-3])
    assert (tmp_path / "ops").read_text().count("Cancel(") == 2


@pytest.mark.parametrize("key", ["\x1b[A", "\x1bOB", "\x1b[<64;9;9M"])
def test_a_key_that_a_slow_line_parts_behind_its_escape_stops_no_turn(
    start: Start, tmp_path: Path, key: str
) -> None:
    pty = start(ESCDELAY="")
    pty.until(READY)
    pty.type("wait\r")
    pty.until("Esc stop")
    for _ in range(3):
        pty.type(key[0])
        time.sleep(0.12)
        pty.type(key[1:])
        pty.read(0.4)
    assert "Cancel(" not in (tmp_path / "ops").read_text()
    pty.type("\x1b")
    pty.until(lambda text: "Esc stop" not in text)
    assert (tmp_path / "ops").read_text().count("Cancel(") == 1


def test_leaving_prints_how_to_go_on_and_the_end_of_the_answer(start: Start) -> None:
    pty = start()
    pty.until(READY)
    pty.type("bye\r")
    pty.until("You said: bye")
    assert leave(pty) == 0
    assert pty.restored() == []
    after = pty.raw.rpartition(b"\x1b[?1049l")[2].decode()
    assert "You said: bye" in after
    assert "agent-tui --resume 0b0e1c5a-0000-4000-8000-000000000001" in after


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_signals_give_the_terminal_back(start: Start, number: signal.Signals) -> None:
    pty = start()
    pty.until(READY)
    pty.type("wait\r")
    pty.until("Esc stop")
    pty.signal(number)
    assert pty.wait() == 128 + number
    assert pty.restored() == []


def test_signals_at_any_moment_of_the_start_give_the_terminal_back(start: Start) -> None:
    chance = random.Random(7)
    for _ in range(6):
        pty = start(typed=b"x", HOLD="0.1")
        pty.read(chance.uniform(0.1, 0.7))
        number = chance.choice([signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
        pty.signal(number)
        assert pty.wait() in (128 + number, -number)
        assert [left for left in pty.restored() if "termios" in left] == [] or pty.code == -number
        assert pty.raw.count(b"\x1b[?1049h") == pty.raw.count(b"\x1b[?1049l")


def test_an_error_of_our_own_ends_the_screen_in_order_and_is_in_the_log(
    start: Start, tmp_path: Path
) -> None:
    pty = start(LOGS=str(tmp_path / "logs"))
    pty.until(READY)
    pty.type("crash\r")
    assert pty.wait() == 1
    assert pty.restored() == []
    assert "an error in its own code" in pty.raw.rpartition(b"\x1b[?1049l")[2].decode()
    (log,) = (tmp_path / "logs").iterdir()
    assert "Traceback" in log.read_text()


def test_an_error_before_the_screen_gives_the_terminal_back(start: Start) -> None:
    pty = start(SCENE="broken-start")
    assert pty.wait() == 1
    assert [left for left in pty.restored() if "termios" in left or "2004" in left] == []
    assert b"broken at the start" in pty.raw


def test_markup_and_escapes_of_a_model_are_shown_and_do_nothing(start: Start) -> None:
    pty = start()
    pty.until(READY)
    pty.type("markup\r")
    shown = pty.until("not markup")
    assert "[bold red]not markup[/] [/x]" in shown
    assert b"\x9b2J" not in pty.raw
    assert leave(pty) == 0
    assert b"\x1b[31mred" not in pty.raw.rpartition(b"\x1b[?1049l")[2]


def test_any_size_and_any_resizing_is_survived(start: Start) -> None:
    pty = start(size=(1, 1))
    pty.read(1.0)
    chance = random.Random(3)
    for size in [
        (1, 1),
        (2, 1),
        (1, 2),
        *((chance.randint(1, 120), chance.randint(1, 40)) for _ in range(20)),
    ]:
        pty.resize(*size)
        pty.type(chance.choice(["a", "/", "\x7f", "?", "\x1b[A", "\x1b[5~"]))
        pty.read(0.05)
    assert pty.poll() is None
    pty.resize(80, 24)
    pty.type("\x1b\x1b[27u")
    pty.read(0.3)
    pty.signal(signal.SIGTERM)
    assert pty.wait() == 128 + signal.SIGTERM
    assert pty.restored() == []


def test_a_terminal_that_goes_away_ends_the_program(start: Start) -> None:
    pty = start()
    pty.until(READY)
    pty.type("wait\r")
    pty.until("Esc stop")
    pty.hang_up()
    end = time.monotonic() + 15
    while pty.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert pty.code == 128 + signal.SIGHUP


def test_a_terminal_that_takes_no_output_cannot_hold_the_program() -> None:
    fill = "os.set_blocking(2, False)\ntry:\n  while True: os.write(2, b'x' * 999)\nexcept BlockingIOError: pass\n"
    begin = "import os\nfrom agent_tui.boot import terminal\nearly = terminal.prepare([])\n"
    code = f"{begin}{fill}os.set_blocking(2, True)\nearly.end(15)"
    pty = Pty(["-c", code], {"PYTHONPATH": str(ROOT)})
    end = time.monotonic() + 15
    while pty.poll() is None and time.monotonic() < end:
        time.sleep(0.02)  # nobody reads
    assert pty.code == 128 + signal.SIGTERM
    assert [left for left in pty.restored() if "termios" in left] == []
    pty.close()
