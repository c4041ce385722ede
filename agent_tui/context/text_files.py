"""Reading the texts that people and projects leave for the model: instructions and skills.

They come with a repository, from anyone. So only plain files are read, up to a limit, and none
whose real path has the name or the place of a secret. What a project brings must lie in it, has its
secrets hidden, and above the session's folder it must be the person's own. What is open is what was
checked: no link is followed any more. And nothing of a project is used that the person does not
trust (`settings/trust.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from agent_tui.paths import is_own
from agent_tui.safety import file_access, hard_links, limits, paths
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import reveal_text

LONGEST: Final = 4
"""Bytes of a character in UTF-8."""
_SECRET: Final = "which may hold secrets"


@frozen
class Project:
    """What files of a project are held to. `roots`: the folders that they may lie in; `chosen`:
    those that the person named, whoever owns what is in them; `hide` replaces the secrets in a
    text; `admits` says whether the person trusts a file with this content."""

    roots: tuple[Path, ...]
    chosen: tuple[Path, ...]
    hide: Callable[[str], str]
    admits: Callable[[Path, bytes], bool]

    def holds(self, real: Path) -> bool:
        """Whether a real path lies in one of the folders."""
        return any(real.is_relative_to(root.resolve()) for root in self.roots)


@frozen
class TextFile:
    """`text` is empty where the file is not trusted, or could not be read; `problem` says why, or
    what was left out of it. `cut`: it goes on in the file. `identity`: device and inode of what was
    read, the same behind all names."""

    text: str = ""
    identity: tuple[int, int] | None = None
    problem: str = ""
    cut: bool = False


def forbid(real: Path, closed: Sequence[str]) -> str:
    """Why a real path is not read by itself, whoever it belongs to: it is in one of the folders
    `closed`, as the person wrote them."""
    return limits.Limits(closed=tuple(closed)).forbid_file(real) if closed else ""


def read(
    path: Path,
    limit: int,
    project: Project | None = None,
    closed: Sequence[str] = (),
) -> TextFile | None:
    """The text of `path`, at most `limit` characters; None where no such file is. `project`: the one
    that it belongs to; None: it is the person's own, who may link it to wherever they keep it.
    `closed`: folders in which nothing is read, theirs or not."""
    try:
        real = path.resolve(strict=True)
        if problem := forbid(real, closed) or _misplaced(path, real, project):
            return TextFile(problem=f"{path} {problem}: not used")
        with os.fdopen(file_access.open_regular(real), "rb") as file:
            about = os.fstat(file.fileno())
            if project and (problem := _foreign(path, real, about, project)):
                return TextFile(problem=f"{path} {problem}: not used")
            raw = file.read(limit * LONGEST + 1)
            identity = (about.st_dev, about.st_ino)
            if project and not project.admits(path, raw):
                return TextFile(identity=identity)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except file_access.NotRegular:
        return TextFile(problem=f"{path} is not a file: not used")
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "links in a circle"
        return TextFile(problem=f"{path} cannot be read ({reason}): not used")
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\0", "")
    cut = len(text) > limit
    text, hidden = reveal_text(text[:limit])
    problems = [f"{path} is longer than {limit:,} characters: the rest is not used"] if cut else []
    if hidden:
        many = "character" if hidden == 1 else "characters"
        problems.append(
            f"{path} contains {hidden} hidden {many}: removed before the model reads it"
        )
    if project and (safe := project.hide(text)) != text:
        problems.append(f"{path} contains secrets: hidden from the model")
        text = safe
    return TextFile(text, identity, "; ".join(problems), cut)


def _misplaced(path: Path, real: Path, project: Project | None) -> str:
    """Why a file is not read where it really is; empty: it may be."""
    if paths.is_secret(path) or paths.is_secret(real):
        return f"leads to {real}, {_SECRET}"
    return f"leads outside the project, to {real}" if project and not project.holds(real) else ""


def _foreign(path: Path, real: Path, about: os.stat_result, project: Project) -> str:
    """Why an open file of a project is not read: it is not the person's, or a hard link makes it a
    file of elsewhere, too. Names beside it are known: people link `CLAUDE.md` to `AGENTS.md`."""
    if not (is_own(about) or any(path.is_relative_to(folder) for folder in project.chosen)):
        return "belongs to another user"
    if about.st_nlink > 1:
        names = hard_links.names_of(real.parent, about.st_ino)
        if secret := next((name for name in names if paths.is_secret(real.with_name(name))), ""):
            return f"is a hard link of {secret}, {_SECRET}"
        if len(names) < about.st_nlink:
            return "is a hard link of a file elsewhere"
    return ""
