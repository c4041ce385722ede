"""`/jobs`: what runs in the background."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.present.wording import time_ago
from agent_tui.protocol.ops import MoveToBackground, StopJob
from agent_tui.protocol.tool_events import is_command_running
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet

ALL: Final = "*"


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """Each job; under the cursor its last line of output."""
    known = model.transcript.answers.jobs
    jobs = known.jobs if known is not None else ()
    for job in jobs:
        state = "stopping" if job.stops else f"started {time_ago(model.at - job.since)}"
        about = job.last or "It has not written anything yet."
        yield Entry(
            job.id, one_line(job.command), f"{state}, pid {' '.join(map(str, job.pids))}", about
        )
    if len(jobs) > 1:
        yield Entry(ALL, "Stop all", "", "Ends everything in this list.")


def _stop(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, StopJob(row.id.removeprefix(ALL)))


@command(argument="[search]", rank=54)
def jobs(model: Model, args: str) -> Step:
    """List what commands left running in the background, with its last line of output. Enter stops
    one, F5 refreshes. The header counts them."""
    return open_sheet(model, "jobs", args)


@command(empty=("ctrl+b",), rank=55)
def background(model: Model, _: str) -> Step:
    """Move the running command into the background: the agent goes on, and /jobs lists it. In a
    prompt that holds text, Ctrl+B moves the caret."""
    if not is_command_running(model.transcript):
        return toast(model, "no command is running")
    return send(model, MoveToBackground())


SHEET: Final = Sheet(
    "Running in the background",
    _rows,
    (Action("stop", TAKES, "stop", _stop, careful=True),),
    (jobs, background),
    query="jobs",
    about_lines=2,
    refreshes=True,
    read_first=0.5,
)
