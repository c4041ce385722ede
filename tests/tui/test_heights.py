"""Heights of rows: estimates follow the width without a look at the text, what was laid out is
exact."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_tui.tui.transcript.heights import HIDDEN, Heights, lines
from agent_tui.tui.transcript.truncation import MOST_LINES

extents = st.just(HIDDEN) | st.tuples(st.integers(0, 5_000), st.integers(0, 10**6))


def test_an_estimate_counts_line_breaks_or_wrapped_lines_and_the_blank_one_above() -> None:
    assert lines(0, 10, 80) == 2
    assert lines(3, 10, 80) == 5
    assert lines(3, 800, 80) == 12
    assert lines(*HIDDEN, 80) == 0
    assert lines(10**6, 0, 80) == MOST_LINES + 1


@given(st.lists(extents, max_size=20), st.integers(-3, 200), st.integers(-3, 200))
def test_another_width_is_as_if_it_had_been_the_first(
    rows: list[tuple[int, int]], width: int, other: int
) -> None:
    there, anew = Heights(), Heights()
    there.fill(rows, width)
    for row in range(len(rows)):
        there.put(row, 7, True)
    there.wrap(other)
    anew.fill(rows, other)
    assert [there[row] for row in range(len(rows))] == [anew[row] for row in range(len(rows))]
    assert not any(there.is_exact(row) for row in range(len(rows)))
    assert there.total == sum(anew[row] for row in range(len(rows)))


@given(
    st.lists(extents, max_size=9),
    st.lists(extents, max_size=9),
    st.integers(1, 99),
    st.integers(0, 18),
)
def test_rows_come_and_go(
    first: list[tuple[int, int]], more: list[tuple[int, int]], width: int, cut: int
) -> None:
    grown, whole = Heights(), Heights()
    grown.fill(first, width)
    grown.resize(len(first) + len(more))
    for row, extent in enumerate(more, len(first)):
        grown.guess(row, *extent)
    grown.resize(min(cut, len(first) + len(more)))
    whole.fill((first + more)[:cut], width)
    grown.wrap(width + 1)
    whole.wrap(width + 1)
    assert [grown.start(row) for row in range(len(grown))] == [
        whole.start(row) for row in range(len(whole))
    ]
    assert grown.total == whole.total
