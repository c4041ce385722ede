"""`/jobs`: what runs in the background, as it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_tui.present.wording import time_ago
from agent_tui.protocol.answers import JobStatus
from agent_tui.protocol.ops import KeepJob, MoveToBackground, StopJob
from agent_tui.protocol.tool_events import is_command_running
from agent_tui.structures.visible import visible
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, send, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet
from agent_tui.tui.sheets.actions import row_of
from agent_tui.tui.sheets.opening import open_sheet

ALL: Final = "*"
SECONDS: Final = 1.0
"""So often the list is asked for while it is open and something runs."""


def _known(model: Model) -> dict[str, JobStatus]:
    told = model.transcript.answers.jobs
    return {job.id: job for job in told.jobs} if told is not None else {}


def _is_kept(model: Model, id: str) -> bool:
    """Whether it goes on when the program ends; what was told last counts."""
    job = next((job for job in model.transcript.jobs if job.id == id), None)
    return job.kept if job is not None else id in (known := _known(model)) and known[id].kept


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """Each job; under the cursor the end of its output."""
    jobs = _known(model)
    for job in jobs.values():
        state = "stopping" if job.stops else f"started {_ago(model.at - job.since)}"
        said = (
            "waits for input" if job.waits else "",
            "kept after quit" if _is_kept(model, job.id) else "",
            state,
            _pids(job),
        )
        about = job.tail or job.last or "It has not written anything yet."
        yield Entry(job.id, one_line(job.command), " · ".join(filter(None, said)), about)
    if len(jobs) > 1:
        yield Entry(ALL, "Stop all", "", "Ends everything in this list.")


def _about(model: Model, _: Overlay, row: Entry, cells: int, lines: int) -> Lines:
    """The last lines of its output, and its processes and the file with all of it, where there is
    room."""
    job = _known(model).get(row.id)
    where = [one_line(_pids(job), cells), *_path_lines(visible(job.output), cells)] if job else []
    where = where if len(where) < lines else []
    said = [one_line(line, cells) for line in row.about.splitlines()]
    shown = said[-(lines - len(where)) :]
    return (*((Span(line),) for line in shown), *((Span(line, "dim"),) for line in where))


def _ago(seconds: float) -> str:
    """Words that stay for a minute: where they changed each second, the row would be another one to
    who types its number."""
    return "in the last minute" if seconds < 60 else time_ago(seconds)


def _pids(job: JobStatus) -> str:
    return f"pid {' '.join(map(str, job.pids))}"


def _path_lines(path: str, cells: int) -> list[str]:
    """`path` on lines that end behind a `/`."""
    found = [""]
    for part in re.findall(r"[^/]*/|[^/]+", path):
        if len(found[-1]) + len(part) > cells and found[-1]:
            found.append("")
        found[-1] += part
    return [one_line(line, cells) for line in found if line]


def _stop(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, StopJob(row.id.removeprefix(ALL)))


def _keep(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, KeepJob(row.id, not _is_kept(model, row.id)))


def _keep_label(model: Model, overlay: Overlay) -> str:
    return "end at quit" if _is_kept(model, row_of(overlay).id) else "keep after quit"


def _can_keep(model: Model, _: Overlay, row: Entry) -> bool:
    job = _known(model).get(row.id)
    return job is not None and not (job.stops or job.adopted)


@command(argument="[search]", rank=54)
def jobs(model: Model, args: str) -> Step:
    """List what commands left running in the background, with the end of its output. Enter stops
    one, F2 keeps it running after you quit. The header counts them."""
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
    (
        Action("stop", TAKES, "stop", _stop, careful=True),
        Action("keep", ("f2",), _keep_label, _keep, _can_keep, closes=False, typed="keep"),
    ),
    (jobs, background),
    query="jobs",
    about=_about,
    about_lines=7,
    read_first=0.5,
    live=lambda model: (model.transcript.jobs,),
    every=lambda model: SECONDS if model.transcript.jobs else 0.0,
)
