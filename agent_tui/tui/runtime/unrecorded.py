"""What was typed or sent and is in no session's log yet: until it is, it lies in a file, which no
kill takes along.

The file is of the kind that an ended start leaves behind (`typed`): the next start in this folder
gives it back. While this program lives it holds a lock on it, so that another start leaves it
alone.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.boot.frame import typed_folder
from agent_tui.paths import make_private
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    DraftSaved,
    QueueChanged,
    SessionStarted,
    SteerSeen,
    TurnStarted,
)
from agent_tui.protocol.ops import Op, QueueEdit, SaveDraft, Steer, Submit
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip

PASTE: Final = "\x1b[200~"
PASTED: Final = "\x1b[201~"


class Unrecorded:
    """`on`: not where the session is off the record. Once a session has all of it, nothing is kept
    here any more."""

    def __init__(self, on: bool = True) -> None:
        self._problem = ""
        """Why it is not on disk."""
        self.has_taken_over = False
        """The words of an earlier start are in it."""
        self.has_kept_draft = False
        """The next start has the draft of a session that could not be saved."""
        self._on = on
        self._prompts: list[str] = []
        self._draft = SaveDraft("")
        self._recorded_draft = ""
        self._opened = False
        """A session is open."""
        self._path: Path | None = None
        self._fd = -1

    @property
    def is_over(self) -> bool:
        """Whether a session has all there was."""
        return not self._on

    def note(self, op: Op) -> bool:
        """The engine is to have `op`. Whether it holds a prompt, which must be on disk before it
        leaves the box."""
        text = ""
        match op:
            case SaveDraft():
                self._draft = op
            case Submit(queue_id="") | Steer(queue_id="") | QueueEdit(action="add"):
                text = op.text
            case _:
                return False
        if not text.strip() or self.is_over:
            return False
        self._prompts.append(text)
        if self._words_of_draft().strip() == text.strip():
            self._draft = SaveDraft("")
        return True

    def keep(self) -> None:
        """Put on disk what there is now; without any words, no file stays."""
        if self.is_over:
            return
        words, self._problem = self._words(), ""
        try:
            self._write(words) if words else self._remove()
        except OSError as error:
            self._problem = (
                f"{error.strerror or error} ({error.filename or typed_folder(os.environ)})"
            )

    def take_over(self, files: Sequence[Path]) -> None:
        """The words of `files` are in the draft: they lie in the own file from now on."""
        self.has_taken_over = True
        self.keep()
        if not self._problem:
            for file in files:
                file.unlink(missing_ok=True)

    def adopt(self, path: str, fd: int) -> None:
        """What was typed before the screen read keys lies in this file: it is the own one from now
        on."""
        self._path, self._fd = Path(path), fd

    def take_problem(self) -> str:
        """Why what was typed is not on disk; said once."""
        problem, self._problem = self._problem, ""
        return problem

    def lost(self) -> tuple[str, str]:
        """At the very end: the words that no session has and that cannot be kept here either, and
        why."""
        if self.is_over:
            return "", ""
        self.keep()
        return (self._words(), self._problem) if self._problem else ("", "")

    def give_up(self) -> None:
        """It is kept otherwise, or not wanted any more: the person ended the start."""
        if self._on:
            self._remove()
            self._on = False

    def keep_draft(self, draft: str, pasted: tuple[Chip, ...]) -> None:
        """At the very end of a session that cannot be saved, which nobody was asked about: its
        draft is kept here after all."""
        self._on, self._prompts, self._draft = True, [], SaveDraft(draft, pasted)
        self.keep()
        self.has_kept_draft = bool(self._words()) and not self._problem

    def hear(self, event: Event | Restored) -> None:
        """What the engine has on record is not kept here any more."""
        if self.is_over or (isinstance(event, Event) and not event.is_main):
            return
        waiting = len(self._prompts)
        match event:
            case SessionStarted():
                self._opened = True
            case TurnStarted():
                self._forget(event.prompt)
            case SteerSeen():
                self._forget(event.text)
            case QueueChanged():
                for item in event.items:
                    self._forget(item.text)
            case DraftSaved():
                self._recorded_draft = event.text
                self._forget(event.text)
            case Restored():
                self._recorded_draft = event.transcript.draft
            case _:
                return
        drafted = not self._draft.text.strip() or self._draft.text == self._recorded_draft
        if self._opened and drafted and not self._prompts:
            self.give_up()
        elif len(self._prompts) < waiting:
            self.keep()  # or the next start would give back what has run

    def _forget(self, text: str) -> None:
        found = next((one for one in self._prompts if one.strip() == text.strip()), None)
        if found is not None:
            self._prompts.remove(found)

    def _words(self) -> str:
        return "\n".join(filter(None, (*self._prompts, self._words_of_draft().strip())))

    def _words_of_draft(self) -> str:
        return chips.expand(self._draft.text, self._draft.pasted)

    def _write(self, words: str) -> None:
        """The old file stays until the new one is whole. Raises OSError."""
        folder = Path(typed_folder(os.environ))
        make_private(folder)
        path = self._path or folder / f"{time.time_ns()}-{os.getpid()}"
        part = path.with_name(f".{path.name}")
        text = f"{PASTE}{words.replace(PASTED, '')}{PASTED}".encode("utf-8", "surrogateescape")
        fd = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with os.fdopen(fd, "wb", closefd=False) as file:
                file.write(os.fsencode(Path.cwd()) + b"\0" + text)
            part.rename(path)
        except OSError:
            os.close(fd)
            part.unlink(missing_ok=True)
            raise
        self._close()
        self._fd, self._path = fd, path

    def _remove(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            if not any(self._path.parent.iterdir()):
                self._path.parent.rmdir()
        self._close()
        self._path = None

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
