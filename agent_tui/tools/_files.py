"""What the reading tools share: what a failed open is called, whether bytes are text, how sizes are written."""

from __future__ import annotations

import codecs
import difflib
import errno
import os
from pathlib import Path
from typing import Final

from agent_tui.safety.paths import NotRegular
from agent_tui.tools.base import ToolContext, ToolFailure

SNIFF: Final = 8_000
"""Bytes at the beginning that decide whether a file is text."""
_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_MANY_CONTROLS: Final = 0.05
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file is no text: a NUL, many control characters, or a PDF's mark."""
    head = data[:SNIFF]
    if b"\0" in head or head.startswith(b"%PDF-"):
        return True
    return len(head) - len(head.translate(None, _CONTROLS)) > _MANY_CONTROLS * len(head)


def binary_failure(shown: str, data: bytes, size: int) -> ToolFailure:
    """The failure of reading a file that `is_binary`; `size` in bytes."""
    if data.startswith(_UTF16):
        how = f"iconv -f UTF-16 -t UTF-8 {shown}"
        return ToolFailure("binary", f"{shown} is UTF-16, not UTF-8 text; convert it with run_shell_command: {how}")
    return ToolFailure("binary", f"{shown} is a binary file ({size_text(size)}), not text: it was not read")


def failure(error: OSError | NotRegular, real: Path, ctx: ToolContext) -> ToolFailure:
    """The failure that stands for an error of opening or reading `real`."""
    shown = ctx.shown(real) or "."
    if isinstance(error, NotRegular):
        kind = str(error).removeprefix(str(real))
        hint = "; list it with list_files" if "a folder" in kind else ""
        return ToolFailure("invalid_arguments", f"{shown}{kind}{hint}")
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return not_found(real, ctx)
    if isinstance(error, PermissionError):
        return ToolFailure("blocked", f"{shown}: the system denies access to it (permissions)")
    if error.errno == errno.ELOOP:
        return ToolFailure("blocked", f"{shown}: it became a link while it was opened")
    return ToolFailure("exception", f"{shown}: {error.strerror or error}")


def not_found(real: Path, ctx: ToolContext) -> ToolFailure:
    """`real` is not there; names what lies beside it and is written alike."""
    inside = any(real.parent.is_relative_to(root) for root in ctx.roots)
    near = _alike(real) if inside else []
    hint = f"; similar: {', '.join(ctx.shown(path) for path in near)}" if near else "; find it with glob_files"
    return ToolFailure("not_found", f"there is no {ctx.shown(real)}{hint}")


def size_text(size: int) -> str:
    """A size in bytes for people: `812 B`, `1.2 kB`, `34 MB`."""
    if size < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def name_text(name: str) -> str:
    """A file's name as text for the model: on one line, bytes that are no UTF-8 shown as replaced."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def below(shown: str, path: str) -> str:
    """How the file at `path` below a folder is named, where that folder is named `shown`."""
    return name_text(path if shown in ("", ".") else f"{shown.rstrip('/')}/{path}")


def _alike(real: Path) -> list[Path]:
    try:
        names = {name.lower(): name for name in os.listdir(real.parent)}  # noqa: PTH208 - names, not paths
    except OSError:
        return []  # no folder either: nothing lies beside it
    return [real.parent / names[name] for name in difflib.get_close_matches(real.name.lower(), names, n=3)]
