"""Whether an edit broke a file that could be read before: Python, JSON and TOML, by the standard
library alone."""

from __future__ import annotations

import json
import symtable
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

LARGEST: Final = 200_000
LARGEST_PYTHON: Final = 50_000
"""Bytes up to which a file is read: more would hold up all else."""


def _read_python(text: str) -> None:
    symtable.symtable(text, "edited", "exec")  # as `ast` does, without making its objects


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    ".py": _read_python,
    ".pyi": _read_python,
    ".json": json.loads,
    ".ipynb": json.loads,
    ".toml": tomllib.loads,
}
_NAMES: Final = {".py": "Python", ".pyi": "Python", ".toml": "TOML"}


def describe_break(path: Path, before: bytes | None, after: bytes) -> str:
    """One line where a file cannot be read any more; empty: it can, could not before either, or is
    of no such kind."""
    suffix = path.suffix.lower()
    most = LARGEST_PYTHON if suffix in (".py", ".pyi") else LARGEST
    if suffix not in _READERS or max(len(before or b""), len(after)) > most:
        return ""
    problem = _problem(suffix, after)
    if not problem or (before is not None and _problem(suffix, before)):
        return ""
    return f"It is no valid {_NAMES.get(suffix, 'JSON')} now: {problem}"


def _problem(suffix: str, data: bytes) -> str:
    try:
        with warnings.catch_warnings(action="ignore"):
            _READERS[suffix](data.decode("utf-8-sig"))
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error).partition("\n")[0]
    return ""
