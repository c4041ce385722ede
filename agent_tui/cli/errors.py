"""How the command line says what is wrong: in one line, with an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from agent_tui.protocol.exit_codes import FAILED as FAILED
from agent_tui.protocol.exit_codes import USAGE as USAGE
from agent_tui.structures.visible import visible


def one_line(text: str) -> str:
    """`text`, which may hold anything that somebody typed or named a file, as a line for the
    terminal."""
    return visible(text.replace("\r", "\u240d").replace("\n", "\u240a"))


def encodable(text: str) -> bool:
    """Whether `text` is text: a word of the command line may be any bytes."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def run_guarded(name: str, command: Callable[[], int], prints: bool = True) -> int:
    """Run a command. What it cannot write or read is said in one line; where nobody reads on,
    nothing is left to say. `prints`: it is for nothing where standard output is closed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
    if prints and sys.stdout is None:
        return _said(name, "standard output is closed", FAILED)
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _unplug()
        return 0
    except UnicodeEncodeError as error:
        return _said(name, f"{str(error.object)[:80]}: not valid UTF-8 text", USAGE)
    except OSError as error:
        _unplug()
        reason = error.strerror or str(error)
        return _said(
            name,
            f"{error.filename}: {reason}" if error.filename else f"not written: {reason}",
            FAILED,
        )
    return code


def _unplug() -> None:
    """What could not be written is not tried again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _said(name: str, text: str, code: int) -> int:
    print(f"{name}: {one_line(text)}", file=sys.stderr)
    return code
