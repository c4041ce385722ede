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
_PLUS: Final = frozenset(
    ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "hx", "helix", "kak",
     "micro", "joe", "jed", "mg", "ne", "gedit", "kate")
)  # fmt: skip
_GOTO: Final = frozenset(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"))
_COLON: Final = frozenset(("subl", "zed", "zeditor"))
"""How editors are told of a line: `+12 file`, `-g file:12`, `file:12`."""
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


def at_line(argv: Sequence[str], path: str, line: int) -> list[str]:
    """The command that opens the file at `path` (absolute) at `line` (0: anywhere), in so far as
    `argv` is an editor whose way to say so is known."""
    name = Path(argv[0]).name
    if line and name in _PLUS:
        return [*argv, f"+{line}", path]
    if line and name in _GOTO:
        return [*argv, "-g", f"{path}:{line}"]
    return [*argv, f"{path}:{line}" if line and name in _COLON else path]


def show_file(
    argv: Sequence[str], path: str, line: int, run: Foreground, ends: Callable[[], bool]
) -> str:
    """Open a file in the editor `argv` until it is left; why that went wrong, if it did."""
    if not Path(path).is_file():
        return f"{path} is gone"
    try:
        return _failure(argv, run(at_line(argv, path, line), ends))
    except (OSError, ValueError) as error:
        return _not_started(argv, error)


def _not_started(argv: Sequence[str], error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{Path(argv[0]).name} cannot be started ({reason})"


def _failure(argv: Sequence[str], code: int) -> str:
    """How the editor ended, if that was badly."""
    ended = f"with exit code {code}" if code > 0 else f"by signal {-code}"
    verb = "ended" if code > 0 else "was ended"
    return f"{Path(argv[0]).name} {verb} {ended}" if code else ""


def edit_text(
    argv: Sequence[str],
    text: str,
    run: Foreground,
    ends: Callable[[], bool],
    saved: Callable[[str], object] = lambda _: None,
) -> tuple[str, str]:
    """`text` as the editor `argv` left it, or why it was not changed. `run` and `ends`: how it
    runs, and when it is ended. `saved` is told what is saved in it while it stays open."""
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
            return text, _not_started(argv, error)
        left = _read(file, text)
        if (look() or code < 0) and last != text:
            return last, ""  # what was saved does not go with the editor
    if code:
        return text, _failure(argv, code)
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
