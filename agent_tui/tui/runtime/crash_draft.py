"""What was typed at a start that a signal ended before a session was open: kept as it came, given
back as a draft."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from textual import events

from agent_tui.boot.frame import typed_folder
from agent_tui.regular_file import open_regular
from agent_tui.tui.textual_port.key_parser import KeyParser, text_of

MOST: Final = 1_000_000
"""Bytes of one start that are read."""


def waiting_drafts(environment: Mapping[str, str]) -> list[Path]:
    """Files of earlier starts in this folder, oldest first."""
    try:
        files = sorted(Path(typed_folder(environment)).iterdir())
        here = os.fsencode(Path.cwd())
    except OSError:  # there is none, as nearly always
        return []
    return [
        file for file in files if not _is_held(file) and _read(file).partition(b"\0")[0] == here
    ]


def _is_held(file: Path) -> bool:
    """Whether it is of a program that lives, or is only half written."""
    if file.name.startswith("."):
        return True
    try:
        fd = open_regular(file)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def text(files: Sequence[Path]) -> str:
    """What they come to: the prompts in the order in which they were typed."""
    return "\n".join(
        words for file in files if (words := words_of(_read(file).partition(b"\0")[2]))
    )


def forget(files: Sequence[Path]) -> None:
    """They are on record elsewhere."""
    for file in files:
        with contextlib.suppress(OSError):  # another copy was faster
            file.unlink()
    if files:
        with contextlib.suppress(OSError):  # what was typed in other folders is there
            files[0].parent.rmdir()


def words_of(keys: bytes) -> str:
    """The text that these keys make in an empty prompt; Enter is the end of a line."""
    said, parser = "", KeyParser()
    for event in chain(parser.feed(keys.decode("utf-8", "replace")), parser.finish()):
        if isinstance(event, events.Paste):
            said += event.text.replace("\r\n", "\n").replace("\r", "\n")
        elif isinstance(event, events.Key):
            said = _after(said, event)
    return said.strip()


def _after(said: str, key: events.Key) -> str:
    match key.key:
        case "enter" | "ctrl+j" | "shift+enter" | "alt+enter":
            return f"{said}\n"
        case "backspace" | "ctrl+h":
            return said[:-1]
        case "ctrl+u":
            return said[: said.rfind("\n") + 1]
        case "ctrl+w":
            return said.rstrip().removesuffix(said.split()[-1]) if said.split() else ""
        case _:
            return said + text_of(key)


def _read(file: Path) -> bytes:
    try:
        fd = open_regular(file)
    except OSError:
        return b""
    with os.fdopen(fd, "rb") as opened:
        try:
            return opened.read(MOST) or b""
        except OSError:
            return b""
