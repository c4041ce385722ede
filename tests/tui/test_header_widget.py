"""The line at the top where it is too narrow for all of it."""

from __future__ import annotations

import pytest

from agent_tui.tui.regions import HeaderView, Span
from agent_tui.tui.view.header import DOT
from agent_tui.tui.widgets.header import Header

LEFT = (Span("demo/tour", "accent"), DOT, Span("~/work/shop", "dim"))
RIGHT = (Span("auto"), DOT, Span("≈ 1.8k tokens", "dim"))


def drawn(width: int, left: tuple[Span, ...] = LEFT) -> str:
    header = Header()
    header.value = HeaderView(left, RIGHT)
    [line] = header.lines(width)
    return "".join(segment.text for segment in line)


@pytest.mark.parametrize("width", range(12, 60))
def test_no_divider_stands_before_nothing(width: int) -> None:
    shown = drawn(width)
    assert len(shown) == width
    left = shown.split("auto")[0].rstrip()
    assert not left.endswith(("·", "· …", "·…"))
    if width >= 31:
        assert left.startswith("demo/tour")


def test_what_fits_is_whole() -> None:
    assert drawn(60).startswith("demo/tour · ~/work/shop  ")
    assert "demo/tour · ~/w…  auto" in drawn(38)
