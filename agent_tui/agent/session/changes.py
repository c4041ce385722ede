"""What a session changed in files, from its events, and what it takes to go back: facts alone, no
file is looked at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from agent_tui.protocol.events import (
    ChangesStarted,
    Event,
    FileChanged,
    FilesRestored,
    Forked,
    JobChanged,
    RestoreStarted,
    Rewound,
    SessionStarted,
    ShellStarted,
    ToolEnded,
    ToolStarted,
    TurnStarted,
    UndoLimited,
)
from agent_tui.protocol.standing import Direction
from agent_tui.safety.file_access import is_link
from agent_tui.structures.frozen import frozen

PROMPT: Final = 200
"""Characters that are kept of a turn's prompt."""
BACKGROUND: Final = (
    "A command runs in the background: /undo cannot take back what it changes from now on. What it "
    "changes while another command runs is listed, and stays unless you choose it."
)
RAN: Final = (
    "A command ran in the background, and has ended: /undo cannot take back what it changed. What "
    "it changed while another command ran is listed, and stays unless you choose it."
)
"""The same, once nothing runs there any more."""


@frozen
class Change:
    """One change of a file. `turn`: the record number of its turn, or of the person's command.
    `during_command`: it was seen after a command, so perhaps somebody else made it. `source`: where
    its content was before."""

    turn: int
    path: str
    before: str
    after: str
    mode: int = 0
    mode_after: int = 0
    folders: int = 0
    during_command: bool = False
    source: str = ""


@frozen
class Restoration:
    """A file to put back: the content `left` (SHA-256, empty: no file) that it was left with, the
    content `target` that it had, and its mode (0: not known). `between`: somebody else changed it
    between two changes. `folders`: how many folders above it were made for it. `during_command`:
    perhaps somebody else changed it while a command ran. `source`: the file that held what it was
    left with before all of these changes; empty: they made it."""

    path: str
    left: str
    target: str
    mode: int = 0
    mode_left: int = 0
    between: bool = False
    folders: int = 0
    during_command: bool = False
    source: str = ""

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


@frozen
class Plan:
    """What is taken back, or made again: the turns by their record numbers, and the files, each
    once. `begun`: the record that began the undo, where the conversation went back with it."""

    direction: Direction
    turns: tuple[int, ...] = ()
    files: tuple[Restoration, ...] = ()
    begun: int = 0


class Changes:
    """The fold of a session's changes. A log is only appended to, so it needs no past of its
    own."""

    def __init__(self) -> None:
        self.all: list[Change] = []
        self.paths: dict[str, None] = {}
        """What was changed, each once, in the order of the first time."""
        self.unfinished: RestoreStarted | None = None
        """A restore whose end is not on record."""
        self.intents: dict[tuple[str, str], ChangesStarted] = {}
        """What calls were about to do to files, by agent and call, where it is not on record what
        became of it."""
        self.over: set[tuple[str, str]] = set()
        """Calls that were cancelled: their result is on record, and perhaps not what they did."""
        self.recorded: dict[tuple[str, str], set[str]] = {}
        """Of each intent the files of which it is on record that they were changed."""
        self._turn = 0
        self._of_agent: dict[str, int] = {}
        """The turn that started each sub-agent: what that changes is taken back with it."""
        self._numbers: dict[int, int] = {}
        self._shells: dict[str, int] = {}
        """The record that begins each command of the person: it is taken back by itself."""
        self._prompts: dict[int, tuple[int, str]] = {}
        self._undone: set[int] = set()
        self._kept: set[tuple[int, str]] = set()
        """Of turns that were undone: files that were left as they are, whether or not something
        lies beside them."""
        self._limits: dict[int, dict[str, None]] = {}
        self._jobs: set[str] = set()
        """What runs in the background: every turn until its end may have its changes."""
        self._commands: set[tuple[str, str]] = set()
        """Calls of commands."""
        self._undos: list[FilesRestored] = []
        self._begun = 0
        """The record that began the newest restore."""
        self._together: dict[str, int] = {}
        """Undos that took the conversation back too, each with the record that began it."""

    def take(self, event: Event) -> None:
        if not event.is_main and event.agent not in self._of_agent:
            above = self._of_agent.get(event.agent.rpartition("/")[0], self._turn)
            self._of_agent[event.agent] = above
        match event:
            case TurnStarted() if event.is_main:
                self._turn = self._numbers[event.turn] = event.n
                self._prompts[event.n] = (event.turn, event.prompt[:PROMPT])
                if self._jobs:
                    self._limits.setdefault(event.n, {})[BACKGROUND] = None
            case ShellStarted() if not event.private:
                n = self._shells.setdefault(event.call_id, event.n)
                self._prompts[n] = (0, event.label[:PROMPT])
            case JobChanged():
                note = self._jobs.add if event.state == "running" else self._jobs.discard
                note(event.id)
            case ToolStarted():
                mark = self._commands.add if event.effect == "execute" else self._commands.discard
                mark((event.agent, event.call_id))
            case ChangesStarted():
                key = event.agent, event.call_id
                self.intents[key], self.recorded[key] = event, set()
                self.over.discard(key)
            case ToolEnded() if event.tag == "cancelled":  # it may be at work still
                self.over.add((event.agent, event.call_id))
            case ToolEnded():
                self.intents.pop((event.agent, event.call_id), None)
            case SessionStarted() | Forked():  # by then it is settled, or not this session's
                self.intents.clear()
            case FileChanged():
                self.recorded.get((event.agent, event.call_id), set()).add(event.path)
                self._changed(event)
            case UndoLimited():
                turn = self._shells.get(event.call_id) or self._turn_of(event)
                self._limits.setdefault(turn, {})[event.text] = None
            case RestoreStarted():
                self.unfinished, self._begun = event, event.n
            case Rewound() if self._undos and self._turn < self._undos[-1].n:
                self._together[self._undos[-1].id] = self._begun
            case FilesRestored():
                self.unfinished = None
                self._restored(event)
            case _:
                pass

    def _turn_of(self, event: Event) -> int:
        """The turn of the main agent that `event` belongs to."""
        return (
            self._numbers.get(event.turn, self._turn)
            if event.is_main
            else self._of_agent[event.agent]
        )

    def _changed(self, event: FileChanged) -> None:
        turn = self._shells.get(event.call_id) or self._turn_of(event)
        during = (
            event.during_command or (event.agent, event.call_id) in self._commands
        )  # old logs do not say it
        modes = (event.mode, event.mode_after)
        self.all.append(
            Change(
                turn,
                event.path,
                event.before,
                event.after,
                *modes,
                event.folders,
                during,
                event.source,
            )
        )
        self.paths[event.path] = None
        self._undone.discard(turn)

    def _restored(self, event: FilesRestored) -> None:
        left = [file.path for file in event.files if file.outcome in ("kept", "beside")]
        kept = {(turn, path) for turn in event.turns for path in left}
        if event.direction == "undo":
            self._undone |= set(event.turns)
            self._kept = {one for one in self._kept if one[0] not in event.turns} | kept
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

    def describe_turn(self, n: int) -> tuple[int, str]:
        """The number of the turn that began with record `n`, and the beginning of its prompt."""
        return self._prompts.get(n, (0, ""))

    def undo(self, to: int = 0) -> Plan:
        """Back to before the turn that began with record `to`; 0: the last turn whose changes
        stand. A file that was left as it is when its turn was undone can still be put back with
        `to`."""
        if to:
            wanted = [change for change in self.all if change.turn >= to and self._stands(change)]
        else:
            standing = [change for change in self.all if change.turn not in self._undone]
            last = max((change.turn for change in standing), default=0)
            wanted = [change for change in standing if change.turn == last]
        turns = tuple(sorted({change.turn for change in wanted}))
        return Plan("undo", turns, tuple(_joined(wanted)))

    def _stands(self, change: Change) -> bool:
        return change.turn not in self._undone or (change.turn, change.path) in self._kept

    def is_undone(self, to: int) -> bool:
        """Whether changes since the turn `to` were taken back."""
        return any(change.turn >= to and not self._stands(change) for change in self.all)

    def limits(self, plan: Plan, to: int = 0) -> list[str]:
        """What undo cannot reach, from the turn `to` or the first of `plan` on; without either of
        the last turn."""
        first = to or min(plan.turns, default=self._turn)
        return list(
            dict.fromkeys(
                RAN if text == BACKGROUND and not self._jobs else text
                for turn, texts in self._limits.items()
                if turn >= first
                for text in texts
            )
        )

    def redo(self) -> Plan:
        """What was taken back last, made again. Later turns leave it as it is: a file that they
        changed is asked about."""
        if not self._undos:
            return Plan("redo")
        last = self._undos[-1]
        files = (
            Restoration(file.path, file.after, file.before, file.mode_before, file.mode)
            for file in last.files
            if file.outcome == "done"
        )
        return Plan("redo", last.turns, tuple(files), self._together.get(last.id, 0))


def _joined(changes: Iterable[Change]) -> Iterable[Restoration]:
    """Each file once: from how it was left last to how it was first."""
    found: dict[str, list[Change]] = {}
    sources: dict[str, str] = {}
    made: set[str] = set()
    for change in changes:
        found.setdefault(change.path, []).append(change)
        sources[change.path] = change.source if change.after not in made else ""
        if not sources[change.path]:
            made.add(change.after)
    for path, own in found.items():
        first, last = own[0], own[-1]
        between = any(one.after != later.before for one, later in itertools.pairwise(own))
        folders = max(change.folders for change in own)
        during = any(change.during_command for change in own)
        one = Restoration(
            path,
            last.after,
            first.before,
            first.mode,
            last.mode_after,
            between,
            folders,
            during,
            sources[path],
        )
        if between or first.before != last.after or one.chmod:
            yield one
