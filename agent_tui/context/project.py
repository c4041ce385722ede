"""What a project says about itself: its instruction files, and the facts that change from turn to
turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.paths import foreign_folder, project_folders, repository_folders
from agent_tui.safety.git import GitAnswer, ask_git
from agent_tui.safety.git_config import explain_ownership, find_repository
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.structures.frozen import frozen

NAMES: Final = ("AGENTS.md", "CLAUDE.md", ".agent-tui/context.md")
LIMIT: Final = 64_000
"""Bytes of one instruction file that are used."""
ALL_LIMIT: Final = 128_000
"""Characters of all instruction files together: they go with every request."""
STATUS_LINES: Final = 20
_GIT_TIMEOUT: Final = 1.0
_STATUS: Final = ("status", "--porcelain=v1", "-b", "--ignore-submodules=dirty")


@frozen
class Instruction:
    """An instruction file. `name` is how it is shown; `problem` says what of it is not used (with
    an empty `text`: all of it)."""

    name: str
    path: Path
    text: str
    problem: str = ""


def instructions(
    cwd: Path,
    home: Path,
    others: Sequence[Path] = (),
    hide: Callable[[str], str] = hide_secrets,
    *,
    admits: Callable[[Path, bytes], bool],
) -> tuple[Instruction, ...]:
    """The person's own file first, then those in `others` (folders that were added), then those
    from the git root down to `cwd`; a file behind two names only once. `admits` says which are used
    and `hide` replaces the secrets, in all but the person's own."""
    folders = project_folders(cwd)
    root = folders[0]
    project = text_files.Project((root, *others), (folders[-1], *others), hide, admits)
    own = ("~/.claude/CLAUDE.md", home / ".claude" / "CLAUDE.md", None)
    candidates: list[tuple[str, Path, text_files.Project | None]] = [own]
    for folder in others:  # of what lies above them nobody spoke
        candidates += [(str(folder / name), folder / name, project) for name in NAMES]
    for folder in folders:
        candidates += [
            (str((folder / name).relative_to(root)), folder / name, project) for name in NAMES
        ]
    found = _left_out(cwd)
    seen: set[tuple[int, int]] = set()
    for name, path, within in candidates:
        file = text_files.read(path, LIMIT, within)
        if file is None or file.identity in seen:
            continue
        if file.identity is not None:
            seen.add(file.identity)
        text = file.text.strip()
        if text and file.cut:
            text += f"\n[cut here: only the first {LIMIT // 1000} kB of {name} are used]"
        if text or file.problem:
            found.append(Instruction(name, path, text, file.problem))
    return _within_limit(found)


def _left_out(cwd: Path) -> list[Instruction]:
    """What is said where the folders above belong to somebody else, and something in them wants to
    be used."""
    above = repository_folders(cwd)
    foreign = foreign_folder(above)
    named = (folder / name for folder in above[:-1] for name in (".agent-tui", *NAMES))
    if foreign is None or not any(map(os.path.lexists, named)):
        return []
    said = f"{foreign} belongs to another user: instructions, skills and settings above {above[-1]} are not used"
    return [Instruction(str(foreign), foreign, "", said)]


def _within_limit(found: list[Instruction]) -> tuple[Instruction, ...]:
    """What goes with every request of all of them: the person's own file, then the nearest to the
    session's folder."""
    room = ALL_LIMIT
    kept = list(found)
    less: list[str] = []
    nearest_first = sorted(
        range(len(found)), key=lambda at: (found[at].path.parent.name != ".claude", -at)
    )
    for at in nearest_first:
        one = found[at]
        if len(one.text) > room:
            text = (
                f"{one.text[:room]}\n[cut here: all instruction files together are too long]"
                if room
                else ""
            )
            kept[at] = replace(one, text=text)
            less.append(one.name)
        room = max(0, room - len(one.text))
    if less:
        said = f"The instruction files are longer than {ALL_LIMIT:,} characters together"
        said += f": the rest of {', '.join(reversed(less))} is not used"
        at = found.index(next(one for one in found if one.name == less[-1]))
        kept[at] = replace(kept[at], problem="; ".join(filter(None, (kept[at].problem, said))))
    return tuple(kept)


async def facts(cwd: Path, hide: Callable[[str], str] = hide_secrets) -> str:
    """Date and git status as a block for the end of a request; `hide` replaces the secrets in names
    of branches and files. Never raises; without git it says so."""
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
    lines = [f"Date: {now:%Y-%m-%d} ({now:%A})", *lines]
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
