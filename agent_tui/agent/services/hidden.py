"""Values that were hidden from the model, for `/hidden`: a person lets it see one until the turn
ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.turns import Turns
from agent_tui.protocol.answers import HiddenList, HiddenValue
from agent_tui.protocol.events import Answered, Notice
from agent_tui.protocol.messages import AssistantMessage, ToolMessage
from agent_tui.protocol.ops import ShowHidden
from agent_tui.providers.wire import log
from agent_tui.safety.secrets.strength import PLACEHOLDER

MOST_LISTED: Final = 200
SHOWN: Final = "The model sees {} until {} ends. The log and exports have the placeholder."


class HiddenDesk:
    def __init__(self, turns: Turns, record: Record) -> None:
        self._hidden, self._turns, self._record = turns.executor.workplace.hidden, turns, record

    def tell(self, id: str) -> None:
        """Answer the query `id`: the newest first."""
        self._record.emit(Answered(id, HiddenList(tuple(islice(self._listed(), MOST_LISTED)))))

    def _listed(self) -> Iterator[HiddenValue]:
        seen: set[str] = set()
        for message in reversed(tuple(self._record.history.messages)):
            if isinstance(message, AssistantMessage):
                continue
            result = message if isinstance(message, ToolMessage) else None
            text = message.content if isinstance(message, ToolMessage) else message.text
            for found in dict.fromkeys(PLACEHOLDER.findall(text)):
                if found not in seen:
                    seen.add(found)
                    problem = self._hidden.explain_unknown(found)
                    yield HiddenValue(
                        found, result.name if result else "", problem, found in self._hidden.shown
                    )

    def show(self, op: ShowHidden) -> None:
        """From the next request on the model sees a value, until the turn ends."""
        if problem := self._hidden.explain_unknown(op.placeholder):
            self._record.emit(Notice(f"{op.placeholder} cannot be shown: {problem}.", "warning"))
            return
        self._hidden.show(op.placeholder)
        log.learn(self._hidden.written())
        turn = "this turn" if self._turns.busy else "the next turn"
        self._record.emit(Notice(SHOWN.format(op.placeholder, turn)))
