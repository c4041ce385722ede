"""The keyboard's bytes as keys and pastes: every encoding, cut anywhere, and what no terminal
should send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from agent_tui.tui.textual_port import key_parser
from agent_tui.tui.textual_port.key_parser import Ground, KeyParser

START, END = "\x1b[200~", "\x1b[201~"


def said(*pieces: str) -> list[object]:
    """What the parser makes of `pieces`: keys by name, pastes as `[text]`, anything else by its
    type."""
    parser, found = KeyParser(), list[object]()
    for message in (message for piece in pieces for message in parser.feed(piece)):
        found.append(_short(message))
    return found


def _short(message: Message) -> object:
    match message:
        case events.Key():
            return message.key
        case events.Paste():
            return [message.text]
        case _:
            return type(message)


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        ("\x1b\r", ["alt+enter"]),
        ("\x1b<\x1b>\x1by", ["alt+less_than_sign", "alt+greater_than_sign", "alt+y"]),
        ("\x1bb\x1bb\x1b[Ax\x1bBy", ["alt+b", "alt+b", "up", "x", "alt+shift+b", "y"]),
        ("\x1b[27;3;60~\x1b[95;3u", ["alt+less_than_sign", "alt+underscore"]),
        ("\x1b[122;6u\x1b[27;6;122~\x1b[27;6;90~", ["ctrl+shift+z"] * 3),
        ("\x1f\x1a\x07\x12", ["ctrl+underscore", "ctrl+z", "ctrl+g", "ctrl+r"]),
        ("\x1b[27;5;122~\x1b[103;5u\x1b[114;5u", ["ctrl+z", "ctrl+g", "ctrl+r"]),
        ("\x1b[27;2;13~", ["shift+enter"]),
        ("\x1b[13;2u", ["shift+enter"]),
        ("\x1b[13;2:1u", ["shift+enter"]),
        ("\x1b[13;2:3u", []),
        ("\x1b[97:65;2:2;65u", ["A"]),
        ("\x1b[1;1:3A", []),
        ("\x1b[1;1:2A", ["up"]),
        ("\x1b[27;1:1u", ["escape"]),
        ("\x1b[9999999999u\x1b[1114112ua", ["a"]),
        ("\x1b[97;1;99999999ua", ["a"]),
        ("\x1b[:::ua", ["\x01", "a"]),
        ("\x1b[5Xa", ["a"]),
        ("\x1b[?1;2ca", ["a"]),
        ("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\a", ["a", Ground]),
        ("\x1bP>|tmux 3.4\x1b\\a", ["a"]),
        ("\x1b[[A", ["f1"]),
        ("\x1b[?2026;2$y", [TerminalSupportsSynchronizedOutput]),
        ("\x1b[<64;5;5M", [events.MouseScrollUp]),
        ("\x1b[48;24;80;480;640t", [events.Resize]),
        ("\x1b[48;99999;99999;1;1ta", ["a"]),
        ("\x1b[48;0;0;0;0ta", ["a"]),
        ("\x1b[48;24;80;0;0t\x1b[<0;5;5M", [events.Resize, events.MouseDown]),
    ],
)
def test_what_terminals_send(data: str, keys: list[object]) -> None:
    assert said(data) == keys


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one\rtwo",
        "\x1b[31mred\rand more than thirty-two characters\r",
        "\x1b",
        "\x1b[201",
        START,
        "a~b\x03",
    ],
)
def test_pasted_text_is_never_keys_however_it_is_cut(text: str) -> None:
    sent = f"a{START}{text}{END}b"
    whole = ["a", [text], "b"]
    assert said(sent) == whole
    assert said(*sent) == whole
    for cut in range(1, len(sent)):
        assert said(sent[:cut], sent[cut:]) == whole


@given(
    st.text(max_size=50).filter(lambda text: END not in text), st.text(alphabet="ab", max_size=5)
)
def test_any_pasted_text_arrives_whole(text: str, after: str) -> None:
    assert said(f"{START}{text}{END}{after}") == [[text.replace("\0", "")], *after]


@given(
    st.lists(
        st.text(alphabet="\x1b\x1b\x1b[]O<?;:0129ABMRmPuty~$\x00\x7f\x9b\r\té漢", max_size=25),
        max_size=4,
    )
)
def test_nothing_that_is_sent_breaks_the_parser(pieces: list[str]) -> None:
    assert isinstance(said(*pieces), list)  # it was read to its end, and nothing was raised


def test_a_paste_whose_end_was_lost_is_ended_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(key_parser, "monotonic", lambda: now)
    for key in ("\x1b", "\x03", "\x1b[99;5u"):
        parser = KeyParser()
        assert list(parser.feed(f"{START}one\r")) == []
        assert list(parser.feed(key)) == []  # at once it may be a part of what is pasted
        now += 5
        assert list(parser.feed("two")) == []
        now += 5
        (paste,) = parser.feed(key)
        assert isinstance(paste, events.Paste)
        assert paste.text == f"one\r{key}two"
        assert [_short(message) for message in parser.feed("x")] == ["x"]
