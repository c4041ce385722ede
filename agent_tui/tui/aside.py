"""A question on the side and its answer, as the screen knows them."""

from __future__ import annotations

from typing import Literal

from agent_tui.structures.frozen import frozen


@frozen
class Aside:
    """`state` is `asking` while the answer comes. `tokens`: what it cost, sent and written."""

    id: str
    question: str
    text: str = ""
    state: Literal["asking", "completed", "cancelled", "error"] = "asking"
    problem: str = ""
    tokens: tuple[int, int] = (0, 0)
    estimated: bool = False
