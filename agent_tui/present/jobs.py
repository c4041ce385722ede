"""What is said of the jobs in the background when a program ends."""

from __future__ import annotations

from collections.abc import Iterable

from agent_tui.protocol.transcript import BackgroundJob, Transcript

ENDED = "Ended in the background: "
RUNS = "Still running: "


def job_lines(running: Iterable[BackgroundJob], ended: Transcript) -> list[str]:
    """A line for each job: those that were `running` before the end, those that go on after it, and
    those that failed since anybody looked. `ended`: the session after the end."""
    jobs = {job.id: job for job in (*running, *ended.jobs)}
    goes_on = {job.id for job in ended.jobs if job.kept}
    stopped = [job for job in jobs.values() if not job.kept]
    return [
        *(f"{ENDED}{_line(job.command)}" for job in stopped),
        *(f"{RUNS}{_line(job.command)}{_pids(job)}" for job in jobs.values() if job.id in goes_on),
        *(
            f"Failed in the background (exit code {job.exit_code}): {_line(job.command)}"
            for job in ended.failed_jobs
        ),
    ]


def _line(command: str) -> str:
    return " ".join(command.split())


def _pids(job: BackgroundJob) -> str:
    return f" (pid {' '.join(map(str, job.pids))})" if job.pids else ""
