"""What looking for a text takes in files of equal and of similar lines: counted in calls,
never in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from agent_tui.tools.support import matching, nearest
from tests.campaigns import WHOLE

LINE = "the same line again and again"
SIZE = 50_000 if WHOLE else 10_000
"""Lines; twice as many are 100,000 in a campaign."""


def steps(work: Callable[[], object]) -> int:
    """Calls of functions, those of C included."""
    count = 0

    def note(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as many for twice the size."""
    return steps(lambda: work(2 * size)) / steps(lambda: work(size))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("tail", ["", "another line\n"], ids=["many", "none"])
@pytest.mark.parametrize("how", ["line ends", "trailing spaces", "indentation", "quotes"])
def test_tolerant_steps_grow_with_the_file(how: str, tail: str, whole: bool) -> None:
    """Of 100,000 equal lines each was a place at which 1,000 lines were compared."""
    end = "\r\n" if how == "line ends" else "\n"
    own = f"{LINE}“”{end}" if how == "quotes" else LINE + end
    given = {"trailing spaces": f"{LINE} \n", "indentation": f" {LINE} \n", "quotes": f'{LINE}""\n'}

    def work(size: int) -> object:
        old = given.get(how, f"{LINE}\n") * (size // 100)
        return matching.find_places(own * size + tail, old + tail + tail, whole)

    assert growth(work, SIZE) <= 3
    found, places = matching.find_places(own * 2_000, given.get(how, f"{LINE}\n") * 20, whole)
    assert how.startswith(found[:6]) and len(places) == matching.MOST_PLACES


def test_places_that_are_no_whole_lines_are_passed_over_at_once() -> None:
    def work(size: int) -> object:
        return matching.find_places("ab\n" * size, "b\n" + "ab\n" * (size // 2), whole=True)

    assert growth(work, SIZE) <= 3 and work(100) == ("", [])


@pytest.mark.parametrize("unique", [False, True], ids=["equal", "similar"])
def test_the_nearest_text_takes_so_much_and_no_more(unique: bool) -> None:
    def work(size: int) -> int:
        lines = (f"{LINE} {number if unique else ''}\n" for number in range(size))
        text = "".join(lines)
        return steps(
            lambda: nearest.describe_miss(text, f"the sane lines agian {'x' * 9}\n", "", str, str)
        )

    assert work(20_000) <= 3 * work(10_000)
    assert work(80_000) <= 1.2 * work(20_000)


def test_the_nearest_text_is_found_in_the_whole_file() -> None:
    text = "".join(f"line {number} of a file\n" for number in range(50_000))
    said = nearest.describe_miss(text, "line 40123 of a file\nand nothing like it", "x", str, str)
    assert "40124→line 40123 of a file" in said and "line 40125 in `old`" in said
