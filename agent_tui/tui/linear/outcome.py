"""What the turns came to: the exit code of a conversation through a pipe."""

from __future__ import annotations

from typing import assert_never

from agent_tui.protocol.events import AssistantReplied, ErrorRaised, TurnEnded, TurnStarted
from agent_tui.protocol.exit_codes import FAILED, of_turn
from agent_tui.protocol.transcript import TurnEnd


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
        failed = self._failed
        if not counts or (self.state is None and failed is None):
            return 0
        if self.state is None:
            return FAILED
        return of_turn(self.state, self.unanswered, failed is not None and failed.may_pass)
