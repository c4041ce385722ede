"""The files that a person keeps in the model's view: what they hold goes behind a prompt whenever
the model does not have it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from agent_tui.agent.session.record import AgentRecord
from agent_tui.agent.turn.attachments import Attach, head_of, label_of
from agent_tui.agent.turn.executor import Executor
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.protocol.events import ContextTold, ErrorRaised, InViewChanged, Notice
from agent_tui.protocol.messages import UserMessage
from agent_tui.protocol.ops import SetInView
from agent_tui.safety import file_access, paths
from agent_tui.structures import mention

MOST: Final = 20
"""Files of a session that stay in view."""
MOST_BYTES: Final = 20_000_000
GONE: Final = " (gone, or not readable)"


class InView:
    """Those of the session, for the agent that `record` is of."""

    def __init__(self, record: AgentRecord, executor: Executor, attach: Attach) -> None:
        self._record, self._executor, self._attach = record, executor, attach
        self._given: dict[str, str] = {}
        """The SHA-256 of what each file held when it was attached."""

    async def change(self, op: SetInView) -> None:
        """Do what the person asks about them."""
        before = self._record.whole.standing.in_view
        if op.remove:
            self._remove(before, op.paths)
        elif not op.paths:
            there = await self._executor.workplace.off_loop(lambda: self._hashes(before))
            names = "".join(f"\n{path}{'' if path in there else GONE}" for path in before)
            said = f"These files stay in view:{names}" if before else "No file is kept in view."
            self._emit(
                Notice(said, hint="/drop removes them" if before else "/add @file keeps one")
            )
        else:
            hashes = await self._executor.workplace.off_loop(lambda: self._hashes(op.paths))
            folders = await self._executor.workplace.off_loop(lambda: self._folders(op.paths))
            self._add(before, op.paths, hashes, folders)

    async def attach_changed(self, turn: Turn) -> None:
        """Those that the model does not have as they are now go behind the prompt."""
        if not (there := self._record.whole.standing.in_view):
            return
        hashes = await self._executor.workplace.off_loop(lambda: self._hashes(there))
        said = [m.text for m in self._record.history.messages if isinstance(m, UserMessage)]
        self._tell_gone([path for path in there if path not in hashes], turn)
        new = [path for path, sha in hashes.items() if not self._has(path, sha, said)]
        for path in new:
            self._given[path] = hashes[path]
        await self._attach(" ".join(map(mention.write_mention, new)), turn)

    def _tell_gone(self, lost: list[str], turn: Turn) -> None:
        """Once for each, until it is there again: else the model takes what it has for true."""
        new = [path for path in lost if self._given.get(path) != GONE]
        self._given |= dict.fromkeys(new, GONE)
        if new:
            names = self._executor.scrub(", ".join(new))
            text = f"[These files cannot be read any more, most likely they are deleted: {names}]"
            said = f"In view, but gone or not readable: {names}. The model is told so."
            turn.emit(ContextTold(text))
            turn.emit(Notice(said, "warning", hint="/drop removes it from view"))

    def _has(self, path: str, sha: str, said: list[str]) -> bool:
        """Whether the model has it, or was told why not: who said no is asked once."""
        signs = (head_of("file", self._executor.scrub(path)), f"[{label_of(path)}: ")
        told = any(sign in text for sign in signs for text in said)
        return told and self._given.get(path) == sha

    def _add(
        self,
        before: tuple[str, ...],
        wanted: tuple[str, ...],
        there: dict[str, str],
        folders: frozenset[str],
    ) -> None:
        lost = [path for path in wanted if self._name(path) not in there]
        for path in lost:
            why = "is a folder" if path in folders else "no such file"
            said = f"Not kept in view: {path}: {why}."
            self._emit(ErrorRaised(said, "invalid_arguments", "name a file of this folder"))
        after = tuple(dict.fromkeys((*before, *there)))
        if len(after) > MOST:
            said = f"At most {MOST} files stay in view: {len(after)} would."
            self._emit(ErrorRaised(said, "invalid_arguments", "/drop removes some"))
        elif there:
            said = f"In view from your next prompt on: {', '.join(there)}."
            self._record.whole.emit(InViewChanged(after, said))

    def _remove(self, before: tuple[str, ...], wanted: tuple[str, ...]) -> None:
        named = {self._name(path) for path in wanted} if wanted else set(before)
        gone = [path for path in before if path in named]
        if not gone:
            lists = f"in view: {', '.join(before)}" if before else "no file is kept in view"
            unknown = f"Not in view: {', '.join(wanted)}." if wanted and before else ""
            said = unknown or "Nothing was dropped."
            self._emit(ErrorRaised(said, "invalid_arguments", lists))
            return
        after = tuple(path for path in before if path not in named)
        self._record.whole.emit(InViewChanged(after, f"No longer in view: {', '.join(gone)}."))

    def _hashes(self, wanted: tuple[str, ...]) -> dict[str, str]:
        """The hash of each file that is there, by the name that it is kept with. Reads files."""
        found = dict[str, str]()
        for path in wanted:
            try:
                real = paths.resolve(path, self._executor.workplace.roots[0])
                data = file_access.read_regular(real, MOST_BYTES)
            except (OSError, ValueError, file_access.NotRegular):
                continue  # it is named as one that is not there
            found[self._name(path)] = hashlib.sha256(data).hexdigest()
        return found

    def _folders(self, wanted: tuple[str, ...]) -> frozenset[str]:
        """Those that are folders. Reads the disk."""
        root = self._executor.workplace.roots[0]
        return frozenset(path for path in wanted if (root / path).is_dir())

    def _name(self, path: str) -> str:
        """A path as it is shown: relative in the session's folder."""
        try:
            real = paths.resolve(path, self._executor.workplace.roots[0])
        except (OSError, ValueError):
            return path
        return paths.display_path(Path(real), self._executor.workplace.roots[0])

    def _emit(self, event: Notice | ErrorRaised) -> None:
        self._record.whole.emit(event)
