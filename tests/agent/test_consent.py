"""Questions that wait for a person, and the clock that waits with them."""

from __future__ import annotations

import asyncio

from agent_tui.agent.services.confirmations import Consent
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.protocol.ops import Answer


def test_the_clock_of_a_turn_stands_still_while_a_question_waits() -> None:
    async def steps() -> None:
        consent = Consent()
        turn = Turn(1, lambda *_: None, "p", consent.clock)
        first = asyncio.create_task(consent.wait("1"))
        second = asyncio.create_task(consent.wait("2"))
        await asyncio.sleep(0)
        stood, elapsed = consent.clock(), turn.elapsed_ms
        await asyncio.sleep(0.05)
        assert consent.clock() == stood
        assert consent.answer(Answer("1", "no"))
        await first
        assert consent.clock() == stood, "the other one still waits"
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        gone = consent.clock()
        await asyncio.sleep(0.05)
        assert consent.clock() > gone >= stood and turn.elapsed_ms >= elapsed

    asyncio.run(steps())
