"""Events of tools: consent and questions, the intent, its output, the result, and changed files."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from agent_tui.protocol.display import DiffDisplay, Display
from agent_tui.protocol.event import Event
from agent_tui.protocol.standing import Allowance
from agent_tui.protocol.transcript import LIVE_TAIL, Approval, Question, State, ToolBlock, ToolState, Transcript
from agent_tui.structures.frozen import frozen

CANCELLED_TAGS = ("cancelled", "interrupted")
ATTACHED = "attach"
"""The name of a call that the person made: a file that a prompt names with `@`. Its content is part of the prompt."""


@frozen
class ApprovalAsked(Event):
    id: str
    call_id: str
    tool: str
    label: str
    reason: str = ""
    display: Display | None = None
    always: str = ""
    hard: bool = False
    mode: str = ""
    type: Literal["approval_asked"] = "approval_asked"

    def change(self, t: Transcript) -> Transcript:
        asked = Approval(
            self.id, self.call_id, self.tool, self.label, self.reason, self.display, self.always, self.hard, self.mode,
            "" if self.is_main else self.agent,
        )  # fmt: skip
        t = t.put_tool(ToolBlock(self.call_id, self.tool, self.label, "asking", self.at, display=self.display))
        return t.ask(asked, self.at)


@frozen
class ApprovalAnswered(Event):
    """The answer. `by`: `person`; `nobody`, where no person answered; or why nobody was asked (`headless`). `allows`:
    what `always` stands for, where it may be on record; then it holds in a resumed session too."""

    id: str
    choice: Literal["once", "always", "no"]
    text: str = ""
    by: str = "person"
    allows: Allowance | None = None
    type: Literal["approval_answered"] = "approval_answered"

    def change(self, t: Transcript) -> Transcript:
        return _answer(t, self.id, self.at)


@frozen
class QuestionAsked(Event):
    id: str
    kind: Literal["stuck", "budget", "price", "skill_argument", "confirm"]
    text: str
    options: tuple[str, ...] = ()
    type: Literal["question_asked"] = "question_asked"

    def change(self, t: Transcript) -> Transcript:
        agent = "" if self.is_main else self.agent
        return t.ask(Question(self.id, self.kind, self.text, self.options, agent), self.at)


@frozen
class QuestionAnswered(Event):
    id: str
    choice: Literal["stop", "continue", "say", "no", "yes", "later"]
    text: str = ""
    idle: bool = False
    """No turn is open: the question came before one."""
    type: Literal["question_answered"] = "question_answered"

    def change(self, t: Transcript) -> Transcript:
        t = _answer(t, self.id, self.at)
        return replace(t, state="idle") if self.idle else t


@frozen
class ToolStarted(Event):
    """The intent: stored before the tool runs. `effect` is what the tool declares; `note` how it was allowed;
    `timeout_s` the seconds that it may run, 0 where it has no limit of its own; `output` the name of the
    file, among the outputs of the session, to which a command's output goes while it runs."""

    call_id: str
    name: str
    label: str
    arguments: str = "{}"
    effect: str = "read"
    note: str = ""
    timeout_s: float = 0.0
    output: str = ""
    type: Literal["tool_started"] = "tool_started"

    def change(self, t: Transcript) -> Transcript:
        block = ToolBlock(
            self.call_id, self.name, self.label, "running", self.at, note=self.note, timeout_s=self.timeout_s
        )
        t = t.put_tool(block)
        return replace(t, state="waiting_for_input" if t.pending else "waiting_for_tool")


@frozen
class ToolOutput(Event):
    settled: ClassVar[bool] = False
    call_id: str
    text: str
    type: Literal["tool_output"] = "tool_output"

    def change(self, t: Transcript) -> Transcript:
        block = t.tool(self.call_id)
        return t if block is None else t.put_tool(replace(block, tail=(block.tail + self.text)[-LIVE_TAIL:]))


@frozen
class FileChanged(Event):
    """A tool changed a file. `before` is the SHA-256 of its content before (in blobs/), empty if it did not exist;
    `after` is empty if it is gone. `mode`, `mode_after`: its permission bits, 0 where they are not known; 0o120000: a
    symbolic link, whose content is where it points. `folders`: how many folders above it were made for it.
    `during_command`: it was another before and after a command, so perhaps somebody else changed it meanwhile."""

    call_id: str
    path: str
    diff: DiffDisplay
    before: str = ""
    after: str = ""
    mode: int = 0
    mode_after: int = 0
    folders: int = 0
    during_command: bool = False
    type: Literal["file_changed"] = "file_changed"

    def change(self, t: Transcript) -> Transcript:
        """It belongs to the turn of its call, which may be over; in old logs (turn 0) to the last one."""
        places = range(len(t.marks) - 1, -1, -1)
        return self._noted(t, next((at for at in places if not self.turn or t.marks[at].turn == self.turn), -1))

    def above(self, t: Transcript, row: int) -> Transcript:
        """To take back the turn that started the agent takes this back, too."""
        places = range(len(t.marks) - 1, -1, -1) if row >= 0 else ()
        return self._noted(t, next((at for at in places if t.marks[at].rows <= row), -1))

    def _noted(self, t: Transcript, place: int) -> Transcript:
        if place < 0:
            return t
        mark = t.marks[place]
        return replace(t, marks=t.marks.set(place, replace(mark, files=mark.files.append(self.diff.path))))


@frozen
class ToolEnded(Event):
    """The result. `content` is what the model gets; `tag` is `ok`, or the stable tag of the failure."""

    call_id: str
    name: str
    label: str
    content: str
    display: Display | None = None
    duration_ms: int = 0
    tag: str = "ok"
    type: Literal["tool_ended"] = "tool_ended"

    def change(self, t: Transcript) -> Transcript:
        state: ToolState = "done" if self.tag == "ok" else "cancelled" if self.tag in CANCELLED_TAGS else "failed"
        before = t.tool(self.call_id)
        note = before.note if before else ""
        if self.tag == "interrupted":  # the program ended meanwhile: the person needs to know what the model is told
            note = self.content.removeprefix("Error [interrupted]: ").partition(":")[0]
        proposed = before.display if before is not None and before.state == "asking" else None  # it never began
        block = ToolBlock(
            self.call_id, self.name, self.label, state, before.started_at if before else self.at, self.duration_ms,
            self.tag, display=self.display, note=note, proposed=proposed,
        )  # fmt: skip
        t = t.put_tool(block)
        running = any(isinstance(row := t.rows[i], ToolBlock) and row.state == "running" for i in t.open_tools.values())
        return replace(t, state="waiting_for_input" if t.pending else "waiting_for_tool" if running else "running")


def _answer(t: Transcript, id: str, at: float) -> Transcript:
    pending = tuple(asked for asked in t.pending if asked.id != id)
    waited = max(0.0, at - t.asked_at) if t.pending and not pending else 0.0
    state: State = "waiting_for_input" if pending else "running"
    return replace(t.keep_pending(pending), state=state, turn_at=t.turn_at + waited)
