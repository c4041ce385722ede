"""A text file as bytes and as what a model works on: BOM and line ends set aside, so that they can be put back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_tui.safety import paths
from agent_tui.tools.base import ToolFailure

LARGEST: Final = 20_000_000
"""Bytes of a file that a tool is ready to change."""
BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileText:
    """`text` has no BOM and `\\n` for `\\r\\n` where the whole file has those; `raw` is what is on the disk."""

    raw: bytes
    text: str
    bom: bool
    crlf: bool

    def encode(self, text: str) -> bytes:
        """`text` with this file's BOM and line ends; bytes that are no UTF-8 come back as they were."""
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return ((BOM if self.bom else "") + text).encode("utf-8", "surrogateescape")


def read_text(path: Path, shown: str) -> FileText:
    """The text at a real path. Raises ToolFailure: not_found, too_large, binary, unreadable."""
    try:
        raw = paths.read_regular(path, LARGEST)
    except FileNotFoundError:
        raise ToolFailure("not_found", f"{shown}: there is no such file") from None
    except paths.NotRegular:
        raise ToolFailure("invalid_arguments", f"{shown} is not a regular file") from None
    except OSError as error:
        raise ToolFailure("unreadable", f"{shown}: {error.strerror}") from None
    if len(raw) > LARGEST:
        raise ToolFailure("too_large", f"{shown} is larger than {LARGEST // 1_000_000} MB: use a command instead")
    if b"\0" in raw[:8_192]:
        raise ToolFailure("binary", f"{shown} is a binary file")
    text = raw.decode("utf-8", "surrogateescape")
    bom = text.startswith(BOM)
    text = text[1:] if bom else text
    crlf = text.count("\r\n") == text.count("\n") > 0
    return FileText(raw, text.replace("\r\n", "\n") if crlf else text, bom, crlf)
