"""Events of a question on the side (`/btw`): asked with the context as it is, and no part of it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final, Literal

from agent_tui.protocol.event import Event
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.transcript import Transcript
from agent_tui.structures.frozen import frozen

INSTRUCTION: Final = """\
(A question on the side, while the work above goes on or rests. Answer it in words alone, from what is above and what \
you know; no tool can be used. Neither the question nor the answer is kept.)

"""
"""What the model reads before the question; it is not the person's."""
AsideEnd = Literal["completed", "cancelled", "error"]


@frozen
class AsideDelta(Event):
    """A piece of the answer to the side question `id`."""

    settled: ClassVar[bool] = False
    id: str
    text: str
    type: Literal["aside_delta"] = "aside_delta"


@frozen
class AsideEnded(Event):
    """A side question was answered, or not (`problem`; `kind` is that in one word). No request ever holds it, no
    transcript shows it. `answered_by`: the model's name as its server says it, where it does."""

    id: str
    question: str
    text: str = ""
    state: AsideEnd = "completed"
    problem: str = ""
    usage: Usage = Usage()
    model: str = ""
    duration_ms: int = 0
    cost: float | None = None
    cost_estimated: bool = False
    kind: str = ""
    answered_by: str = ""
    type: Literal["aside_ended"] = "aside_ended"

    def change(self, t: Transcript) -> Transcript:
        return t if self.cost is None else replace(t, bill=t.bill.plus(self.cost, self.cost_estimated))
