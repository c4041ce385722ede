"""Which files git changes on their way between its objects and the work tree: line ends, encodings,
filters. What git has of those is not what the person had."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.git_config import Repository, parse_config, read_text

ATTRIBUTES_FILE: Final = ".gitattributes"
_ATTRIBUTES: Final = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
_NO: Final = ("unspecified", "unset")
CRLF: Final = ("config", "--get", "--default", "false", "core.autocrlf")
RULES: Final = ("check-attr", "-z", "--stdin", *_ATTRIBUTES)
_OFF: Final = ("false", "no", "off", "0", "")


def asked(where: Repository, paths: Sequence[Path]) -> bytes:
    """What git is given with the question `RULES`."""
    return b"".join(os.fsencode(path.relative_to(where.top)) + b"\0" for path in paths)


def converted(paths: Sequence[Path], crlf: str, rules: bytes) -> set[Path]:
    """Those of `paths` that git converts, by its answers to `CRLF` and `RULES`; all where the
    answer is not whole."""
    values = rules.decode("utf-8", "replace").split("\0")[2::3]
    count = len(_ATTRIBUTES)
    if crlf.strip().lower() not in _OFF or len(values) != count * len(paths):
        return {*paths}
    return {
        path
        for number, path in enumerate(paths)
        if any(value not in _NO for value in values[number * count : (number + 1) * count])
    }


def are_unknown(where: Repository, begun: int) -> bool:
    """Whether the rules cannot be known: they lie elsewhere, or some in its folder were written
    since `begun` (nanoseconds)."""
    return _elsewhere(where) or _written(where, begun)


def _elsewhere(where: Repository) -> bool:
    """Whether the repository's configuration names other files with rules: our questions do not
    read those."""
    return any(
        name == "core.attributesfile" or name.startswith(("include.", "includeif."))
        for file in (where.common / "config", where.folder / "config.worktree")
        for name, _ in parse_config(read_text(file))
    )


def _written(where: Repository, begun: int) -> bool:
    for file in (where.common / "config", where.common / "info" / "attributes"):
        try:
            if file.stat().st_ctime_ns >= begun:
                return True
        except OSError:
            continue  # there is none: it has no rules
    return False
