"""What is asked of the conversation as a whole: back to before a turn, on from its end, a copy of
it, names, and what is remembered beyond it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor as Pool
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.compactions import CompactionDesk
from agent_tui.agent.services.context_ledger import ContextDesk
from agent_tui.agent.services.map_desk import MapDesk
from agent_tui.agent.services.shell import Shell
from agent_tui.agent.session.record import Record, still_allowed
from agent_tui.agent.turn.turns import Turns
from agent_tui.protocol.answers import ForkOutcome, Refused
from agent_tui.protocol.events import Answered, Labelled, Notice, Rewound, Titled
from agent_tui.protocol.ops import (
    ChangeMemory,
    Compact,
    Continue,
    Fork,
    Label,
    Op,
    Rename,
    Rewind,
    Submit,
    UndoCompaction,
)
from agent_tui.sessions.log.fork import fork

BUSY: Final = "Something is running: interrupt it first (Esc)."


class SessionOps:
    def __init__(
        self, config: EngineConfig, record: Record, turns: Turns, shell: Shell, pool: Pool
    ) -> None:
        self._config, self._record, self._turns, self._shell = config, record, turns, shell
        self._pool = pool
        self.compactions = CompactionDesk(record, turns)
        self.context = ContextDesk(record, turns)
        self.maps = MapDesk(record.emit, turns.executor)

    def handle(self, op: Op) -> bool:
        """Whether it was an Op for this."""
        match op:
            case Rewind():
                self.rewind(op.to)
            case Fork():
                self._turns.spawn(self._fork(op))
            case Rename():
                self._record.emit(Titled(" ".join(op.title.split())[:200]))
            case Label():
                self._record.emit(Labelled(op.of, " ".join(op.label.split())[:80]))
            case Compact():
                self.compactions.compact(op)
            case UndoCompaction():
                self.compactions.undo()
            case Continue():
                self._continue(op.again)
            case ChangeMemory():
                self._turns.spawn(self._turns.memory.change(op))
            case _:
                return False
        return True

    def rewind(self, to: int) -> bool:
        if self._turns.busy or self._shell.is_running:
            self._record.emit(Notice(BUSY, "warning"))
        elif (begun := self._record.standing.turn_begun_at(to)) is None:
            self._record.emit(Notice("There is no such turn.", "warning"))
        else:
            self._turns.forget_read()  # it may have been said in a turn that is gone
            self._record.emit(Rewound(to))
            if given := self._record.standing.allowed - begun.allowed:
                self._record.emit(Notice(still_allowed(given)))
            return True
        return False

    def _continue(self, again: bool) -> None:
        if self._turns.busy:
            self._record.emit(Notice(BUSY, "warning"))
        elif self._turns.models.provider is None:
            self._record.emit(self._turns.models.answer_query("start"))
        elif not len(self._record.history.messages):
            self._refuse(f"there is nothing to {'retry' if again else 'continue'}")
        elif again and self._record.history.is_complete:
            self._refuse("nothing to retry: the answer is complete")
        else:
            self._turns.begin(Submit(""), None, continued=True, again=again)

    def _refuse(self, said: str) -> None:
        """It is no part of the conversation: nothing of it is on record."""
        self._record.emit(Answered("refused", Refused(said)))

    async def _fork(self, op: Fork) -> None:
        folder, session = self._config.folders.sessions, self._record.session
        current = self._turns.current
        running = [
            mark.n
            for mark in self._record.standing.marks
            if current and mark.turn == current.number
        ]
        at = op.at or (running[0] if running else 0)
        made = problem = ""
        try:
            if trouble := self._record.store.trouble:
                raise OSError(f"the session cannot be saved: {trouble}")
            if self._config.otr:
                raise OSError("this session is off the record")
            made = await asyncio.get_running_loop().run_in_executor(
                self._pool, fork, folder, session, at
            )
        except FileNotFoundError:
            problem = "this session has no prompt yet"
        except OSError as error:
            problem = error.strerror or str(error)
        self._record.emit(Answered("forked", ForkOutcome(made, session, at, problem)))
