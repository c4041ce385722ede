"""Output as a terminal would show it, and its lines that say what failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.safety.process.folded_output import LONGEST_LINE, Fold, failing_lines, fold
from agent_tui.safety.process.output_capture import Captured


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain\n", "plain\n"),
        ("\x1b[1;31mred\x1b[0m\n", "red\n"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("100%\r\nnext\r\n", "100%\nnext\n"),
        ("wait\r", "wait"),
        ("a\bb_\bc", "bc"),
        ("ab\b\bc\n\bd", "c\n\bd"),
        ("\x9d0;a\x07b\x9dc\x9dd\x9ce", "b\x9dce"),
        ("\x1b]0;never ended", "\x1b]0;never ended"),
    ],
)
def test_what_a_terminal_would_show(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(alphabet="ab\r\n\x1b[0m\b1", max_size=60), st.integers(1, 60))
def test_it_does_not_matter_how_the_output_comes_in_pieces(text: str, size: int) -> None:
    one = Fold()
    pieces = [one.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, one.feed("", final=True)]) == fold(text)


def test_a_line_that_never_ends_takes_no_memory() -> None:
    one, passed = Fold(), 0
    for _ in range(1_000):
        passed += len(one.feed("x" * 1_000))
    assert 1_000_000 - passed <= LONGEST_LINE


@pytest.mark.parametrize(
    "line",
    [
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "E       assert 1 == 2",
        "ERROR tests/test_a.py - ImportError",
        "============ 1 failed, 3 passed in 0.1s ============",
        "FAIL: test_b (tests.test_a.A.test_b)",
        "FAIL src/a.test.js",
        "  ● adds › two numbers",
        "    --- FAIL: TestB/one (0.00s)",
        "FAIL\texample.org/a\t0.01s",
        "panic: runtime error: index out of range",
        "test a::b ... FAILED",
        "thread 'a::b' panicked at src/a.rs:3:5:",
        "error[E0308]: mismatched types",
        "src/a.ts(3,5): error TS2322: Type",
        "a.c:3:5: error: expected ';'",
        "not ok 3 - adds",
        "make: *** [Makefile:2: all] Error 1",
        "ValueError: no",
    ],
)
def test_lines_by_which_test_runners_say_what_failed(line: str) -> None:
    assert list(failing_lines(f"before\n{line}\nafter")) == [line]


@pytest.mark.parametrize(
    "line",
    ["ok 3 - adds", "test a::b ... ok", "0 errors", "PASSED a", "--- PASS: A", "no failures"],
)
def test_lines_that_say_that_all_is_well(line: str) -> None:
    assert not list(failing_lines(line))


def test_text_stays_within_its_limit_with_the_lines_that_failed() -> None:
    captured = Captured(2_000, None)
    for number in range(2_000):
        captured.feed(f"FAILED number {number}\nfill\n".encode())
    captured.feed(b"the end\n", final=True)
    text = captured.text()
    assert len(text) < 2_200 and text.endswith("the end\n") and "may say what failed" in text
    shown = text.partition("left out here")[2].count("FAILED")
    assert shown > 10 and captured.lost_characters > 40_000


def test_the_line_that_has_not_ended_is_seen() -> None:
    captured = Captured(1_000, None)
    captured.feed(b"Password: ")
    assert captured.text() == "Password: " and captured.last_line == "Password: "
