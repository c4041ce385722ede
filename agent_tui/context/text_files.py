"""Reading the texts that people and projects leave for the model: instructions and skills.

They come with a repository, from anyone. So only plain files are read, up to a limit; and what a project's file links
to outside the project is read only if it is Markdown too (shared notes are; a private key is not).
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agent_tui.structures.visible import revealed


@dataclass(frozen=True, slots=True)
class TextFile:
    """`text` is empty where the file could not be read; `problem` says why, or what was left out of it. `cut`: it goes
    on in the file. `real` is the file behind all links."""

    text: str = ""
    real: Path | None = None
    problem: str = ""
    cut: bool = False


def read(path: Path, limit: int, root: Path | None = None) -> TextFile | None:
    """The text of `path`, at most `limit` bytes; None where no such file is. `root`: the project it belongs to."""
    try:
        real = path.resolve(strict=True)
        if root is not None and not real.is_relative_to(root.resolve()) and real.suffix.lower() != ".md":
            return TextFile(real=real, problem=f"{path} leads outside the project: not used")
        fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return TextFile(real=real, problem=f"{path} is not a file: not used")
            with open(fd, "rb", closefd=False) as file:
                raw = file.read(limit + 1)
        finally:
            os.close(fd)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "links in a circle"
        return TextFile(problem=f"{path} cannot be read ({reason}): not used")
    cut = len(raw) > limit
    text = raw[:limit].decode("utf-8-sig", "ignore" if cut else "replace").replace("\r\n", "\n").replace("\0", "")
    text, hidden = revealed(text)
    problems = [f"{path} is longer than {limit // 1000} kB: the rest is not used"] if cut else []
    if hidden:
        many = "character" if hidden == 1 else "characters"
        problems.append(f"{path} contains {hidden} hidden {many}: removed before the model reads it")
    return TextFile(text, real, "; ".join(problems), cut)
