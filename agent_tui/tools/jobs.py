"""What the commands of the model left in the background: a list, the end of its output, a wait for
its end or for words of it, and its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from agent_tui.protocol.display import TextDisplay
from agent_tui.safety.process.processes import Job
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult

TAIL: Final = 4_000
"""Characters of output that are shown."""
PAUSE: Final = 0.1
"""Seconds between two looks at the output."""
ENDS: Final = 5.0
"""Seconds that the end of a job is waited for: it may take two seconds to ignore TERM."""


class JobsArguments(LenientArguments):
    action: Literal["list", "tail", "wait", "stop"] = "list"
    job: int = Field(default=0, description="its number; not for list")
    seconds: float = Field(default=60, gt=0, le=600, description="how long to wait")
    until: str = Field(default="", description="wait only until its output holds this")


def _state(job: Job) -> str:
    if job.ended.is_set():
        ended = "ended" if job.exit_code is None else f"ended, exit code {job.exit_code}"
        return "stopped" if job.stopped else ended
    pids = " ".join(map(str, job.pids))
    waits = ", seems to wait for input, which it cannot get" if job.question else ""
    return (
        f"running for {count_noun(round(time.time() - job.started), 'second')}, pid {pids}{waits}"
    )


def _lines(known: Mapping[int, tuple[str, Job]]) -> str:
    rows = (
        f"{number}: {command.strip().splitlines()[0][:200]} ({_state(job)}) {job.last_line[:200]}"
        for number, (command, job) in known.items()
    )
    return "\n".join(row.rstrip() for row in rows) or "No job was started."


def _tail(job: Job, state: str = "") -> str:
    output = job.text
    shown = output[-TAIL:]
    rest = f" (the last {TAIL:,} characters)" if len(shown) < len(output) else ""
    where = f" All of it: {job.output} (read_file)." if job.output else ""
    return f"Job {job.number}: {state or _state(job)}.{where}\nOutput{rest}:\n{shown or '(none)'}"


async def _wait(job: Job, seconds: float, until: str = "") -> bool:
    """Wait until it has ended or seems to wait for input, or its output holds `until`; whether that
    came to be in time."""
    deadline, job.is_awaited = time.monotonic() + seconds, True
    try:
        while not (done := _is_over(job, until)):
            if time.monotonic() >= deadline:
                break
            await asyncio.sleep(PAUSE)
        return done
    finally:
        job.is_awaited = job.ended.is_set()


def _is_over(job: Job, until: str) -> bool:
    """Whether there is nothing to wait for any more."""
    return job.ended.is_set() or bool(job.question) or (bool(until) and until in job.text)


async def run(arguments: JobsArguments, ctx: ToolContext) -> ToolResult:
    known = ctx.jobs()
    if arguments.action == "list":
        return _shown(_lines(known))
    if arguments.job not in known:
        raise ToolFailure("not_found", f"no job {arguments.job}; there are:\n{_lines(known)}")
    _, job = known[arguments.job]
    if arguments.action == "stop" and not job.ended.is_set():
        job.stop()
        if not await _wait(job, ENDS):
            return _shown(_tail(job, "it was told to end, and still runs"))
    if arguments.action == "wait" and not await _wait(job, arguments.seconds, arguments.until):
        text = _tail(job, f"still running after {arguments.seconds:g} s")
        return ToolResult(text, TextDisplay(text), "timeout")
    return _shown(_tail(job))


def _shown(text: str) -> ToolResult:
    return ToolResult(text, TextDisplay(text))


def _label(arguments: JobsArguments) -> str:
    if arguments.action == "list":
        return "List background jobs"
    verb = {"tail": "Read the output of", "wait": "Wait for", "stop": "Stop"}[arguments.action]
    return f"{verb} job {arguments.job}"


TOOL = Tool(
    name="jobs",
    description="List, read (tail), wait for or stop what your commands left running in the background.",
    arguments=JobsArguments,
    effect="read",
    label=_label,
    run=run,
    group="jobs",
)
