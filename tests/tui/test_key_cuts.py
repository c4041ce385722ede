"""Whatever a terminal sends, cut anywhere and however late: answers type nothing, pastes are whole,
keys are keys."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from textual import events

from agent_tui.tui.textual_port.terminal import ESCAPE_DELAY
from tests.tui.test_key_halves import END, START, Line, line

__all__ = ["line"]

ANSWERS = (
    "\x1b]10;rgb:ffff/ffff/ffff\x07",
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "\x1b]12;rgba:ff/ff/ff/ff\x07",
    "\x1b]4;12;rgb:00/11/22\x1b\\",
    "\x1b]52;c;bWFueSB3b3Jkcw==\x07",
    "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP1$r0 q\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[?62;22;52c",
    "\x1b[?1u",
    "\x1b[>41;390;0c",
    "\x1b[24;80R",
    "\x1b[?997;1n",
)
TOLD = {
    "escape",
    "alt+right_square_bracket",
    "alt+left_square_bracket",
    "alt+shift+p",
    "alt+shift+o",
    "alt+underscore",
}
"""What a beginning sends that a person may have pressed, too. None of it types anything."""


def typed(line: Line) -> list[object]:
    return [said for said in line.said if isinstance(said, (str, list)) and said not in TOLD]


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.2, 0.7, 2.5, 40.0])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_in_two_pieces_types_nothing_however_late_the_second_comes(
    answer: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, len(answer)):
        one = Line(monkeypatch)
        one.send("x").wait(1).send(answer[:at]).wait(gap).send(answer[at:]).wait(2).send("a").wait(
            1
        ).send("\x1b").wait(1)
        said = typed(one)
        assert said == ["x", "a"], (answer, at)
        assert one.said[-1] == "escape"


KEYS: dict[str, object] = {
    "\x1b[1;5C": "ctrl+right",
    "\x1b[A": "up",
    "\x1b[3~": "delete",
    "\x1bOP": "f1",
    "\x1b[15;2~": "shift+f5",
    "\x1b[Z": "shift+tab",
    "\x1b[121;5u": "ctrl+y",
    "\x1b[27;5;121~": "ctrl+y",
    "\x1b[121;1:3u": None,
    "\x1b[0n": None,
    "\x1b[12;4R": events.CursorPosition,
    "\x1b[<0;20;1m": events.MouseUp,
    "\x1b[<35;20;5M": events.MouseMove,
    "\x1b[I": events.AppFocus,
}


@pytest.mark.parametrize("gap", [0.02, 0.2, 0.6, 1.9])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_or_a_report_of_the_mouse_in_pieces_acts_once_and_types_nothing(
    key: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = range(2, len(key))
    for cut in [*((at,) for at in inner), *combinations(inner, 2), tuple(inner)]:
        one = Line(monkeypatch)
        for begin, end in pairwise((0, *cut, len(key))):
            one.send(key[begin:end]).wait(gap)
        one.wait(3).send("y")
        said = [said for said in one.said if said not in TOLD]
        assert said == [*([KEYS[key]] if KEYS[key] else []), "y"], (key, cut)


@pytest.mark.parametrize("keys", ["\x1b[", "\x1bO"])
def test_a_letter_long_after_alt_and_the_key_that_begins_others_is_one(
    line: Line, keys: str
) -> None:
    line.send(keys).wait(2.5)
    for letter in "APy1":
        line.send(letter).wait(0.2)
    assert typed(line) == ["A", "P", "y", "1"]


@pytest.mark.parametrize("gap", [0.03, 0.06, 0.09])
@pytest.mark.parametrize("key", KEYS)
def test_the_rest_of_a_key_right_after_its_escape_types_nothing(
    key: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.ESCAPE_DELAY", ESCAPE_DELAY)
    one = Line(monkeypatch)
    one.send("\x1b").wait(gap).send(key[1:]).wait(1).send("y")
    acts = [KEYS[key]] if KEYS[key] else []
    told = [said for said in one.said if said is not events.CursorPosition]
    assert told == [
        *([said for said in acts if said in told] if gap < ESCAPE_DELAY else ["escape"]),
        "y",
    ]


@pytest.mark.parametrize("words", ["[A-Z]", "Open", "[1] see"])
def test_words_that_come_later_than_that_after_esc_are_words(line: Line, words: str) -> None:
    line.send("\x1b").wait(0.2).send(words).wait(1)
    assert len(line.said) == 1 + len(words)


@pytest.mark.parametrize("gap", [0.1, 2.5])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_in_three_pieces_types_nothing(
    answer: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for first, second in combinations(range(2, len(answer)), 2):
        if second - first == 1 or len(answer) - second == 1:
            continue  # a single character after a silence may be typed
        one = Line(monkeypatch)
        one.send(answer[:first]).wait(gap).send(answer[first:second]).wait(gap).send(
            answer[second:]
        ).wait(2).send("a")
        assert typed(one) == ["a"], (answer, first, second)


@pytest.mark.parametrize("keys", ["\x1b]", "\x1bP", "\x1b_"])
@pytest.mark.parametrize("gap", [0.02, 0.2, 2.0])
def test_alt_and_the_key_that_begins_an_answer_is_a_key_and_the_words_after_it_are_whole(
    line: Line, keys: str, gap: float
) -> None:
    line.send(keys).wait(gap)
    for letter in "yes 11; ok":
        line.send(letter).wait(0.15)
    line.wait(3).send("\x1b").wait(1).send("\x1b[A").wait(1)
    alt, *words, escape, up = line.said
    assert str(alt).startswith("alt+") and (escape, up) == ("escape", "up")
    assert words == [
        "space" if one == " " else "semicolon" if one == ";" else one for one in "yes 11; ok"
    ]


def test_a_late_end_of_a_report_is_no_answer_to_a_question(line: Line) -> None:
    line.send("\x1b[?2026;2$").wait(5).send("y").wait(2).send("y")
    assert typed(line) == ["y"]


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.04])
@pytest.mark.parametrize("second", ["two", "two\rlines", ""])
def test_two_pastes_one_behind_the_other_are_two_however_they_are_cut(
    second: str, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = f"{START}one\r{END}{START}{second}{END}"
    cuts = [*combinations(range(1, len(sent)), 1), *combinations(range(8, len(sent) - 4), 2)]
    for cut in cuts:
        one, ends = Line(monkeypatch), (0, *cut, len(sent))
        one.send("x").wait(1)
        for begin, end in pairwise(ends):
            one.send(sent[begin:end]).wait(gap)
        one.wait(2).send("\r")
        pasted = [said[0] for said in one.said if isinstance(said, list)]
        assert "".join(pasted) == f"one\r{second}", (cut, one.said)
        assert [said for said in one.said if isinstance(said, str)] == ["x", "enter"], (
            cut,
            one.said,
        )


@pytest.mark.parametrize("at", range(4, 6))
def test_a_paste_whose_mark_comes_late_sends_nothing(line: Line, at: int) -> None:
    sent = f"{START}one\rtwo\r{END}"
    line.send(sent[:at]).wait(2).send(sent[at:]).wait(1)
    assert line.said == [["one\rtwo\r"]]
