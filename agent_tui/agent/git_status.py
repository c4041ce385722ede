"""What `git status` says of a work tree: which files are not as the commit has them, and what the commit has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent_tui.safety.links import KIND


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was looked at: its content's SHA-256 (empty: there is none), and what tells it apart."""

    sha: str = ""
    mode: int = 0
    key: tuple[int, ...] = ()

    def since(self, begun: int) -> bool:
        """Whether it came to be, under this name, at `begun` or later."""
        return bool(self.key) and self.key[-1] >= begun


@dataclass(frozen=True, slots=True)
class Status:
    """What git says: the commit, and the real paths that are not as it has them, with its own object and mode (empty:
    it has none there; None: nothing is known of it)."""

    commit: str = ""
    changed: Mapping[Path, Known | None] = field(default_factory=dict)


def parsed(output: str, top: Path) -> Status:
    """The status in what `git status --porcelain=v2 -z --branch` says."""
    commit, changed = "", dict[Path, Known | None]()
    fields = iter(output.split("\0"))
    for line in fields:
        kind, _, rest = line.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            commit = value if name == "branch.oid" else commit
        elif kind == "?":
            changed.setdefault(top / rest, Known())
        elif kind in ("1", "2", "u"):
            count = {"1": 8, "2": 9, "u": 10}[kind]
            parts = line.split(" ", count)
            if len(parts) == count + 1:
                has = None if kind == "u" else _committed(parts[6], parts[3])
                changed[top / parts[count]] = has if kind != "2" else Known()
                if kind == "2" and (old := next(fields, "")):
                    changed[top / old] = has
    return Status(commit, changed)


def _committed(name: str, mode: str) -> Known | None:
    """What the commit has: an object, nothing, or a submodule, of which nothing is known."""
    if not name.strip("0"):
        return Known()
    if mode == f"{KIND:o}":
        return Known(name, KIND)
    return Known(name, 0o755 if mode == "100755" else 0o644) if mode.startswith("100") else None
