"""Commands that the person runs (`!command`, `!!command`): at once, beside a turn, through the
sandbox like a tool's.

They are the person's own, so no mode asks; what the hard list names is asked about all the same.
The output joins the next request; that of a private one (`!!`) is shown, and neither it nor the
command goes to the model or on record.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from typing import Final, Literal

from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.executor import cap_output
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.turns import Turns, new_id
from agent_tui.protocol.answers import PrivateOutput
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    Answered,
    ApprovalAnswered,
    ApprovalAsked,
    ShellEnded,
    ShellStarted,
)
from agent_tui.protocol.ops import Answer, RunShell
from agent_tui.protocol.tool_events import SHELL
from agent_tui.safety.process.processes import CommandResult
from agent_tui.safety.shell import hard_list
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.words import TooMany, simple_commands
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

HIDDEN: Final = "!! private command"
LABEL: Final = 120
_NAMES: Final = late.pattern(r"(?:(?<!\s)\s*+\(|(?:(?<!\s)\s++|^)\S*[/~]).*", re.DOTALL)
"""From where on a reason names what a command is about: that of a private one goes on record
without it."""


@frozen
class Ran:
    """What came of a command: words that say how it ended, its whole output, and its exit code."""

    said: str
    output: str
    exit_code: int | None = None
    tag: str = "ok"
    goes_on: bool = False


class Shell:
    """The commands of a session's person; each ends with its task."""

    def __init__(self, record: Record, turns: Turns) -> None:
        self._record, self._turns = record, turns
        self._running: set[asyncio.Task[None]] = set()

    @property
    def is_running(self) -> bool:
        return bool(self._running)

    def run(self, op: RunShell) -> None:
        task = self._turns.spawn(self._run(op))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> bool:
        """End all of them; whether there were any."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        return bool(running)

    async def _run(self, op: RunShell) -> None:
        workplace, id = self._turns.executor.workplace, new_id()
        command = workplace.scrub(op.command)
        line, _, more = command.strip().partition("\n")
        label = (
            HIDDEN if op.private else f"! {line[:LABEL]}{' …' if more or len(line) > LABEL else ''}"
        )
        context = CallContext(workplace, id, frozenset(), private=op.private)
        output_file = "" if op.private else context.output_file.name
        began, ran = time.monotonic(), Ran("cancelled", "", tag="cancelled")
        begun = ShellStarted(call_id=id, label=label, private=op.private, output=output_file)
        self._record.emit(begun)
        try:
            reason = hard_list.reason(op.command, *map(str, workplace.roots))
            reason = _NAMES.sub("…", reason) if op.private else reason
            if reason and (refused := await self._refused(id, label, reason, op)):
                ran = Ran(f"not run: {refused}", "", tag="denied")
            else:
                if reason:
                    self._record.emit(begun)
                ran = await self._ran(context, op)
        except (OSError, ValueError) as error:
            ran = Ran(f"could not be started: {error}", "", tag="exception")
        finally:
            if ran.tag == "cancelled":
                ran = replace(ran, output=context.command_output.text())
            output = workplace.scrub(ran.output)
            shown = None
            if not op.private:
                said = output or (ran.said if ran.exit_code is None else "")
                shown = CommandDisplay(
                    command,
                    str(workplace.roots[0]),
                    said,
                    ran.exit_code,
                    background=ran.goes_on,
                )
            self._record.emit(
                ShellEnded(
                    call_id=id,
                    label=label,
                    private=op.private,
                    command="" if op.private else command,
                    content=""
                    if op.private
                    else f"{ran.said}\n{cap_output(output, workplace.max_output_chars)}".rstrip(),
                    lines=len(output.splitlines()),
                    display=shown,
                    tag=ran.tag,
                    duration_ms=round((time.monotonic() - began) * 1000),
                    idle=self._turns.current is None,
                )
            )
            context.release()
            if op.private:
                self._record.emit(Answered(id, PrivateOutput(op.command, ran.said, output)))

    async def _ran(self, context: CallContext, op: RunShell) -> Ran:
        if program := full_screen(op.command):
            said = f"not run: {program} needs a terminal, and commands here have none"
            return Ran(said, "", tag="blocked")
        result = await self._run_watched(context, op)
        lost = f", {result.lost:,} characters left out in the middle" if result.lost else ""
        if result.job is not None and result.exit_code is None:
            number = f": job {result.job.number}" if result.job.number else ""
            return Ran(f"it goes on in the background{number}{lost}", result.output, goes_on=True)
        tag = "ok" if result.exit_code == 0 else "exit"
        unwatched = f"\n{result.unwatched}" if result.unwatched else ""
        return Ran(
            f"exit code {result.exit_code}{lost}{unwatched}", result.output, result.exit_code, tag
        )

    async def _run_watched(self, context: CallContext, op: RunShell) -> CommandResult:
        """Run it, and tell what it changes: not of a private one, of which nothing is on record."""
        watch = self._turns.executor.watch
        if watch is None or op.private or self._turns.seal_reason():
            return await context.process(op.command, 0)
        before, looked = await watch.take_snapshot_beside(op.command, context), False
        try:
            result = await context.process(op.command, 0)
            if before is not None:
                await watch.report_changes(before)
                looked = True
        finally:
            if before is not None and not looked:
                watch.report_changes_later(before)
        return result

    async def _refused(self, id: str, label: str, reason: str, op: RunShell) -> str:
        """Ask whether the command may run. Empty: yes. Otherwise who said no."""
        display = (
            None
            if op.private
            else CommandDisplay(op.command, str(self._turns.executor.workplace.roots[0]))
        )
        asked = ApprovalAsked(
            id=new_id(),
            call_id=id,
            tool=SHELL,
            label=label,
            reason=reason,
            display=display,
            hard=True,
        )
        self._record.emit(asked)
        answer = Answer(asked.id, "no")
        try:
            answer = await self._turns.consent.wait(asked.id)
        finally:
            choice: Literal["once", "no"] = "once" if answer.choice == "once" else "no"
            self._record.emit(ApprovalAnswered(id=asked.id, choice=choice, by=answer.by))
        if choice == "once":
            return ""
        return "nobody answered" if answer.by == "nobody" else "you said no"


_PROGRAMS: Final = frozenset(
    (
        "vi",
        "vim",
        "nvim",
        "view",
        "vimdiff",
        "nvi",
        "elvis",
        "emacs",
        "nano",
        "pico",
        "micro",
        "hx",
        "helix",
        "kak",
        "joe",
        "mc",
        "ranger",
        "nnn",
        "lf",
        "htop",
        "btop",
        "tig",
        "lazygit",
        "gitui",
        "tmux",
        "screen",
    )
)
_NEED_NONE: Final = frozenset(
    (
        "-e",
        "-E",
        "-es",
        "-Es",
        "-s",
        "-h",
        "-b",
        "-V",
        "--batch",
        "-batch",
        "--version",
        "-version",
        "--help",
        "--headless",
        "--script",
        "-script",
        "kill-server",
        "ls",
        "-ls",
        "list-sessions",
    )
)
"""Words with which such a program works without a terminal."""


def full_screen(command: str) -> str:
    """The program of `command` that needs a terminal of its own; empty if there is none."""
    try:
        for simple in simple_commands(command, lambda _: ""):
            call = shell_programs.unwrap_call(simple)
            if call is not None and call.name in _PROGRAMS:
                words = {word.text for word in call.arguments}
                if not words & _NEED_NONE:
                    return call.name
    except (RecursionError, TooMany):  # it cannot be read; it is run as it is
        return ""
    return ""
