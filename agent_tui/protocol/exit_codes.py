"""What a turn came to, as the exit code of a process."""

from __future__ import annotations

from typing import Final, assert_never

from agent_tui.protocol.transcript import TurnEnd

FAILED: Final = 1
DENIED: Final = 3
LIMIT: Final = 4
UNSAVED: Final = 5
MAY_PASS: Final = 75
CANCELLED: Final = 130


def of_saving(code: int, unsaved: bool) -> int:
    """`code`, or where all went well but not all of the session is on disk the one that says so."""
    return UNSAVED if unsaved and code == 0 else code


def of_turn(state: TurnEnd, denied: bool, may_pass: bool) -> int:
    """`denied`: consent was asked for, and nobody could give it. `may_pass`: its failure may be over
    later."""
    match state:
        case "completed":
            return DENIED if denied else 0
        case "cancelled" | "interrupted":
            return CANCELLED
        case "max_steps" | "timed_out" | "budget_exceeded" | "stuck":
            return LIMIT
        case "error":
            return MAY_PASS if may_pass else FAILED
        case _:
            assert_never(state)
