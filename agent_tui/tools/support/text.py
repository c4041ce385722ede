"""A text file as bytes and as what a model works on: BOM and line ends set aside, so that they can
be put back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_tui.safety import paths
from agent_tui.safety.secret_strength import PLACEHOLDER
from agent_tui.tools.base import ToolContext, ToolFailure
from agent_tui.tools.support.files import binary_failure, failure, is_binary

LARGEST: Final = 20_000_000
"""Bytes of a file that a tool is ready to change."""
BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileText:
    """`text` has no BOM and `\\n` for `\\r\\n` where the whole file has those; `raw` is what is on the
    disk."""

    raw: bytes
    text: str
    bom: bool
    crlf: bool

    def encode(self, text: str) -> bytes:
        """`text` with this file's BOM and line ends; bytes that are no UTF-8 come back as they were."""
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return ((BOM if self.bom else "") + text).encode("utf-8", "surrogateescape")

    def in_own_bytes(self, text: str) -> str | None:
        """`text` so that `encode` writes it as this file is written: a file that is no UTF-8 anywhere
        is taken for
        Latin-1. None: it has characters that cannot be written so."""
        others = [char for char in self.text if not char.isascii()]
        if not others or not all("\udc80" <= char <= "\udcff" for char in others):
            return text
        try:
            return text.encode("latin-1").decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None


def read_text(path: Path, ctx: ToolContext) -> FileText:
    """The text at a real path. Raises ToolFailure (not_found, too_large, binary, blocked, …)."""
    try:
        raw = paths.read_regular(path, LARGEST)
    except (OSError, paths.NotRegular) as error:
        raise failure(error, path, ctx) from None
    if len(raw) > LARGEST:
        text = f"{ctx.shown(path)} is larger than {LARGEST // 1_000_000} MB: use a command instead"
        raise ToolFailure("too_large", text)
    if is_binary(raw):
        raise binary_failure(ctx.shown(path), raw, len(raw))
    text = raw.decode("utf-8", "surrogateescape")
    bom = text.startswith(BOM)
    text = text[1:] if bom else text
    crlf = text.count("\r\n") == text.count("\n") > 0
    return FileText(raw, text.replace("\r\n", "\n") if crlf else text, bom, crlf)


def refuse_placeholders(text: str, held: str, what: str) -> None:
    """Raise ToolFailure where `text` holds the placeholder of a secret that the file does not
    literally hold: written, it would take the place of the value."""
    for found in PLACEHOLDER.findall(text):
        if found not in held:
            why = f"{what} holds {found}, which stands for a hidden value and is not that value"
            raise ToolFailure(
                "placeholder",
                f"{why}: nothing was done; leave the text that holds it out of the call",
            )


def parted(path: Path, shown: str) -> str:
    """What becomes of a file's other names when it is written, in a sentence; empty: it has none.
    It is written whole beside itself, so that a kill leaves it whole, and that takes the place of
    this name alone."""
    try:
        others = path.lstat().st_nlink - 1
    except OSError:
        return ""  # it is gone: the write says so
    held = "name, which keeps what it held" if others == 1 else "names, which keep what they held"
    return f"{shown} had {others} other {held} (hard links)." if others > 0 else ""
