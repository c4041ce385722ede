from __future__ import annotations

import pytest

from agent_tui.tui.wording import ago


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"),
        (86_399, "23 h ago"), (86_400, "1 day ago"), (200_000, "2 days ago"),
    ],
)  # fmt: skip
def test_how_long_since(seconds: float, words: str) -> None:
    assert ago(seconds) == words
