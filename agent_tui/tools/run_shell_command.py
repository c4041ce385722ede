"""Runs a shell command in the session's folder: own process group, closed stdin, a timeout, capped
output."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from agent_tui.protocol.display import CommandDisplay
from agent_tui.safety.process.processes import CommandResult, Job
from agent_tui.tools.base import Arguments, Planned, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support.files import refuse_placeholders

LABEL_CHARS = 120


class RunShellCommand(Arguments):
    command: str = Field(description="for bash; its input is closed, so it cannot ask questions")
    timeout: float = Field(
        default=0,
        ge=0,
        le=3600,
        description="seconds until it is ended; 0: the default, 120 unless set otherwise",
    )
    background: bool = Field(
        default=False, description="return at once and leave it running (servers, watchers)"
    )


def _label(arguments: RunShellCommand) -> str:
    lines = arguments.command.strip().split("\n")
    first = lines[0][:LABEL_CHARS]
    return f"Run {first}{' …' if len(lines) > 1 or len(lines[0]) > LABEL_CHARS else ''}"


async def plan(arguments: RunShellCommand, ctx: ToolContext) -> Planned:
    """A command is a string: what it finds when it runs is its own business."""
    refuse_placeholders(arguments.command, "", "command")
    shown = CommandDisplay(arguments.command, cwd=str(ctx.folder), background=arguments.background)
    return Planned(shown, lambda: run(arguments, ctx))


def describe_job(job: Job, moved: bool = False) -> str:
    """What the model is told of what goes on in the background; `moved`: the person put it
    there."""
    pids = " ".join(map(str, job.pids))
    by = ", moved there by the person" if moved else ""
    said = f"Still running in the background{by}: {f'job {job.number}, ' if job.number else ''}"
    said += f"pid {pids}." if pids else "its processes are not known."
    read = f" Its output goes on in {job.output}: read it with read_file." if job.output else ""
    ends = " The tool `jobs` waits for it and ends it." if job.number else ""
    until = "You are told when it ends; it ends with this program, unless the person keeps it."
    return f"[{said}{read}{ends} {until}]"


def describe_folder(result: CommandResult, ctx: ToolContext) -> str:
    """What the model is told where the next command does not begin in the session's folder, or does
    so again."""
    if result.folder_is_left:
        return "\n[The next command begins in the session's folder again: it does not leave that.]"
    here = Path(result.folder) if result.folder else ctx.folder
    home = ctx.roots[0]
    if here == home:
        return "\n[The next command begins in the session's folder.]" if ctx.folder != home else ""
    return f"\n[The next command begins in {ctx.display_path(here)}. Paths of other tools do not.]"


async def run(arguments: RunShellCommand, ctx: ToolContext) -> ToolResult:
    if not arguments.command.strip():
        raise ToolFailure("invalid_arguments", "the command is empty")
    refuse_placeholders(arguments.command, "", "command")
    timeout = arguments.timeout or ctx.command_timeout
    try:
        result = await ctx.process(arguments.command, timeout, arguments.background)
    except (OSError, ValueError) as error:
        raise ToolFailure("exception", f"the command could not be started: {error}") from None
    shown = "\n".join(filter(None, (result.output, result.unwatched)))
    goes_on = result.job is not None and result.exit_code is None
    display = CommandDisplay(
        arguments.command, str(ctx.folder), shown, result.exit_code, result.timed_out, goes_on
    )
    notes = result.loss + (f"\n[{result.unwatched}]" if result.unwatched else "")
    notes += describe_folder(result, ctx)
    if result.job is not None:
        notes += f"\n{describe_job(result.job, goes_on and not arguments.background)}"
    if goes_on:
        return ToolResult(f"It runs.\n{result.output}{notes}", display)
    if result.timed_out:
        asked = f" It seemed to wait for input behind: {result.question}" if result.question else ""
        text = f"Error [timeout]: it took longer than {timeout:g} s and was ended.{asked}"
        text += " Its output until then:\n"
        return ToolResult(text + result.output + notes, display, "timeout")
    content = f"exit code {result.exit_code}\n{result.output or '(no output)'}{notes}"
    return ToolResult(content, display, "ok" if result.exit_code == 0 else "exit")


TOOL = Tool(
    name="run_shell_command",
    description="Run a command with bash, in a fresh shell each time: cd lasts (in the session's folders), variables "
    "do not. Gives exit code and output; of long output head, tail, lines that name failures, and the file with all.",
    arguments=RunShellCommand,
    effect="execute",
    label=_label,
    run=run,
    plan=plan,
    command=lambda a: a.command,
    timeout=lambda a: a.timeout,
)
