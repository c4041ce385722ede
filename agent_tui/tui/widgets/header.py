"""The line at the top: program, model, mode, folder, context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import HeaderView, Part, Span, joined
from agent_tui.tui.view.words import pieces
from agent_tui.tui.widgets.paint import Region, between, flat, runs

Spans = tuple[Span, ...]

GAP: Final = 2
"""Cells between the two ends."""
LEAST: Final = 6
"""Cells that the beginning of a name needs to say something."""


class Header(Region):
    value: HeaderView | None = None

    def show(self, value: HeaderView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return [()]
        left, right = fitted(self.value, width)
        return [between(runs(left), runs(right), width)]


def fitted(view: HeaderView, width: int) -> tuple[Spans, Spans]:
    """What stands at the two ends of a line of `width` cells: the parts that matter most, each of them whole."""
    parts, first = (*view.at_left, *view.at_right), len(view.at_left)
    shown = [part.spans for part in parts]
    for n, instead in _turns(parts):
        over = _cells(joined(shown[:first])) + _cells(joined(shown[first:])) - width
        over += GAP * (any(shown[:first]) and any(shown[first:]))
        if over <= 0:
            break
        shown[n] = instead or (_beginning(shown[n], over) if parts[n].cuts else ())
    return joined(shown[:first]), joined(shown[first:])


def _turns(parts: Sequence[Part]) -> list[tuple[int, Spans]]:
    """What becomes shorter, or nothing, in its order. What matters most stays."""
    turns: list[tuple[int, int, Spans]] = [(part.leaves, n, ()) for n, part in enumerate(parts)]
    turns += [(part.shortens, n, part.short) for n, part in enumerate(parts) if part.short]
    return [(n, instead) for _, n, instead in sorted(turns, key=lambda turn: turn[:2])][:-1]


def _beginning(name: Spans, over: int) -> Spans:
    """`name` in fewer cells, by `over`; nothing where that leaves too little."""
    text = flat(name[0].text)
    room = cell_len(text) - over
    if room < LEAST:
        return ()
    return (Span(f"{text[: pieces(text, len(set_cell_size(text, room - 1)))]}…", name[0].tone),)


def _cells(spans: Spans) -> int:
    return line_cells(runs(spans), cell_len)
