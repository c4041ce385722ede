"""Runs a shell command in the session's folder: own process group, closed stdin, a timeout, capped
output."""

from __future__ import annotations

from pydantic import Field

from agent_tui.protocol.display import CommandDisplay
from agent_tui.safety.process.processes import Job
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support.files import refuse_placeholders

LABEL_CHARS = 120


class RunShellCommand(Arguments):
    command: str = Field(
        description="the command, for bash; it cannot ask questions (its input is closed)"
    )
    timeout: float = Field(
        default=0, ge=0, le=3600, description="seconds it may take; 0: the default"
    )


def _label(arguments: RunShellCommand) -> str:
    lines = arguments.command.strip().split("\n")
    first = lines[0][:LABEL_CHARS]
    return f"Run {first}{' …' if len(lines) > 1 or len(lines[0]) > LABEL_CHARS else ''}"


async def plan(arguments: RunShellCommand, ctx: ToolContext) -> Planned:
    """A command is a string: what it finds when it runs is its own business."""
    refuse_placeholders(arguments.command, "", "command")
    return Planned(
        CommandDisplay(arguments.command, cwd=str(ctx.roots[0])), lambda: run(arguments, ctx)
    )


def describe_job(job: Job) -> str:
    """What the model is told of processes that go on in the background."""
    pids = " ".join(map(str, job.pids))
    said = (
        f"Still running in the background: pid {pids}."
        if pids
        else "It left processes in the background."
    )
    read = f" Their output goes on in {job.output}: read it with read_file." if job.output else ""
    return f"[{said}{read} End them with kill. They end with this program at the latest.]"


async def run(arguments: RunShellCommand, ctx: ToolContext) -> ToolResult:
    if not arguments.command.strip():
        raise ToolFailure("invalid_arguments", "the command is empty")
    refuse_placeholders(arguments.command, "", "command")
    timeout = arguments.timeout or ctx.command_timeout
    try:
        result = await ctx.process(arguments.command, timeout)
    except (OSError, ValueError) as error:
        raise ToolFailure("exception", f"the command could not be started: {error}") from None
    shown = "\n".join(filter(None, (result.output, result.unwatched)))
    display = CommandDisplay(
        arguments.command, str(ctx.roots[0]), shown, result.exit_code, result.timed_out
    )
    notes = result.loss + (f"\n[{result.unwatched}]" if result.unwatched else "")
    if result.job:
        notes += f"\n{describe_job(result.job)}"
    if result.timed_out:
        text = f"Error [timeout]: it took longer than {timeout:g} s and was ended. Its output until then:\n"
        return ToolResult(text + result.output + notes, display, "timeout")
    content = f"exit code {result.exit_code}\n{result.output or '(no output)'}{notes}"
    return ToolResult(content, display, "ok" if result.exit_code == 0 else "exit")


TOOL = Tool(
    name="run_shell_command",
    description="Run a command with bash in the working directory; gives exit code and output. It gets no input.",
    arguments=RunShellCommand,
    effect="execute",
    label=_label,
    run=run,
    plan=plan,
    command=lambda a: a.command,
    timeout=lambda a: a.timeout,
)
