from __future__ import annotations

from agent_tui.structures.readable import counted


def test_one_is_no_plural() -> None:
    assert (counted(1, "line"), counted(0, "line"), counted(2000, "line")) == (
        "1 line",
        "0 lines",
        "2,000 lines",
    )
    assert counted(2, "match", "matches") == "2 matches"
