"""Quitting, or opening another session, while something runs in the background: it ends, or is
kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.present.wording import count
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.core.words import one_line
from agent_tui.tui.screen import session_actions
from agent_tui.tui.sheets import TAKES, Action, Sheet

COMMAND: Final = 60
"""Characters of a command by which it is known here."""
READ_FIRST: Final = 0.8
"""So long after it appeared Enter ends nothing: it was meant for what was there before."""
NETWORK: Final = "The sandbox of a kept job has no network any more."
KEPT: Final = "They run on, their output in their files. The next start here lists them."


def _title(model: Model, _: Overlay) -> str:
    jobs = len(session_actions.ending_jobs(model))
    what = "this session" if model.switching is not None else "agent-tui"
    return f"{count(jobs, 'background job')} end{'s' if jobs == 1 else ''} with {what}"


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    jobs = session_actions.ending_jobs(model)
    named = ", ".join(f"`{one_line(job.command, COMMAND)}`" for job in jobs)
    network = f" {NETWORK}" if any(job.network for job in jobs) else ""
    then = "switch" if model.switching is not None else "quit"
    yield Entry("end", f"End and {then}", "", named)
    yield Entry("keep", f"Keep running and {then}", "", f"{named}. {KEPT}{network}")


def _take(model: Model, _: Overlay, row: Entry) -> Step:
    return session_actions.choose_ending(model, row.id == "keep")


SHEET: Final = Sheet(
    _title,
    _rows,
    (Action("take", TAKES, "take", _take, careful=True),),
    broad=False,
    about_lines=4,
    opens_for="jobs",
    live=lambda model: (model.transcript.jobs,),
    esc="stay",
    read_first=READ_FIRST,
)
