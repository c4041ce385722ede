"""What a front end is told of a file before it is put back: how it is now, and the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.agent.undo import WORDS, Look, shown
from agent_tui.protocol.answers import OldFile
from agent_tui.protocol.display import Hunk
from agent_tui.structures.plural import counted
from agent_tui.tools._diff import diff
from agent_tui.tools._files import is_binary

DIFFS: Final = 200
"""Files of which the difference is told."""
DIFF_BYTES: Final = 400_000
"""Of a file, either side, up to which its difference is told."""


def file_told(look: Look, cwd: Path, number: int, scrub: Callable[[str], str]) -> tuple[OldFile, bool]:
    """One file of an answer, the `number`th, its difference as `scrub` gives it; and whether that was left out because
    of its size or number."""
    told = OldFile(
        path=shown(look.plan.path, cwd), real=look.plan.path, state=look.state,
        why=look.found.problem or WORDS[look.state] or parted(look), choices=look.choices, default=look.decide(""),
        now=look.found.sha, goes=bool(look.found.sha) and not look.plan.target,
        comes=bool(look.plan.target) and not look.found.sha,
    )  # fmt: skip
    now, then = look.found.content, look.old or b""
    if look.state in ("same", "lost") or look.found.problem or is_binary(now) or is_binary(then):
        return told, False
    if number >= DIFFS or max(len(now), len(then)) > DIFF_BYTES:
        return told, True
    difference = diff(told.path, now.decode("utf-8", "replace"), then.decode("utf-8", "replace"))
    hunks = tuple(_scrubbed(hunk, scrub) for hunk in difference.hunks)
    return replace(told, added=difference.added, removed=difference.removed, diff=hunks), False


def _scrubbed(hunk: Hunk, scrub: Callable[[str], str]) -> Hunk:
    lines, old, new = (tuple(map(scrub, part)) for part in (hunk.lines, hunk.old_opening, hunk.new_opening))
    return replace(hunk, lines=lines, old_opening=old, new_opening=new)


def parted(look: Look) -> str:
    """What happens to a file's other names: one is written whole beside it and takes its place."""
    others = look.names_elsewhere
    if look.state not in ("as_left", "during") or others < 1:
        return ""
    return f"its {others} other hard link{'s keep their' if others > 1 else ' keeps its'} content"


def caps_said(capped: int) -> tuple[str, ...]:
    """In words, what was left out."""
    if not capped:
        return ()
    left = counted(capped, "difference is", "differences are")
    return (f"{left} not shown: only those of the first {DIFFS} files, up to {DIFF_BYTES // 1000} kB",)
