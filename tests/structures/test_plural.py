from __future__ import annotations

from agent_tui.structures.readable import count_noun


def test_one_is_no_plural() -> None:
    assert (count_noun(1, "line"), count_noun(0, "line"), count_noun(2000, "line")) == (
        "1 line",
        "0 lines",
        "2,000 lines",
    )
    assert count_noun(2, "match", "matches") == "2 matches"
