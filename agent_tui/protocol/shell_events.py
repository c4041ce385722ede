"""Events of commands that the person runs beside the conversation (`!command`; `!!command` is private), and of what any
command leaves in the background."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from agent_tui.protocol.display import Display
from agent_tui.protocol.event import Event
from agent_tui.protocol.transcript import BackgroundJob, Question, State, ToolBlock, ToolState, Transcript
from agent_tui.structures.frozen import frozen

SHELL: Final = "shell"


@frozen
class ShellStarted(Event):
    """A `!` command: stored before it runs, and again when the person allowed it. `output` is the name of the file,
    among the outputs of the session, to which its output goes. Of a `private` one nothing else is told."""

    call_id: str
    label: str
    private: bool = False
    output: str = ""
    type: Literal["shell_started"] = "shell_started"

    def change(self, t: Transcript) -> Transcript:
        block = ToolBlock(self.call_id, SHELL, self.label, "running", self.at)
        if t.state == "idle":  # clocks that run for it begin here
            t = replace(t, turn_at=self.at, turn_tokens=0)
        return t.put_tool(block)


@frozen
class ShellEnded(Event):
    """A `!` command ended. `content` joins the next request; of a private one only the number of `lines` is told.
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
        state: ToolState = "done" if self.tag == "ok" else "cancelled" if self.tag == "cancelled" else "failed"
        before = t.tool(self.call_id)
        label = f"{self.label} ({self.lines} line{'s' * (self.lines != 1)}, not kept)" if self.private else self.label
        block = ToolBlock(
            self.call_id, SHELL, label, state, before.started_at if before else self.at, self.duration_ms, self.tag,
            display=self.display,
        )  # fmt: skip
        pending = tuple(asked for asked in t.pending if isinstance(asked, Question) or asked.call_id != self.call_id)
        waits = pending or (t.state == "waiting_for_input" and pending == t.pending)
        now: State = "waiting_for_input" if waits else "idle" if self.idle else _goes_on(t.state)
        return replace(t.put_tool(block).keep_pending(pending), state=now)


@frozen
class JobChanged(Event):
    """A background process of a command runs, has ended, or was stopped (by somebody, or with the program).
    `command` is the command that started it, `pids` are its processes at that moment, `output` the name of the file,
    among the outputs of the session, to which its output goes."""

    id: str
    state: Literal["running", "ended", "stopped"]
    command: str = ""
    pids: tuple[int, ...] = ()
    output: str = ""
    type: Literal["job_changed"] = "job_changed"

    def change(self, t: Transcript) -> Transcript:
        others = tuple(job for job in t.jobs if job.id != self.id)
        if self.state != "running":
            return replace(t, jobs=others)
        return replace(t, jobs=(*others, BackgroundJob(self.id, self.command, self.at)))


def at_work(t: Transcript) -> bool:
    """Whether a command of the person's runs, or waits for their word."""
    blocks = (t.rows[row] for row in t.open_tools.values())
    return any(isinstance(block, ToolBlock) and block.name == SHELL for block in blocks)


def _goes_on(state: State) -> State:
    return "running" if state == "waiting_for_input" else state
