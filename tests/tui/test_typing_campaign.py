"""A share of the campaign in which somebody types at any speed while questions come and go, in a
real terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.typing_campaign import is_within, play


@pytest.mark.parametrize("seed", [1, 2])
def test_words_at_any_speed_answer_no_question_and_none_is_lost(seed: int, tmp_path: Path) -> None:
    assert play(tmp_path, 3, seed) == []


def test_what_is_lost_or_in_another_order_is_noticed() -> None:
    assert is_within(["a", "b"], ["a", "x", "b"])
    assert not is_within(["a", "b"], ["b", "a"]) and not is_within(["a"], [])
