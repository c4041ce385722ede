"""A repository of git, and its configuration, read without git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent_tui.regular_file import open_regular
from agent_tui.structures.frozen import frozen

_MOST_TEXT: Final = 1_000_000
_SECTION: Final = re.compile(r'\s*\[\s*([A-Za-z0-9.-]+)[ \t]*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*")
_PIECE: Final = re.compile(r'\\(?:\r?\n|(.))|(")|([#;])|(\r?\n)|([^\\"#;\r\n]+|\r)')
_ESCAPED: Final = {"n": "\n", "t": "\t", "b": "\b"}


@frozen
class Repository:
    """`top` is the work tree, `folder` its git folder, `common` the one that all work trees of a
    repository share."""

    top: Path
    folder: Path
    common: Path


def find_repository(start: Path) -> Repository | None:
    """The repository that the folder `start` (a real path) lies in. Of a bare one nothing is known."""
    for top in (start, *start.parents):
        folder = top / ".git"
        try:
            if folder.is_file():  # a work tree of its own, or a submodule
                said = read_text(folder)
                if not said.startswith("gitdir:"):
                    continue
                folder = top / said.removeprefix("gitdir:").strip()
            else:
                (folder / "HEAD").stat()
        except (OSError, ValueError) as error:
            if not isinstance(
                error, PermissionError
            ):  # else it is one, and its reader says what is wrong
                continue
        shared = read_text(folder / "commondir").strip()
        return Repository(top, folder, folder / shared if shared else folder)
    return None


def read_text(path: Path) -> str:
    """A small file of git; empty where it cannot be read."""
    return read_bytes(path).decode("utf-8", "replace")


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """The settings of a configuration file of git, by the names that git gives them; what is no
    setting ends it. Nothing is included from elsewhere."""
    section, at = "", 0
    while at < len(text):
        if found := _SECTION.match(text, at):
            inner = re.sub(r"\\(.)", r"\1", found[2]) if found[2] is not None else None
            section, at = found[1].lower() + (f".{inner}" if inner is not None else ""), found.end()
        elif section and (found := _KEY.match(text, at)):
            value, at = _value(text, found.end())
            yield f"{section}.{found[1].lower()}", value if found[2] else "true"
        else:  # an empty line, or a comment
            line, _, _ = text[at:].partition("\n")
            if line.strip() and line.lstrip()[0] not in "#;":
                return
            at += len(line) + 1


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that begins at `at`, and where its line ends."""
    parts: list[str] = []
    quoted, kept = False, 0
    while piece := _PIECE.match(text, at):
        escaped, quote, comment, end, plain = piece.groups()
        if end or (comment and not quoted):
            break
        at = piece.end()
        quoted ^= quote is not None
        parts.append(_ESCAPED.get(escaped, escaped) if escaped else comment or plain or "")
        if escaped or quoted:
            kept = len("".join(parts))  # blanks behind it are none of the value
    value = "".join(parts)
    after = text.find("\n", at)
    return value[:kept] + value[kept:].rstrip(" \t\r"), len(text) if after < 0 else after + 1


def read_bytes(path: Path) -> bytes:
    """As `read_text`, undecoded."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(_MOST_TEXT + 1)
    except (OSError, ValueError):
        return b""
