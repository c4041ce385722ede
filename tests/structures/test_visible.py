"""Foreign text is harmless to draw, and still says what it said."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures.visible import harmless, pasteable, strip_padding, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext é 漢字", "plain\n\ttext é 漢字"),
        ("\x1b[1;31mred\x1b[0m", "␛[1;31mred␛[0m"),
        ("echo \x1b]0;rm -rf x\x07 a", "echo ␛]0;rm -rf x␇ a"),
        ("ls \x1bP;id;\x1b\\", "ls ␛P;id;␛\\"),
        ("b \x9d0;id\x9c c", "b <U+009D>0;id<U+009C> c"),
        ("\x1b", "␛"),
        ("\x1b[12", "␛[12"),
        ("\x1b]0;never ended", "␛]0;never ended"),
        ("a\x00b\x08c\x7f", "a␀b␈c␡"),
        ("\x85\x9c", "<U+0085><U+009C>"),
        ("a\u202eb\u2066c", "a<U+202E>b<U+2066>c"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("tag\U000e0041", "tag<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("caf\udce9", "caf<E9>"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("⚠\ufe0f 1\ufe0f\u20e3", "⚠ 1\u20e3"),
        ("👩\u200d💻", "👩💻"),
        ("a\u200db", "a<U+200D>b"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("ක්\u200dෂ", "ක්ෂ"),
        ("👍🏽 🏽", "👍 <U+1F3FD>"),
        ("🇩🇪 🇫", "DE F"),
        ("\u1112\u1161\u11ab か\u3099", "한 が"),
        ("का कि", "का\xa0 कि\xa0"),
        ("x" + "\u0301" * 20, "x" + "\u0301" * 4),
        ("\u0378 \ufdd0", "<U+0378> <U+FDD0>"),
        ("\ue0b0 ไทย עִברית \U0001faff", "\ue0b0 ไทย עִברית \U0001faff"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b_apc\x9cafter", "after"),
        ("\x9b2Jc1", "c1"),
        ("\x1b(Bx\x1bcy\x1b7z", "xyz"),
        ("\x1b[12", "␛[12"),
        ("\x1b]0;never ended", "␛]0;never ended"),
    ],
)
def test_what_a_program_wrote_loses_its_colours(text: str, shown: str) -> None:
    assert visible(text, overwrite=True) == shown


def test_a_progress_bar_shows_its_last_state() -> None:
    assert visible("10%\r50%\r100%\ndone\r\n", overwrite=True) == "100%\ndone\n"
    assert visible("50%\r", overwrite=True) == "50%"


@pytest.mark.parametrize(
    "text", ["👩\u200d💻 ⚠\ufe0f 🇩🇪 👍🏽", "हिन्दी", "x" + "\u0301" * 20, "ක්\u200dෂ", "\u0378"]
)
def test_what_cannot_harm_is_copied_as_it_was_written(text: str) -> None:
    assert harmless(text) == text


def test_what_can_harm_is_not_copied() -> None:
    assert harmless("a\x1b[31mb\r\nc\u202ed\x07 x\u200d") == "ab\nc<U+202E>d␇ x<U+200D>"


@given(st.text())
def test_it_is_harmless_and_stable(text: str) -> None:
    shown = visible(text)
    assert all(c in "\n\t" or ord(c) >= 0x20 for c in shown)
    assert visible(shown) == shown
    assert harmless(harmless(text)) == harmless(text)


@given(st.text(st.sampled_from("कहिनाொ ab")))
def test_the_cells_behind_spacing_marks_go_away_again(text: str) -> None:
    assert strip_padding(visible(text)) == text


@pytest.mark.parametrize(
    "unit", ["\x1b[", "\x1b]0;x", "\x1bP", "\r", "\x1b", "\u202e", "👩\u200d", "\x9d"]
)
def test_its_cost_is_linear(unit: str) -> None:
    def cost(count: int) -> float:
        text = unit * count
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            visible(text)
            best = min(best, time.process_time() - start)
        return best

    assert cost(40_000) < 40 * max(cost(4_000), 1e-4)


def test_what_is_pasted_into_a_shell_is_as_written_but_for_what_it_would_obey() -> None:
    kept = "if x:\n\ty = '\u200f\u202e\u200b 👩\u200d💻 क्\u200dष'\n"
    assert pasteable(kept) == kept
    assert pasteable("echo a\x1b[201~\r\nid\x9b2J\x7f\x00\r") == "echo a␛[201~\nid<U+009B>2J␡␀\n"
