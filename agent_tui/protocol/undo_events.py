"""Events of going back: the conversation to an earlier turn, a copy of it, and files to what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, get_args

from agent_tui.protocol.event import GONE, Event
from agent_tui.protocol.session_events import FORKED
from agent_tui.protocol.standing import Direction, Outcome, RestoredFile, place_of
from agent_tui.protocol.transcript import DividerBlock, NoticeBlock, Transcript
from agent_tui.structures import chips
from agent_tui.structures.frozen import frozen

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
NAMED: Final = 3
NAME: Final = 40
"""Files that are named, and characters of each name."""


@frozen
class Rewound(Event):
    """The session was rewound to before the turn at record `to`; the log keeps the turns after it. Queue, mode, model,
    title and labels stay; an empty draft becomes that turn's prompt."""

    to: int
    type: Literal["rewound"] = "rewound"

    def change(self, t: Transcript) -> Transcript:
        place = place_of(t.marks, self.to)
        if place < 0:
            return t
        mark, t = t.marks[place], t.abandon().keep_pending(())
        draft, pasted = t.draft, t.pasted
        if not draft.strip():
            draft, pasted = chips.draft(mark.prompt, mark.pastes)
        return replace(
            t, rows=t.rows.truncate(mark.rows), marks=t.marks.truncate(place), state="idle", steps=0, turn_tokens=0,
            open_tools={call: row for call, row in t.open_tools.items() if row < mark.rows}, retry=None,
            agents={agent: row if row < mark.rows else GONE for agent, row in t.agents.items()},
            questions=tuple(asked for asked in t.questions if t.agents.get(asked.agent, 0) < mark.rows),
            context_tokens=mark.context_tokens, estimated=mark.estimated, todos=mark.todos,
            title="" if place == 0 and not t.titled_by else t.title,
            draft=draft, pasted=pasted,
        )  # fmt: skip


@frozen
class Forked(Event):
    """This session is a copy of `parent`, up to its record `parent_at` (0: all of it)."""

    parent: str
    parent_at: int = 0
    type: Literal["forked"] = "forked"

    def change(self, t: Transcript) -> Transcript:
        return t.add(DividerBlock(f"{FORKED} {self.parent[:8]}"))


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
    """Undo or redo of file changes ended: what became of each file."""

    id: str
    direction: Direction
    turns: tuple[int, ...] = ()
    files: tuple[RestoredFile, ...] = ()
    type: Literal["files_restored"] = "files_restored"

    def change(self, t: Transcript) -> Transcript:
        bad = sum(file.outcome in ("changed", "failed") for file in self.files)
        return t.add(NoticeBlock("warning" if bad else "info", self.said()))

    def said(self) -> str:
        """What was done and how it is reversed, what was left, and what failed: the same words everywhere."""
        undone = self.direction == "undo"
        of = {outcome: [file for file in self.files if file.outcome == outcome] for outcome in OUTCOMES}
        above = _shared_folder([file.path for file in self.files])
        gone = [file.path for file in of["done"] if file.before and not file.after]
        there = [file.path for file in of["done"] if file.after or not file.before]
        verb, again = ("Restored", "") if undone else ("Changed", " again")
        deleted = f", deleted {name_files(gone, above)}" if gone else ""
        told = [f"{verb} {name_files(there, above)}{again}{deleted}."] if there else []
        told += [f"Deleted {name_files(gone, above)}{again}."] if gone and not there else []
        told += [f"/{'redo' if undone else 'undo'} reverses this."] if of["done"] else []
        told += [f"Kept {name_files([file.path for file in of['kept']], above)} unchanged."] if of["kept"] else []
        if beside := [file.beside for file in of["beside"]]:
            age, many = "earlier" if undone else "later", len(beside) > 1
            versions = "versions beside them" if many else "version beside it"
            told.append(f"Wrote the {age} {versions}: {name_files(beside, above)}.")
        if bad := [*of["failed"], *of["changed"]]:
            verb = "restored" if undone else "changed again"
            why = f": {bad[0].problem}" if bad[0].problem else ""
            told.append(f"{len(bad)} of {_files(len(self.files))} could not be {verb}{why}.")
        return " ".join(told) or f"No file had to be {'restored' if undone else 'changed again'}."


@frozen
class UndoLimited(Event):
    """Undo cannot reach all that the command of a call changed; `text` says why. `shown`: as a line of its own, which
    is done once; the sheet of `/undo` says it always."""

    call_id: str
    text: str
    shown: bool = True
    type: Literal["undo_limited"] = "undo_limited"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock("info", self.text)) if self.shown else t


def name_files(paths: Sequence[str], above: str = "") -> str:
    """The first few of `paths`, as they are called in the folder `above`, and how many more there are."""
    names = [path.removeprefix(above) for path in paths[:NAMED]]
    short = [name if len(name) <= NAME else f"…{name[1 - NAME :]}" for name in names]
    if (more := len(paths) - NAMED) > 0:
        return f"{', '.join(short)} and {more:,} more"
    return " and ".join(filter(None, (", ".join(short[:-1]), *short[-1:])))


def _shared_folder(paths: Sequence[str]) -> str:
    """The folder that all of `paths` are in, with the slash behind it."""
    first, last = min(paths, default=""), max(paths, default="")  # all others begin as these two do
    same = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: first.rfind("/", 0, same) + 1]


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
