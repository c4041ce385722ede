"""Events of a session: its header, mode, model, queue and draft, and what the engine has to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal, get_args

from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.event import GONE, Event
from agent_tui.protocol.standing import (
    Direction,
    EditedPrompt,
    Outcome,
    RestoredFile,
    place_of,
)
from agent_tui.protocol.transcript import (
    DividerBlock,
    Level,
    NoticeBlock,
    Queued,
    Saving,
    Transcript,
)
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, chips_in
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.protocol.answers import AnswerData
else:
    # its many classes are loaded where they are used: the codec validates each kind by itself
    AnswerData = object

FORKED: Final = "forked from session"
"""How the line across begins where a copy ends and its own turns begin."""


@frozen
class SessionStarted(Event):
    """The header of a run: the first record of a log, and again at each resume (`resumed`).
    `parent`, `parent_at`: the session that it was forked from, and the record there. `otr`: off the
    record, nothing is written. `window_assumed`: nobody told how large the window is. An imported
    header has neither mode nor model: those of the person hold."""

    cwd: str = ""
    model: str = ""
    mode: str = "auto"
    window: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    config: dict[str, object] = field(default_factory=dict)
    resumed: bool = False
    parent: str = ""
    parent_at: int = 0
    otr: bool = False
    window_assumed: bool = False
    type: Literal["session_started"] = "session_started"

    def change(self, t: Transcript) -> Transcript:
        t = replace(
            t,
            session=self.session,
            cwd=self.cwd,
            model=self.model,
            mode=self.mode or t.mode,
            window=self.window,
            otr=self.otr,
            window_assumed=self.window_assumed,
        )
        last = t.rows[-1] if self.resumed and len(t.rows) else None
        fresh = isinstance(last, DividerBlock) and last.text.startswith(
            FORKED
        )  # nothing was done in the copy yet
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
class InViewChanged(Event):
    """All files that stay in the model's view, as they are named. `text` says what was done."""

    paths: tuple[str, ...] = ()
    text: str = ""
    type: Literal["in_view_changed"] = "in_view_changed"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock("info", self.text)) if self.text else t


@frozen
class ModelChanged(Event):
    model: str
    window: int = 0
    window_assumed: bool = False
    type: Literal["model_changed"] = "model_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(
            t,
            model=self.model,
            window=self.window,
            window_assumed=self.window_assumed,
            answering="",
        )


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
    """The text in the prompt. `pasted`: those chips of it that were not on record with the draft
    before. `edited`: it begins with new words of a queued prompt."""

    text: str
    pasted: tuple[Chip, ...] = ()
    edited: EditedPrompt | None = None
    type: Literal["draft_saved"] = "draft_saved"

    def change(self, t: Transcript) -> Transcript:
        pasted = chips_in(self.text, t.pasted, self.pasted)
        return replace(t, draft=self.text, pasted=pasted, edited=self.edited)


@frozen
class Titled(Event):
    """The session's title; a person's is never replaced by a model's. An empty one of the person's:
    none."""

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
    """The answer to a `Query`; in a record `kind` says what `data` is
    (`agent_tui/protocol/answers.py`)."""

    settled: ClassVar[bool] = False
    id: str
    data: AnswerData
    type: Literal["answered"] = "answered"

    @property
    def kind(self) -> str:
        return self.data.type

    def change(self, t: Transcript) -> Transcript:
        return replace(t, answers=t.answers.with_newest(self.data))


@frozen
class SavingChanged(Event):
    """Whether the session is saved on disk: `problem` says why not; then only the records up to
    number `through` are there. `elsewhere`: the file that it is kept in, where that is not its own
    place. Told before what it is about, and never stored."""

    settled: ClassVar[bool] = False
    problem: str = ""
    through: int = 0
    elsewhere: str = ""
    type: Literal["saving_changed"] = "saving_changed"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, saving=Saving(self.problem, self.through, self.elsewhere))


@frozen
class SandboxFound(Event):
    """The sandbox of commands that run without a question, by the name of how it is made;
    `problem`: why there is none. Never stored: it may be another on the next machine."""

    settled: ClassVar[bool] = False
    backend: str = ""
    problem: str = ""
    type: Literal["sandbox_found"] = "sandbox_found"

    def change(self, t: Transcript) -> Transcript:
        return replace(t, sandbox="none" if self.problem else self.backend)


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


OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
NAMED: Final = 3
NAME: Final = 40
"""Files that are named, and characters of each name."""


@frozen
class Rewound(Event):
    """The session was rewound to before the turn at record `to`; the log keeps the turns after it.
    Queue, mode, model, title and labels stay; an empty draft becomes that turn's prompt."""

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
            t,
            rows=t.rows.truncate(mark.rows),
            marks=t.marks.truncate(place),
            state="idle",
            steps=0,
            turn_tokens=0,
            open_tools={call: row for call, row in t.open_tools.items() if row < mark.rows},
            retry=None,
            agents={agent: row if row < mark.rows else GONE for agent, row in t.agents.items()},
            questions=tuple(
                asked for asked in t.questions if t.agents.get(asked.agent, 0) < mark.rows
            ),
            context_tokens=mark.context_tokens,
            estimated=mark.estimated,
            todos=mark.todos,
            title="" if place == 0 and not t.titled_by else t.title,
            draft=draft,
            pasted=pasted,
        )


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
    """The intent: stored before the first file is written. `turns`: record numbers of the turns
    whose changes are taken back (`undo`) or made again (`redo`)."""

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
        return t.add(NoticeBlock("warning" if bad else "info", self.summary()))

    def summary(self, first: str = "") -> str:
        """What was done and how it is reversed (`first`: what comes before that), what was left,
        and what failed: the same words everywhere."""
        undone = self.direction == "undo"
        of = {
            outcome: [file for file in self.files if file.outcome == outcome]
            for outcome in OUTCOMES
        }
        above = _shared_folder([file.path for file in self.files])
        gone = [file.path for file in of["done"] if file.before and not file.after]
        there = [file.path for file in of["done"] if file.after or not file.before]
        verb, again = ("Restored", "") if undone else ("Changed", " again")
        deleted = f", deleted {name_files(gone, above)}" if gone else ""
        told = [f"{verb} {name_files(there, above)}{again}{deleted}."] if there else []
        told += [f"Deleted {name_files(gone, above)}{again}."] if gone and not there else []
        told += [f"{first}/{'redo' if undone else 'undo'} reverses this."] if of["done"] else []
        told += (
            [f"Kept {name_files([file.path for file in of['kept']], above)} unchanged."]
            if of["kept"]
            else []
        )
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
    """Undo cannot reach all that the command of a call changed; `text` says why. `shown`: as a line
    of its own, which is done once; the sheet of `/undo` says it always."""

    call_id: str
    text: str
    shown: bool = True
    type: Literal["undo_limited"] = "undo_limited"

    def change(self, t: Transcript) -> Transcript:
        return t.add(NoticeBlock("info", self.text)) if self.shown else t


def name_files(paths: Sequence[str], above: str = "") -> str:
    """The first few of `paths`, as they are called in the folder `above`, and how many more there
    are."""
    names = [path.removeprefix(above) for path in paths[:NAMED]]
    short = [name if len(name) <= NAME else f"…{name[1 - NAME :]}" for name in names]
    if (more := len(paths) - NAMED) > 0:
        return f"{', '.join(short)} and {more:,} more"
    return " and ".join(filter(None, (", ".join(short[:-1]), *short[-1:])))


def _shared_folder(paths: Sequence[str]) -> str:
    """The folder that all of `paths` are in, with the slash behind it."""
    first, last = min(paths, default=""), max(paths, default="")  # all others begin as these two do
    same = next(
        (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
        len(first),
    )
    return first[: first.rfind("/", 0, same) + 1]


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
