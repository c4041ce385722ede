"""What a project says about itself: its instruction files, and the facts that change from turn to turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.paths import project_folders
from agent_tui.safety import sandbox

NAMES: Final = ("AGENTS.md", "CLAUDE.md", ".agent-tui/context.md")
LIMIT: Final = 64_000
"""Bytes of one instruction file that are used."""
STATUS_LINES: Final = 20
_GIT_TIMEOUT: Final = 1.0
_STATUS: Final = ("git", "status", "--porcelain=v1", "-b", "--ignore-submodules=dirty")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction file. `name` is how it is shown; `problem` says what of it is not used (with an empty `text`:
    all of it)."""

    name: str
    path: Path
    text: str
    problem: str = ""


def instructions(cwd: Path, home: Path, others: Sequence[Path] = ()) -> tuple[Instruction, ...]:
    """The person's own file first, then those in `others` (folders that were added), then those from the git root down
    to `cwd`; a file behind two names only once."""
    folders = project_folders(cwd)
    root = folders[0]
    candidates: list[tuple[str, Path, Path | None]] = [("~/.claude/CLAUDE.md", home / ".claude" / "CLAUDE.md", None)]
    for folder in others:  # of what lies above them nobody spoke
        candidates += [(str(folder / name), folder / name, folder) for name in NAMES]
    for folder in folders:
        candidates += [(str((folder / name).relative_to(root)), folder / name, root) for name in NAMES]
    found: list[Instruction] = []
    seen: set[Path] = set()
    for name, path, within in candidates:
        file = text_files.read(path, LIMIT, within)
        if file is None or file.real in seen:
            continue
        if file.real is not None:
            seen.add(file.real)
        text = file.text.strip()
        if text and file.problem:
            text += f"\n[cut here: only the first {LIMIT // 1000} kB of {name} are used]"
        if text or file.problem:
            found.append(Instruction(name, path, text, file.problem))
    return tuple(found)


async def facts(cwd: Path) -> str:
    """Date and git status as a block for the end of a request. Never raises; without git it says so."""
    now = datetime.now().astimezone()
    try:
        async with asyncio.timeout(_GIT_TIMEOUT * 2):
            code, output = await sandbox.quiet(_STATUS, cwd, _GIT_TIMEOUT)
    except (OSError, ValueError, TimeoutError):
        code, output = 124, ""
    lines = [f"Date: {now:%Y-%m-%d} ({now:%A})", *_git(code, output)]
    return "\n".join(["<environment>", *lines, "</environment>"])


def _git(code: int, output: str) -> list[str]:
    """The lines about git, from what `git status` said."""
    if code == 128:
        return ["Git: no repository"]
    if code != 0:
        return ["Git: unknown (git is not installed)" if code == 127 else "Git: unknown (it did not answer in time)"]
    branch, *changes = output.rstrip("\n").split("\n")
    changes = [_harmless(change) for change in changes if change]
    said = [f"Git branch: {_harmless(branch.removeprefix('## '))}"]
    if not changes:
        return [*said, "Git status: clean"]
    said += ["Git status:", *changes[:STATUS_LINES]]
    left = len(changes) - STATUS_LINES
    return [*said, f"… and {left} more"] if left > 0 else said


def _harmless(line: str) -> str:
    """A file may be named to look like the end of the block; nobody is to be misled by it."""
    return line.replace("<", "‹").replace(">", "›")
