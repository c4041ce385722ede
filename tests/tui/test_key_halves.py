"""What a terminal sends in halves, or never to its end: answers and pastes, with any pause in
between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual import events

from agent_tui.tui.textual_port import key_parser
from agent_tui.tui.textual_port.key_parser import Ground, KeyParser
from tests.tui.pty_stage import ROOT, Pty

START, END = "\x1b[200~", "\x1b[201~"
ANSWER = "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"


class Line:
    """A parser with a clock of its own: bytes that come with pauses, as the driver would hand them
    on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(key_parser, "monotonic", lambda: self.now)
        monkeypatch.setattr("textual._parser.get_time", lambda: self.now)
        self.parser = KeyParser()
        self.said: list[object] = []

    def send(self, data: str) -> Line:
        self._hear(self.parser.feed(data))
        self._hear(self.parser.tick())
        return self

    def wait(self, seconds: float) -> Line:
        """Wakes up when the driver would."""
        end = self.now + seconds
        while (patience := self.parser.patience) is not None and self.now + patience <= end:
            self.now += patience + 0.0001
            self._hear(self.parser.tick())
        self.now = max(self.now, end)
        return self

    def _hear(self, messages: object) -> None:
        assert isinstance(messages, Iterator)
        for message in messages:
            if isinstance(message, events.Key):
                self.said.append(message.key)
            elif isinstance(message, events.Paste):
                self.said.append([message.text])
            else:
                self.said.append(type(message))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("at", range(1, len(ANSWER)))
def test_an_answer_in_two_reads_types_nothing(line: Line, at: int, gap: float) -> None:
    line.parser.asked = line.now
    line.send(ANSWER[:at]).wait(gap).send(ANSWER[at:]).wait(2).send("a")
    assert line.said in ([Ground, "a"], ["escape", Ground, "a"])
    assert line.said[0] is Ground or (at == 1 and gap > 0)


@pytest.mark.parametrize("end", ["\x1b\\", "\x07"])
@pytest.mark.parametrize("gap", [1.2, 3.5, 40.0])
@pytest.mark.parametrize("at", range(1, len(ANSWER) - 1))
def test_the_rest_of_an_answer_types_nothing_however_late_it_comes(
    line: Line, at: int, gap: float, end: str
) -> None:
    line.parser.asked = line.now
    answer = ANSWER.removesuffix("\x1b\\") + end
    at -= at == len(answer)
    line.send(answer[:at]).wait(gap)
    for letter in "typed":
        line.send(letter).wait(0.2)
    line.send(answer[at:]).wait(2).send("\x07")
    said = [said for said in line.said if said not in ("escape", "alt+right_square_bracket")]
    assert said == [*"typed", Ground, "ctrl+g"]


def test_an_answer_in_three_pieces_with_long_pauses_types_nothing(line: Line) -> None:
    line.parser.asked = line.now
    line.send("\x1b]11;rgb:1e1e/").wait(2).send("1e1e").wait(2).send("/1e1e\x07").wait(2).send("a")
    assert line.said == [Ground, "a"]


@pytest.mark.parametrize("at", range(3, 9))
def test_the_report_of_a_mode_that_comes_late_types_nothing(line: Line, at: int) -> None:
    line.send("\x1b[?2026;2$y"[:at]).wait(5).send("\x1b[?2026;2$y"[at:]).wait(2).send("a")
    assert [said for said in line.said if isinstance(said, str) and said != "<ignore>"] == ["a"]


@pytest.mark.parametrize("at", range(3, 10))
def test_the_report_of_a_mode_in_two_reads_types_nothing(line: Line, at: int) -> None:
    line.send("\x1b[?2026;2$y"[:at]).wait(0.5).send("\x1b[?2026;2$y"[at:]).wait(2).send("a")
    assert line.said[-1] == "a" and not [said for said in line.said[:-1] if isinstance(said, str)]


def test_an_answer_in_many_reads_and_one_without_an_end(line: Line) -> None:
    line.parser.asked = line.now
    for character in ANSWER[1:]:
        line.send("\x1b" + character if character == "]" else character).wait(0.3)
    assert line.said == [Ground]
    line.send(ANSWER[:14]).wait(1.1).send("a")
    assert line.said == [Ground, "a"]


@pytest.mark.parametrize("words", ["hello", "again", "deadbeef", "a", "rgb", "\u200cx", "\r"])
@pytest.mark.parametrize("broken", ["\x1b]11;", "\x1b]11;rgb:", "\x1b]11;rgb:1e1e/1e"])
def test_what_is_typed_after_an_answer_that_broke_off_is_kept(
    line: Line, broken: str, words: str
) -> None:
    line.parser.asked = line.now
    line.send(broken).wait(0.6)
    for letter in words:
        line.send(letter).wait(0.15)
    line.wait(2)
    line.send("x")
    whole = Line.__new__(Line)
    whole.said, whole.parser = [], KeyParser()
    for letter in (*words, "x"):
        whole.send(letter)
    assert line.said == whole.said


@pytest.mark.parametrize("cut", ["\x1b[?", "\x1b[<", "\x1b[1;", "\x1b[<0;12", "\x1bO5", "\x1bOZ"])
def test_a_sequence_that_nobody_knows_or_that_breaks_off_types_nothing(
    line: Line, cut: str
) -> None:
    line.send(cut).wait(1.2)
    for letter in "hello":
        line.send(letter).wait(0.05)
    assert line.said == [*"hello"]
    line.said.clear()
    line.send(f"{cut}\x1b[Ax").wait(1.2)
    assert line.said == ["up", "x"]


@pytest.mark.parametrize(
    ("reads", "told"),
    [
        (
            "\x1b | [ | ? | a",
            "escape [ ? a",
        ),  # Esc and three letters, faster than Esc is waited for
        ("\x1b[?a", "escape [ ? a"),  # the same on a line that brings them at once
        ("\x1b[?abc", "escape [ ? a b c"),
        ("\x1b[ | ? | a", "? a"),  # Alt+[, which means nothing
        ("\x1b[? | a", "a"),  # an answer that broke off
        ("\x1b[? | a | b", "a b"),
        ("\x1b[?2026;2 | d", "d"),
        ("\x1b[?2026;2$ | d", "d"),
        ("\x1b[?2026;2$ | y | d", "d"),
        ("\x1b[?62;22 | c | d", "d"),
        ("\x1b[?1 | u | d", "d"),
        ("\x1b[?62;22q", ""),
        ("\x1b[> | q", "q"),
        ("\x1b[<0;3;3 | M | d", "d"),
    ],
)
def test_a_letter_after_the_beginning_of_an_answer_is_kept_where_no_answer_ends_so(
    line: Line, reads: str, told: str
) -> None:
    for read in reads.split(" | "):
        line.send(read).wait(0.03)
    line.wait(2)
    keys = {"left_square_bracket": "[", "question_mark": "?"}
    assert [keys.get(said, said) for said in line.said if isinstance(said, str)] == told.split()


def test_alt_and_a_bracket_is_a_key_at_once_unless_the_terminal_was_just_asked(line: Line) -> None:
    line.send("\x1b]").wait(0.2)
    assert line.said == ["alt+right_square_bracket"]
    line.parser.asked = line.now
    line.send("\x1b]").wait(0.5)
    assert line.said == ["alt+right_square_bracket"]
    line.wait(0.8)
    assert line.said == ["alt+right_square_bracket"] * 2


def test_a_paste_without_an_end_is_inserted_and_keys_are_keys(line: Line) -> None:
    line.send(f"{START}one\rtwo").wait(0.9)
    assert line.said == []
    line.wait(0.2)
    assert line.said == [["one\rtwo"]]
    line.send("a").send("\r").send("\x1b[A")
    assert line.said[1:] == ["a", "enter", "up"]


@pytest.mark.parametrize("cut", range(7))
def test_a_paste_that_stalls_goes_on_and_never_sends(line: Line, cut: int) -> None:
    line.send(f"{START}one\r").wait(1.5).send("two\rthree\r").wait(1.5).send(
        f"four\r{END[:cut]}"
    ).wait(1.5)
    if cut < len(END):
        line.send(END[cut:]).wait(1.5)
    line.send("x").send("\r")
    pasted = "".join(said[0] for said in line.said if isinstance(said, list))
    assert pasted == "one\rtwo\rthree\rfour\r"
    assert [said for said in line.said if isinstance(said, str)] == ["x", "enter"]


def test_a_paste_of_nothing_without_an_end_is_nothing(line: Line) -> None:
    line.send(START).wait(1.5).send("\x03")
    assert line.said == ["ctrl+c"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Pty]]:
    running: list[Pty] = []

    def starter() -> Pty:
        place = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "TMUX": "",
            "STY": "",
        }
        running.append(Pty(["-m", "agent_tui", "--demo", "--cwd", str(tmp_path)], place))
        return running[-1]

    yield starter
    for pty in running:
        pty.close()


def test_an_answer_in_halves_and_a_paste_without_an_end_in_a_real_terminal(
    start: Callable[[], Pty],
) -> None:
    pty = start()
    pty.until("Enter send")
    while b"\x1b]11;?" not in pty.raw:
        pty.read(0.05)
    pty.type(ANSWER[:2])
    pty.read(0.4)  # the pause of the line
    pty.type(ANSWER[2:9])
    pty.read(0.4)
    pty.type(f"{ANSWER[9:]}typed ")
    pty.until("❯ typed")
    assert "rgb" not in pty.text and "1e1e" not in pty.text
    pty.type(f"{START}pasted\rtext")
    pty.until("pasted")
    pty.type("!")
    pty.until("text!")
    pty.type("\r")
    pty.until("I do not understand")
