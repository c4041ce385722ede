"""The facts about a project that change from turn to turn."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from agent_tui.safety.git import GitAnswer, ask_git
from agent_tui.safety.git_config import explain_ownership, find_repository
from agent_tui.safety.secrets.scrubber import hide_secrets

STATUS_LINES: Final = 20
_GIT_TIMEOUT: Final = 1.0
_STATUS: Final = ("status", "--porcelain=v1", "-b", "--ignore-submodules=dirty")


async def facts(cwd: Path, hide: Callable[[str], str] = hide_secrets, model: str = "") -> str:
    """Date, system, model and git status as a block for the end of a request; `hide` replaces the
    secrets in names of branches and files. Never raises; without git it says so. No time: what the
    model knows already is not told again, and that would differ each minute."""
    now = datetime.now().astimezone()
    where = find_repository(cwd.resolve())
    lines = (
        ["Git: no repository"]
        if where is None
        else _git(await ask_git(where, _STATUS, _GIT_TIMEOUT), hide)
    )
    if where is not None and (problem := explain_ownership(where)):
        problem = _harmless(problem, hide)
        lines.append(f"Git commands fail here: {problem}. Only the person may do that.")
    system = os.uname()
    lines = [
        f"Date: {now:%Y-%m-%d} ({now:%A}), UTC{now:%z}",
        f"System: {system.sysname} {system.release} {system.machine}",
        *([f"Model: {_harmless(model, hide)}"] if model else []),
        *lines,
    ]
    return "\n".join(["<environment>", *lines, "</environment>"])


def _git(answer: GitAnswer, hide: Callable[[str], str]) -> list[str]:
    """The lines about git, from what `git status` said."""
    if answer.problem:
        return [f"Git: unknown ({_harmless(answer.problem, hide)})"]
    branch, *changes = answer.output.rstrip("\n").split("\n")
    changes = [change for change in changes if change]
    said = [f"Git branch: {_harmless(branch.removeprefix('## '), hide)}"]
    if not changes:
        return [*said, "Git status: clean"]
    shown = (_harmless(change, hide) for change in changes[:STATUS_LINES])
    said += ["Git status:", *shown]
    left = len(changes) - STATUS_LINES
    return [*said, f"… and {left} more"] if left > 0 else said


def _harmless(line: str, hide: Callable[[str], str]) -> str:
    """A file may be named to look like the end of the block; nobody is to be misled by it. Bytes
    that are no text are replaced."""
    line = hide(os.fsencode(line).decode("utf-8", "replace"))
    return line.replace("<", "‹").replace(">", "›")
