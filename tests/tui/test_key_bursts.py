"""Pastes of terminals that do not mark them: text that comes as keys, in one go or faster than
anybody types."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from textual import events
from textual.message import Message

from agent_tui.tui.textual_port import key_parser
from agent_tui.tui.textual_port.key_parser import KeyParser


class Clock:
    """Reads come as far apart as a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(key_parser, "monotonic", lambda: self.now)
        self.parser = KeyParser()

    def read(self, data: str, after: float = 1.0) -> list[object]:
        self.now += after
        return self._said(self.parser.feed(data))

    def rest(self) -> list[object]:
        """Nothing comes for a while."""
        self.now += 1.0
        return self._said(self.parser.tick())

    def _said(self, messages: Iterable[Message]) -> list[object]:
        return [
            [message.text]
            if isinstance(message, events.Paste)
            else getattr(message, "key", type(message))
            for message in messages
        ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_line_end_inside_is_a_paste_and_the_one_behind_it_too(clock: Clock) -> None:
    assert clock.read("one\rtwo\r") == [], "more may follow"
    assert clock.read("rest of it\r", after=0.01) == clock.read("\r", after=0.01) == []
    assert clock.parser.patience is not None
    assert clock.rest() == [["one\rtwo\rrest of it\r\r"]], "it is one paste"
    assert clock.read("\r", after=1.0) == ["enter"]


def test_what_is_no_text_ends_a_paste_and_comes_behind_it(clock: Clock) -> None:
    clock.read("one\rtwo")
    assert clock.read(" and three\r\x1b[A", after=0.01) == [["one\rtwo and three\r"], "up"]


def test_a_long_text_without_line_ends_is_one_paste_however_many_reads_bring_it(
    clock: Clock,
) -> None:
    for number in range(25):
        assert clock.read("x" * 4096, after=0.01 if number else 1.0) == []
    assert clock.read("end", after=0.01) == []
    assert clock.rest() == [["x" * 4096 * 25 + "end"]]


@pytest.mark.parametrize(
    "follows", ["\r", "\rrm -rf build\r", "\n", "\x1b[201~\r", "\rmore\x1b[201~", "\r\x1b[201~\r"]
)
@pytest.mark.parametrize("after", [0.0, 0.04])
def test_a_line_end_right_behind_the_end_of_a_paste_sends_nothing(
    clock: Clock, follows: str, after: float
) -> None:
    said = (
        clock.read(MARKED + follows)
        if not after
        else clock.read(MARKED) + clock.read(follows, after=after)
    )
    said += clock.rest()
    assert said[0] == ["pasted"] and not [key for key in said if isinstance(key, str)]
    assert clock.read("\r") == ["enter"]


@pytest.mark.parametrize(
    "data",
    [
        "hello\r",
        "\r",
        "\r\r",
        "one\nx\r",
        "one\\\rx",
        "x\x7f\r",
        "a\x1b[Db\rc",
        "x" * 900 + "\r",
        "\rhello",
    ],
)
def test_what_was_typed_ahead_stays_keys(clock: Clock, data: str) -> None:
    assert not any(isinstance(found, list) for found in clock.read(data))


@pytest.mark.parametrize(
    "data", ["\rls -la\r", "\r\nls\r\n", "\r" + "x" * 900 + "\r", "docker run \\\r  -it img\r"]
)
def test_lines_that_begin_with_a_line_end_or_go_on_behind_a_backslash_are_a_paste(
    clock: Clock, data: str
) -> None:
    assert clock.read(data) + clock.rest() == [[data]]


def test_keys_faster_than_anybody_types_send_nothing(clock: Clock) -> None:
    for letter in "eight or more":
        clock.read(letter, after=0.001)
    assert (
        clock.read("\r", after=0.001)
        == clock.read("x", after=0.001)
        == clock.read("\r", after=0.001)
        == []
    )
    assert clock.rest() == [["\rx\r"]]
    assert clock.read("\r", after=0.2) == ["enter"]


@pytest.mark.parametrize("after", [0.0, 0.001, 0.01, 0.02])
def test_enter_behind_the_line_of_a_program_that_types_sends_where_nothing_follows(
    clock: Clock, after: float
) -> None:
    for letter in "eight or more":
        clock.read(letter, after=0.001)
    assert clock.read("\r", after=after) + clock.rest() == ["enter"]


def test_a_person_sends_with_enter(clock: Clock) -> None:
    for letter in "quick typing":
        clock.read(letter, after=0.03)
    assert clock.read("\r", after=0.03) == ["enter"]


def test_text_then_enter_of_a_program_that_types(clock: Clock) -> None:
    clock.read("a whole prompt", after=1.0)
    assert clock.read("\r", after=0.002) == ["enter"]


MARKED = "\x1b[200~pasted\x1b[201~"


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        ("ok\ry", ["o", "k", "enter", "y"]),
        ("a\r\nb", ["a", "enter", "ctrl+j", "b"]),
        ("one\rtwo\r", [["one\rtwo\r"]]),
        ("a\rb\rc", [["a\rb\rc"]]),
        ("x" * 60 + "\ry", [["x" * 60 + "\ry"]]),
    ],
)
def test_where_pastes_are_marked_a_few_letters_and_one_enter_were_typed(
    clock: Clock, data: str, keys: list[object]
) -> None:
    clock.read(MARKED)
    assert clock.read(data) + clock.rest() == keys


def test_where_that_is_not_known_they_are_text(clock: Clock) -> None:
    assert clock.read("ok\ry") + clock.rest() == [["ok\ry"]]
    clock.read(MARKED)
    clock.read("one\rtwo\rthree ")
    clock.read("a\rb", after=0.01)
    assert clock.rest() == [["one\rtwo\rthree a\rb"]], "what follows a paste at once is more of it"


def is_text(told: object) -> bool:
    """A paste, or the key of a letter or a blank."""
    return isinstance(told, list) or told == "space" or (isinstance(told, str) and len(told) == 1)


@pytest.mark.parametrize(
    "behind",
    [
        "\x15!touch ran\r",
        " inner\x1b[201~\r",
        "\x1by\x1b[201~",
        "\x1b[13u",
        "\x1b[A\r",
        "\x01\x0b!rm -rf x\r\x1b[201~",
        "\x1b",
        "\x1b[20",
        "y\r",
        "\x1bOM",
    ],
)
@pytest.mark.parametrize("apart", [0.0, 0.02])
def test_what_follows_the_end_of_a_paste_at_once_is_pasted_too(
    clock: Clock, behind: str, apart: float
) -> None:
    """The text that is pasted may hold the mark of its end: no key of it runs, sends or answers
    anything."""
    if apart:
        told = clock.read("\x1b[200~notes\x1b[201~") + clock.read(behind, after=apart)
    else:
        told = clock.read(f"\x1b[200~notes\x1b[201~{behind}")
    told += clock.rest()
    assert told[0] == ["notes"]
    assert all(is_text(one) for one in told), told
    assert not any("\x15" in text or "\x1b" in text for one in told for text in one)
    assert clock.read("\r", after=1.0) == ["enter"], "a finger comes later"


def test_a_long_text_behind_the_mark_is_pasted_to_its_end(clock: Clock) -> None:
    told = clock.read("\x1b[200~notes\x1b[201~" + "filler " * 500)
    for _ in range(20):
        told += clock.read("filler " * 500, after=0.03)
    told += clock.read("\x15!touch ran\r", after=0.03) + clock.rest()
    assert all(is_text(one) for one in told)


def test_two_pastes_and_a_report_of_the_terminal_in_one_read(clock: Clock) -> None:
    told = clock.read("\x1b[200~one\x1b[201~\x1b[I\x1b[200~two\x1b[201~") + clock.rest()
    assert [one for one in told if isinstance(one, list)] == [["one"], ["two"]]


def test_lines_of_line_feeds_are_one_paste_too(clock: Clock) -> None:
    text = "".join(f"line {number} of a text\n" for number in range(200))
    for at in range(0, len(text), 1000):
        assert clock.read(text[at : at + 1000], after=0.01 if at else 1.0) == []
    assert clock.rest() == [[text]]
    assert clock.read("ab\ncd") == ["a", "b", "ctrl+j", "c", "d"], "that may be typed ahead"
