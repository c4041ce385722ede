"""The person's own editor: which it is, and what it leaves; and whether there is a shell to leave
for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.registry import late
from agent_tui.temporary import PrivateFolder

with late():
    from agent_tui import programs

Foreground = Callable[[Sequence[str], Callable[[], bool]], int]
"""Runs a program on the terminal and returns its exit code; ends it once the second is true. Raises
OSError."""
EDITORS: Final = ("nano", "vim", "vi", "emacs")
"""What is looked for where no editor is named."""
NO_EDITOR: Final = "no editor was found: set VISUAL or EDITOR to one"


def editor(environment: Mapping[str, str]) -> list[str]:
    """The person's editor as words of a command; empty if there is none."""
    for name in ("VISUAL", "EDITOR"):
        if named := environment.get(name, "").strip():
            try:
                return shlex.split(named)
            except ValueError:  # a quote that does not end
                return named.split()
    path = programs.own_path(environment)
    found = (programs.find_program(name, path) for name in EDITORS)
    return next(([path] for path in found if path), [])


def edit_text(
    argv: Sequence[str],
    text: str,
    run: Foreground,
    ends: Callable[[], bool],
    saved: Callable[[str], object] = lambda _: None,
) -> tuple[str, str]:
    """`text` as the editor `argv` left it, or why it was not changed. `run` and `ends`: how it runs,
    and when it is ended. `saved` is told what is saved in it while it stays open."""
    name = Path(argv[0]).name
    with PrivateFolder() as folder:  # nobody else may look into it
        file = Path(folder) / "prompt.md"
        file.touch(0o600)
        file.write_text(text, "utf-8", errors="replace")
        last = text

        def look() -> bool:
            nonlocal last
            if (new := _read(file, text) or "").strip() and new != last:
                last = new
                saved(new)
            return ends()

        try:
            code = run([*argv, str(file)], look)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return text, f"{name} cannot be started ({reason})"
        left = _read(file, text)
        if (look() or code < 0) and last != text:
            return last, ""  # what was saved does not go with the editor
    if code:
        return text, (
            f"{name} ended with exit code {code}"
            if code > 0
            else f"{name} was ended by signal {-code}"
        )
    if left is None:
        return text, f"{name} saved no file"
    return (left, "") if left.strip() or not text.strip() else (text, f"{name} saved an empty file")


def _read(file: Path, text: str) -> str | None:
    """What stands in `file`, where `text` was before; None where it cannot be read."""
    try:
        left = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return None
    # most editors end a file with a line end
    return left if text.endswith("\n") else left.removesuffix("\n")


def no_shell() -> str:
    """Why there is no shell to go back to; empty if there is one."""
    alone = os.getpgrp() == os.getsid(0)
    return "there is no shell to return to: this terminal runs only agent-tui" if alone else ""
