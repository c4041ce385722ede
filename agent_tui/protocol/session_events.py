"""Events of a session: its header, mode, model, queue and draft, and what the engine has to say."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.event import Event
from agent_tui.protocol.transcript import DividerBlock, Level, NoticeBlock, Queued, Saving, Transcript
from agent_tui.structures.chips import Chip, held
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.protocol.answers import Answer
else:
    Answer = Any  # its many classes are loaded where they are used: the codec validates each kind by itself

FORKED: Final = "forked from session"
"""How the line across begins where a copy ends and its own turns begin."""


@frozen
class SessionStarted(Event):
    """The header of a run: the first record of a log, and again at each resume (`resumed`). `parent`, `parent_at`:
    the session that it was forked from, and the record there. `otr`: off the record, nothing is written.
    `window_assumed`: nobody told how large the window is. An imported header has neither mode nor model: those of the
    person hold."""

    cwd: str = ""
    model: str = ""
    mode: str = "auto"
    window: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    resumed: bool = False
    parent: str = ""
    parent_at: int = 0
    otr: bool = False
    window_assumed: bool = False
    type: Literal["session_started"] = "session_started"

    def change(self, t: Transcript) -> Transcript:
        t = replace(
            t, session=self.session, cwd=self.cwd, model=self.model, mode=self.mode or t.mode, window=self.window,
            otr=self.otr, window_assumed=self.window_assumed,
        )  # fmt: skip
        last = t.rows[-1] if self.resumed and len(t.rows) else None
        fresh = isinstance(last, DividerBlock) and last.text.startswith(FORKED)  # nothing was done in the copy yet
        return t.add(DividerBlock("resumed")) if last is not None and not fresh else t


@frozen
class Cleared(Event):
    type: Literal["cleared"] = "cleared"

    def change(self, t: Transcript) -> Transcript:
        t = replace(t, context_tokens=0, estimated=False, todos=())
        return t.add(DividerBlock("context cleared")) if len(t.rows) else t


@frozen
class ModeChanged(Event):
    mode: str
    type: Literal["mode_changed"] = "mode_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, mode=self.mode)


@frozen
class EffortChanged(Event):
    """The thinking effort from the next request on; empty: the model decides."""

    effort: str
    type: Literal["effort_changed"] = "effort_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, effort=self.effort)


@frozen
class Directory:
    """A folder beside the session's own: its real path, and which folder that is."""

    path: str
    device: int = 0
    inode: int = 0


@frozen
class DirectoriesChanged(Event):
    """All added folders that the session works in now. `text` says what was done;
    `given`: they were named on the command line, where they can be named again."""

    directories: tuple[Directory, ...] = ()
    text: str = ""
    given: bool = False
    type: Literal["directories_changed"] = "directories_changed"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock("info", self.text)) if self.text else t


@frozen
class ModelChanged(Event):
    model: str
    window: int = 0
    window_assumed: bool = False
    type: Literal["model_changed"] = "model_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, model=self.model, window=self.window, window_assumed=self.window_assumed, answering="")


@frozen
class QueueChanged(Event):
    """The whole queue as it is now."""

    items: tuple[Queued, ...] = ()
    paused: bool = False
    type: Literal["queue_changed"] = "queue_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, queue=self.items, paused=self.paused)


@frozen
class TodoChanged(Event):
    """The whole todo list as the model keeps it now."""

    items: tuple[TodoItem, ...] = ()
    type: Literal["todo_changed"] = "todo_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, todos=self.items)


@frozen
class DraftSaved(Event):
    """The text in the prompt. `pasted`: those chips of it that were not on record with the draft before."""

    text: str
    pasted: tuple[Chip, ...] = ()
    type: Literal["draft_saved"] = "draft_saved"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, draft=self.text, pasted=held(self.text, t.pasted, self.pasted))


@frozen
class Titled(Event):
    """The session's title; a person's is never replaced by a model's. An empty one of the person's: none."""

    title: str
    by: Literal["person", "model"] = "person"
    type: Literal["titled"] = "titled"

    def change(self, t: Transcript) -> Transcript:
        if self.by == "model" and t.titled_by == "person":
            return t
        return replace(t, title=self.title, titled_by=self.by if self.title else "")


@frozen
class Labelled(Event):
    """The person's label for the message with the record number `of`; an empty one removes it."""

    of: int
    label: str = ""
    type: Literal["labelled"] = "labelled"

    def change(self, t: Transcript) -> Transcript:
        others = {n: label for n, label in t.labels.items() if n != self.of}
        return replace(t, labels={**others, self.of: self.label} if self.label else others)


@frozen
class PlaceKept(Event):
    """The row of the transcript that the person looked at when they left; -1: the end."""

    row: int = -1
    type: Literal["place_kept"] = "place_kept"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, place=self.row)


@frozen
class Answered(Event):
    """The answer to a `Query`; in a record `kind` says what `data` is (`agent_tui/protocol/answers.py`)."""

    settled: ClassVar[bool] = False
    id: str
    data: Answer
    type: Literal["answered"] = "answered"

    @property
    def kind(self) -> str:
        return self.data.type

    def change(self, t: Transcript) -> Transcript:
        return replace(t, answers=t.answers.with_newest(self.data))


@frozen
class SavingChanged(Event):
    """Whether the session is saved on disk: `problem` says why not; then only the records up to number
    `through` are there. `elsewhere`: the file that it is kept in, where that is not its own place. Told before what it
    is about, and never stored."""

    settled: ClassVar[bool] = False
    problem: str = ""
    through: int = 0
    elsewhere: str = ""
    type: Literal["saving_changed"] = "saving_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, saving=Saving(self.problem, self.through, self.elsewhere))


@frozen
class Notice(Event):
    text: str
    level: Level = "info"
    hint: str = ""
    type: Literal["notice"] = "notice"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock(self.level, self.text, self.hint))


@frozen
class ErrorRaised(Event):
    """Something failed: `text` says what and where in one line, `hint` what to do."""

    text: str
    kind: str = "exception"
    hint: str = ""
    may_pass: bool = False
    type: Literal["error"] = "error"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, retry=None).add(NoticeBlock("error", self.text, self.hint))
