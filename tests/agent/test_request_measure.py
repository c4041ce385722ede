"""The size and the hash of a request cost what is new in it, and are those of a request that is
measured alone."""

from __future__ import annotations

from typing import Final

import pytest

from agent_tui.agent.turn import request_measure
from agent_tui.agent.turn.request_measure import RequestMeasure
from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)

TOOLS: Final = (ToolSpec("look", "Look at it.", {"type": "object", "properties": {}}),)
SYSTEM: Final = "You help."


def step(number: int) -> tuple[Message, ...]:
    call = ToolCall(f"c{number}", "look", f'{{"at": {number}}}')
    return AssistantMessage(f"é {number}", calls=(call,)), ToolMessage(
        call.id, "look", "x" * number
    )


def requests(*lengths: int) -> list[Request]:
    """Requests of one session with so many steps."""
    messages = [UserMessage("go"), *(one for number in range(max(lengths)) for one in step(number))]
    return [Request(SYSTEM, tuple(messages[: 1 + 2 * length]), TOOLS) for length in lengths]


def test_a_step_costs_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[object] = []
    size_of = request_measure.size_of

    def counted(part: request_measure.Part) -> int:
        measured.append(part)
        return size_of(part)

    monkeypatch.setattr(request_measure, "size_of", counted)
    measure, costs = RequestMeasure(), []
    for request in requests(*range(1, 200)):
        measured.clear()
        for _ in range(3):  # its hash, what it may cost, what it took
            measure.digest(request), measure.size(request)
        costs.append(sum(part in (SYSTEM, TOOLS, *request.messages) for part in measured))
    assert costs == [5, *[2] * 198]


@pytest.mark.parametrize("lengths", [(3, 4), (9, 2, 3), (5, 5), (4, 0, 4), (2, 7, 1, 8)])
def test_it_is_what_it_is_alone(lengths: tuple[int, ...]) -> None:
    measure = RequestMeasure()
    told = [UserMessage("a picture"), UserMessage("another \ud800")]
    for request, more in zip(requests(*lengths), told * len(lengths), strict=False):
        for one in (request, Request("Else.", (*request.messages, more)), request):
            alone = RequestMeasure()
            assert measure.digest(one) == alone.digest(one)
            assert measure.size(one) == alone.size(one)
