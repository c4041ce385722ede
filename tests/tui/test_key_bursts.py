"""Pastes of terminals that do not mark them: text that comes as keys, in one go or faster than anybody types."""

from __future__ import annotations

import pytest
from textual import events

from agent_tui.tui import key_parser
from agent_tui.tui.key_parser import KeyParser


class Clock:
    """Reads come as far apart as a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(key_parser, "monotonic", lambda: self.now)
        self.parser = KeyParser()

    def read(self, data: str, after: float = 1.0) -> list[object]:
        self.now += after
        return [
            [message.text] if isinstance(message, events.Paste) else getattr(message, "key", type(message))
            for message in self.parser.feed(data)
        ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_line_end_inside_is_a_paste_and_the_one_behind_it_too(clock: Clock) -> None:
    assert clock.read("one\rtwo\r") == [["one\rtwo\r"]]
    assert clock.read("rest of it\r", after=0.01) == [["rest of it\r"]]
    assert clock.read("\r", after=0.01) == [["\r"]]
    assert clock.read("\r", after=1.0) == ["enter"]


@pytest.mark.parametrize(
    "data", ["hello\r", "\r", "\r\r", "one\nx\r", "one\\\rx\r", "x\x7f\r", "a\x1b[Db\rc", "x" * 900 + "\r"]
)
def test_what_was_typed_ahead_stays_keys(clock: Clock, data: str) -> None:
    assert not any(isinstance(found, list) for found in clock.read(data))


def test_keys_faster_than_anybody_types_send_nothing(clock: Clock) -> None:
    for letter in "eight or more":
        clock.read(letter, after=0.001)
    assert clock.read("\r", after=0.001) == [["\r"]]
    assert clock.read("x", after=0.001) == ["x"]
    assert clock.read("\r", after=0.001) == [["\r"]]
    assert clock.read("\r", after=0.2) == ["enter"]


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
        ("ok\ry", ["o", "k", "enter", "y"]), ("a\r\nb", ["a", "enter", "ctrl+j", "b"]),
        ("one\rtwo\r", [["one\rtwo\r"]]), ("a\rb\rc", [["a\rb\rc"]]), ("x" * 60 + "\ry", [["x" * 60 + "\ry"]]),
    ],
)  # fmt: skip
def test_where_pastes_are_marked_a_few_letters_and_one_enter_were_typed(
    clock: Clock, data: str, keys: list[object]
) -> None:
    clock.read(MARKED)
    assert clock.read(data) == keys


def test_where_that_is_not_known_they_are_text(clock: Clock) -> None:
    assert clock.read("ok\ry") == [["ok\ry"]]
    clock.read(MARKED)
    clock.read("one\rtwo\rthree")
    assert clock.read("a\rb", after=0.01) == [["a\rb"]], "what follows a paste at once is more of it"
