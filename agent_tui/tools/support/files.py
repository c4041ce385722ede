"""What the tools for files share: what a failed open is called, whether bytes are text, how sizes
are written; a text without BOM and line ends, so that they can be put back."""

from __future__ import annotations

import codecs
import difflib
import errno
import io
import os
import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety import file_access
from agent_tui.safety.file_access import NotRegular
from agent_tui.safety.secrets.strength import PLACEHOLDER
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import ToolContext, ToolFailure
from agent_tui.tools.support import pieces
from agent_tui.tools.support.matching import Replacement, kept_stretches

SNIFF: Final = 8_000
"""Bytes at the beginning that decide whether a file is text."""
_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_MANY_CONTROLS: Final = 0.05
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file is no text: a NUL, many control characters, or a PDF's
    mark."""
    head = data[:SNIFF]
    if b"\0" in head or head.startswith(b"%PDF-"):
        return True
    return len(head) - len(head.translate(None, _CONTROLS)) > _MANY_CONTROLS * len(head)


def binary_failure(shown: str, data: bytes, size: int) -> ToolFailure:
    """The failure of reading a file that `is_binary`; `size` in bytes."""
    if data.startswith(_UTF16):
        how = f"iconv -f UTF-16 -t UTF-8 {shown}"
        return ToolFailure(
            "binary", f"{shown} is UTF-16, not UTF-8 text; convert it with run_shell_command: {how}"
        )
    return ToolFailure(
        "binary", f"{shown} is a binary file ({size_text(size)}), not text: it was not read"
    )


def failure(error: OSError | NotRegular, real: Path, ctx: ToolContext) -> ToolFailure:
    """The failure that stands for an error of opening or reading `real`."""
    shown = ctx.display_path(real) or "."
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
    hint = (
        f"; similar: {', '.join(ctx.display_path(path) for path in near)}"
        if near
        else "; find it with glob_files"
    )
    return ToolFailure("not_found", f"there is no {ctx.display_path(real)}{hint}")


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
    """A file's name as text for the model: on one line, bytes that are no UTF-8 shown as
    replaced."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    )


def path_below(shown: str, path: str) -> str:
    """How the file at `path` below a folder is named, where that folder is named `shown`."""
    return name_text(path if shown in ("", ".") else f"{shown.rstrip('/')}/{path}")


def _alike(real: Path) -> list[Path]:
    try:
        names = {name.lower(): name for name in os.listdir(real.parent)}  # noqa: PTH208 - names, not paths
    except OSError:
        return []  # no folder either: nothing lies beside it
    return [
        real.parent / names[name]
        for name in difflib.get_close_matches(real.name.lower(), names, n=3)
    ]


_PNG: Final = b"\x89PNG\r\n\x1a\n"
_NO_SIZE: Final = frozenset((0xC4, 0xC8, 0xCC))
"""Markers of a JPEG between 0xC0 and 0xCF that begin no frame."""
_ALONE: Final = frozenset((0x01, *range(0xD0, 0xDA)))
"""Markers without a length."""
_STEPS: Final = 1_000
"""Markers that are looked at; a real file has a few dozen."""


@frozen
class Picture:
    """In pixels; 0: the file does not say."""

    kind: str
    width: int = 0
    height: int = 0


def picture(data: bytes) -> Picture | None:
    """The picture that `data` begins with, or None."""
    if data.startswith(_PNG):
        return Picture("PNG", *_numbers(">II", data, 16))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Picture("GIF", *_numbers("<HH", data, 6))
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("JPEG", *_jpeg(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture("WebP", *_webp(data))
    return None


def _numbers(form: str, data: bytes, at: int) -> tuple[int, int]:
    if len(data) < at + struct.calcsize(form):
        return 0, 0
    first, second = struct.unpack_from(form, data, at)
    return first, second


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first frame's header; what stands before it is stepped over by its length."""
    at = 2
    for _ in range(_STEPS):
        if at + 4 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker in _ALONE or marker == 0xFF:
            at += 1 if marker == 0xFF else 2
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = _numbers(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if form == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        width, height = _numbers("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


_SUFFIXES: Final = {
    "py": "python",
    "pyi": "python",
    "pyw": "python",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "jsx",
    "ts": "typescript",
    "tsx": "tsx",
    "rs": "rust",
    "go": "go",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "hpp": "cpp",
    "hh": "cpp",
    "cs": "csharp",
    "java": "java",
    "kt": "kotlin",
    "kts": "kotlin",
    "swift": "swift",
    "m": "objective-c",
    "rb": "ruby",
    "php": "php",
    "pl": "perl",
    "pm": "perl",
    "lua": "lua",
    "r": "r",
    "jl": "julia",
    "scala": "scala",
    "clj": "clojure",
    "ex": "elixir",
    "exs": "elixir",
    "erl": "erlang",
    "hs": "haskell",
    "ml": "ocaml",
    "dart": "dart",
    "zig": "zig",
    "nim": "nim",
    "sh": "bash",
    "bash": "bash",
    "zsh": "zsh",
    "fish": "fish",
    "ps1": "powershell",
    "bat": "batch",
    "sql": "sql",
    "html": "html",
    "htm": "html",
    "xml": "xml",
    "svg": "xml",
    "css": "css",
    "scss": "scss",
    "less": "less",
    "vue": "vue",
    "json": "json",
    "jsonl": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "md": "markdown",
    "markdown": "markdown",
    "rst": "rst",
    "tex": "tex",
    "diff": "diff",
    "patch": "diff",
    "tf": "terraform",
    "proto": "protobuf",
    "graphql": "graphql",
    "cmake": "cmake",
    "nix": "nix",
    "tcss": "css",
}
_NAMES: Final = {
    "dockerfile": "docker",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "gemfile": "ruby",
    "rakefile": "ruby",
    ".bashrc": "bash",
    ".profile": "bash",
    ".zshrc": "zsh",
    "jenkinsfile": "groovy",
}


def language(path: Path) -> str:
    """The name of a language as highlighters know it; empty where the name says nothing."""
    name = path.name.lower()
    return _NAMES.get(name) or _SUFFIXES.get(name.rpartition(".")[2] if "." in name else "", "")


def patterns_of_type(kind: str) -> tuple[str, ...]:
    """Patterns for the names of files of a language, by its name or one of its suffixes. Raises
    ToolFailure."""
    kind = kind.strip().lower().removeprefix("*").removeprefix(".")
    wanted = _SUFFIXES.get(kind, kind)
    suffixes = [f"*.{suffix}" for suffix, name in _SUFFIXES.items() if name == wanted]
    found = (*suffixes, *(name for name, of in _NAMES.items() if of == wanted))
    if not found:
        raise ToolFailure(
            "invalid_arguments", f"{kind!r}: not a known type; use glob, such as *.{kind}"
        )
    return found


LARGEST: Final = 20_000_000
"""Bytes of a file that a tool is ready to change."""
BOM: Final = "\ufeff"
_OF_UTF8: Final = re.compile("[^\\x00-\\x7f\\udc80-\\udcff]")
"""A character that was read as UTF-8."""


@frozen
class FileText:
    """`text` has no BOM and `\\n` for `\\r\\n` where the whole file has those; `raw` is what is on
    the disk; `utf8`: it has characters that were read as UTF-8, or ASCII alone."""

    raw: bytes
    text: str
    bom: bool
    crlf: bool
    utf8: bool = True

    def encode(self, text: str) -> bytes:
        """`text` with this file's BOM and line ends; bytes that are no UTF-8 come back as they
        were."""
        return self._encode([(text, 0, len(text))])

    def _encode(self, parts: Iterable[tuple[str, int, int]]) -> bytes:
        """The same of stretches of texts, from where to where."""
        whole = io.BytesIO(codecs.BOM_UTF8 if self.bom else b"")
        whole.seek(0, io.SEEK_END)
        for text, start, end in parts:
            for at, to in pieces.spans(start, end):
                piece = text[at:to].replace("\n", "\r\n") if self.crlf else text[at:to]
                whole.write(piece.encode("utf-8", "surrogateescape"))
        return whole.getvalue()

    def with_places(self, made: Sequence[Replacement]) -> bytes:
        """What is on the disk, with all of `made`. Raises ValueError where two overlap."""
        plain = self.text.isascii() and len(self.text) == len(self.raw)
        if not plain or not all(one.text.isascii() for one in made):
            kept = kept_stretches(len(self.text), made)
            return self._encode(
                part
                for start, end, new in kept
                for part in ((self.text, start, end), (new, 0, len(new)))
            )
        held = memoryview(self.raw)  # a place in the text is one in the bytes: each is copied once
        return b"".join(
            part
            for start, end, new in kept_stretches(len(held), made)
            for part in (held[start:end], new.encode())
        )

    def in_own_bytes(self, text: str) -> str | None:
        """`text` so that `encode` writes it as this file is written: a file that is no UTF-8
        anywhere is taken for Latin-1. None: it has characters that cannot be written so."""
        if self.utf8:
            return text
        try:
            return text.encode("latin-1").decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None


def read_text(path: Path, ctx: ToolContext) -> FileText:
    """The text at a real path. Raises ToolFailure (not_found, too_large, binary, blocked, …)."""
    try:
        raw = file_access.read_regular(path, LARGEST)
    except (OSError, file_access.NotRegular) as error:
        raise failure(error, path, ctx) from None
    if len(raw) > LARGEST:
        text = f"{ctx.display_path(path)} is larger than {LARGEST // 1_000_000} MB: use a command instead"
        raise ToolFailure("too_large", text)
    if is_binary(raw):
        raise binary_failure(ctx.display_path(path), raw, len(raw))
    try:
        text, utf8 = raw.decode("utf-8"), True
    except UnicodeDecodeError:
        text, utf8 = raw.decode("utf-8", "surrogateescape"), False
    bom = text.startswith(BOM)
    text = text[1:] if bom else text
    crlf = "\r" in text and pieces.count(text, "\r\n") == pieces.count(text, "\n") > 0
    utf8 = utf8 or any(_OF_UTF8.search(text, *span) for span in pieces.spans(0, len(text)))
    return FileText(raw, _with_line_feeds(text) if crlf else text, bom, crlf, utf8)


def _with_line_feeds(text: str) -> str:
    """`text` with `\\n` for `\\r\\n`."""
    parts: list[str] = []
    for at, end in pieces.spans(0, len(text)):
        part = text[at:end].replace("\r\n", "\n")
        parts.append(part[:-1] if text[end - 1 : end + 1] == "\r\n" else part)
    return "".join(parts)


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


def describe_other_names(path: Path, shown: str) -> str:
    """What becomes of a file's other names when it is written, in a sentence; empty: it has none.
    It is written whole beside itself, so that a kill leaves it whole, and that takes the place of
    this name alone."""
    try:
        others = path.lstat().st_nlink - 1
    except OSError:
        return ""  # it is gone: the write says so
    held = "name, which keeps what it held" if others == 1 else "names, which keep what they held"
    return f"{shown} had {others} other {held} (hard links)." if others > 0 else ""
