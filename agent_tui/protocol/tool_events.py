"""Events of tools: consent and questions, the intent, its output, the result, and changed files."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final, Literal

from agent_tui.protocol.display import (
    AskedQuestion,
    DiffDisplay,
    Display,
    PlanDisplay,
    QuestionDisplay,
)
from agent_tui.protocol.event import Event
from agent_tui.protocol.standing import Allowance, IntendedChange, QuestionKind
from agent_tui.protocol.transcript import (
    LIVE_TAIL,
    Approval,
    BackgroundJob,
    FailedJob,
    Question,
    State,
    ToolBlock,
    ToolState,
    Transcript,
)
from agent_tui.structures.frozen import frozen

CANCELLED_TAGS = ("cancelled", "interrupted")
ATTACHED = "attach"
"""The name of a call that the person made: a file that a prompt names with `@`. Its content is part
of the prompt."""
READ_RESULT: Final = "read_result"
"""The tool that gives an earlier result back."""
FILE_TOOLS: Final = frozenset(
    [
        "apply_patch",
        "create_file",
        "delete_file",
        "delete_memory",
        "edit_file",
        "edit_notebook",
        "move_file",
        "save_memory",
    ]
)
"""Tools that do nothing before their `ChangesStarted`."""


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
    prefix: str = ""
    folder: str = ""
    argv: tuple[str, ...] = ()
    sandbox: str = ""
    hosts: tuple[str, ...] = ()
    ran: bool = False
    type: Literal["approval_asked"] = "approval_asked"

    def change(self, t: Transcript) -> Transcript:
        asked = Approval(
            self.id,
            self.call_id,
            self.tool,
            self.label,
            self.reason,
            self.display,
            self.always,
            self.hard,
            self.mode,
            "" if self.is_main else self.agent,
            self.prefix,
            self.folder,
            self.argv,
            self.sandbox,
            self.hosts,
            self.ran,
        )
        before = t.tool(self.call_id)
        block = ToolBlock(
            self.call_id,
            self.tool,
            self.label,
            "asking",
            self.at,
            display=self.display,
            note=before.note if before else "",
            words=before.words if before else "",
        )
        return t.put_tool(block).ask(asked, self.at)


@frozen
class ApprovalAnswered(Event):
    """The answer. `by`: `person`; `nobody`, where no person answered; why nobody was asked
    (`headless`); or why the question was taken back: what it is about is allowed meanwhile
    (`rule`), or is something else by now (`changed`). `allows`: what `always`, `prefix` or `folder`
    stands for, where it may be on record; then the first two hold in a resumed session too.
    `outside`: once, and not in the sandbox."""

    id: str
    choice: Literal["once", "always", "prefix", "folder", "outside", "no"]
    text: str = ""
    by: str = "person"
    allows: Allowance | None = None
    type: Literal["approval_answered"] = "approval_answered"

    def change(self, t: Transcript) -> Transcript:
        asked = next((one for one in t.pending if one.id == self.id), None)
        t = _answer(t, self.id, self.at)
        block = t.tool(asked.call_id) if isinstance(asked, Approval) else None
        if block is None or not self.text or self.choice == "no":
            return t
        words = "\n".join(filter(None, (block.words, self.text)))
        return t.put_tool(replace(block, words=words))


@frozen
class AllowanceRevoked(Event):
    """What was allowed for the session asks again."""

    allowed: Allowance
    type: Literal["allowance_revoked"] = "allowance_revoked"


@frozen
class QuestionAsked(Event):
    """What the fields mean: `Question`. One that a call asks stands in its block."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[str, ...] = ()
    call_id: str = ""
    details: tuple[str, ...] = ()
    multi: bool = False
    display: Display | None = None
    type: Literal["question_asked"] = "question_asked"

    def change(self, t: Transcript) -> Transcript:
        asked = Question(
            self.id,
            self.kind,
            self.text,
            self.options,
            "" if self.is_main else self.agent,
            self.call_id,
            self.details,
            self.multi,
            self.display,
        )
        block = t.tool(self.call_id) if self.call_id else None
        if block is not None:
            t = t.put_tool(replace(block, state="asking", display=self._shown(block.display)))
        return t.ask(asked, self.at)

    def _shown(self, before: Display | None) -> Display:
        """What the block of the call shows of all that it asks."""
        if self.display is not None:
            return self.display
        asked = before.questions if isinstance(before, QuestionDisplay) else ()
        return QuestionDisplay((*asked, AskedQuestion(self.text, self.options)))


@frozen
class QuestionAnswered(Event):
    """The answer. `picks`: the options that were chosen, from 0; `by`: as in `ApprovalAnswered`. Of
    the questions of one call, an answer may come again as long as another one is open."""

    id: str
    choice: Literal["stop", "continue", "say", "no", "yes", "later", "choose"]
    text: str = ""
    idle: bool = False
    """No turn is open: the question came before one."""
    picks: tuple[int, ...] = ()
    by: str = "person"
    type: Literal["question_answered"] = "question_answered"

    def change(self, t: Transcript) -> Transcript:
        asked = next((one for one in t.pending if one.id == self.id), None)
        if not isinstance(asked, Question) or not asked.call_id:
            t = _answer(t, self.id, self.at)
            return replace(t, state="idle") if self.idle else t
        now = replace(asked, answered=True, picks=self.picks, words=self.text)
        of_call = [
            now if one is asked else one
            for one in t.pending
            if isinstance(one, Question) and one.call_id == asked.call_id
        ]
        if not all(one.answered for one in of_call):
            return t.keep_pending(tuple(now if one is asked else one for one in t.pending))
        for one in of_call:
            t = _answer(t, one.id, self.at)
        block = t.tool(asked.call_id)
        return t if block is None else t.put_tool(replace(block, state="running"))


@frozen
class ToolStarted(Event):
    """The intent: stored before the tool runs. `effect` is what the tool declares; `note` how it
    was allowed; `timeout_s` the seconds that it may run, 0 where it has no limit of its own;
    `output` the name of the file, among the outputs of the session, to which a command's output
    goes while it runs."""

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
        before = t.tool(self.call_id)
        block = ToolBlock(
            self.call_id,
            self.name,
            self.label,
            "running",
            self.at,
            note=_join(self.note, before.note if before else ""),
            timeout_s=self.timeout_s,
            words=before.words if before else "",
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
        return (
            t
            if block is None
            else t.put_tool(replace(block, tail=(block.tail + self.text)[-LIVE_TAIL:]))
        )


@frozen
class ChangesStarted(Event):
    """The intent of a call that changes files: stored before the first of them is touched, when
    what they held is kept. After a kill their contents say what was done."""

    call_id: str
    files: tuple[IntendedChange, ...] = ()
    type: Literal["changes_started"] = "changes_started"


@frozen
class FileChanged(Event):
    """A tool changed a file. `before` is the SHA-256 of its content before (in blobs/), empty if it
    did not exist; `after` is empty if it is gone. `mode`, `mode_after`: its permission bits, 0
    where they are not known; 0o120000: a symbolic link, whose content is where it points.
    `folders`: how many folders above it were made for it. `during_command`: it was another before
    and after a command, so perhaps somebody else changed it meanwhile. `source`: a file that held
    this content before the command, perhaps moved from there."""

    call_id: str
    path: str
    diff: DiffDisplay
    before: str = ""
    after: str = ""
    mode: int = 0
    mode_after: int = 0
    folders: int = 0
    during_command: bool = False
    source: str = ""
    type: Literal["file_changed"] = "file_changed"

    def change(self, t: Transcript) -> Transcript:
        """It belongs to the turn of its call, which may be over; in old logs (turn 0) to the last
        one."""
        places = range(len(t.marks) - 1, -1, -1)
        return self._noted(
            t, next((at for at in places if not self.turn or t.marks[at].turn == self.turn), -1)
        )

    def apply_above(self, t: Transcript, row: int) -> Transcript:
        """To take back the turn that started the agent takes this back, too."""
        places = range(len(t.marks) - 1, -1, -1) if row >= 0 else ()
        return self._noted(t, next((at for at in places if t.marks[at].rows <= row), -1))

    def _noted(self, t: Transcript, place: int) -> Transcript:
        if place < 0:
            return t
        mark = t.marks[place]
        return replace(
            t, marks=t.marks.set(place, replace(mark, files=mark.files.append(self.diff.path)))
        )


@frozen
class ToolEnded(Event):
    """The result. `content` is what the model gets; `tag` is `ok`, or the stable tag of the
    failure; `hidden` counts the values in it that are placeholders."""

    call_id: str
    name: str
    label: str
    content: str
    display: Display | None = None
    duration_ms: int = 0
    tag: str = "ok"
    hidden: int = 0
    type: Literal["tool_ended"] = "tool_ended"

    def change(self, t: Transcript) -> Transcript:
        state: ToolState = (
            "done" if self.tag == "ok" else "cancelled" if self.tag in CANCELLED_TAGS else "failed"
        )
        before = t.tool(self.call_id)
        note = before.note if before else ""
        if self.hidden:
            values = f"{self.hidden} value{'s' if self.hidden > 1 else ''} hidden"
            note = _join(note, values)
        if (
            self.tag == "interrupted"
        ):  # the program ended meanwhile: the person needs to know what the model is told
            note = self.content.removeprefix("Error [interrupted]: ").partition(":")[0]
        waiting = before.display if before is not None and before.state == "asking" else None
        asked = isinstance(waiting, QuestionDisplay | PlanDisplay)  # else it never began
        block = ToolBlock(
            self.call_id,
            self.name,
            self.label,
            state,
            before.started_at if before else self.at,
            self.duration_ms,
            self.tag,
            display=waiting if self.display is None and asked else self.display,
            note=note,
            proposed=None if asked else waiting,
            words=before.words if before else "",
        )
        t = t.put_tool(block)
        running = any(
            isinstance(row := t.rows[i], ToolBlock) and row.state == "running"
            for i in t.open_tools.values()
        )
        return replace(
            t,
            state="waiting_for_input"
            if t.pending
            else "waiting_for_tool"
            if running
            else "running",
        )


def _join(*notes: str) -> str:
    return ", ".join(filter(None, notes))


def _answer(t: Transcript, id: str, at: float) -> Transcript:
    pending = tuple(asked for asked in t.pending if asked.id != id)
    waited = max(0.0, at - t.asked_at) if t.pending and not pending else 0.0
    state: State = "waiting_for_input" if pending else "running"
    return replace(t.keep_pending(pending), state=state, turn_at=t.turn_at + waited)


SHELL: Final = "shell"


@frozen
class ShellStarted(Event):
    """A `!` command: stored before it runs, and again when the person allowed it. `output` is the
    name of the file, among the outputs of the session, to which its output goes. Of a `private` one
    nothing else is told."""

    call_id: str
    label: str
    private: bool = False
    output: str = ""
    type: Literal["shell_started"] = "shell_started"

    def change(self, t: Transcript) -> Transcript:
        block = ToolBlock(self.call_id, SHELL, self.label, "running", self.at)
        if t.state == "idle":  # clocks that run for it begin here
            t = replace(t, turn_at=self.at, turn_tokens=0)
        return replace(t, failed_jobs=()).put_tool(block)


@frozen
class ShellEnded(Event):
    """A `!` command ended. `content` joins the next request; of a private one only the number of
    `lines` is told.
    `idle`: no turn is open."""

    call_id: str
    label: str
    private: bool = False
    command: str = ""
    content: str = ""
    lines: int = 0
    display: Display | None = None
    tag: str = "ok"
    duration_ms: int = 0
    idle: bool = False
    type: Literal["shell_ended"] = "shell_ended"

    def change(self, t: Transcript) -> Transcript:
        state: ToolState = (
            "done" if self.tag == "ok" else "cancelled" if self.tag == "cancelled" else "failed"
        )
        before = t.tool(self.call_id)
        label = (
            f"{self.label} ({self.lines} line{'s' * (self.lines != 1)}, not kept)"
            if self.private
            else self.label
        )
        block = ToolBlock(
            self.call_id,
            SHELL,
            label,
            state,
            before.started_at if before else self.at,
            self.duration_ms,
            self.tag,
            display=self.display,
        )
        pending = tuple(
            asked
            for asked in t.pending
            if isinstance(asked, Question) or asked.call_id != self.call_id
        )
        waits = pending or (t.state == "waiting_for_input" and pending == t.pending)
        now: State = "waiting_for_input" if waits else "idle" if self.idle else _goes_on(t.state)
        return replace(t.put_tool(block).keep_pending(pending), state=now)


@frozen
class JobChanged(Event):
    """A background process of a command runs, has ended, or was stopped (by somebody, or with the
    program). `command` is the command that started it, `pids` are its processes at that moment,
    `output` the name of the file, among the outputs of the session, to which its output goes.
    `number` is how the model calls it (0: it is none of its own), `told` what the model is told of
    it. `kept`: it goes on when the program ends. `waits`: the end of its output, where it seems to
    wait for input; empty: it does not. `exit_code`: that of the command, where it ended by itself
    and that is known. `network`: its way out ends with the program."""

    id: str
    state: Literal["running", "ended", "stopped"]
    command: str = ""
    pids: tuple[int, ...] = ()
    output: str = ""
    number: int = 0
    told: str = ""
    kept: bool = False
    waits: str = ""
    exit_code: int | None = None
    network: bool = False
    type: Literal["job_changed"] = "job_changed"

    def change(self, t: Transcript) -> Transcript:
        if self.state != "running":
            failed = t.failed_jobs
            if self.state == "ended" and self.exit_code:
                failed = (*failed, FailedJob(self.command, self.exit_code))
            others = tuple(job for job in t.jobs if job.id != self.id)
            return replace(t, jobs=others, failed_jobs=failed)
        since = next((job.since for job in t.jobs if job.id == self.id), self.at)
        job = BackgroundJob(
            self.id,
            self.command,
            since,
            self.number,
            self.kept,
            self.waits,
            self.pids,
            self.network,
        )
        places = {**{one.id: one for one in t.jobs}, self.id: job}
        return replace(t, jobs=tuple(places.values()))


def at_work(t: Transcript) -> bool:
    """Whether a command of the person's runs, or waits for their word."""
    blocks = (t.rows[row] for row in t.open_tools.values())
    return any(isinstance(block, ToolBlock) and block.name == SHELL for block in blocks)


def is_command_running(t: Transcript) -> bool:
    """Whether a command runs, of the person's or of the agent's: only those have a timeout."""
    blocks = (t.rows[row] for row in t.open_tools.values())
    return at_work(t) or any(isinstance(one, ToolBlock) and one.timeout_s > 0 for one in blocks)


def _goes_on(state: State) -> State:
    return "running" if state == "waiting_for_input" else state
