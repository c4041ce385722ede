"""Esc and, soon after, another key: Esc acts, and the key is itself. Only what may be the rest of a
key that a slow line cuts is waited for."""

from __future__ import annotations

import pytest
from textual import events

from agent_tui.tui.textual_port.terminal import STOPPING_DELAY
from tests.tui.test_key_cuts import KEYS
from tests.tui.test_key_halves import END, START, Line


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """A parser that waits as long as while Esc would stop a turn."""
    monkeypatch.setattr("textual.constants.ESCAPE_DELAY", STOPPING_DELAY)
    return Line(monkeypatch)


@pytest.mark.parametrize("gap", [0.055, 0.12, 0.2, 0.249])
@pytest.mark.parametrize("key", ["y", "s", "\r", " ", "1", "]", "P", "_", "[", "O", "\t"])
def test_a_key_later_than_that_behind_esc_is_itself(
    line: Line, key: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.send("\x1b").wait(gap).send(key).wait(0.1)
    assert line.said == ["escape", *Line(monkeypatch).send(key).said]


@pytest.mark.parametrize("words", ["Ok then", "[x] done", "Please", "_no", "]x", "[1] see"])
@pytest.mark.parametrize("pace", [0.04, 0.08, 0.2])
def test_words_behind_esc_are_whole(line: Line, words: str, pace: float) -> None:
    line.send("\x1b").wait(0.12)
    for letter in words:
        line.send(letter).wait(pace)
    line.wait(1)
    typed = [said for said in line.said if said != "escape"]
    assert line.said[0] == "escape" and len(typed) == len(words)
    assert not any(str(said).startswith("alt+") for said in typed)


@pytest.mark.parametrize("words", ["Please stop", "PAY x", "]x y", "_x", "P", "]", "]1 a"])
@pytest.mark.parametrize("gap", [0.07, 0.12, 0.2])
@pytest.mark.parametrize("pace", [0.04, 0.15, 0.4])
def test_words_behind_esc_are_whole_while_an_answer_is_awaited(
    line: Line, words: str, gap: float, pace: float
) -> None:
    line.parser.asked = line.now
    line.send("\x1b").wait(gap)
    for letter in words:
        line.send(letter).wait(pace)
    line.wait(1)
    typed = [said for said in line.said if said != "escape"]
    assert line.said[0] == "escape" and len(typed) == len(words)


@pytest.mark.parametrize("gap", [0.0, 0.004, 0.03])
@pytest.mark.parametrize(
    ("key", "named"), [("s", "alt+s"), ("\r", "alt+enter"), ("O", "alt+shift+o")]
)
def test_alt_and_a_key_come_at_once(line: Line, key: str, named: str, gap: float) -> None:
    line.send(f"\x1b{key}") if not gap else line.send("\x1b").wait(gap).send(key)
    line.wait(1)
    assert line.said == [named]


def test_esc_twice_and_alt_with_a_key_in_one_read_are_in_order(line: Line) -> None:
    line.send("\x1b\x1bk").wait(0.04).send("O").wait(0.04).send("A").wait(1)
    assert line.said == ["escape", "alt+k", "O", "A"]


@pytest.mark.parametrize("gap", [0.06, 0.12, 0.2])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_a_slow_line_cuts_behind_its_escape_is_that_key(
    line: Line, key: str, gap: float
) -> None:
    line.send("\x1b").wait(gap).send(key[1:]).wait(1).send("z")
    assert line.said == [*([KEYS[key]] if KEYS[key] else []), "z"]


@pytest.mark.parametrize("key", ["\x1b[A", "\x1b[1;5C", "\x1b[<0;20;1m"])
def test_and_so_is_one_in_three_pieces(line: Line, key: str) -> None:
    line.send("\x1b").wait(0.12).send("[").wait(0.08).send(key[2:]).wait(1).send("z")
    assert line.said == [KEYS[key], "z"]


def test_a_paste_whose_mark_is_cut_is_one(line: Line) -> None:
    for cut in range(1, len(START)):
        line.said.clear()
        line.send(START[:cut]).wait(0.08).send(f"{START[cut:]}one\rtwo{END}").wait(1)
        assert line.said == [["one\rtwo"]], cut


def test_an_answer_that_is_owed_is_none_of_a_persons_keys(line: Line) -> None:
    line.parser.asked = line.now
    line.send("\x1b").wait(0.1).send("]").wait(0.1).send("4;1;rgb:00/11/22\x07").wait(1)
    line.send("\x1b").wait(0.1).send("[?62;22c").wait(1)
    assert line.said == []


def test_what_is_open_when_the_program_ends_is_esc_and_what_was_typed(line: Line) -> None:
    line.send("\x1b").wait(0.1).send("[")
    said = [one.key for one in line.parser.finish() if isinstance(one, events.Key)]
    assert said == ["escape", "left_square_bracket"]


def test_escdelay_says_how_long_a_key_may_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCDELAY", "500")
    monkeypatch.setattr("textual.constants.ESCAPE_DELAY", 0.5)
    assert Line(monkeypatch).send("\x1b").wait(0.3).send("s").wait(1).said == ["alt+s"]
