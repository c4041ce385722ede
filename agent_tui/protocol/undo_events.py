"""Events of going back: the conversation to an earlier turn, a copy of it, and files to what they were."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from agent_tui.protocol.event import Event
from agent_tui.protocol.session_events import FORKED
from agent_tui.protocol.standing import place_of
from agent_tui.protocol.transcript import DividerBlock, NoticeBlock, Transcript
from agent_tui.structures.frozen import frozen

Direction = Literal["undo", "redo"]
Outcome = Literal["", "done", "same", "kept", "beside", "changed", "failed"]


@frozen
class Rewound(Event):
    """The turn that began with record `to`, and all after it, are taken back; the log keeps them. Queue, mode, model,
    title and labels stay; an empty draft becomes that turn's prompt."""

    to: int
    type: Literal["rewound"] = "rewound"

    def apply(self, t: Transcript) -> Transcript:
        place = place_of(t.marks, self.to)
        if place < 0:
            return t
        mark, t = t.marks[place], t.abandon()
        given_back = not t.draft.strip()
        return replace(
            t, rows=t.rows.truncate(mark.rows), marks=t.marks.truncate(place), state="idle", steps=0, turn_tokens=0,
            open_tools={call: row for call, row in t.open_tools.items() if row < mark.rows}, pending=(), retry=None,
            context_tokens=mark.context_tokens, estimated=mark.estimated, todos=mark.todos,
            title="" if place == 0 and not t.titled_by else t.title,
            draft=mark.prompt if given_back else t.draft, pasted=() if given_back else t.pasted,
        )  # fmt: skip


@frozen
class Forked(Event):
    """This session is a copy of the beginning of `parent`, up to its record `parent_at` (0: of all of it)."""

    parent: str
    parent_at: int = 0
    type: Literal["forked"] = "forked"

    def apply(self, t: Transcript) -> Transcript:
        return t.add(DividerBlock(f"{FORKED} {self.parent[:8]}"))


@frozen
class RestoredFile:
    """A file that is put back: from the content `before` (SHA-256, empty: no file) to `after`, with the permission bits
    `mode` (0: as they are; `mode_before`: what they were). `outcome`: done; same (it was so already); kept (as it is);
    beside (the other one was written to `beside`); changed, failed (nothing was done: `problem`)."""

    path: str
    before: str = ""
    after: str = ""
    mode: int = 0
    mode_before: int = 0
    outcome: Outcome = ""
    beside: str = ""
    problem: str = ""


@frozen
class RestoreStarted(Event):
    """The intent: stored before the first file is written. `turns`: record numbers of the turns whose changes are taken
    back (`undo`) or made again (`redo`)."""

    id: str
    direction: Direction
    turns: tuple[int, ...] = ()
    files: tuple[RestoredFile, ...] = ()
    type: Literal["restore_started"] = "restore_started"


@frozen
class FilesRestored(Event):
    """Changes of files were taken back or made again; what became of each."""

    id: str
    direction: Direction
    turns: tuple[int, ...] = ()
    files: tuple[RestoredFile, ...] = ()
    type: Literal["files_restored"] = "files_restored"

    def apply(self, t: Transcript) -> Transcript:
        bad = sum(file.outcome in ("changed", "failed") for file in self.files)
        return t.add(NoticeBlock("warning" if bad else "info", self.said()))

    def said(self) -> str:
        """What was done, in one line."""
        undone = self.direction == "undo"
        counts = {
            "put back" if undone else "changed again": ("done",),
            "already so": ("same",),
            "left unchanged": ("kept",),
            "with the other one beside it": ("beside",),
            "not put back" if undone else "not changed again": ("changed", "failed"),
        }
        found = [(words, sum(file.outcome in ones for file in self.files)) for words, ones in counts.items()]
        parts = ", ".join(f"{count} {words}" for words, count in found if count)
        return f"{'Undo' if undone else 'Redo'} of files: {parts or 'nothing to do'}."
