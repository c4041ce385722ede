"""What a session changed in files, from its events, and what it takes to go back: facts alone, no file is looked at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from agent_tui.protocol.events import Event, FileChanged, FilesRestored, RestoreStarted, TurnStarted
from agent_tui.protocol.undo_events import Direction
from agent_tui.safety.links import is_link

PROMPT: Final = 200
"""Characters that are kept of a turn's prompt."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a file. `turn`: the record number of its turn."""

    turn: int
    path: str
    before: str
    after: str
    mode: int = 0
    mode_after: int = 0
    folders: int = 0


@dataclass(frozen=True, slots=True)
class Restoration:
    """A file to put back: the content `left` (SHA-256, empty: no file) that it was left with, the content `target` that
    it had, and its mode (0: not known). `between`: somebody else changed it between two changes. `folders`: how many
    folders above it were made for it."""

    path: str
    left: str
    target: str
    mode: int = 0
    mode_left: int = 0
    between: bool = False
    folders: int = 0

    @property
    def chmod(self) -> int:
        """The mode to give back; 0: it was not changed."""
        return self.mode if self.mode != self.mode_left else 0

    @property
    def link(self) -> bool:
        """Whether a symbolic link is put back."""
        return is_link(self.mode)

    @property
    def links(self) -> bool:
        """Whether it is a link, or was left as one."""
        return self.link or is_link(self.mode_left)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is taken back, or made again: the turns by their record numbers, and the files, each once."""

    direction: Direction
    turns: tuple[int, ...] = ()
    files: tuple[Restoration, ...] = ()


class Changes:
    """The fold of a session's changes. A log is only appended to, so it needs no past of its own."""

    def __init__(self) -> None:
        self.all: list[Change] = []
        self.paths: dict[str, None] = {}
        """What was changed, each once, in the order of the first time."""
        self.unfinished: RestoreStarted | None = None
        """A restore whose end is not on record."""
        self._turn = 0
        self._numbers: dict[int, int] = {}
        self._prompts: dict[int, tuple[int, str]] = {}
        self._undone: set[int] = set()
        self._undos: list[FilesRestored] = []

    def take(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._turn = self._numbers[event.turn] = event.n
                self._prompts[event.n] = (event.turn, event.prompt[:PROMPT])
            case FileChanged():
                turn = self._numbers.get(event.turn, self._turn)
                modes = (event.mode, event.mode_after)
                self.all.append(Change(turn, event.path, event.before, event.after, *modes, event.folders))
                self.paths[event.path] = None
                self._undos.clear()
                self._undone.discard(turn)
            case RestoreStarted():
                self.unfinished = event
            case FilesRestored():
                self.unfinished = None
                self._restored(event)
            case _:
                pass

    def _restored(self, event: FilesRestored) -> None:
        if event.direction == "undo":
            self._undone |= set(event.turns)
            self._undos.append(event)
        else:
            self._undone -= set(event.turns)
            self._made_again(event)

    def _made_again(self, event: FilesRestored) -> None:
        """Of what was taken back last only that is left which could not be made again."""
        if self._undos:
            last = self._undos.pop()
            failed = {file.path for file in event.files if file.outcome in ("changed", "failed")}
            if left := tuple(file for file in last.files if file.path in failed):
                self._undos.append(replace(last, files=left))

    def about(self, n: int) -> tuple[int, str]:
        """The number of the turn that began with record `n`, and the beginning of its prompt."""
        return self._prompts.get(n, (0, ""))

    def undo(self, to: int = 0) -> Plan:
        """Back to before the turn that began with record `to`; 0: the last turn whose changes stand."""
        standing = [change for change in self.all if change.turn not in self._undone]
        if not standing:
            return Plan("undo")
        wanted = [change for change in standing if (change.turn >= to if to else change.turn == standing[-1].turn)]
        turns = tuple(sorted({change.turn for change in wanted}))
        return Plan("undo", turns, tuple(_joined(wanted)))

    def redo(self) -> Plan:
        """What was taken back last, made again; nothing where files were changed since."""
        if not self._undos:
            return Plan("redo")
        last = self._undos[-1]
        files = (
            Restoration(file.path, file.after, file.before, file.mode_before, file.mode)
            for file in last.files
            if file.outcome == "done"
        )
        return Plan("redo", last.turns, tuple(files))


def _joined(changes: Iterable[Change]) -> Iterable[Restoration]:
    """Each file once: from how it was left last to how it was first."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.path, []).append(change)
    for path, own in found.items():
        first, last = own[0], own[-1]
        between = any(one.after != later.before for one, later in itertools.pairwise(own))
        folders = max(change.folders for change in own)
        one = Restoration(path, last.after, first.before, first.mode, last.mode_after, between, folders)
        if between or first.before != last.after or one.chmod:
            yield one
