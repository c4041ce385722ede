"""What the turns came to: the exit code of a conversation through a pipe."""

from __future__ import annotations

from typing import Final, assert_never

from agent_tui.protocol.events import AssistantReplied, ErrorRaised, TurnEnded, TurnStarted
from agent_tui.protocol.transcript import TurnEnd

FAILED: Final = 1
DENIED: Final = 3
LIMIT: Final = 4
MAY_PASS: Final = 75
CANCELLED: Final = 130


class Outcome:
    """The last turn. `unanswered`: something was asked in it, and the input had ended."""

    def __init__(self) -> None:
        self.state: TurnEnd | None = None
        self.unanswered = False
        self._failed: ErrorRaised | None = None

    def hear(self, event: TurnStarted | TurnEnded | ErrorRaised | AssistantReplied) -> None:
        match event:
            case TurnStarted():
                self.state, self.unanswered, self._failed = None, False, None
            case TurnEnded():
                self.state = event.state
            case ErrorRaised():
                self._failed = event
            case AssistantReplied():
                self._failed = None
            case _:
                assert_never(event)

    def code(self, counts: bool) -> int:
        """The exit code: that of the last turn where it `counts`; else 0."""
        if not counts:
            return 0
        match self.state:
            case "completed":
                return DENIED if self.unanswered else 0
            case "cancelled":
                return CANCELLED
            case "max_steps" | "timed_out" | "budget_exceeded" | "stuck":
                return LIMIT
            case "error":
                return MAY_PASS if self._failed is not None and self._failed.may_pass else FAILED
            case None:
                return FAILED if self._failed is not None else 0
            case _:
                assert_never(self.state)
