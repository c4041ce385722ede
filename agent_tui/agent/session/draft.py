"""The draft of a session, as it comes on record: a moment after it changed, and never once it was
spent."""

from __future__ import annotations

import asyncio
from typing import Final

from agent_tui.agent.session.record import Record
from agent_tui.protocol.events import DraftSaved
from agent_tui.protocol.ops import SaveDraft
from agent_tui.structures import chips

DRAFT_SECONDS: Final = 0.2
"""A draft is put on record this long after its first unsaved change."""


class Draft:
    def __init__(self, record: Record) -> None:
        self._record = record
        self._resting: SaveDraft | None = None
        """What is not on record yet."""

    def spend(self, text: str) -> None:
        """What was sent, queued or steered is no draft any more, whenever the program ends."""
        standing, resting = self._record.standing, self._resting
        if (
            resting is not None
            and chips.expand(resting.text, resting.pasted).strip() == text.strip()
        ):
            self._resting = SaveDraft("")  # it was not on record yet, and will not be
        if standing.draft and chips.expand(standing.draft, standing.pasted).strip() == text.strip():
            self._record.emit(DraftSaved(""))

    def save(self, op: SaveDraft) -> None:
        if self._resting is None and not op.at_once:
            asyncio.get_running_loop().call_later(DRAFT_SECONDS, self.keep)
        self._resting = op
        if op.at_once:
            self.keep(told=True)

    def keep(self, told: bool = False) -> None:
        """Put it on record now."""
        draft, self._resting = self._resting, None
        before = self._record.standing
        same = draft is not None and (
            (draft.text, draft.pasted, draft.edited) == (before.draft, before.pasted, before.edited)
        )
        if draft is not None and (told or not same):
            new = tuple(
                chip for chip in draft.pasted if chip not in before.pasted
            )  # a long paste is stored once
            self._record.emit(DraftSaved(draft.text, new, draft.edited))
