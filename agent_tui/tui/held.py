"""A key that waits: it may be an answer, or the first letter of a word."""

from __future__ import annotations

from agent_tui.structures.frozen import frozen


@frozen
class Held:
    """A key that answers at `due`, unless another one comes before: then it was text. `on`: the question that it
    answers; empty: the first-run sheet. `row`: where the cursor was before."""

    key: str
    character: str
    on: str
    due: float
    row: int
    late: bool = False
    """Its time was over later than it should have been: what came meanwhile is let through first."""
