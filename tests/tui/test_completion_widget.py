"""The list over the prompt says how much of it is in view."""

from __future__ import annotations

import pytest

from agent_tui.tui.core.regions import CompletionView, Option
from agent_tui.tui.widgets.popups import Completion


def _lines(count: int, selected: int, below: int = 20) -> list[str]:
    region = Completion()
    region.below = below
    region.value = CompletionView(
        tuple(Option("", f"/{number}", "") for number in range(count)), selected
    )
    return ["".join(segment.text for segment in line).strip() for line in region.lines(40)]


@pytest.mark.parametrize(
    ("count", "selected", "last"),
    [
        (8, 0, "/7"),
        (9, 0, "1–7 of 9"),
        (30, 0, "1–7 of 30"),
        (30, 29, "24–30 of 30"),
        (30, 15, "13–19 of 30"),
    ],
)
def test_what_is_not_shown_is_counted(count: int, selected: int, last: str) -> None:
    lines = _lines(count, selected)
    assert len(lines) == 8 and lines[-1] == last
    assert any(line == f"❯ /{selected}" for line in lines)


def test_one_line_is_the_chosen_entry() -> None:
    assert _lines(30, 3, below=1) == ["❯ /3"]
